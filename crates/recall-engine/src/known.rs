//! The in-memory copy of the file states in the catalog.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use recall_catalog::FileState;
use recall_core::{ContentHash, DocPath, DocumentRow, Generation, MemoryId, Timestamp, find_ascending};

use crate::mask;

/// The states of all files and memories in the catalog, as of one generation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) generation: Generation,
    /// By path below the root, with invalid UTF-8 replaced. Without memories.
    pub(crate) files: HashMap<Arc<str>, KnownFile>,
    pub(crate) memories: KnownMemories,
    /// The number of documents, including memories, without the files that are not indexed.
    pub(crate) documents: u64,
    /// The modification time of the newest document.
    pub(crate) newest: Option<Timestamp>,
}

/// The state of a file when it was last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownFile {
    pub(crate) size_bytes: u64,
    pub(crate) modified: Timestamp,
    /// The hash of its bytes; `None` for a file that is not indexed.
    pub(crate) hash: Option<ContentHash>,
}

/// The documents of memories.
///
/// The entries have no allocations of their own: there may be a hundred thousand, and all are copied when one is added.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownMemories {
    /// Ascending by row.
    by_row: Vec<(DocumentRow, MemoryId)>,
    by_id: HashMap<MemoryId, KnownMemory>,
}

/// The document of a memory.
#[derive(Clone, Copy, Debug)]
struct KnownMemory {
    row: DocumentRow,
    modified: Timestamp,
    hash: ContentHash,
}

impl KnownMemories {
    pub(crate) fn is_empty(&self) -> bool {
        self.by_row.is_empty()
    }

    /// Returns the memory with the document in a row.
    pub(crate) fn of_row(&self, document: DocumentRow) -> Option<MemoryId> {
        self.place(document).map(|place| self.by_row[place].1)
    }

    fn place(&self, document: DocumentRow) -> Option<usize> {
        find_ascending(self.by_row.len(), |place| self.by_row[place].0.0, document.0)
    }

    /// Returns the hash of a memory's document.
    pub(crate) fn hash(&self, id: MemoryId) -> Option<ContentHash> {
        self.by_id.get(&id).map(|memory| memory.hash)
    }

    /// Iterates over the memories, in no particular order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = MemoryId> {
        self.by_id.keys().copied()
    }

    fn insert(&mut self, id: MemoryId, memory: KnownMemory) {
        // A new row is nearly always the greatest.
        let greater = self.by_row.iter().rev().take_while(|(row, _)| *row > memory.row).count();
        self.by_row.insert(self.by_row.len() - greater, (memory.row, id));
        self.by_id.insert(id, memory);
    }

    fn remove(&mut self, id: MemoryId) -> Option<KnownMemory> {
        let memory = self.by_id.remove(&id)?;
        if let Some(place) = self.place(memory.row) {
            self.by_row.remove(place);
        }
        Some(memory)
    }
}

impl Known {
    pub(crate) fn read(snapshot: &recall_catalog::Snapshot<'_>) -> Result<Self, recall_catalog::ReadError> {
        let mut known = Self { generation: snapshot.generation(), ..Self::default() };
        snapshot.file_states(|state| known.insert(state))?;
        Ok(known)
    }

    /// Returns the states after only some files were written, and reads only those.
    pub(crate) fn read_again(
        &self,
        snapshot: &recall_catalog::Snapshot<'_>,
        written: &HashSet<&str>,
    ) -> Result<Self, recall_catalog::ReadError> {
        let mut known = Self { generation: snapshot.generation(), ..self.clone() };
        let removed = written.iter().filter_map(|path| known.remove(path)).max();
        snapshot.file_states_at(written.iter().copied(), |state| known.insert(state))?;
        if removed.is_some() && removed >= known.newest {
            known.newest = known.modified().max();
        }
        Ok(known)
    }

