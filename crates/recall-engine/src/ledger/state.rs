//! The state that the journals define: memories, feedback on files, and the documents that the index should have of
//! memories.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use recall_chunk::Chunker;
use recall_core::{
    ContentHash, Cue, Document, DocumentId, Edge, EdgeKind, Event, EventBody, EventId, FeedbackTally, ItemId, Memory,
    MemoryChange, MemoryId, ParsedDocument, Timestamp,
};
use recall_journal::{Applied, Memories};
use recall_text::{FileKind, Language, Vocabulary};

use crate::ledger::backlog::IndexBacklog;
use crate::ledger::repository_log::Pending;
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
    pub(crate) fn apply_written(&mut self, events: Vec<Event>, backlog: &IndexBacklog) {
        for event in events {
            let id = event.id;
            // An event that is known was read by another thread since it was written.
            if let Applied::New(_) = self.apply(event, backlog) {
                self.unread.insert(id);
            }
        }
    }

    /// Applies events that were read from the journals.
    pub(crate) fn apply_read(&mut self, events: Vec<Event>, backlog: &IndexBacklog) {
        for event in events {
            self.unread.remove(&event.id);
            self.apply(event, backlog);
        }
    }

    /// Applies an event. Records in the backlog which documents the index should have afterwards.
    fn apply(&mut self, event: Event, backlog: &IndexBacklog) -> Applied {
        let superseded = match &event.body {
            EventBody::Memory { change, .. } => {
                self.cues = None;
                if let MemoryChange::Add(added) = change { added.supersedes } else { None }
            }
            EventBody::Feedback { .. } => {
                self.ratings = None;
                None
            }
        };
        let applied = self.memories.apply(event);
        if let Applied::New(ItemId::Memory(id)) = applied {
            // The event may retire another memory, or end its retirement.
            let retired = self.memories.memory(id).and_then(|memory| memory.supersedes);
            let changed = [Some(id), retired, superseded].into_iter().flatten();
            backlog.expect(changed.map(|id| (id, expected_hash(&self.memories, id))).collect::<Vec<_>>());
        }
        applied
    }

    pub(crate) fn replace(&mut self, memories: Memories) {
        self.memories = memories;
        self.loaded.clear();
        self.ratings = None;
        self.cues = None;
    }
}

/// Returns the hash of the document of each memory in force.
pub(crate) fn all_expected(memories: &Memories) -> HashMap<MemoryId, ContentHash> {
    let retired = |memory: &Memory| memories.superseded_by(memory.id).is_some();
    let in_force = memories.iter().filter(|memory| memory.promoted.is_none() && !retired(memory));
    in_force.map(|memory| (memory.id, hash_of(&masked(memory)))).collect()
}

/// Returns the hash of the document that the index should have of a memory; `None` if it is not in force.
pub(crate) fn expected_hash(memories: &Memories, id: MemoryId) -> Option<ContentHash> {
    let memory = memories.memory(id).filter(|memory| memory.deleted.is_none() && memory.promoted.is_none())?;
    memories.superseded_by(id).is_none().then(|| hash_of(&masked(memory)))
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
