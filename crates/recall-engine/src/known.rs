//! The in-memory copy of the file states in the catalog.
//!
//! A scan compares every file with it, and a search asks it what a row is, so neither reads the catalog for that. It is immutable and
//! of one generation; a writer publishes a new one. After a small ingest only the written entries are read again.

mod older_versions;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use recall_core::{ContentHash, DocumentRow, Generation, MemoryId, Timestamp, find_ascending};
use recall_index::catalog::{FailureKind, FileState};
use recall_text::{DocPath, is_at_or_below, is_data_table, normalized_path};

use crate::mask;

/// The states of all files and memories in the catalog, as of one generation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) generation: Generation,
    /// By path below the root, with invalid UTF-8 replaced. Without memories.
    pub(crate) files: HashMap<Arc<str>, KnownFile>,
    pub(crate) memories: KnownMemories,
    /// The directories of nested repositories, which have stores of their own.
    pub(crate) repositories: Arc<BTreeSet<DocPath>>,
    /// The number of documents, including memories, without the files that are not indexed.
    pub(crate) documents: u64,
    /// The modification time of the newest document.
    pub(crate) newest: Option<Timestamp>,
    /// The paths of the files by the hash of their bytes.
    by_hash: PathsByHash,
    older: OlderVersions,
    /// The documents that are tables of raw data, such as `rates.csv`.
    data_tables: HashSet<i64>,
}

/// The paths of the indexed files by the hash of their bytes, once they are needed. A copy is empty, since it is made to be changed.
#[derive(Debug, Default)]
struct PathsByHash(OnceLock<HashMap<ContentHash, Vec<Arc<str>>>>);

impl Clone for PathsByHash {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The documents in directories of older versions, each with the name of its directory, once they are needed. A copy is empty, since
/// it is made to be changed.
#[derive(Debug, Default)]
struct OlderVersions(OnceLock<BTreeMap<i64, Arc<str>>>);

impl Clone for OlderVersions {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The state of a file when it was last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownFile {
    /// Its document; `None` for a file that is not indexed.
    row: Option<DocumentRow>,
    pub(crate) size_bytes: u64,
    pub(crate) modified: Timestamp,
    /// The hash of its bytes; `None` for a file that is not indexed.
    pub(crate) hash: Option<ContentHash>,
}

impl KnownFile {
    /// Returns its document; `None` for a file that is not indexed.
    pub(crate) fn document(&self) -> Option<DocumentRow> {
        self.row
    }
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

    pub(crate) fn memory_in_row(&self, document: DocumentRow) -> Option<MemoryId> {
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

/// The files and memories that an ingest may have written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Written<'w> {
    pub(crate) files: HashSet<&'w str>,
    pub(crate) memories: HashSet<MemoryId>,
}

impl Known {
    pub(crate) fn read(
        snapshot: &recall_index::catalog::Snapshot<'_>,
    ) -> Result<Self, recall_index::catalog::ReadError> {
        let mut known = Self { generation: snapshot.generation(), ..Self::default() };
        snapshot.file_states(|state| known.insert(state))?;
        Ok(known)
    }

