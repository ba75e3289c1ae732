//! The import use case: what an export has and a store lacks.
//!
//! The whole export is checked before anything is changed. Documents become documents without files (ADR 30); their chunks,
//! symbols, edges and embeddings are derived from their texts here, so that a foreign file cannot state wrong ones. Journals are
//! restored like those of a backup.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek as _, SeekFrom, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use recall_core::{MemoryId, Provenance, Scope, StoreScope};
use recall_os::{Access, Folder, OpenError};
use recall_text::DocPath;
use recall_watch::StatOutcome;

use super::archive::Entry;
use super::error::ImportError;
use super::layout::{Area, Content, Unused};
use super::records::{Chain, Checkpoint, DocumentRecord, FORMAT, Header, JournalRecord, Record, VERSION};
use super::restore::{Restore, RestoreMode, RestoreReport, Trust};
use crate::Engine;
use crate::mask;
use crate::origin::Origin;
use crate::store::{ImportedWriter, Store};

/// The longest line of an export. A line has a document of at most the size limit of a file, and its escapes.
const LINE_BYTES: u64 = 64 * 1024 * 1024;

/// The largest export.
const EXPORT_BYTES: u64 = 64 * 1024 * 1024 * 1024;

/// The most documents of an export that are named as left out.
const LEFT_OUT_NAMED: usize = 100;

/// How the lines of an export are taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportRequest {
    /// The store. All means the project's.
    pub scope: Scope,
    /// Whether anything is written.
    pub mode: RestoreMode,
    /// Whether its memories are the user's own.
    pub trust: Trust,
    /// Who asks: an agent cannot trust an export.
    pub provenance: Provenance,
}

/// What an import changed, or would change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// The documents and lines of journals that were added.
    pub added: u64,
    /// Those that were there already.
    pub known: u64,
    /// The documents that replace earlier imported ones.
    pub changed: u64,
    /// The lines that are not imported unless the export is trusted.
    pub untrusted: u64,
    /// The documents of the export.
    pub documents: u64,
    /// What was left out, at most a hundred.
    pub left_out: Vec<Unused>,
    /// The root of the store that was exported.
    pub project: String,
    /// When it was exported, in RFC 3339.
    pub created: String,
    /// The version of the program that exported it.
    pub recall_version: String,
    /// Whether this program cuts texts into the same chunks.
    pub cuts_alike: bool,
    /// How long it took.
    pub took: Duration,
}

impl Engine {
    /// Imports an export into a store. What is there stays: a file wins over a document of the export.
    ///
    /// # Errors
    /// The input is not an export, is incomplete or was changed, is of another scope, or an agent trusts it: nothing is changed. Or a
    /// file cannot be written: then importing again continues.
    pub fn import(
        &self,
        origin: &Origin,
        request: &ImportRequest,
        input: &mut dyn Read,
    ) -> Result<ImportReport, ImportError> {
        let began = Instant::now();
        let ImportRequest { scope, mode, trust, provenance } = request;
        // In a memory, anyone could ask an agent to import and trust a file.
        if *trust == Trust::Yes && provenance.agent.is_some() {
            return Err(ImportError::TrustedByAgent);
        }
        let store = self.single_store(origin, *scope)?;
        // Whatever is in the global store counts as this user's own.
        if store.scope == StoreScope::Global && *trust == Trust::No {
            return Err(ImportError::GlobalNeedsTrust);
        }
        let mut spool = Spool::create(&store)?;
        let header = spool.fill(input)?;
        if header.scope != store.scope.as_str() {
            return Err(ImportError::OtherScope { exported: header.scope, here: store.scope });
        }
        let mut report = ImportReport {
            cuts_alike: header.parser_version == recall_chunk::VERSION
                && header.chunk_tokens == store.settings().limits.chunk_tokens,
            project: header.project,
            created: header.created,
            recall_version: header.recall_version,
            ..ImportReport::default()
        };
        let accepted = spool.judge(&store, &mut report)?;
        if *mode == RestoreMode::Write && !accepted.is_empty() {
            store
                .files
                .change_imported(|old| !accepted.contains_key(&old.path), |writer| spool.write(&accepted, writer))?;
        }
        self.import_journals(origin, request, &mut spool, &mut report)?;
        if *mode == RestoreMode::Write {
            // The store may have been closed, so that it reads its journals again.
            let store = self.single_store(origin, *scope)?;
            for path in accepted.keys() {
                store.files.dirty().rewrite(path);
            }
        }
        report.took = began.elapsed();
        Ok(report)
    }

