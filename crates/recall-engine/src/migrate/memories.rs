//! Foreign memories as memories, and foreign sessions as sessions.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use recall_agents::foreign::{ForeignEvent, ForeignMemory, ForeignOrigin, ForeignSession, LeftOut, LeftOutReason};
use recall_core::{
    AddMemory, DocumentKey, EndReason, Event, EventBody, EventDetails, Feedback, ItemId, MEMORY_ENTRIES, MemoryId,
    MemoryOrigin, MemoryType, Provenance, RECORD_TEXT_BYTES, Repeats, SHORT_TEXT_BYTES, Scope, Session, SessionEvent,
    SessionEventType, StoreScope, Timestamp, Verdict, title_of,
};
use recall_text::{DocPath, error_chain};
use recall_watch::StatOutcome;

use super::import::{Import, key};
use super::{MigrateError, claims};
use crate::backup::RestoreMode;
use crate::git::Git;
use crate::indexing::{index_memories_soon, refresh_documents};
use crate::mask::{self, Masking};
use crate::memory::{AddOutcome, Addition, MemoryNote, NewAddition, PreparedMemory, about};
use crate::session::{Keeping, Material, SummaryAuthor, end_event, summary_of, write_summary};
use crate::session_log::masking::mask_details;

impl Import<'_> {
    /// Writes a batch of memories with one sync for each day on which one of them was made.
    pub(super) fn write_memories(&mut self, mut batch: Vec<ForeignMemory>) -> Result<(), MigrateError> {
        batch.sort_by(|a, b| a.created.cmp(&b.created).then_with(|| a.id.cmp(&b.id)));
        let admission = self.store.settings.review().import;
        let mut events = Vec::new();
        let mut reserved = Vec::new();
        for memory in batch {
            let mut masking = Masking::default();
            let request = self.request(&memory, &mut masking);
            let timestamp = self.believable(memory.created);
            let provenance = mask::provenance(provenance(&memory.origin));
            let addition =
                Addition { request: &request, timestamp, provenance, commit: self.commit.as_deref(), admission };
            match self.engine.prepare_memory(&self.origin, self.store, addition)? {
                PreparedMemory::Finished(report) if report.outcome == AddOutcome::Repeats => {
                    let of = report.id.to_string();
                    self.report.leave_out(LeftOut::one(display_name(&memory), LeftOutReason::Repeats { of }));
                }
                PreparedMemory::Finished(_) => self.report.memories.known += 1,
                PreparedMemory::New(new) => {
                    let NewAddition { reserved: guard, event, report } = *new;
                    self.report.memories.added += 1;
                    let mut is_masked = !masking.rules.is_empty();
                    for note in &report.notes {
                        match note {
                            MemoryNote::Masked { .. } => is_masked = true,
                            MemoryNote::NotAnchored { .. } => self.report.missing_files += 1,
                            MemoryNote::MayContradict { .. } | MemoryNote::NotTraced { .. } => {}
                        }
                    }
                    self.report.masked += u64::from(is_masked);
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

    /// Returns a memory as it is added. The titles and tags are masked before their lines are joined and they are cut.
    fn request(&self, memory: &ForeignMemory, masking: &mut Masking) -> AddMemory {
        let ForeignMemory { id, memory_type, title, content, tags, files, belongs, .. } = memory;
        let title = if title.trim().is_empty() { title_of(content) } else { one_line(&masking.mask(title)) };
        let mut tags: Vec<String> = tags.iter().map(|tag| short(&one_line(&masking.mask(tag)))).collect();
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
    fn files_of(&self, files: &[String], project: Option<&str>) -> Vec<String> {
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
    fn believable(&self, time: Option<Timestamp>) -> Timestamp {
        time.map_or(self.now, |time| time.min(self.now))
    }
}

/// Returns the provenance of a foreign item. It always names an agent, so that nothing imported counts as a person's.
fn provenance(origin: &ForeignOrigin) -> Provenance {
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

fn short(text: &str) -> String {
    text[..text.floor_char_boundary(SHORT_TEXT_BYTES)].to_owned()
}

impl Import<'_> {
    /// Writes the events of a session with one sync, and its summary, which stays private.
    pub(super) fn take_session(&mut self, session: ForeignSession) -> Result<(), MigrateError> {
        if self.store.scope != StoreScope::Project {
            self.report.leave_out(LeftOut::one(session.id, LeftOutReason::OtherScope));
            return Ok(());
        }
        if session.goal.is_none() && session.summary.is_none() && session.events.is_empty() {
            self.report.leave_out(LeftOut::one(session.id, LeftOutReason::Empty));
            return Ok(());
        }
        self.report.sessions.found += 1;
        if !self.known_sessions.insert(session.id.clone()) {
            self.report.sessions.known += 1;
            return Ok(());
        }
        self.report.sessions.added += 1;
        self.write_session(session)
    }

    fn write_session(&mut self, session: ForeignSession) -> Result<(), MigrateError> {
        let ForeignSession { id, started, ended, goal, summary, belongs, origin, events, further } = session;
        let (started, ended) = (self.believable(Some(started)), self.believable(Some(ended)));
        let here = mask::provenance(provenance(&origin));
        let mut masking = Masking::default();
        let goal = goal.map(|goal| cut(&masking.mask(&goal)).to_owned());
        let event_id = |number: usize| {
            let key = key(self.source.kind, "event", &format!("{id}/{number}"));
            self.store.ledger.event_id(Some(&key), self.now)
        };
        let start = EventDetails::new(SessionEventType::SessionStart, goal.clone().unwrap_or_default());
        let mut drafts = vec![(event_id(0), started, start)];
        for (number, ForeignEvent { timestamp, details, files }) in events.into_iter().enumerate() {
            let named = self.files_of(&files, belongs.project.as_deref());
            let related_files = about::resolve_files(self.store, &self.origin, &named)?;
            let content = cut(&masking.mask(&details.content)).to_owned();
            let details = EventDetails { content, related_files, ..details };
            drafts.push((event_id(number + 1), timestamp.max(started).min(ended), mask_details(details, &mut masking)));
        }
        let told = |(id, timestamp, details): &(_, _, EventDetails)| SessionEvent {
            id: *id,
            timestamp: *timestamp,
            details: details.clone(),
            provenance: here.clone(),
        };
        let written: Vec<SessionEvent> = drafts.iter().map(told).collect();
        let session = Session { goal, ended: Some(ended), last: ended, ..Session::new(&id, started, &here) };
        let author = if summary.is_some() { SummaryAuthor::Client } else { SummaryAuthor::Recall };
        let mut text = if let Some(summary) = summary {
            Some(cut(&masking.mask(&summary)).to_owned())
        } else {
            let commits = Git::at(&self.store.root).commits_between(started, ended);
            let material = Material { session: &session, events: &written, commits, memories: Vec::new() };
            summary_of(material).map(|text| masking.mask(&text))
        };
        if let Some(text) = text.as_mut().filter(|_| further > 0) {
            let _ = write!(text, "\n{further} further events were not imported.\n");
        }
        if !masking.rules.is_empty() {
            self.report.masked += 1;
        }
        if self.mode == RestoreMode::DryRun {
            return Ok(());
        }
        let path = match text.as_deref() {
            Some(text) => Some(write_summary(self.store, &session, text, Keeping::Private)?.0),
            None => None,
        };
        let end = end_event(text.unwrap_or_default(), author, EndReason::Exit, path.as_ref());
        drafts.push((event_id(drafts.len()), ended, end));
        self.store.sessions.write(&id, &here, drafts)?;
        self.summaries.extend(path);
        Ok(())
    }

    /// Indexes the summaries that were written.
    pub(super) fn index_summaries(&mut self) {
        let summaries: BTreeSet<DocumentKey> = self.summaries.drain(..).map(DocumentKey::File).collect();
        if summaries.is_empty() || self.store.awaits_first_index() {
            return;
        }
        if let Err(error) = refresh_documents(self.store, &summaries, self.now, Duration::MAX) {
            let reason = error_chain(&error);
            tracing::warn!(reason, "imported summaries are not indexed yet; the next search does");
        }
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(RECORD_TEXT_BYTES)]
}
