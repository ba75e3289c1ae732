//! The briefing's sections of the user, the project and the conventions, and of decisions and lessons about the current work.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use recall_core::{
    CueKind, DocumentType, Filters, Memory, MemoryId, MemoryType, MemoryView, Ownership, Scope, SearchRequest,
};
use recall_text::DocPath;

use crate::mask::Masking;
use crate::memory::about::{weight, words_of};
use crate::memory::verify::{PROFILE, profile_of, read_profile};
use crate::memory::{bring_up_anchors, recall_memory};
use crate::session::briefing::Scene;
use crate::session::briefing::pack::Entry;
use crate::session_log::SessionError;
use recall_text::quote::{QUOTE_CHARS, inline, quote};

/// The most memories that are considered, the latest updated first. Checking the files of one takes some microseconds.
const MAX_MEMORIES: usize = 2000;

/// The most entries of the section.
const MAX_ENTRIES: usize = 15;

/// The most entries that a search adds.
const MAX_FOUND: u32 = 5;

/// The most lessons that are tied to nothing. They may have nothing to do with the work, so they take little of the budget.
const UNTIED_LESSONS: usize = 3;

/// The most bytes of a goal that are searched for; its beginning says what it is about.
const QUERY_BYTES: usize = 400;

/// Words in branch names that do not describe the work.
const GENERIC_BRANCH_WORDS: [&str; 16] = [
    "bug", "bugfix", "chore", "dev", "develop", "docs", "feat", "feature", "fix", "head", "hotfix", "main", "master",
    "release", "test", "trunk",
];

/// How closely a memory relates to the branch's changes, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ChangeOverlap {
    /// It is about a changed file.
    File,
    /// It is about a file in the same directory as a changed one.
    Folder,
}