    /// Returns the paths of the files with some bytes, in no particular order. An empty file says nothing, and has none.
    pub(crate) fn files_with(&self, hash: ContentHash) -> &[Arc<str>] {
        let by_hash = self.by_hash.0.get_or_init(|| {
            let mut by_hash: HashMap<ContentHash, Vec<Arc<str>>> = HashMap::new();
            for (path, file) in self.files.iter().filter(|(_, file)| file.size_bytes > 0) {
                if let Some(hash) = file.hash {
                    by_hash.entry(hash).or_default().push(Arc::clone(path));
                }
            }
            by_hash
        });
        by_hash.get(&hash).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the name of the directory, such as `v3`, if a document is in a directory of an older version of what the project has in
    /// a newer one.
    pub(crate) fn older_version(&self, document: DocumentRow) -> Option<&str> {
        let older = self.older.0.get_or_init(|| {
            let directories = older_versions::older_directories(self.files.keys().map(|path| &**path));
            let of_file = |(path, file): (&Arc<str>, &KnownFile)| {
                let mut above = path.match_indices('/').map(|(end, _)| &path[..end]);
                Some((file.row?.0, Arc::from(above.find_map(|directory| directories.get(directory).copied())?)))
            };
            if directories.is_empty() { BTreeMap::new() } else { self.files.iter().filter_map(of_file).collect() }
        });
        older.get(&document.0).map(|name| &**name)
    }

    /// Returns whether a document is a table of raw data.
    pub(crate) fn is_data_table(&self, document: DocumentRow) -> bool {
        self.data_tables.contains(&document.0)
    }

    /// Returns the states after only some files were written, and reads only those.
    pub(crate) fn read_again(
        &self,
        snapshot: &recall_index::catalog::Snapshot<'_>,
        written: &Written<'_>,
    ) -> Result<Self, recall_index::catalog::ReadError> {
        let mut known = Self { generation: snapshot.generation(), ..self.clone() };
        let Written { files, memories } = written;
        let removed_files = files.iter().filter_map(|path| known.forget_file(path)).max();
        let removed = memories.iter().filter_map(|id| known.remove_memory(*id)).max().max(removed_files);
        let of_memories: Vec<String> = memories.iter().map(MemoryId::to_string).collect();
        let paths = files.iter().copied().chain(of_memories.iter().map(String::as_str));
        snapshot.file_states_at(paths, |state| known.insert(state))?;
        if removed.is_some() && removed >= known.newest {
            known.newest = known.modification_times().max();
        }
        Ok(known)
    }

    /// Returns whether there are no files and no memories.
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.memories.is_empty()
    }

    pub(crate) fn insert(&mut self, state: FileState<'_>) {
        let FileState { path, memory, row, size_bytes, modified, hash, failure } = state;
        if failure == Some(FailureKind::Repository) {
            Arc::make_mut(&mut self.repositories).extend(DocPath::new(path));
        }
        if hash.is_some() {
            self.documents += 1;
            self.newest = self.newest.max(Some(modified));
        }
        self.data_tables.extend(row.filter(|_| memory.is_none() && is_data_table(path)).map(|row| row.0));
        match (memory, row, hash) {
            (Some(id), Some(row), Some(hash)) => self.memories.insert(id, KnownMemory { row, modified, hash }),
            _ => drop(self.files.insert(path.into(), KnownFile { row, size_bytes, modified, hash })),
        }
    }

    /// Removes a file; returns its modification time if it is a document.
    fn forget_file(&mut self, path: &str) -> Option<Timestamp> {
        let file = self.files.remove(path)?;
        if let Some(row) = file.row {
            self.data_tables.remove(&row.0);
        }
        if file.hash.is_none() {
            if self.repositories.iter().any(|repository| repository.as_str() == path) {
                Arc::make_mut(&mut self.repositories).retain(|repository| repository.as_str() != path);
            }
            return None;
        }
        self.documents -= 1;
        Some(file.modified)
    }

    /// Removes a memory; returns its modification time if it is a document.
    fn remove_memory(&mut self, id: MemoryId) -> Option<Timestamp> {
        let Some(memory) = self.memories.remove(id) else {
            // A memory that could not be parsed is recorded as a file that is not indexed.
            return self.forget_file(id.to_path().as_str());
        };
        self.documents -= 1;
        Some(memory.modified)
    }

    /// Iterates over the modification times of the documents, in no particular order.
    fn modification_times(&self) -> impl Iterator<Item = Timestamp> {
        let files = self.files.values().filter(|file| file.hash.is_some()).map(|file| file.modified);
        files.chain(self.memories.by_id.values().map(|memory| memory.modified))
    }

    /// Iterates over the paths of the documents, including memories, in no particular order.
    pub(crate) fn document_paths(&self) -> impl Iterator<Item = DocPath> {
        self.file_paths().chain(self.memories.ids().map(MemoryId::to_path))
    }

    /// Iterates over the paths of the documents that are files, in no particular order.
    pub(crate) fn file_paths(&self) -> impl Iterator<Item = DocPath> {
        let files = self.files.iter().filter(|(_, file)| file.hash.is_some());
        files.filter_map(|(path, _)| DocPath::new(path).ok())
    }

    /// Returns the only document whose path is one of `paths` in another spelling: with a mask, or in another Unicode form.
    /// `None` if not exactly one document has it.
    pub(crate) fn unmask(&self, paths: &[DocPath]) -> Option<DocPath> {
        if let Some(masked) = paths.iter().find(|path| mask::is_masked_path(path)) {
            return single(self.document_paths().filter(|known| mask::reads_as(known, masked)));
        }
        paths.iter().find_map(|path| {
            let form = normalized_path(path.as_str());
            // A path in ASCII has one form.
            let is_another = |known: &DocPath| !known.as_str().is_ascii() || !path.as_str().is_ascii();
            single(self.document_paths().filter(|known| is_another(known) && normalized_path(known.as_str()) == form))
        })
    }

