//! Drafts of memories from what a session recorded. Nothing is written: a person or an agent decides what is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use recall_core::{
    EventDetails, EventId, MemoryType, MetadataValue, Scope, Session, SessionEvent, SessionEventType, title_of,
};
use recall_text::DocPath;

use crate::Engine;
use crate::git::{Commit, Git};
use crate::mask::Masking;
use crate::memory::similar::remembers;
use crate::origin::Origin;
use crate::session_log::masking::mask_details;
use crate::session_log::{SessionError, SessionFold};

/// The most drafts of a session. A person reads each of them.
const DRAFTS: usize = 20;

/// How often an unresolved error must occur to be a draft.
const REPEATED: usize = 2;

/// The beginnings of a commit's subject that say that it corrects something, in lower case.
const FIXES: [&str; 4] = ["fix:", "fix(", "fix ", "hotfix"];

/// A draft of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The type that the memory would have.
    pub memory_type: MemoryType,
    /// The title, on one line.
    pub title: String,
    /// Its text in Markdown, with those sections of the type's template that the session can fill.
    pub content: String,
    /// The files that it is about.
    pub related_files: Vec<DocPath>,
    /// The events that it is made of; empty for a commit.
    pub events: Vec<EventId>,
}

/// A draft, and what was recorded, by which a known memory of it is found.
struct Candidate {
    draft: Draft,
    words: String,
}

impl Engine {
    /// Returns drafts of memories: decisions, solved errors, errors that came again, patterns, and commits that fix something,
    /// in the order in which they were recorded first. What a memory already says is left out.
    ///
    /// # Errors
    /// The session is unknown, or its file or a store cannot be read.
    pub fn draft_memories(&self, origin: &Origin, id: &str) -> Result<Vec<Draft>, SessionError> {
        self.recorder.flush();
        let store = self.memory_store(origin, Scope::Project)?;
        let now = self.clock.now();
        let unknown = || SessionError::NotFound { id: id.to_owned() };
        let id = &Self::find_session(&store, now, id)?.ok_or_else(unknown)?;
        let events = store.sessions.read(id)?.ok_or_else(unknown)?;
        let session = SessionFold::fold(id, &events).ok_or_else(unknown)?.at(now);
        // Another program may have written the file, so secrets in it may not be masked.
        let mut masking = Masking::default();
        let mut mask =
            |event: SessionEvent| SessionEvent { details: mask_details(event.details, &mut masking), ..event };
        let events: Vec<SessionEvent> = events.into_iter().map(&mut mask).collect();
        let until = session.ended.unwrap_or(now).max(session.started);
        let mut commits = Git::at(&store.root).commits_between(session.started, until);
        for commit in &mut commits {
            commit.subject = masking.mask(&commit.subject);
        }
        let candidates = candidates_of(&session, &events, &commits);
        let stores = self.registry.stores(origin, Scope::All, &*self.clock)?;
        let mut kept = Vec::new();
        for Candidate { draft, words } in candidates {
            let mut is_known = false;
            for store in &stores {
                store.ledger.refresh(now)?;
                is_known = is_known || remembers(&store.ledger, &store.index, &words)?;
            }
            if !is_known {
                kept.push(draft);
            }
            if kept.len() == DRAFTS {
                break;
            }
        }
        Ok(kept)
    }
}

/// Makes drafts of events and commits.
fn candidates_of(session: &Session, events: &[SessionEvent], commits: &[Commit]) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut of_error: BTreeMap<String, Vec<&SessionEvent>> = BTreeMap::new();
    for event in events.iter().filter(|event| event.details.event_type == SessionEventType::Error) {
        of_error.entry(plain(&event.details.content)).or_default().push(event);
    }
    let mut told: BTreeSet<String> = BTreeSet::new();
    for event in events {
        let details = &event.details;
        let key = plain(&details.content);
        if key.is_empty() {
            continue;
        }
        let candidate = match details.event_type {
            SessionEventType::Decision => Some(decision(session, event)),
            SessionEventType::Error => failure(&of_error[&key]),
            SessionEventType::Observation if is_pattern(details) => Some(pattern(event)),
            _ => None,
        };
        let candidate = candidate.filter(|candidate| told.insert(format!("{} {key}", candidate.draft.memory_type)));
        candidates.extend(candidate);
    }
    let logged: String = candidates.iter().map(|candidate| plain(&candidate.draft.content)).collect();
    let is_fix = |commit: &&Commit| FIXES.iter().any(|begin| commit.subject.to_lowercase().starts_with(begin));
    candidates.extend(commits.iter().filter(is_fix).filter(|commit| !logged.contains(&commit.id)).map(from_commit));
    candidates
}