impl Scene<'_> {
    /// Returns the latest memories of the project with their validity, the latest first.
    pub(crate) fn latest_memories(&self) -> Result<Vec<MemoryView>, SessionError> {
        let mut memories = self.store.ledger.in_force();
        memories.sort_by(|a, b| b.updated.cmp(&a.updated).then(a.id.cmp(&b.id)));
        let ids: Vec<MemoryId> = memories.into_iter().take(MAX_MEMORIES).map(|memory| memory.id).collect();
        bring_up_anchors(self.store, &ids, self.now)?;
        let mut memories = Vec::with_capacity(ids.len());
        for id in ids {
            memories.extend(recall_memory(self.store, id, self.now)?);
        }
        Ok(memories)
    }

    /// Returns the memories about the files that the branch changes, then what a search for the goal or the branch finds. If
    /// both are empty, returns the latest decisions. Last come the latest lessons that are tied to no file and no command.
    pub(crate) fn decisions(&self, memories: &[MemoryView]) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut seen = BTreeSet::new();
        for recalled in self.near(memories) {
            seen.insert(recalled.memory.id);
            entries.push(entry(recalled));
        }
        if let Some(query) = self.query() {
            entries.extend(self.search(&query, &mut seen));
        }
        if entries.is_empty() {
            let is_decision = |recalled: &&MemoryView| recalled.memory.id.memory_type == MemoryType::Decision;
            let mut latest: Vec<&MemoryView> = memories.iter().filter(is_decision).collect();
            latest.sort_by_key(|recalled| !recalled.ownership.is_vouched_for());
            entries.extend(latest.into_iter().take(MAX_FOUND as usize).map(entry));
        }
        entries.truncate(MAX_ENTRIES);
        entries.extend(untied_lessons(memories).filter(|lesson| seen.insert(lesson.memory.id)).map(entry));
        entries
    }

    /// Returns the memories about the branch's changes, the closest first.
    fn near<'r>(&self, memories: &'r [MemoryView]) -> Vec<&'r MemoryView> {
        let Some(branch) = &self.branch else { return Vec::new() };
        let folders: BTreeSet<&str> = branch.files.iter().filter_map(folder_of).collect();
        // Memories that this user has not confirmed come last.
        let mut near: BTreeMap<(bool, ChangeOverlap, u8), Vec<&MemoryView>> = BTreeMap::new();
        for recalled in memories {
            let memory = &recalled.memory;
            let files = || memory.related_files.iter().chain(memory.anchors.iter().map(|anchor| &anchor.path));
            let nearness = if files().any(|path| branch.files.contains(path)) {
                ChangeOverlap::File
            } else if files().filter_map(folder_of).any(|folder| folders.contains(folder)) {
                ChangeOverlap::Folder
            } else {
                continue;
            };
            let is_unconfirmed = !recalled.ownership.is_vouched_for();
            near.entry((is_unconfirmed, nearness, weight(memory.id.memory_type))).or_default().push(recalled);
        }
        near.into_values().flatten().take(MAX_ENTRIES).collect()
    }

    /// Returns the search query: the goal of the session, else the words of the branch name.
    fn query(&self) -> Option<String> {
        if let Some(goal) = &self.request.goal {
            return Some(goal.clone());
        }
        let branch = self.here.branch.as_deref()?;
        let words = branch.split(|c: char| !c.is_alphanumeric());
        let descriptive = words.filter(|word| {
            !GENERIC_BRANCH_WORDS.contains(&word.to_lowercase().as_str()) && word.chars().any(char::is_alphabetic)
        });
        let query = descriptive.collect::<Vec<_>>().join(" ");
        Some(query).filter(|query| !query.is_empty())
    }

    /// Searches among decisions and lessons. A failed search gives no entries, so that the rest of the briefing is returned.
    fn search(&self, query: &str, seen: &mut BTreeSet<MemoryId>) -> Vec<Entry> {
        use DocumentType::{Adr, Decision, Failure, Lesson, Pattern};
        let filters = Filters { types: vec![Decision, Lesson, Failure, Pattern, Adr], ..Filters::default() };
        let query = &query[..query.floor_char_boundary(QUERY_BYTES)];
        let request = SearchRequest { filters, ..SearchRequest::new(query, Scope::All, MAX_FOUND) };
        let answer = match self.engine.search(self.origin, &request) {
            Ok(answer) if !answer.is_doubtful => answer,
            Ok(_) => return Vec::new(),
            Err(error) => {
                let reason = recall_text::error_chain(&error);
                tracing::warn!(reason, "the briefing lacks what a search would find");
                return Vec::new();
            }
        };
        let mut entries = Vec::new();
        for hit in answer.hits {
            match &hit.memory {
                Some(recalled) if seen.insert(recalled.memory.id) => entries.push(entry(recalled)),
                Some(_) => {}
                None => {
                    let line = format!("- {} {}", hit.document.path, inline(&hit.document.title));
                    let quote = quote(&hit.text, QUOTE_CHARS / 2);
                    entries.push(Entry::new(format!("{line}\n{quote}"), vec![hit.citation()]));
                }
            }
        }
        entries
    }
}

/// Returns the latest lessons that are tied to nothing, so that neither a file nor a command of the session would show them. Those that
/// this user has not confirmed come last.
fn untied_lessons(memories: &[MemoryView]) -> impl Iterator<Item = &MemoryView> {
    let mut lessons: Vec<&MemoryView> = memories.iter().filter(|recalled| is_untied_lesson(&recalled.memory)).collect();
    lessons.sort_by_key(|recalled| !recalled.ownership.is_vouched_for());
    lessons.into_iter().take(UNTIED_LESSONS)
}

fn is_untied_lesson(memory: &Memory) -> bool {
    memory.id.memory_type == MemoryType::Lesson
        && memory.related_files.is_empty()
        && memory.anchors.is_empty()
        && !memory.effective_cues().iter().any(|cue| matches!(cue.kind, CueKind::Path | CueKind::Command))
}

fn folder_of(path: &DocPath) -> Option<&str> {
    path.as_str().rsplit_once('/').map(|(folder, _)| folder)
}

fn entry(recalled: &MemoryView) -> Entry {
    let memory = &recalled.memory;
    let id = memory.id;
    let mut line = format!("- {id} {} ({}): {}", id.memory_type, words_of(recalled), inline(&memory.title));
    let files: Vec<String> = memory.related_files.iter().take(3).map(|path| inline(path.as_str())).collect();
    if !files.is_empty() {
        let _ = write!(line, " [{}]", files.join(", "));
    }
    Entry::new(format!("{line}\n{}", quote(&memory.content, QUOTE_CHARS)), vec![id.to_string()])
}

/// The label of a project profile that this user has not confirmed; anyone may have written it.
const UNCONFIRMED: &str = "A profile from the repository, unconfirmed";

