//! What does the catalog hold of each file?

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use recall_core::{ContentHash, DocPath, DocumentRow, Generation, MemoryId, Timestamp};
use rustc_hash::FxHashMap;

/// What the catalog holds of each file, at one generation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) generation: Generation,
    /// By path below the root; a name that is not UTF-8 stands with its bytes replaced.
    pub(crate) files: HashMap<Arc<str>, KnownFile>,
    /// How many of the files are documents; the others were looked at and passed over.
    pub(crate) documents: u64,
    /// The modification time of the newest document.
    pub(crate) newest: Option<Timestamp>,
    /// Which documents are memories, by row.
    pub(crate) memories: FxHashMap<i64, MemoryId>,
}

/// What was seen of a file when it was read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownFile {
    pub(crate) size_bytes: u64,
    pub(crate) modified: Timestamp,
    /// The hash of its bytes; `None` for a file that was passed over.
    pub(crate) hash: Option<ContentHash>,
}

impl Known {
    pub(crate) fn read(snapshot: &recall_catalog::Snapshot<'_>) -> Result<Self, recall_catalog::ReadError> {
        let mut known = Self { generation: snapshot.generation(), ..Self::default() };
        known.insert(snapshot.file_states()?);
        Ok(known)
    }

    /// What is known when some files were written and nothing else: only these are read.
    pub(crate) fn read_again(
        &self,
        snapshot: &recall_catalog::Snapshot<'_>,
        written: &HashSet<&str>,
    ) -> Result<Self, recall_catalog::ReadError> {
        let mut known = Self { generation: snapshot.generation(), ..self.clone() };
        let before = written.iter().filter(|path| known.files.remove(**path).is_some());
        let gone: HashSet<MemoryId> = before.filter_map(|path| MemoryId::of_path(path)).collect();
        if !gone.is_empty() {
            known.memories.retain(|_, id| !gone.contains(id));
        }
        known.insert(snapshot.file_states_at(written.iter().copied())?);
        Ok(known)
    }

    fn insert(&mut self, states: Vec<recall_catalog::FileState>) {
        self.files.reserve(states.len());
        for state in states {
            if let (Some(row), Some(id)) = (state.row, MemoryId::of_path(&state.path)) {
                self.memories.insert(row.0, id);
            }
            self.files.insert(
                state.path,
                KnownFile { size_bytes: state.size_bytes, modified: state.modified, hash: state.hash },
            );
        }
        let documents = self.files.values().filter(|file| file.hash.is_some());
        (self.documents, self.newest) =
            documents.fold((0, None), |(count, newest), file| (count + 1, newest.max(Some(file.modified))));
    }

    /// What decides between documents that fit equally well, the lesser first: of memories the order of their ids, so that it
    /// does not show in which order they came into the index; 0 of files, which leaves it to their rows.
    pub(crate) fn tie(&self, document: DocumentRow) -> u64 {
        let number = |id: &MemoryId| 1 + ((id.memory_type as u64) << u32::BITS | u64::from(id.number));
        self.memories.get(&document.0).map_or(0, number)
    }

    /// Whether a document, or a directory with documents, is known at the path.
    pub(crate) fn holds(&self, path: &DocPath) -> bool {
        self.files.contains_key(path.as_str())
            || self.files.keys().any(|file| file.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/')))
    }

    /// The documents at the path or below it, by path.
    pub(crate) fn documents_below(&self, path: &DocPath) -> Vec<DocPath> {
        let is_below =
            |file: &str| file.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let documents = self.files.iter().filter(|(file, known)| known.hash.is_some() && is_below(file));
        let mut below: Vec<DocPath> = documents.filter_map(|(file, _)| DocPath::new(file).ok()).collect();
        below.sort_unstable();
        below
    }
}
