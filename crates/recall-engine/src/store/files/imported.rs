//! The documents that were imported into a store without their files.
//!
//! They are in one file in the store's folder, one line each, and like files they are a source that indexes are derived from. See
//! ADR 30.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::{fmt, io};

use arc_swap::ArcSwap;
use recall_core::{ContentHash, DocumentType, Timestamp};
use recall_journal::{moment_of, rfc_3339};
use recall_os::{Access, Folder, OpenError};
use recall_text::DocPath;
use serde::{Deserialize, Serialize};

use crate::store::ordered::{OrderedGuard, OrderedMutex, Rank};

/// The name of the file in the folder of a store.
pub(super) const FILE: &str = "imported.jsonl";

/// The name of the file while it is written.
const UNFINISHED: &str = "imported.jsonl.new";

/// An imported document, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImportedDocument {
    /// The path below the root.
    pub(crate) path: DocPath,
    pub(crate) document_type: DocumentType,
    /// The hash of the file that it was.
    pub(crate) hash: ContentHash,
    /// The length of that file.
    pub(crate) size_bytes: u64,
    /// The modification time of that file.
    pub(crate) modified: Timestamp,
    /// When it was first indexed.
    pub(crate) created: Timestamp,
    /// The labels.
    pub(crate) tags: Vec<String>,
    /// The source, as stated when it was added.
    pub(crate) source: Option<String>,
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    path: String,
    #[serde(rename = "type")]
    document_type: String,
    hash: String,
    size: u64,
    mtime: String,
    created_at: String,
    tags: Vec<String>,
    source: Option<String>,
    /// Left out where only the state is read.
    #[serde(default)]
    text: String,
}

/// The imported documents of a store, in the order of their import.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    documents: Vec<Placed>,
    by_path: HashMap<DocPath, usize>,
}

/// A document, with the place of its line.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) document: Arc<ImportedDocument>,
    start: u64,
    bytes: u64,
}

impl Placed {
    /// Reads the line from the file in the folder of a store.
    pub(super) fn line(&self, folder: &Path) -> io::Result<Vec<u8>> {
        let mut file = Folder::open(folder).and_then(|folder| folder.file(FILE, Access::Read))?;
        file.seek(SeekFrom::Start(self.start))?;
        let mut line = Vec::with_capacity(self.bytes as usize);
        file.take(self.bytes).read_to_end(&mut line)?;
        Ok(line)
    }

    /// Reads the text of the document from the file in the folder of a store.
    pub(super) fn text(&self, folder: &Path) -> io::Result<String> {
        let line: Line = serde_json::from_slice(&self.line(folder)?)?;
        // Between the look at the list and the opening of the file, another import may have replaced both.
        if line.path != self.document.path.as_str() {
            return Err(io::Error::other("the imported documents were just replaced"));
        }
        Ok(line.text)
    }
}

impl Imported {
    /// Reads the documents in the folder of a store, without their texts. A line that cannot be read is passed to `unread`.
    pub(crate) fn load(folder: &Path, mut unread: impl FnMut(String)) -> Self {
        let mut imported = Self::default();
        let file = match Folder::open(folder).and_then(|folder| folder.file(FILE, Access::Read)) {
            Ok(file) => file,
            Err(error) if error.is_missing() => return imported,
            Err(error) => {
                unread(format!("imported documents cannot be read: {error}"));
                return imported;
            }
        };
        let mut lines = BufReader::new(file);
        let (mut start, mut line) = (0, Vec::new());
        for number in 1_u64.. {
            line.clear();
            match lines.read_until(b'\n', &mut line) {
                Ok(0) => break,
                Ok(bytes) => {
                    let read = serde_json::from_slice::<Line>(&line).ok().and_then(|line| document(&line));
                    match read {
                        Some(document) => imported.place(document, start, bytes as u64),
                        None => unread(format!("line {number} of {} cannot be read", folder.join(FILE).display())),
                    }
                    start += bytes as u64;
                }
                Err(error) => {
                    unread(format!("imported documents cannot be read: {error}"));
                    break;
                }
            }
        }
        imported
    }

    fn place(&mut self, document: ImportedDocument, start: u64, bytes: u64) {
        self.by_path.insert(document.path.clone(), self.documents.len());
        self.documents.push(Placed { document: Arc::new(document), start, bytes });
    }

    pub(crate) fn get(&self, path: &DocPath) -> Option<&Arc<ImportedDocument>> {
        self.by_path.get(path).map(|place| &self.documents[*place].document)
    }

    /// Returns the document with a path, and the place of its line.
    pub(super) fn placement(&self, path: &DocPath) -> Option<&Placed> {
        self.by_path.get(path).map(|place| &self.documents[*place])
    }

    /// Iterates over the documents and the places of their lines, in the order of their import.
    pub(super) fn placements(&self) -> impl Iterator<Item = &Placed> {
        self.documents.iter()
    }

    /// Returns whether there are no documents.
    pub(crate) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Iterates over the documents in the order of their import.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ImportedDocument> {
        self.documents.iter().map(|placed| &*placed.document)
    }
}

