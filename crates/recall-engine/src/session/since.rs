//! What changed in the memories of a project since a time: what was decided, what stopped holding, and what may contradict.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use recall_core::{Event, EventBody, Memory, MemoryChange, MemoryId, MemoryView, Scope, Session, TimePoint, Timestamp};
use recall_journal::Day;
use recall_text::Vocabulary;
use recall_text::quote::inline;
use recall_text::tokens::estimate;

use crate::Engine;
use crate::error::{MemoryError, StoreError};
use crate::git::Git;
use crate::indexing::freshen;
use crate::mask::{self, memory as masked};
use crate::memory::recall_memory;
use crate::memory::similar::{SimilarMemory, similar_memories};
use crate::moments::resolve;
use crate::origin::Origin;
use crate::session_log::SessionError;
use crate::store::Store;
use crate::warning::Warning;

/// The word for the end of the latest session.
const LAST_SESSION: &str = "last-session";

/// How far back the changes of a project without sessions go.
const WITHOUT_SESSION_NANOS: i64 = 7 * 86_400 * 1_000_000_000;

/// The most memories that are compared with others to find contradictions.
const COMPARED: usize = 50;

/// The changes since a time. Each list has the latest first; of what was decided, decisions come first.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangesSince {
    /// Since when.
    pub since: TimePoint,
    /// The whole text, for a model to read.
    pub text: String,
    /// The estimated tokens of the text.
    pub used_tokens: u32,
    /// What was remembered or amended, and is in force.
    pub decided: Vec<ChangedMemory>,
    /// What is no longer in force, or no longer fits its files.
    pub ended: Vec<ChangedMemory>,
    /// New memories, each with one that it may contradict.
    pub contradicting: Vec<(ChangedMemory, ChangedMemory)>,
    /// How many lines the text has no room for.
    pub left_out: u32,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

/// A memory that changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedMemory {
    /// The memory.
    pub id: MemoryId,
    /// Its title, with secrets masked.
    pub title: String,
    /// What happened to it, in words.
    pub how: String,
    /// When.
    pub at: Timestamp,
}

impl Engine {
    /// Returns what changed in the memories of a project since a time: a date, an age, a commit, a tag, or `last-session`.
    ///
    /// `session` is the session that asks, which is not the last one.
    ///
    /// # Errors
    /// The text names no time, or the project's store cannot be read.
    pub fn changes(
        &self,
        origin: &Origin,
        since: &str,
        budget_tokens: u32,
        session: Option<&str>,
    ) -> Result<ChangesSince, SessionError> {
        let store = self.memory_store(origin, Scope::Project)?;
        let now = self.clock.now();
        let mut warnings: Vec<Warning> = store.past_warning().into_iter().collect();
        warnings.extend(freshen(&store, &self.settings, &self.clock)?);
        store.ledger.refresh(now)?;
        let point = if since.trim().is_empty() || since.trim() == LAST_SESSION {
            self.flush_recorder();
            last_session(&Self::sessions_of(&store, now)?, session, now)
        } else {
            resolve(store.present_root(), since, now).map_err(MemoryError::Time)?.start
        };
        let MemoryChanges { decided, ended, contradicting } = find(&store, &point, now)?;
        let (text, left_out) = render(&point, &decided, &ended, &contradicting, budget_tokens);
        let used_tokens = estimate(&text);
        Ok(ChangesSince { since: point, text, used_tokens, decided, ended, contradicting, left_out, warnings })
    }
}

/// Returns the end of the latest session besides the asking one, or a week ago if there is none.
pub(super) fn last_session(sessions: &[Session], own: Option<&str>, now: Timestamp) -> TimePoint {
    let mut others = sessions.iter().filter(|session| Some(session.id.as_str()) != own);
    let end = others.next().map(|session| session.ended.unwrap_or(session.last));
    TimePoint { at: end.unwrap_or(Timestamp(now.0 - WITHOUT_SESSION_NANOS)), commit: None }
}

