//! What a store keeps in memory of its index: a cache of recently returned chunks, and the graph of its documents.
//!
//! Clients repeat similar queries, and reading ten chunks takes a sixth of a search. A row never changes while it exists, and all
//! cached chunks are of one generation, so none of them was deleted. The size and time of a file may change in the catalog
//! without a new generation: a caller that finds other ones on disk reads the chunk again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use lru::LruCache;
use parking_lot::{Condvar, Mutex};
use recall_core::{ChunkRow, Enclosing, Generation};
use recall_index::catalog::StoredChunk;

use crate::links::structure::Structure;

/// The most bytes cached of a store: some five hundred chunks.
const MOST_BYTES: usize = 1 << 20;

/// An estimate of a chunk's size without its text: its document's path and title, its symbol and signature, what encloses it.
const OVERHEAD_BYTES: usize = 1024;

/// A chunk with the definitions or headings that enclose it.
#[derive(Debug)]
pub(crate) struct Passage {
    pub(crate) stored: StoredChunk,
    /// The enclosing definitions or headings, outermost first.
    pub(crate) parents: Vec<Enclosing>,
}

impl Passage {
    fn bytes(&self) -> usize {
        self.stored.text.len() + OVERHEAD_BYTES
    }
}

/// Passages in the order of the requested rows.
pub(crate) struct Passages {
    /// `None` for a row that the catalog does not have.
    pub(crate) all: Vec<Option<Arc<Passage>>>,
    /// The generation that the passages are of.
    pub(crate) generation: Generation,
    /// Whether some are from the cache, so that the stats of their files may be out of date.
    pub(crate) are_any_kept: bool,
}

/// The most recently used passages of one generation.
pub(crate) struct HitCache(Mutex<Kept>);

struct Kept {
    generation: Generation,
    passages: LruCache<ChunkRow, Arc<Passage>>,
    bytes: usize,
}

impl Default for HitCache {
    fn default() -> Self {
        Self(Mutex::new(Kept { generation: Generation::default(), passages: LruCache::unbounded(), bytes: 0 }))
    }
}

impl HitCache {
    /// Returns the cached passages of these rows, in their order.
    pub(super) fn get(&self, generation: Generation, rows: &[ChunkRow]) -> Vec<Option<Arc<Passage>>> {
        let mut kept = self.0.lock();
        if kept.generation != generation {
            return vec![None; rows.len()];
        }
        rows.iter().map(|row| kept.passages.get(row).cloned()).collect()
    }

    /// Caches passages of a generation. Clears the cache first if it is of another generation.
    pub(super) fn keep(&self, generation: Generation, read: impl IntoIterator<Item = Arc<Passage>>) {
        let mut kept = self.0.lock();
        if kept.generation != generation {
            kept.passages.clear();
            (kept.generation, kept.bytes) = (generation, 0);
        }
        for passage in read {
            kept.bytes += passage.bytes();
            let before = kept.passages.put(passage.stored.row, passage);
            kept.bytes -= before.map_or(0, |before| before.bytes());
        }
        while kept.bytes > MOST_BYTES
            && let Some((_, oldest)) = kept.passages.pop_lru()
        {
            kept.bytes -= oldest.bytes();
        }
    }
}

/// The graph of a store's documents. A background thread reads it again when it is out of date.
#[derive(Debug, Default)]
pub(super) struct StructureCell {
    current: ArcSwap<Structure>,
    reading: Mutex<ReadState>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct ReadState {
    /// When the running read began; `None` if none is running.
    began: Option<Instant>,
    /// When the last read ended, and how long it took.
    last: Option<(Instant, Duration)>,
}

/// The pause after a long read of the graph, in multiples of its duration, so that reads take at most a twentieth of the time.
const REST: u32 = 20;

/// A graph that is read faster than this is read for every generation.
const SHORT: Duration = Duration::from_millis(250);

/// Which thread reads the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum ReadTurn {
    /// The caller.
    Taken,
    /// Another thread is reading it.
    Others,
    /// None for now: the last read took long and ended recently.
    Resting,
}

impl StructureCell {
    /// Returns the last graph that was read.
    pub(super) fn current(&self) -> Arc<Structure> {
        self.current.load_full()
    }

    pub(super) fn replace(&self, structure: Structure) {
        self.current.store(Arc::new(structure));
    }