    fn import_journals(
        &self,
        origin: &Origin,
        request: &ImportRequest,
        spool: &mut Spool,
        report: &mut ImportReport,
    ) -> Result<(), ImportError> {
        let mut restore = Restore::begin(self, origin, request.mode, RestoreReport::default());
        let mut file: Option<(Entry, Vec<u8>)> = None;
        let mut untrusted = 0;
        spool.each(|_, record| {
            let Record::Journal(JournalRecord { area, path, line }) = record else { return Ok(()) };
            if area.is_trusted() && request.trust == Trust::No {
                untrusted += 1;
                return Ok(());
            }
            if !file.as_ref().is_some_and(|(entry, _)| entry.area == area && entry.path == path) {
                if let Some((entry, content)) = file.take() {
                    restore.add_to_root(&entry, &content)?;
                }
                let entry = Entry { area, path, bytes: 0, blake3: String::new() };
                file = Some((entry, Vec::new()));
            }
            if let Some((_, content)) = &mut file {
                content.extend_from_slice(line.as_bytes());
                content.push(b'\n');
            }
            Ok(())
        })?;
        if let Some((entry, content)) = file {
            restore.add_to_root(&entry, &content)?;
        }
        let RestoreReport { added, known, conflicts, left_out, .. } = restore.finish();
        report.added += added;
        report.known += known;
        report.untrusted = untrusted;
        report.left_out.extend(conflicts.into_iter().chain(left_out));
        Ok(())
    }
}

/// A copy of the export in the store's folder, which is deleted afterwards.
struct Spool {
    folder: Folder,
    name: String,
    file: File,
}

impl Spool {
    fn create(store: &Store) -> Result<Self, ImportError> {
        /// Two imports of this process do not share a name.
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let folder = Folder::open(&store.folder.path)?;
        let name = format!("import-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        if folder.metadata(&name)?.is_some() {
            folder.remove(&name)?;
        }
        let file = folder.file(&name, Access::CreateNew)?;
        Ok(Self { folder, name, file })
    }

    fn io_error(&self, source: io::Error) -> ImportError {
        OpenError::Io { path: self.folder.path().join(&self.name), source }.into()
    }

    /// Copies the export, and checks every line and every checksum.
    fn fill(&mut self, input: &mut dyn Read) -> Result<Header, ImportError> {
        let mut lines = BufReader::new(input.take(EXPORT_BYTES));
        let mut out = io::BufWriter::new(self.file.try_clone().map_err(|source| self.io_error(source))?);
        let mut check = ImportCheck::default();
        let mut line = Vec::new();
        while read_line(&mut lines, &mut line, check.number + 1)? {
            check.line(&line)?;
            out.write_all(&line).map_err(|source| self.io_error(source))?;
        }
        out.flush().map_err(|source| self.io_error(source))?;
        check.finish()
    }

    /// Calls `visit` with each record of the checked export, and the offset of its line.
    fn each(&mut self, mut visit: impl FnMut(u64, Record) -> Result<(), ImportError>) -> Result<(), ImportError> {
        self.file.seek(SeekFrom::Start(0)).map_err(|source| self.io_error(source))?;
        let mut lines = BufReader::new(self.file.try_clone().map_err(|source| self.io_error(source))?);
        let (mut offset, mut line) = (0, Vec::new());
        while read_line(&mut lines, &mut line, 0)? {
            let record = serde_json::from_slice(&line).map_err(|error| self.io_error(error.into()))?;
            visit(offset, record)?;
            offset += line.len() as u64;
        }
        Ok(())
    }

    /// Decides which documents are imported. Returns the offset of the line of each.
    fn judge(&mut self, store: &Store, report: &mut ImportReport) -> Result<HashMap<DocPath, u64>, ImportError> {
        let (imported, known) = (store.files.list_imported_files(), store.index.known_documents());
        let most_bytes = store.settings().limits.file_bytes;
        let mut accepted: HashMap<DocPath, u64> = HashMap::new();
        self.each(|offset, record| {
            let Record::Document(record) = record else { return Ok(()) };
            report.documents += 1;
            let mut leave_out = |reason: &str| {
                if report.left_out.len() < LEFT_OUT_NAMED {
                    report.left_out.push(Unused { path: mask::brief_path(&record.path), reason: reason.to_owned() });
                }
            };
            let Some(document) = record.imported_document() else {
                leave_out("its path, type, hash or time is not valid");
                return Ok(());
            };
            if MemoryId::reserves(&document.path) {
                leave_out("its name is that of a memory");
            } else if recall_watch::stat(&store.root, &document.path) != StatOutcome::Gone {
                let file = known.files.get(document.path.as_str());
                if file.is_some_and(|file| file.hash == Some(document.hash)) {
                    report.known += 1;
                } else {
                    leave_out("a file is there, which wins");
                }
            } else if record.text.len() as u64 > most_bytes || document.size_bytes > most_bytes {
                leave_out("it is larger than `limits.file_bytes`");
            } else {
                match imported.get(&document.path) {
                    Some(old) if **old == document => {
                        report.known += 1;
                        return Ok(());
                    }
                    Some(_) => report.changed += 1,
                    None if accepted.contains_key(&document.path) => {}
                    None => report.added += 1,
                }
                accepted.insert(document.path, offset);
            }
            Ok(())
        })?;
        Ok(accepted)
    }

