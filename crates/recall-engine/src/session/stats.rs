//! The stats use case: what the stores hold, and an estimate of what the recorded answers saved their readers.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use recall_core::{ChunkId, MemoryId, Metadata, MetadataValue, Scope, SessionEventType, StoreScope, Timestamp};
use recall_index::catalog::{Counts, Snapshot};
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
    /// What the answers of the project's sessions saved; `None` unless requested.
    pub savings: Option<Savings>,
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

/// Whether savings are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// They are estimated, which reads the events of all sessions.
    Savings,
    /// They are not estimated.
    Nothing,
}

impl Engine {
    /// Returns what the stores hold, and on request what the recorded answers saved.
    ///
    /// # Errors
    /// A store cannot be opened or read, or the events of a session cannot be read.
    pub fn stats(&self, origin: &Origin, scope: Scope, estimate: Estimate) -> Result<Stats, SessionError> {
        self.recorder.flush();
        let now = self.clock.now();
        let mut stats = Stats { stores: Vec::new(), savings: None };
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
        if estimate == Estimate::Savings {
            let store = self.registry.project(origin, &*self.clock)?;
            stats.savings = Some(savings(&store)?);
        }
        Ok(stats)
    }
}

fn savings(store: &Store) -> Result<Savings, SessionError> {
    let mut counting = Counting { savings: Savings::default(), whole: HashMap::new() };
    let mut sessions: Vec<String> = store.sessions.all()?.iter().map(|session| session.id().to_owned()).collect();
    sessions.sort_unstable();
    for id in sessions {
        let Some(events) = store.sessions.read(&id)? else { continue };
        let before = counting.savings.answers;
        for event in events.iter().filter(|event| event.details.event_type == SessionEventType::RetrievalQuery) {
            let hits = hits(&event.details.metadata);
            if hits.is_empty() {
                continue;
            }
            store.index.read(|snapshot| counting.answer(snapshot, &hits))?;
            let since = counting.savings.since.map_or(event.timestamp, |since| since.min(event.timestamp));
            counting.savings.since = Some(since);
        }
        counting.savings.sessions += u64::from(counting.savings.answers > before);
    }
    Ok(counting.savings)
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

/// The count in progress.
struct Counting {
    savings: Savings,
    /// The tokens of whole files, of those that were counted before; `None` for a file that is not indexed.
    whole: HashMap<DocPath, Option<u64>>,
}

impl Counting {
    fn answer(
        &mut self,
        snapshot: &Snapshot<'_>,
        hits: &[RecordedHit],
    ) -> Result<(), recall_index::catalog::ReadError> {
        let mut files: BTreeSet<&DocPath> = BTreeSet::new();
        let mut known = 0;
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
            self.savings.answer_tokens += u64::from(chunk.chunk.tokens);
            files.extend(path);
        }
        self.savings.answers += 1;
        self.savings.hits += hits.len() as u64;
        self.savings.unknown_hits += hits.len() as u64 - known;
        for path in files {
            if let Some(whole) = self.whole_tokens(snapshot, path)? {
                self.savings.files += 1;
                self.savings.file_tokens += whole;
            }
        }
        Ok(())
    }

    fn whole_tokens(
        &mut self,
        snapshot: &Snapshot<'_>,
        path: &DocPath,
    ) -> Result<Option<u64>, recall_index::catalog::ReadError> {
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