    /// Takes the turn to read, unless another thread has it or a long read ended recently.
    pub(super) fn begin(&self) -> ReadTurn {
        let mut reading = self.reading.lock();
        if reading.began.is_some() {
            return ReadTurn::Others;
        }
        if reading.last.is_some_and(|(ended, took)| took > SHORT && ended.elapsed() < took * REST) {
            return ReadTurn::Resting;
        }
        reading.began = Some(Instant::now());
        ReadTurn::Taken
    }

    pub(super) fn end(&self, took: Duration) {
        *self.reading.lock() = ReadState { began: None, last: Some((Instant::now(), took)) };
        self.ended.notify_all();
    }

    /// Waits until no read is running; returns `false` if that takes longer than `patience`, from `asked` or from the beginning of the
    /// read. Of many questions during a long read, only those at its beginning wait.
    pub(super) fn wait(&self, asked: Instant, patience: Duration) -> bool {
        let mut reading = self.reading.lock();
        while let Some(began) = reading.began {
            let until = began.min(asked) + patience;
            if Instant::now() >= until {
                return false;
            }
            self.ended.wait_until(&mut reading, until);
        }
        asked.elapsed() < patience
    }
}

#[cfg(test)]
mod tests {
    use recall_core::{
        ByteSpan, Chunk, ChunkId, ChunkKind, ContentHash, Document, DocumentId, DocumentRow, DocumentType, Span,
        Timestamp,
    };
    use recall_index::catalog::StoredDocument;
    use recall_text::{DocPath, FileKind};

    use super::*;

    fn passage(row: i64, text_bytes: usize) -> Arc<Passage> {
        let path = DocPath::new("src/a.rs").expect("plain");
        let document = Document {
            id: DocumentId::from_path(&path),
            path,
            memory: None,
            document_type: DocumentType::Code,
            title: String::new(),
            language: None,
            hash: ContentHash([0; 32]),
            size_bytes: 0,
            modified: Timestamp::default(),
            file_kind: FileKind::Main,
            tags: Vec::new(),
            source: None,
        };
        let stored = StoredChunk {
            id: ChunkId { document: document.id, ordinal: 0 },
            row: ChunkRow(row),
            document: StoredDocument { row: DocumentRow(1), document, created: Timestamp::default(), chunk_count: 1 },
            chunk: Chunk {
                ordinal: 0,
                kind: ChunkKind::Part,
                span: Span { bytes: ByteSpan { start: 0, end: 0 }, start_line: 1, end_line: 1 },
                symbol: None,
                signature: None,
                doc_comment: None,
                tokens: 1,
            },
            text: "x".repeat(text_bytes),
        };
        Arc::new(Passage { stored, parents: Vec::new() })
    }

    #[track_caller]
    fn check(kept: &HitCache, generation: u64, rows: &[i64], expected: &[bool]) {
        let rows: Vec<ChunkRow> = rows.iter().copied().map(ChunkRow).collect();
        let found: Vec<bool> = kept.get(Generation(generation), &rows).iter().map(Option::is_some).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn recently_used_passages_of_one_generation_are_cached() {
        let kept = HitCache::default();
        let third = MOST_BYTES / 3;
        kept.keep(Generation(1), [passage(1, third), passage(2, third)]);
        check(&kept, 1, &[2, 1, 3], &[true, true, false]);
        check(&kept, 2, &[1], &[false]);
        kept.keep(Generation(1), [passage(3, third)]);
        check(&kept, 1, &[1, 2, 3], &[true, false, true]);
        kept.keep(Generation(1), [passage(3, third), passage(3, third)]);
        check(&kept, 1, &[1, 3], &[true, true]);
        kept.keep(Generation(2), [passage(4, 2 * MOST_BYTES), passage(5, third)]);
        check(&kept, 2, &[1, 3, 4, 5], &[false, false, false, true]);
        check(&kept, 1, &[1, 3], &[false, false]);
    }

    #[test]
    fn a_read_that_outlasted_one_question_is_not_waited_for_by_the_next() {
        let cell = StructureCell::default();
        let patience = Duration::from_millis(10);
        assert_eq!(cell.begin(), ReadTurn::Taken);
        std::thread::sleep(patience);
        // It would wait for an hour if its own time counted.
        let asked = Instant::now() + Duration::from_hours(1);
        assert!(!cell.wait(asked, patience));
        cell.end(Duration::ZERO);
        assert!(cell.wait(asked, patience), "nothing is read");
    }
}