    /// Returns whether there are no files and no memories.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.memories.is_empty()
    }

    pub(crate) fn insert(&mut self, FileState { path, row, size_bytes, modified, hash }: FileState<'_>) {
        if hash.is_some() {
            self.documents += 1;
            self.newest = self.newest.max(Some(modified));
        }
        match (MemoryId::of_path(path), row, hash) {
            (Some(id), Some(row), Some(hash)) => self.memories.insert(id, KnownMemory { row, modified, hash }),
            _ => drop(self.files.insert(path.into(), KnownFile { size_bytes, modified, hash })),
        }
    }

    /// Removes a file; returns its modification time if it is a document.
    fn remove(&mut self, path: &str) -> Option<Timestamp> {
        let memory = MemoryId::of_path(path).and_then(|id| self.memories.remove(id));
        let modified = match memory {
            Some(memory) => memory.modified,
            None => self.files.remove(path).filter(|file| file.hash.is_some())?.modified,
        };
        self.documents -= 1;
        Some(modified)
    }

    /// Iterates over the modification times of the documents, in no particular order.
    fn modified(&self) -> impl Iterator<Item = Timestamp> {
        let files = self.files.values().filter(|file| file.hash.is_some()).map(|file| file.modified);
        files.chain(self.memories.by_id.values().map(|memory| memory.modified))
    }

    /// Iterates over the paths of the documents, including memories, in no particular order.
    pub(crate) fn document_paths(&self) -> impl Iterator<Item = DocPath> {
        let files = self.files.iter().filter(|(_, file)| file.hash.is_some());
        files.filter_map(|(path, _)| DocPath::new(path).ok()).chain(self.memories.ids().map(MemoryId::to_path))
    }

    /// Returns the only document with the masked path among `paths`; `None` if none of them is masked, or if not exactly one
    /// document has it.
    pub(crate) fn unmasked(&self, paths: &[DocPath]) -> Option<DocPath> {
        let masked = paths.iter().find(|path| mask::is_masked_path(path))?;
        let mut found = self.document_paths().filter(|known| mask::reads_as(known, masked));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// Returns the key that breaks ties in ranking, the lesser first: for a memory its id, so that the order of indexing has no
    /// effect; for a file 0, so that its row decides.
    pub(crate) fn tie(&self, document: DocumentRow) -> u64 {
        let number = |id: MemoryId| 1 + ((id.memory_type as u64) << u32::BITS | u64::from(id.number));
        self.memories.of_row(document).map_or(0, number)
    }

    /// Returns whether there is a file, or a directory with files, at the path.
    pub(crate) fn holds(&self, path: &DocPath) -> bool {
        self.files.contains_key(path.as_str())
            || self.files.keys().any(|file| file.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/')))
    }

    /// Returns the documents of files at or below the path, sorted by path.
    pub(crate) fn documents_below(&self, path: &DocPath) -> Vec<DocPath> {
        let is_below =
            |file: &str| file.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let documents = self.files.iter().filter(|(file, known)| known.hash.is_some() && is_below(file));
        let mut below: Vec<DocPath> = documents.filter_map(|(file, _)| DocPath::new(file).ok()).collect();
        below.sort_unstable();
        below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(path: &str, row: i64, modified: i64) -> FileState<'_> {
        let hash = Some(ContentHash([row as u8; 32]));
        FileState { path, row: Some(DocumentRow(row)), size_bytes: 1, modified: Timestamp(modified), hash }
    }

    fn id(path: &str) -> MemoryId {
        path.parse().expect("an id")
    }

    #[test]
    fn memories_are_found_by_row_and_by_id_for_any_order_of_insertion() {
        let mut known = Known::default();
        for (path, row) in [("L-00000005", 7), ("L-00000001", 9), ("src/a.rs", 1), ("D-00000001", 3), ("N-00000002", 8)]
        {
            known.insert(state(path, row, row));
        }
        assert_eq!((known.documents, known.newest, known.files.len()), (5, Some(Timestamp(9)), 1));
        let at = |known: &Known, row| known.memories.of_row(DocumentRow(row)).map(|id| id.to_string());
        assert_eq!(at(&known, 3).as_deref(), Some("D-00000001"));
        assert_eq!(at(&known, 7).as_deref(), Some("L-00000005"));
        assert_eq!((at(&known, 1), at(&known, 10)), (None, None));
        assert_eq!(known.memories.hash(id("N-00000002")), Some(ContentHash([8; 32])));

        assert_eq!(known.remove("L-00000005"), Some(Timestamp(7)));
        assert_eq!(known.remove("L-00000005"), None);
        assert_eq!(known.remove("src/a.rs"), Some(Timestamp(1)));
        assert_eq!((known.documents, at(&known, 7)), (3, None));
        assert_eq!(at(&known, 9).as_deref(), Some("L-00000001"));
        assert_eq!(known.modified().max(), Some(Timestamp(9)));
    }

    #[test]
    fn a_file_that_is_not_indexed_is_not_a_document() {
        let mut known = Known::default();
        known.insert(FileState { row: None, hash: None, ..state("a.bin", 0, 5) });
        assert_eq!((known.documents, known.newest), (0, None));
        assert_eq!(known.remove("a.bin"), None);
        assert!(known.is_empty());
    }
}