/// The most characters that are quoted of a profile.
const PROFILE_CHARS: usize = 2 * QUOTE_CHARS;

/// The most memories that are listed as conventions.
const CONVENTIONS: usize = 5;

impl Scene<'_> {
    pub(crate) fn profile(&self) -> Result<Vec<Entry>, SessionError> {
        let mut entries = vec![self.project()?];
        let places = &self.engine.registry.places;
        let users = read_profile(&places.global_root, Path::new(PROFILE)).map(|text| ("The user's profile", text));
        let projects = profile_of(&self.store.root).map(|text| {
            let is_confirmed = self.engine.registry.own.confirmed_profile(&text);
            (if is_confirmed { "The project's profile" } else { UNCONFIRMED }, text)
        });
        for (whose, text) in users.into_iter().chain(projects) {
            let text = Masking::default().mask(&String::from_utf8_lossy(&text));
            let quote = quote(&text, PROFILE_CHARS);
            if !quote.is_empty() {
                entries.push(Entry::new(format!("- {whose}:\n{quote}"), vec![PROFILE.to_owned()]));
            }
        }
        entries.extend(self.conventions()?);
        Ok(entries)
    }

    /// Describes the project: its checkout, documents, languages and memories.
    fn project(&self) -> Result<Entry, SessionError> {
        #[expect(
            clippy::redundant_closure_for_method_calls,
            reason = "the method is not general over the snapshot's lifetime"
        )]
        let counts = self.store.index.read(|snapshot| snapshot.counts())?;
        let mut line = format!("- Project {}", inline(self.here.project.as_deref().unwrap_or("without a name")));
        if let Some(branch) = &self.here.branch {
            let _ = write!(line, ", branch {}", inline(branch));
        }
        if let Some(commit) = &self.here.commit {
            let _ = write!(line, " at {}", &commit[..commit.len().min(12)]);
        }
        let mut languages: Vec<_> =
            counts.by_language.iter().map(|(language, count)| (*count, language.as_str())).collect();
        languages.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let languages: Vec<&str> = languages.into_iter().take(3).map(|(_, name)| name).collect();
        let _ = write!(line, ": {}", count_noun(counts.documents, "document", "documents"));
        if !languages.is_empty() {
            let _ = write!(line, " ({})", languages.join(", "));
        }
        let _ = write!(line, ", {}.", count_noun(self.store.ledger.count(), "memory", "memories"));
        Ok(Entry::new(line, Vec::new()))
    }

    /// Lists the memories that apply to all work: global patterns and decisions, and context; confirmed ones first, then the
    /// latest.
    fn conventions(&self) -> Result<Vec<Entry>, SessionError> {
        let mut memories: Vec<(Memory, Ownership)> = Vec::new();
        for store in self.engine.registry.stores(self.origin, Scope::All, &*self.engine.clock)? {
            store.ledger.refresh(self.now)?;
            let is_global = store.scope == recall_core::StoreScope::Global;
            let is_wanted = |memory: &Memory| {
                memory.id.memory_type == MemoryType::Context
                    || (is_global && matches!(memory.id.memory_type, MemoryType::Pattern | MemoryType::Decision))
            };
            let wanted = store.ledger.in_force().into_iter().filter(is_wanted);
            memories.extend(wanted.filter_map(|memory| {
                let ownership = store.ledger.judge(memory.id)?.ownership;
                Some((memory, ownership))
            }));
        }
        // Memories that this user has not confirmed come last.
        memories.sort_by(|(a, of_a), (b, of_b)| {
            let vouched = of_b.is_vouched_for().cmp(&of_a.is_vouched_for());
            vouched.then(b.updated.cmp(&a.updated)).then(a.id.cmp(&b.id))
        });
        let entry = |(memory, ownership): (Memory, Ownership)| {
            let Memory { id, title, content, scope, .. } = &memory;
            let quote = quote(content, QUOTE_CHARS / 2);
            let mark = if ownership.is_vouched_for() { "" } else { " (from the repository, unconfirmed)" };
            let line = format!("- {id} {scope} {}{mark}: {}", id.memory_type, inline(title));
            Entry::new(format!("{line}\n{quote}"), vec![id.to_string()])
        };
        Ok(memories.into_iter().take(CONVENTIONS).map(entry).collect())
    }
}

fn count_noun(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