fn document(line: &Line) -> Option<ImportedDocument> {
    let hash = blake3::Hash::from_hex(&line.hash).ok()?;
    Some(ImportedDocument {
        path: DocPath::new(&line.path).ok()?,
        document_type: line.document_type.parse().ok()?,
        hash: ContentHash(*hash.as_bytes()),
        size_bytes: line.size,
        modified: moment_of(&line.mtime)?,
        created: moment_of(&line.created_at)?,
        tags: line.tags.clone(),
        source: line.source.clone(),
    })
}

/// A new file of imported documents, which replaces the old one at once.
pub(crate) struct ImportedWriter {
    folder: Folder,
    file: io::BufWriter<File>,
}

impl ImportedWriter {
    /// Begins a file in the folder of a store.
    pub(crate) fn begin(folder: &Path) -> Result<Self, OpenError> {
        let folder = Folder::open(folder)?;
        // A process that ended during an import may have left it.
        if folder.metadata(UNFINISHED)?.is_some() {
            folder.remove(UNFINISHED)?;
        }
        let file = io::BufWriter::new(folder.file(UNFINISHED, Access::CreateNew)?);
        Ok(Self { folder, file })
    }

    pub(crate) fn add(&mut self, document: &ImportedDocument, text: String) -> io::Result<()> {
        let ImportedDocument { path, document_type, hash, size_bytes, modified, created, tags, source } = document;
        let line = Line {
            path: path.as_str().to_owned(),
            document_type: document_type.as_str().to_owned(),
            hash: hash.to_string(),
            size: *size_bytes,
            mtime: rfc_3339(*modified),
            created_at: rfc_3339(*created),
            tags: tags.clone(),
            source: source.clone(),
            text,
        };
        serde_json::to_writer(&mut self.file, &line)?;
        self.file.write_all(b"\n")
    }

    /// Adds a line of the old file.
    pub(super) fn keep(&mut self, line: &[u8]) -> io::Result<()> {
        self.file.write_all(line)
    }

    /// Replaces the old file. It is on disk when this returns.
    pub(crate) fn finish(self) -> Result<(), OpenError> {
        let Self { folder, file } = self;
        let failed = |source: io::Error| OpenError::Io { path: folder.path().join(UNFINISHED), source };
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)?;
        folder.rename(UNFINISHED, FILE)?;
        folder.sync().map_err(failed)
    }
}

impl fmt::Debug for ImportedWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportedWriter").field("folder", &self.folder.path()).finish_non_exhaustive()
    }
}

/// The imported documents of an open store, and the right to change them.
#[derive(Debug)]
pub(super) struct ImportedCell {
    current: ArcSwap<Imported>,
    changing: OrderedMutex<()>,
}

impl ImportedCell {
    pub(crate) fn new(imported: Imported) -> Self {
        Self { current: ArcSwap::from_pointee(imported), changing: OrderedMutex::new(Rank::Imported, ()) }
    }

    pub(super) fn current(&self) -> Arc<Imported> {
        self.current.load_full()
    }

    /// Waits for other changes.
    pub(super) fn change(&self) -> OrderedGuard<'_, ()> {
        self.changing.lock()
    }

    pub(super) fn replace(&self, imported: Imported) {
        self.current.store(Arc::new(imported));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(path: &str) -> ImportedDocument {
        ImportedDocument {
            path: DocPath::new(path).expect("plain"),
            document_type: DocumentType::Code,
            hash: ContentHash::hash(path.as_bytes()),
            size_bytes: 7,
            modified: Timestamp(1_700_000_000_123_456_789),
            created: Timestamp(1_700_000_000_000_000_001),
            tags: vec!["a".to_owned()],
            source: None,
        }
    }

    fn load(folder: &Path) -> (Imported, Vec<String>) {
        let mut unread = Vec::new();
        let imported = Imported::load(folder, |problem| unread.push(problem));
        (imported, unread)
    }

    #[test]
    fn what_is_written_is_read_in_its_order() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(load(folder.path()).0.is_empty());
        let documents = ["z.rs", "a.rs"].map(document);
        let mut writer = ImportedWriter::begin(folder.path()).expect("writable");
        for document in &documents {
            writer.add(document, format!("text of {}\n", document.path)).expect("written");
        }
        writer.finish().expect("written");
        let (imported, unread) = load(folder.path());
        assert_eq!((imported.iter().cloned().collect::<Vec<_>>(), unread), (documents.to_vec(), Vec::new()));
        let placed = imported.placement(&documents[1].path).expect("there");
        assert_eq!(placed.text(folder.path()).expect("readable"), "text of a.rs\n");
    }

    #[test]
    fn a_line_that_cannot_be_read_is_reported_and_hides_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = ImportedWriter::begin(folder.path()).expect("writable");
        writer.keep(b"<<<<<<<\n").expect("written");
        writer.add(&document("a.rs"), "text".to_owned()).expect("written");
        writer.keep(b"{\"path\":\"../b\"}\n").expect("written");
        writer.finish().expect("written");
        let (imported, unread) = load(folder.path());
        assert_eq!((imported.iter().count(), unread.len()), (1, 2), "{unread:?}");
        assert!(unread[1].starts_with("line 3 of "), "{unread:?}");
    }

    #[test]
    fn an_unfinished_file_changes_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = ImportedWriter::begin(folder.path()).expect("writable");
        writer.add(&document("a.rs"), "text".to_owned()).expect("written");
        drop(writer);
        assert!(load(folder.path()).0.is_empty());
        ImportedWriter::begin(folder.path()).expect("the remains are replaced").finish().expect("written");
    }
}
