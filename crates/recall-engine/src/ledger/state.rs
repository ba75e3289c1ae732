//! The state that the journals define: memories, feedback on files, and the documents that the index should have of
//! memories.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use recall_chunk::Chunker;
use recall_core::{
    ContentHash, Cue, Document, DocumentId, Edge, EdgeKind, Event, EventBody, EventId, FeedbackTally, ItemId, Memory,
    MemoryId, ParsedDocument, Timestamp,
};
use recall_journal::{Applied, Memories};
use recall_text::{FileKind, Language, Vocabulary};

use crate::ledger::backlog::IndexBacklog;
use crate::ledger::repository_log::Pending;
use crate::ledger::words::WordRarity;
use crate::mask::memory as masked;

#[derive(Default)]
pub(crate) struct LedgerState {
    /// All memories; until the first full read, those that were loaded by partial reads.
    pub(crate) memories: Memories,
    /// The memories whose lines were all read by partial reads.
    pub(crate) loaded: BTreeSet<MemoryId>,
    /// When the first partial read was.
    pub(crate) first_load: Option<Instant>,
    /// A cache of the words of memories that the index may lack, with the hash of the document: a new memory is compared with all
    /// of them.
    pub(crate) unindexed: HashMap<MemoryId, (ContentHash, Unindexed)>,
    /// The memories with events that are in no journal yet.
    pub(crate) pending: Pending,
    /// The events that this process wrote and applied, and that no read of the journals has returned yet.
    pub(crate) unread: HashSet<EventId>,
    /// The memories that are being written now.
    pub(crate) in_flight: BTreeMap<MemoryId, InFlight>,
    /// When the journals were last read; `None` before the first full read.
    pub(crate) read_at: Option<Timestamp>,
    /// Why the last read failed.
    pub(crate) problem: Option<String>,
    /// A cache of the feedback on files; cleared by new feedback.
    pub(crate) ratings: Option<Arc<Ratings>>,
    /// A cache of the cues of the memories; cleared by every change of a memory.
    pub(crate) cues: Option<CuesOfAll>,
    /// A cache of how rare words are in the memories; cleared like the cues.
    pub(crate) rarity: Option<Arc<WordRarity>>,
}

/// The memories that have cues, each with them.
pub(crate) type CuesOfAll = Arc<[(MemoryId, Vec<Cue>)]>;

/// A memory that is being written.
pub(crate) struct InFlight {
    pub(crate) event: EventId,
    pub(crate) title: Arc<str>,
    pub(crate) content: Arc<str>,
    pub(crate) vocabulary: Vocabulary,
}

/// A memory that the index may lack, with secrets masked.
#[derive(Clone, Debug)]
pub(crate) struct Unindexed {
    pub(crate) id: MemoryId,
    pub(crate) title: Arc<str>,
    pub(crate) content: Arc<str>,
    /// The words of its title and text.
    pub(crate) vocabulary: Arc<Vocabulary>,
}

impl LedgerState {
    /// Applies events that were written to the journals, and that the next read of these returns, unless git or an editor has
    /// taken them out by then.
    pub(crate) fn apply_written(&mut self, events: Vec<Event>, backlog: &IndexBacklog, admits: Admits<'_>) {
        for event in events {
            let id = event.id;
            // An event that is known was read by another thread since it was written.
            if let Applied::New(_) = self.apply(event, backlog, admits) {
                self.unread.insert(id);
            }
        }
    }

    /// Applies events that were read from the journals.
    pub(crate) fn apply_read(&mut self, events: Vec<Event>, backlog: &IndexBacklog, admits: Admits<'_>) {
        for event in events {
            self.unread.remove(&event.id);
            self.apply(event, backlog, admits);
        }
    }

    /// Applies an event. Records in the backlog which documents the index should have afterwards.
    fn apply(&mut self, event: Event, backlog: &IndexBacklog, admits: Admits<'_>) -> Applied {
        match &event.body {
            EventBody::Memory { .. } => (self.cues, self.rarity) = (None, None),
            EventBody::Feedback { .. } => self.ratings = None,
            EventBody::Revert { .. } => (self.cues, self.rarity, self.ratings) = (None, None, None),
        }
        let applied = self.memories.apply(event);
        if let Applied::New(ItemId::Memory(id)) = applied {
            self.expect([id], backlog, admits);
        }
        applied
    }

    /// Records in the backlog which documents the index should have of some memories, and of those that they may retire or no longer
    /// retire.
    pub(crate) fn expect(&self, ids: impl IntoIterator<Item = MemoryId>, backlog: &IndexBacklog, admits: Admits<'_>) {
        let memories = &self.memories;
        let changed = ids.into_iter().flat_map(|id| memories.predecessors(id).into_iter().chain([id]));
        backlog.expect(changed.map(|id| (id, expected_hash(memories, id, admits))).collect::<Vec<_>>());
    }