    fn write(&mut self, accepted: &HashMap<DocPath, u64>, writer: &mut ImportedWriter) -> Result<(), ImportError> {
        let path = self.folder.path().to_owned();
        self.each(|offset, record| {
            let Record::Document(record) = record else { return Ok(()) };
            let Some(document) = record.imported_document() else { return Ok(()) };
            if accepted.get(&document.path) == Some(&offset) {
                let DocumentRecord { text, .. } = record;
                writer.add(&document, text).map_err(|source| OpenError::Io { path: path.clone(), source })?;
            }
            Ok(())
        })
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        // It is a copy.
        let _ = self.folder.remove(&self.name);
    }
}

/// The check of an export, line by line.
#[derive(Default)]
struct ImportCheck {
    header: Option<Header>,
    chain: Option<Chain>,
    number: u64,
    is_over: bool,
}

impl ImportCheck {
    fn line(&mut self, line: &[u8]) -> Result<(), ImportError> {
        self.number += 1;
        let damaged = |reason: &str| ImportError::Damaged { line: self.number, reason: reason.to_owned() };
        if self.is_over {
            return Err(damaged("it is after the last line"));
        }
        let Some(chain) = &mut self.chain else {
            let header = header(line)?;
            let mut chain = Chain::new();
            chain.line(line);
            (self.header, self.chain) = (Some(header), Some(chain));
            return Ok(());
        };
        let record: Record = serde_json::from_slice(line).map_err(|error| damaged(&error.to_string()))?;
        match record {
            Record::Header(_) => return Err(damaged("it is a second first line")),
            Record::Checkpoint(stated) => Self::compare(chain, &stated, self.number)?,
            Record::End(stated) => {
                Self::compare(chain, &stated, self.number)?;
                self.is_over = true;
            }
            Record::Journal(JournalRecord { area, path, .. }) => {
                if !matches!(area.content(&path), Some(Content::Lines(_)))
                    || matches!(area, Area::Written) && !is_log(&path)
                {
                    return Err(ImportError::ForeignFile { line: self.number, path });
                }
                chain.line(line);
            }
            Record::Document(_)
            | Record::Chunk(_)
            | Record::Symbol(_)
            | Record::Edge(_)
            | Record::Embedding(_)
            | Record::Memory(_) => chain.line(line),
        }
        Ok(())
    }

    fn compare(chain: &mut Chain, stated: &Checkpoint, line: u64) -> Result<(), ImportError> {
        let records = chain.records;
        if chain.checksum() == stated.blake3 && records == stated.records {
            return Ok(());
        }
        let reason = "the lines before it are not those that were exported: their checksum differs".to_owned();
        Err(ImportError::Damaged { line, reason })
    }

    fn finish(self) -> Result<Header, ImportError> {
        let Some(header) = self.header else {
            return Err(ImportError::NotAnExport { reason: "it is empty".to_owned() });
        };
        if self.is_over { Ok(header) } else { Err(ImportError::Truncated { lines: self.number }) }
    }
}

/// Returns whether a file of what this user wrote is a log of a root.
fn is_log(path: &str) -> bool {
    path.ends_with(recall_journal::JOURNAL_FILE)
}

/// Reads the first line.
fn header(line: &[u8]) -> Result<Header, ImportError> {
    #[derive(serde::Deserialize)]
    struct ImportVersion {
        format: String,
        version: u64,
    }
    let not_one = |reason: String| ImportError::NotAnExport { reason };
    let ImportVersion { format, version } =
        serde_json::from_slice(line).map_err(|error| not_one(format!("its first line is not that of one: {error}")))?;
    if format != FORMAT {
        return Err(not_one(format!("its format is `{format}`")));
    }
    if version != VERSION {
        return Err(ImportError::OtherVersion { version, known: VERSION });
    }
    match serde_json::from_slice(line) {
        Ok(Record::Header(header)) => Ok(header),
        Ok(_) => Err(not_one("its first line is not that of one".to_owned())),
        Err(error) => Err(not_one(format!("its first line is not that of one: {error}"))),
    }
}

/// Reads a line with its line break; returns whether there was one.
fn read_line(lines: &mut impl BufRead, line: &mut Vec<u8>, number: u64) -> Result<bool, ImportError> {
    line.clear();
    let read = lines.take(LINE_BYTES).read_until(b'\n', line).map_err(ImportError::Input)?;
    if read == 0 {
        return Ok(false);
    }
    match line.last() {
        Some(b'\n') => Ok(true),
        _ if read as u64 >= LINE_BYTES => {
            Err(ImportError::Damaged { line: number, reason: format!("it has more than {LINE_BYTES} bytes") })
        }
        _ => Err(ImportError::Truncated { lines: number }),
    }
}
