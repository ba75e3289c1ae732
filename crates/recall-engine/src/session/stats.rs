//! The stats use case: what the stores hold, and an estimate of what the recorded answers saved their readers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use recall_core::{
    ChunkId, ItemId, MemoryId, Metadata, MetadataValue, Scope, SessionEvent, SessionEventType, StoreScope, Timestamp,
};
use recall_index::catalog::{Counts, ReadError, Snapshot};
use recall_journal::Day;
use recall_text::{DocPath, tokens};

use crate::Engine;
use crate::indexing::freshen;
use crate::origin::Origin;
use crate::session_log::SessionError;
use crate::store::Store;

/// What the stores hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// The stores, the project's first.
    pub stores: Vec<StoreStats>,
    /// What the project's sessions recorded; `None` unless requested.
    pub records: Option<Records>,
}

/// What the sessions of a project recorded about their searches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// What the answers saved.
    pub savings: Savings,
    /// The latest days on which anything happened, by their date in UTC (`2026-11-24`).
    pub days: BTreeMap<String, DayCounts>,
}

/// How far back days are counted: a quarter of a year, which fits a picture with a bar for each day.
const DAYS: i64 = 90;

/// What happened on a day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DayCounts {
    /// The searches in sessions.
    pub searches: u64,
    /// Those that found something.
    pub answers: u64,
    /// Those of which the session used a hit, or called one useful.
    pub used: u64,
    /// The tokens of the hits.
    pub answer_tokens: u64,
    /// The tokens of the files that the hits are from.
    pub file_tokens: u64,
    /// The memories that were added and are still in force.
    pub memories: u64,
}

/// What a store holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreStats {
    /// The store's scope.
    pub scope: StoreScope,
    /// The root of its files, absolute.
    pub root: PathBuf,
    /// The totals of its documents, memories included.
    pub counts: Counts,
    /// The memories in force.
    pub memories: u64,
    /// The sessions that are known on this machine.
    pub sessions: u64,
}

/// The tokens of recorded answers beside those of the files that their hits are from.
///
/// An estimate: without the answers, their readers might have read fewer files, or parts of files. Tokens are counted by
/// [`tokens::estimate`]. The files are counted as they are indexed now, each once per answer. A memory has no file, so it counts
/// on the side of the answers only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Savings {
    /// The time of the first recorded answer.
    pub since: Option<Timestamp>,
    /// The sessions with an answer.
    pub sessions: u64,
    /// The answers with a hit.
    pub answers: u64,
    /// The hits in them.
    pub hits: u64,
    /// The hits that are not in the index any more. They count on neither side.
    pub unknown_hits: u64,
    /// The files that the answers stand for, each once per answer.
    pub files: u64,
    /// The tokens of the hits.
    pub answer_tokens: u64,
    /// The tokens of those files as they are indexed now.
    pub file_tokens: u64,
}

/// Whether the records of sessions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountRecords {
    /// They are, which reads the events of all sessions.
    Yes,
    /// They are not.
    No,
}

impl Engine {
    /// Returns what the stores hold, and on request what the project's sessions recorded.
    ///
    /// # Errors
    /// A store cannot be opened or read, or the events of a session cannot be read.
    pub fn stats(&self, origin: &Origin, scope: Scope, count: CountRecords) -> Result<Stats, SessionError> {
        self.recorder.flush();
        let now = self.clock.now();
        let mut stats = Stats { stores: Vec::new(), records: None };
        for store in self.registry.stores(origin, scope, &*self.clock)? {
            freshen(&store, &self.settings, &self.clock)?;
            store.ledger.refresh(now)?;
            #[expect(
                clippy::redundant_closure_for_method_calls,
                reason = "the method is not general over the snapshot's lifetime"
            )]
            let counts = store.index.read(|snapshot| snapshot.counts())?;
            stats.stores.push(StoreStats {
                scope: store.scope,
                root: store.root.clone(),
                counts,
                memories: store.ledger.count(),
                sessions: store.sessions.all()?.len() as u64,
            });
        }
        if count == CountRecords::Yes {
            let store = self.registry.project(origin, &*self.clock)?;
            let from = Timestamp(now.0.saturating_sub(DAYS * NANOS_OF_A_DAY));
            stats.records = Some(records(&store, from)?);
        }
        Ok(stats)
    }
}