    pub(crate) fn replace(&mut self, memories: Memories) {
        self.memories = memories;
        self.loaded.clear();
        self.ratings = None;
        (self.cues, self.rarity) = (None, None);
    }
}

/// Whether a memory counts, as far as that depends on whose it is.
pub(crate) type Admits<'a> = &'a dyn Fn(&Memories, MemoryId) -> bool;

/// Returns the hash of the document of each memory in force.
pub(crate) fn all_expected(memories: &Memories, admits: Admits<'_>) -> HashMap<MemoryId, ContentHash> {
    let in_force = memories.iter().filter(|memory| is_in_force(memories, memory, admits));
    in_force.map(|memory| (memory.id, hash_of(&masked(memory)))).collect()
}

/// Returns the hash of the document that the index should have of a memory; `None` if it is not in force.
pub(crate) fn expected_hash(memories: &Memories, id: MemoryId, admits: Admits<'_>) -> Option<ContentHash> {
    let memory = memories.memory(id).filter(|memory| is_in_force(memories, memory, admits))?;
    Some(hash_of(&masked(memory)))
}

fn is_in_force(memories: &Memories, memory: &Memory, admits: Admits<'_>) -> bool {
    !is_retired(memories, memory, admits) && !memory.proposed && admits(memories, memory.id)
}

/// Returns whether a memory was deleted, promoted or superseded.
pub(crate) fn is_retired(memories: &Memories, memory: &Memory, admits: Admits<'_>) -> bool {
    memory.deleted.is_some()
        || memory.promoted.is_some()
        || memories.superseded_by(memory.id, &|newer| admits(memories, newer)).is_some()
}

/// The language that memories are parsed as.
const LANGUAGE: &str = "markdown";

pub(crate) fn document_of(memory: &Memory) -> Document {
    let path = memory.id.to_path();
    Document {
        id: DocumentId::from_path(&path),
        document_type: memory.id.memory_type.into(),
        title: memory.title.to_string(),
        language: Some(Language::from_static(LANGUAGE)),
        hash: hash_of(memory),
        size_bytes: text_of(memory).len() as u64,
        modified: memory.updated,
        file_kind: FileKind::from_path(&path),
        tags: memory.tags.clone(),
        source: memory.source.clone(),
        path,
        memory: Some(memory.id),
    }
}

/// Returns the text of the document: the memory's content, or its title if the content is blank.
pub(crate) fn text_of(memory: &Memory) -> &str {
    if memory.content.trim().is_empty() { &memory.title } else { &memory.content }
}

/// Parses the document into chunks, with edges to the related files and the superseded memory.
pub(crate) fn parsed_of(memory: &Memory, chunker: &mut Chunker) -> ParsedDocument {
    let language = Language::from_static(LANGUAGE);
    let mut parsed = chunker.parse(&memory.id.to_path(), Some(&language), text_of(memory));
    // The title and tags are those of the memory, even if the text has front matter of its own.
    (parsed.title, parsed.tags) = (Some(memory.title.to_string()), memory.tags.clone());
    if !parsed.chunks.is_empty() {
        let edge = |kind, target: String| Edge { kind, chunk: 0, target };
        let files = memory.related_files.iter();
        parsed.edges.extend(files.map(|path| edge(EdgeKind::RelatesTo, format!("/{path}"))));
        parsed.edges.extend(memory.supersedes.map(|older| edge(EdgeKind::Supersedes, format!("/{older}"))));
        parsed.edges.sort_unstable();
        parsed.edges.dedup();
    }
    parsed
}

/// Returns a hash of everything that the document of a memory depends on.
pub(crate) fn hash_of(memory: &Memory) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(&memory.title);
    part(&memory.content);
    part(memory.source.as_deref().unwrap_or_default());
    part(&memory.supersedes.map(|older| older.to_string()).unwrap_or_default());
    part(&memory.updated.0.to_string());
    for tags in [memory.tags.len().to_string()].iter().chain(&memory.tags) {
        part(tags);
    }
    for path in &memory.related_files {
        part(path.as_str());
    }
    ContentHash(*hasher.finalize().as_bytes())
}

/// The feedback on each file, including that on its chunks.
pub(crate) type Ratings = HashMap<DocumentId, FeedbackTally>;

/// Sums the feedback on each file and its chunks. Only events that `counts` accepts are included.
pub(crate) fn ratings(memories: &Memories, counts: &dyn Fn(&Event) -> bool) -> Ratings {
    let mut ratings = Ratings::new();
    for item in memories.rated_items() {
        let document = match item {
            ItemId::Document(document) => document,
            ItemId::Chunk(chunk) => chunk.document,
            ItemId::Memory(_) => continue,
        };
        let said = memories.feedback(item, counts);
        let all = ratings.entry(document).or_default();
        all.useful += said.useful;
        all.not_useful += said.not_useful;
        all.outdated += said.outdated;
        all.duplicate += said.duplicate;
        all.last_outdated = all.last_outdated.max(said.last_outdated);
    }
    ratings
}