/// The changes of a store.
#[derive(Debug, Default)]
pub(super) struct MemoryChanges {
    decided: Vec<ChangedMemory>,
    pub(super) ended: Vec<ChangedMemory>,
    pub(super) contradicting: Vec<(ChangedMemory, ChangedMemory)>,
}

/// Finds the changes of a store since a point in time.
pub(super) fn find(store: &Arc<Store>, since: &TimePoint, now: Timestamp) -> Result<MemoryChanges, StoreError> {
    let mut found = MemoryChanges::default();
    let mut added: Vec<Memory> = Vec::new();
    for (id, events) in store.ledger.events_after(since) {
        let Some(record) = store.ledger.record(id).map(masked) else { continue };
        let last = events.last().map_or(record.updated, |event| event.timestamp);
        let changed = |how: String, at| ChangedMemory { id, title: record.title.to_string(), how, at };
        let is_new = !since.includes(record.created, record.provenance.commit.as_deref());
        let view = recall_memory(store, id, now)?;
        if let Some(deleted) = &record.deleted {
            if !is_new {
                let reason =
                    deleted.reason.as_deref().map(|reason| format!(": {}", inline(reason))).unwrap_or_default();
                found.ended.push(changed(format!("deleted{reason}"), deleted.timestamp));
            }
        } else if store.ledger.is_in_force(id) {
            if is_new {
                found.decided.push(changed("added".to_owned(), record.created));
                added.push(record.clone());
            } else if let Some((how, at)) = events.iter().rev().find_map(amendment) {
                found.decided.push(changed(how.to_owned(), at));
                added.push(record.clone());
            }
            if view
                .as_ref()
                .is_some_and(|view| view.memory.feedback.last_outdated.is_some_and(|at| at > view.memory.updated))
            {
                found.ended.push(changed("rated outdated".to_owned(), last));
            }
        }
        let is_proposed = view.as_ref().is_none_or(|view| view.memory.proposed);
        let replaced = record.supersedes.filter(|_| is_new && record.deleted.is_none() && !is_proposed);
        if let Some(older) = replaced.and_then(|older| store.ledger.record(older)).map(masked) {
            let (how, title) = (format!("superseded by {id}"), older.title.to_string());
            found.ended.push(ChangedMemory { id: older.id, title, how, at: record.created });
        }
    }
    found.ended.extend(no_longer_holding(store, since, now)?);
    let rank = |change: &ChangedMemory| {
        (change.id.memory_type != recall_core::MemoryType::Decision, std::cmp::Reverse(change.at), change.id)
    };
    found.decided.sort_by_key(rank);
    found.ended.sort_by_key(|change| (std::cmp::Reverse(change.at), change.id));
    found.contradicting = contradictions(store, &added)?;
    Ok(found)
}

/// Returns what an event did to a memory that is older, and when, if that changed what it says or whether it counts.
fn amendment(event: &Event) -> Option<(&'static str, Timestamp)> {
    let EventBody::Memory { change, .. } = &event.body else { return None };
    let how = match change {
        MemoryChange::Update(_) => "amended",
        MemoryChange::Accept => "accepted",
        MemoryChange::Add(_)
        | MemoryChange::Propose(_)
        | MemoryChange::Delete { .. }
        | MemoryChange::Verify { .. }
        | MemoryChange::Promote(_) => return None,
    };
    Some((how, event.timestamp))
}

/// Returns the memories whose time ended since then, and those whose files changed since then so that they may no longer hold.
fn no_longer_holding(store: &Arc<Store>, since: &TimePoint, now: Timestamp) -> Result<Vec<ChangedMemory>, StoreError> {
    let changed = Git::at(&store.root).changed_since(since).unwrap_or_default();
    let mut found = Vec::new();
    for id in store.ledger.ids() {
        let Some(view) = recall_memory(store, id, now)? else { continue };
        let change = |how: String, at| ChangedMemory { id, title: view.memory.title.to_string(), how, at };
        let until = view.memory.valid.until.as_ref().map(|until| until.at);
        if let Some(until) = until.filter(|until| *until <= store.time(now) && !since.includes(*until, None)) {
            found.push(change("expired".to_owned(), until));
        } else if let Some(path) = broken_by(&view, &changed) {
            found.push(change(format!("may no longer hold, {} changed", inline(&path)), store.time(now)));
        }
    }
    Ok(found)
}