const NANOS_OF_A_DAY: i64 = 24 * 60 * 60 * 1_000_000_000;

/// Counts what the sessions of a store recorded; by day from a time on.
fn records(store: &Store, from: Timestamp) -> Result<Records, SessionError> {
    let mut counting = Counting { records: Records::default(), whole: HashMap::new(), from };
    let mut sessions: Vec<String> = store.sessions.all()?.iter().map(|session| session.id().to_owned()).collect();
    sessions.sort_unstable();
    for id in sessions {
        let Some(events) = store.sessions.read(&id)? else { continue };
        store.index.read(|snapshot| counting.session(snapshot, &events))?;
    }
    for memory in store.ledger.in_force() {
        if let Some(day) = counting.day(memory.created) {
            day.memories += 1;
        }
    }
    Ok(counting.records)
}

/// A hit as it was recorded.
#[derive(Debug, PartialEq, Eq)]
enum RecordedHit {
    Chunk {
        id: ChunkId,
        path: DocPath,
    },
    Memory(MemoryId),
    /// Something that this version does not know.
    Unknown,
}

/// Returns the hits of a recorded answer.
fn hits(metadata: &Metadata) -> Vec<RecordedHit> {
    let Some(MetadataValue::List(hits)) = metadata.get("hits") else { return Vec::new() };
    let text = |hit: &Metadata, name: &str| match hit.get(name) {
        Some(MetadataValue::Text(text)) => Some(text.clone()),
        _ => None,
    };
    let read = |hit: &MetadataValue| {
        let MetadataValue::Map(hit) = hit else { return None };
        let id = text(hit, "id")?;
        if let Ok(memory) = id.parse() {
            return Some(RecordedHit::Memory(memory));
        }
        Some(RecordedHit::Chunk { id: id.parse().ok()?, path: DocPath::new(&text(hit, "path")?).ok()? })
    };
    hits.iter().map(|hit| read(hit).unwrap_or(RecordedHit::Unknown)).collect()
}