    /// Returns the key that breaks ties in ranking, the lesser first: for a memory its id, so that the order of indexing has no
    /// effect; for a file 0, so that its row decides.
    pub(crate) fn tie_breaker(&self, document: DocumentRow) -> u64 {
        let number = |id: MemoryId| 1 + ((id.memory_type as u64) << u32::BITS | u64::from(id.number));
        self.memories.memory_in_row(document).map_or(0, number)
    }

    /// Returns whether there is a file, or a directory with files, at the path.
    pub(crate) fn holds(&self, path: &DocPath) -> bool {
        self.files.contains_key(path.as_str()) || self.files.keys().any(|file| is_at_or_below(file, path.as_str()))
    }

    /// Returns the documents of files at or below the path, sorted by path.
    pub(crate) fn documents_below(&self, path: &DocPath) -> Vec<DocPath> {
        let is_below = |file: &str| is_at_or_below(file, path.as_str());
        let documents = self.files.iter().filter(|(file, known)| known.hash.is_some() && is_below(file));
        let mut below: Vec<DocPath> = documents.filter_map(|(file, _)| DocPath::new(file).ok()).collect();
        below.sort_unstable();
        below
    }
}

/// Returns the element of an iterator that has exactly one.
fn single<T>(mut found: impl Iterator<Item = T>) -> Option<T> {
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(path: &str, row: i64, modified: i64) -> FileState<'_> {
        let hash = Some(ContentHash([row as u8; 32]));
        let memory = path.parse().ok();
        FileState {
            path,
            memory,
            row: Some(DocumentRow(row)),
            size_bytes: 1,
            modified: Timestamp(modified),
            hash,
            failure: None,
        }
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
        let at = |known: &Known, row| known.memories.memory_in_row(DocumentRow(row)).map(|id| id.to_string());
        assert_eq!(at(&known, 3).as_deref(), Some("D-00000001"));
        assert_eq!(at(&known, 7).as_deref(), Some("L-00000005"));
        assert_eq!((at(&known, 1), at(&known, 10)), (None, None));
        assert_eq!(known.memories.hash(id("N-00000002")), Some(ContentHash([8; 32])));

        assert_eq!(known.remove_memory(id("L-00000005")), Some(Timestamp(7)));
        assert_eq!(known.remove_memory(id("L-00000005")), None);
        assert_eq!(known.forget_file("src/a.rs"), Some(Timestamp(1)));
        assert_eq!((known.documents, at(&known, 7)), (3, None));
        assert_eq!(at(&known, 9).as_deref(), Some("L-00000001"));
        assert_eq!(known.modification_times().max(), Some(Timestamp(9)));
    }

    #[test]
    fn a_file_that_is_not_indexed_is_not_a_document() {
        let mut known = Known::default();
        let failure = |path, kind| FileState { row: None, hash: None, failure: Some(kind), ..state(path, 0, 5) };
        known.insert(failure("a.bin", FailureKind::Skipped));
        known.insert(failure("libs/b", FailureKind::Repository));
        assert_eq!((known.documents, known.newest), (0, None));
        assert_eq!(known.repositories.iter().map(DocPath::as_str).collect::<Vec<_>>(), ["libs/b"]);
        assert_eq!(known.forget_file("a.bin"), None);
        assert_eq!(known.forget_file("libs/b"), None);
        assert!(known.is_empty() && known.repositories.is_empty());
    }

    #[test]
    fn the_documents_of_an_older_version_know_its_directory() {
        let mut known = Known::default();
        for (path, row) in [("src/v3/errors.ts", 1), ("src/v4/errors.ts", 2), ("src/main.ts", 3), ("L-00000005", 4)] {
            known.insert(state(path, row, 1));
        }
        let older = |known: &Known, row| known.older_version(DocumentRow(row)).map(ToOwned::to_owned);
        assert_eq!(older(&known, 1).as_deref(), Some("v3"));
        assert!((2..5).all(|row| older(&known, row).is_none()));
        let mut without = known.clone();
        without.forget_file("src/v4/errors.ts");
        assert_eq!(older(&without, 1), None);
    }
}