fn decision(session: &Session, event: &SessionEvent) -> Candidate {
    let EventDetails { content, rationale, metadata, .. } = &event.details;
    let text = |name: &str| text_in(metadata.get(name));
    let context = text("context").or_else(|| session.goal.clone());
    let sections = [
        ("Context", context),
        ("Decision", Some(content.clone())),
        ("Rationale", rationale.clone()),
        ("Alternatives considered", text("alternatives")),
        ("Consequences", text("consequences")),
    ];
    let words = [Some(content.clone()), rationale.clone()].into_iter().flatten().collect::<Vec<_>>().join("\n");
    candidate(MemoryType::Decision, &sections, &[event], words)
}

fn pattern(event: &SessionEvent) -> Candidate {
    let EventDetails { content, rationale, metadata, .. } = &event.details;
    let text = |name: &str| text_in(metadata.get(name));
    let sections = [
        ("Pattern", Some(content.clone())),
        ("When to use", text("when_to_use").or_else(|| rationale.clone())),
        ("Implementation", text("implementation")),
    ];
    candidate(MemoryType::Pattern, &sections, &[event], content.clone())
}

/// Makes a draft of the occurrences of an error; `None` if it came once and was not resolved.
fn failure(occurrences: &[&SessionEvent]) -> Option<Candidate> {
    let first = occurrences.first()?;
    let resolution = occurrences.iter().rev().find_map(|event| event.details.resolution.clone());
    if resolution.is_none() && occurrences.len() < REPEATED {
        return None;
    }
    let content = &first.details.content;
    let cause = occurrences.iter().rev().find_map(|event| event.details.rationale.clone());
    let prevention = occurrences.iter().rev().find_map(|event| text_in(event.details.metadata.get("prevention")));
    let symptom = match occurrences.len() {
        1 => content.clone(),
        times => format!("{content}\n\nIt came {times} times in one session."),
    };
    let words = [Some(content.clone()), resolution.clone()].into_iter().flatten().collect::<Vec<_>>().join("\n");
    let sections = [("Symptom", Some(symptom)), ("Root cause", cause), ("Fix", resolution), ("Prevention", prevention)];
    Some(candidate(MemoryType::Failure, &sections, occurrences, words))
}

fn from_commit(commit: &Commit) -> Candidate {
    let Commit { id, subject } = commit;
    let sections = [("Symptom", Some(subject.clone())), ("Fix", Some(format!("Commit {id}: {subject}")))];
    candidate(MemoryType::Failure, &sections, &[], subject.clone())
}

/// Assembles a draft: a title, and the sections that have a text.
fn candidate(
    memory_type: MemoryType,
    sections: &[(&str, Option<String>)],
    events: &[&SessionEvent],
    words: String,
) -> Candidate {
    let files: BTreeSet<DocPath> = events.iter().flat_map(|event| event.details.related_files.clone()).collect();
    let named: Vec<String> = files.iter().map(|path| format!("- `{path}`")).collect();
    let files_section = ("Files", (!named.is_empty()).then(|| named.join("\n")));
    let mut content = String::new();
    for (heading, text) in sections.iter().chain([&files_section]) {
        if let Some(text) = text.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
            let gap = if content.is_empty() { "" } else { "\n" };
            let _ = writeln!(content, "{gap}## {heading}\n\n{text}");
        }
    }
    let draft = Draft {
        memory_type,
        title: title_of(&words),
        content,
        related_files: files.into_iter().collect(),
        events: events.iter().map(|event| event.id).collect(),
    };
    Candidate { draft, words }
}

/// Whether an observation is called a pattern by its metadata or its first word.
fn is_pattern(details: &EventDetails) -> bool {
    let kind = ["kind", "type"].into_iter().find_map(|name| text_in(details.metadata.get(name)));
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case("pattern"))
        || details.content.trim_start().to_lowercase().starts_with("pattern:")
}

fn text_in(value: Option<&MetadataValue>) -> Option<String> {
    match value {
        Some(MetadataValue::Text(text)) => Some(text.clone()),
        Some(MetadataValue::List(list)) => {
            let lines: Vec<String> =
                list.iter().filter_map(|entry| text_in(Some(entry))).map(|text| format!("- {text}")).collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        }
        _ => None,
    }
}

/// A text in lower case with single spaces.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}