/// Returns the item that a judgment calls useful; `None` if it calls it something else.
fn useful_item(metadata: &Metadata) -> Option<ItemId> {
    let text = |name: &str| match metadata.get(name) {
        Some(MetadataValue::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    if text("verdict") == Some("useful") { text("item_id")?.parse().ok() } else { None }
}

impl RecordedHit {
    /// Whether an item is this hit, or the document that it is from.
    fn is(&self, item: ItemId) -> bool {
        match (self, item) {
            (Self::Chunk { id, .. }, ItemId::Chunk(item)) => *id == item,
            (Self::Chunk { id, .. }, ItemId::Document(item)) => id.document == item,
            (Self::Memory(id), ItemId::Memory(item)) => *id == item,
            _ => false,
        }
    }
}

/// An answer of the session that is being counted.
struct SessionAnswer {
    time: Timestamp,
    hits: Vec<RecordedHit>,
    is_used: bool,
}

/// The count in progress.
struct Counting {
    records: Records,
    /// The tokens of whole files, of those that were counted before; `None` for a file that is not indexed.
    whole: HashMap<DocPath, Option<u64>>,
    /// The time from which days are counted.
    from: Timestamp,
}

impl Counting {
    /// Returns the counts of the day of a time; `None` if it is too long ago.
    fn day(&mut self, time: Timestamp) -> Option<&mut DayCounts> {
        let date = || Day::from_timestamp(time).to_string();
        (time >= self.from).then(|| self.records.days.entry(date()).or_default())
    }

    /// Counts the events of a session, which are in their order.
    fn session(&mut self, snapshot: &Snapshot<'_>, events: &[SessionEvent]) -> Result<(), ReadError> {
        let mut answers: Vec<SessionAnswer> = Vec::new();
        for event in events {
            let (time, details) = (event.timestamp, &event.details);
            match details.event_type {
                SessionEventType::RetrievalQuery => {
                    let hits = hits(&details.metadata);
                    let before = self.records.savings;
                    if !hits.is_empty() {
                        self.answer(snapshot, &hits)?;
                        let since = self.records.savings.since.map_or(time, |since| since.min(time));
                        self.records.savings.since = Some(since);
                    }
                    let after = self.records.savings;
                    if let Some(day) = self.day(time) {
                        day.searches += 1;
                        day.answers += after.answers - before.answers;
                        day.answer_tokens += after.answer_tokens - before.answer_tokens;
                        day.file_tokens += after.file_tokens - before.file_tokens;
                    }
                    if !hits.is_empty() {
                        answers.push(SessionAnswer { time, hits, is_used: false });
                    }
                }
                SessionEventType::RetrievalJudgment => {
                    let Some(item) = useful_item(&details.metadata) else { continue };
                    let answer = answers.iter_mut().rev().find(|answer| answer.hits.iter().any(|hit| hit.is(item)));
                    let Some(answer) = answer.filter(|answer| !answer.is_used) else { continue };
                    answer.is_used = true;
                    let time = answer.time;
                    if let Some(day) = self.day(time) {
                        day.used += 1;
                    }
                }
                _ => {}
            }
        }
        self.records.savings.sessions += u64::from(!answers.is_empty());
        Ok(())
    }

    fn answer(&mut self, snapshot: &Snapshot<'_>, hits: &[RecordedHit]) -> Result<(), ReadError> {
        let mut files: BTreeSet<&DocPath> = BTreeSet::new();
        let (mut known, mut answer_tokens) = (0, 0);
        for hit in hits {
            let (id, path) = match hit {
                RecordedHit::Chunk { id, path } => (*id, Some(path)),
                RecordedHit::Memory(memory) => {
                    let document = recall_core::DocumentId::from_path(&memory.to_path());
                    (ChunkId { document, ordinal: 0 }, None)
                }
                RecordedHit::Unknown => continue,
            };
            let Some(chunk) = snapshot.chunk(id)? else { continue };
            known += 1;
            answer_tokens += u64::from(chunk.chunk.tokens);
            files.extend(path);
        }
        let (mut file_count, mut file_tokens) = (0, 0);
        for path in files {
            if let Some(whole) = self.whole_tokens(snapshot, path)? {
                file_count += 1;
                file_tokens += whole;
            }
        }
        let savings = &mut self.records.savings;
        savings.answers += 1;
        savings.hits += hits.len() as u64;
        savings.unknown_hits += hits.len() as u64 - known;
        savings.files += file_count;
        savings.answer_tokens += answer_tokens;
        savings.file_tokens += file_tokens;
        Ok(())
    }

    fn whole_tokens(&mut self, snapshot: &Snapshot<'_>, path: &DocPath) -> Result<Option<u64>, ReadError> {
        if let Some(whole) = self.whole.get(path) {
            return Ok(*whole);
        }
        let text = match snapshot.document_at(path)? {
            Some(document) => snapshot.text(document.row)?,
            None => None,
        };
        let whole = text.map(|text| u64::from(tokens::estimate(&text)));
        self.whole.insert(path.clone(), whole);
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_hits_are_chunks_memories_or_unknown() {
        let text = |text: &str| MetadataValue::Text(text.to_owned());
        let hit = |fields: &[(&str, &str)]| {
            MetadataValue::Map(fields.iter().map(|(name, value)| ((*name).to_owned(), text(value))).collect())
        };
        let path = DocPath::new("src/a.rs").expect("plain");
        let id = ChunkId { document: recall_core::DocumentId::from_path(&path), ordinal: 3 };
        let list = vec![
            hit(&[("id", &id.to_string()), ("path", "src/a.rs")]),
            hit(&[("id", "L-0123abcd")]),
            hit(&[("id", "what")]),
            text("x"),
        ];
        let metadata = Metadata::from([("hits".to_owned(), MetadataValue::List(list))]);
        let memory: MemoryId = "L-0123abcd".parse().expect("an id");
        let expected =
            [RecordedHit::Chunk { id, path }, RecordedHit::Memory(memory), RecordedHit::Unknown, RecordedHit::Unknown];
        assert_eq!(hits(&metadata), expected);
        assert_eq!(hits(&Metadata::new()), []);
    }
}
