//! Foreign memories as memories.

use recall_agents::foreign::{ForeignMemory, ForeignOrigin, LeftOut, LeftOutReason};
use recall_core::{
    AddMemory, Event, EventBody, Feedback, ItemId, MEMORY_ENTRIES, MemoryId, MemoryOrigin, MemoryType, Provenance,
    Repeats, SHORT_TEXT_BYTES, Scope, StoreScope, Timestamp, Verdict, title_of,
};
use recall_text::DocPath;
use recall_watch::StatOutcome;

use super::import::{Import, key};
use super::{MigrateError, claims};
use crate::backup::RestoreMode;
use crate::indexing::index_memories_soon;
use crate::mask::{self, Masking};
use crate::memory::{AddOutcome, Addition, MemoryNote, NewAddition, PreparedMemory, about};

impl Import<'_> {
    /// Writes a batch of memories with one sync for each day on which one of them was made.
    pub(super) fn write_memories(&mut self, mut batch: Vec<ForeignMemory>) -> Result<(), MigrateError> {
        batch.sort_by(|a, b| a.created.cmp(&b.created).then_with(|| a.id.cmp(&b.id)));
        let mut events = Vec::new();
        let mut reserved = Vec::new();
        for memory in batch {
            let request = self.request(&memory);
            let timestamp = self.believable(memory.created);
            let provenance = mask::provenance(provenance(&memory.origin));
            let addition = Addition { request: &request, timestamp, provenance, commit: self.commit.as_deref() };
            match self.engine.prepare_memory(&self.origin, self.store, addition)? {
                PreparedMemory::Finished(report) if report.outcome == AddOutcome::Repeats => {
                    let of = report.id.to_string();
                    self.report.leave_out(LeftOut::one(display_name(&memory), LeftOutReason::Repeats { of }));
                }
                PreparedMemory::Finished(_) => self.report.memories.known += 1,
                PreparedMemory::New(new) => {
                    let NewAddition { reserved: guard, event, report } = *new;
                    self.report.memories.added += 1;
                    for note in &report.notes {
                        match note {
                            MemoryNote::Masked { .. } => self.report.masked += 1,
                            MemoryNote::NotAnchored { .. } => self.report.missing_files += 1,
                            MemoryNote::MayContradict { .. } => {}
                        }
                    }
                    reserved.push(guard);
                    events.push(event);
                    let ratings = self.ratings(&memory, report.id, timestamp);
                    self.report.ratings += ratings.len() as u64;
                    events.extend(ratings);
                }
            }
        }
        if self.mode == RestoreMode::Write && !events.is_empty() {
            self.store.ledger.write(&events)?;
        }
        drop(reserved);
        if self.mode == RestoreMode::Write {
            index_memories_soon(self.store, &self.engine.clock);
        }
        Ok(())
    }

    fn request(&self, memory: &ForeignMemory) -> AddMemory {
        let ForeignMemory { id, memory_type, title, content, tags, files, belongs, .. } = memory;
        let title = if title.trim().is_empty() { title_of(content) } else { one_line(title) };
        let mut tags: Vec<String> = tags.iter().map(|tag| short(&one_line(tag))).collect();
        tags.truncate(MEMORY_ENTRIES);
        let mut related_files = self.files_of(files, belongs.project.as_deref());
        if self.store.scope == StoreScope::Project {
            let named = claims::files(content).into_iter().map(|claim| claim.name);
            let is_there =
                |name: &&str| DocPath::new(name).is_ok_and(|path| self.store.files.stat(&path) != StatOutcome::Gone);
            related_files.extend(named.filter(is_there).map(str::to_owned));
            related_files.truncate(MEMORY_ENTRIES);
        }
        AddMemory {
            memory_type: memory_type.unwrap_or(MemoryType::Note),
            title: short(&title),
            content: content.clone(),
            scope: scope_of(self.store.scope),
            tags,
            related_files,
            cues: Vec::new(),
            supersedes: None,
            repeats: Repeats::Refuse,
            source: Some(short(&format!("{} {id}", self.source.kind.stored_name()))),
            origin: Some(MemoryOrigin::Imported),
            key: Some(key(self.source.kind, "memory", id)),
            provenance: Provenance::default(),
            valid: recall_core::WordedTime::default(),
        }
    }

    /// Returns the files below the store's root. Paths of the foreign project's root are taken as those of the store's root.
    pub(super) fn files_of(&self, files: &[String], project: Option<&str>) -> Vec<String> {
        if self.store.scope != StoreScope::Project {
            return Vec::new();
        }
        let below = |file: &str| {
            let inside = project.and_then(|project| file.strip_prefix(project)?.strip_prefix('/'));
            inside.unwrap_or(file).to_owned()
        };
        let is_inside =
            |file: &String| about::resolve_files(self.store, &self.origin, std::slice::from_ref(file)).is_ok();
        let mut files: Vec<String> = files.iter().map(|file| below(file.trim())).filter(is_inside).collect();
        files.truncate(MEMORY_ENTRIES);
        files
    }

    fn ratings(&self, memory: &ForeignMemory, id: MemoryId, added: Timestamp) -> Vec<Event> {
        let rating = |feedback: &recall_agents::foreign::ForeignFeedback| {
            let verdict = if feedback.useful { Verdict::Useful } else { Verdict::NotUseful };
            let note = feedback.note.as_deref().map(|note| Masking::default().mask(&short(note)));
            let key = key(self.source.kind, "rating", &format!("{}/{}", memory.id, feedback.id));
            let origin = ForeignOrigin { session: feedback.session.clone(), ..memory.origin.clone() };
            Event {
                timestamp: self.believable(feedback.created).max(added),
                id: self.store.ledger.event_id(Some(&key), self.now),
                body: EventBody::Feedback { item: ItemId::Memory(id), feedback: Feedback { verdict, note } },
                provenance: mask::provenance(provenance(&origin)),
            }
        };
        memory.feedback.iter().map(rating).collect()
    }

    /// Returns a time that is not in the future; now if it is not known.
    pub(super) fn believable(&self, time: Option<Timestamp>) -> Timestamp {
        time.map_or(self.now, |time| time.min(self.now))
    }
}

/// Returns the provenance of a foreign item. It always names an agent, so that nothing imported counts as a person's.
pub(super) fn provenance(origin: &ForeignOrigin) -> Provenance {
    let ForeignOrigin { agent, mode, session, branch, commit } = origin;
    let text = |text: &Option<String>| text.as_deref().map(|text| short(&one_line(text)));
    Provenance {
        session: text(session),
        agent: text(agent).or_else(|| Some("import".to_owned())),
        mode: text(mode),
        branch: text(branch),
        commit: text(commit),
        project: None,
        project_path: None,
    }
}

/// Returns the title of a memory, or its id without one.
pub(super) fn display_name(memory: &ForeignMemory) -> String {
    let title = one_line(&memory.title);
    if title.is_empty() { memory.id.clone() } else { short(&title) }
}

fn scope_of(scope: StoreScope) -> Scope {
    match scope {
        StoreScope::Project => Scope::Project,
        StoreScope::Global => Scope::Global,
        StoreScope::Domain => Scope::Domain,
    }
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn short(text: &str) -> String {
    text[..text.floor_char_boundary(SHORT_TEXT_BYTES)].to_owned()
}