fn broken_by(view: &MemoryView, changed: &BTreeSet<recall_text::DocPath>) -> Option<String> {
    let mut broken = view.verification.broken.iter().map(|(anchor, _)| &anchor.path);
    broken.find(|path| changed.contains(*path)).map(ToString::to_string)
}

/// Returns the pairs of a memory and one that it may contradict, each pair once.
fn contradictions(store: &Arc<Store>, added: &[Memory]) -> Result<Vec<(ChangedMemory, ChangedMemory)>, StoreError> {
    let mut pairs: BTreeMap<(MemoryId, MemoryId), (ChangedMemory, ChangedMemory)> = BTreeMap::new();
    for memory in added.iter().take(COMPARED) {
        let vocabulary = Vocabulary::new(&[&memory.title, &memory.content]);
        let similar = similar_memories(store, (Some(memory.id), &memory.title, &memory.content), &vocabulary)?;
        for other in similar.into_iter().filter(SimilarMemory::may_contradict) {
            let key = (memory.id.min(other.id), memory.id.max(other.id));
            let source = other.judged_by.map(|model| format!(" (by the language model {model})")).unwrap_or_default();
            let newer = ChangedMemory {
                id: memory.id,
                title: memory.title.to_string(),
                how: format!("may contradict {}{source}", other.id),
                at: memory.updated,
            };
            let at = store.ledger.record(other.id).map_or(memory.updated, |record| record.updated);
            let older = ChangedMemory { id: other.id, title: other.title, how: String::new(), at };
            pairs.entry(key).or_insert((newer, older));
        }
    }
    Ok(pairs.into_values().collect())
}

/// Writes the changes within a budget of tokens. Returns how many lines have no room.
fn render(
    since: &TimePoint,
    decided: &[ChangedMemory],
    ended: &[ChangedMemory],
    contradicting: &[(ChangedMemory, ChangedMemory)],
    budget_tokens: u32,
) -> (String, u32) {
    let commit = since.commit.as_ref().map(|commit| format!(" (commit {})", &commit[..commit.len().min(10)]));
    let mut text = format!("# Changes since {}{}\n", Day::from_timestamp(since.at), commit.unwrap_or_default());
    let sections = [
        ("Stopped holding", ended.iter().map(line).collect::<Vec<_>>()),
        ("May contradict", contradicting.iter().map(pair_line).collect()),
        ("Decided or learnt", decided.iter().map(line).collect()),
    ];
    if sections.iter().all(|(_, lines)| lines.is_empty()) {
        text.push_str("\nNo memory was added, changed or retired since then.\n");
    }
    let mut left_out = 0;
    for (heading, lines) in sections.iter().filter(|(_, lines)| !lines.is_empty()) {
        let mut section = format!("\n## {heading}\n\n");
        let heading_bytes = section.len();
        for line in lines {
            // A line for those that have no room has to fit too.
            if left_out == 0 && estimate(&text) + estimate(&section) + estimate(line) + MORE_TOKENS <= budget_tokens {
                section.push_str(line);
            } else {
                left_out += 1;
            }
        }
        if section.len() > heading_bytes {
            text.push_str(&section);
        }
    }
    if left_out > 0 {
        let _ = writeln!(text, "\nand {left_out} more");
    }
    mask::text(&mut text);
    (text, left_out)
}

/// The most tokens of the line that counts what has no room.
const MORE_TOKENS: u32 = 12;

fn line(change: &ChangedMemory) -> String {
    let ChangedMemory { id, title, how, at } = change;
    format!("- {id} ({how}, {}): {}\n", Day::from_timestamp(*at), inline(title))
}

fn pair_line((newer, older): &(ChangedMemory, ChangedMemory)) -> String {
    format!("- {} {} / {} {}\n", newer.id, inline(&newer.title), older.id, inline(&older.title))
}
