//! Backups of everything that cannot be derived: journals, sessions, summaries, settings, the global store, and the record of
//! what this user's recall wrote.
//!
//! Indexes, models and embeddings are not in a backup; they are rebuilt. [`archive`] is the format.
//!
//! A backup is a copy of truths. Restoring never makes memories the user's own unless a person trusts the backup: anyone can make a
//! file that looks like one (ADR 18).

mod archive;
mod error;
mod export;
mod import;
mod layout;
mod records;
mod restore;

use std::collections::HashSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{Scope, StoreScope};
use recall_journal::{JOURNAL_FILE, LineHash, rfc_3339};

use crate::Engine;
use crate::operations::{OperationHandle, OperationKind};
use crate::origin::Origin;
use crate::store::Store;

pub use archive::ExistingFile;
use archive::{Destination, Entry, Manifest, TOTAL_BYTES, Temporary};
pub use error::{BackupError, ExportError, ImportError, RestoreError};
pub use export::{Embeddings, ExportRequest, ExportSink, Resume};
pub use import::{ImportReport, ImportRequest};
pub use layout::Unused;
use layout::{Area, Content, Source, read_source};
pub use restore::{RestoreMode, RestoreReport, RestoreRequest, Trust};

/// What is backed up, and where the archive goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupRequest {
    /// The file to write, absolute.
    pub file: PathBuf,
    /// The stores to back up, among those that the client sees.
    pub scope: Scope,
    /// How an existing file is treated.
    pub existing: ExistingFile,
}

/// A backup that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupReport {
    /// The file that was written, as the request has it.
    pub file: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// The number of files in it.
    pub files: u64,
    /// The number of lines of the journals, sessions, selections and logs in it.
    pub records: u64,
    /// The files that it lacks.
    pub left_out: Vec<Unused>,
    /// How long it took.
    pub took: Duration,
}

impl Engine {
    /// Writes a backup of the stores that the client sees. It has every event that was acknowledged before the call.
    ///
    /// It is written under a temporary name, synced and renamed, and readable by this user only.
    ///
    /// # Errors
    /// The file exists and is not to be replaced, it cannot be written, a file of a store cannot be read, or a store
    /// cannot be opened. No file is created in these cases.
    pub fn backup(&self, origin: &Origin, request: &BackupRequest) -> Result<BackupReport, BackupError> {
        let began = Instant::now();
        let BackupRequest { file, scope, existing } = request;
        let destination = Destination::prepare(file, *existing)?;
        self.flush_recorder();
        let created = rfc_3339(self.clock.now());
        let stores = self.registry.stores(origin, *scope, &*self.clock)?;
        let project = origin.root(&self.registry.places).map(|root| root.display().to_string()).unwrap_or_default();
        let operation = self.operations.begin(OperationKind::Backup, &self.place_of_operations(origin));
        // Only for the progress: what is copied is listed again when it is copied.
        let mut total = 0;
        for store in &stores {
            for area in self.areas(origin, store) {
                total += layout::list_files(&area, &self.root_of(&area, store))?.len() as u64;
            }
        }
        let mut copies = Copies::new(destination.temporary("copies")?, operation, total);
        // Files are copied one after the other while other clients write. A line refers to what was on disk before it was
        // written, so whatever is referred to is copied after what refers to it:
        // - A project before the domains and the global store: a promotion writes to the wider store first.
        // - Within a store, sessions before summaries and memories, which their events name; and the journals from the
        //   newest day to the oldest, since an event is never dated before the events of its memory.
        // - The own logs last: an event is in the log before it is in a journal. So no copied event lacks the line that
        //   makes it this user's own. A log may have events that the copied journals lack. They were being written.
        // If a clock was set back, an event may still come without the memory that it refers to. Journals allow that, since
        // git's merges have the same effect.
        for store in &stores {
            for area in self.areas(origin, store) {
                copies.add_all(layout::list_files(&area, &self.root_of(&area, store))?)?;
            }
        }
        if *scope != Scope::Global {
            self.copy_written(&stores, &mut copies)?;
        }
        let Copies { spool, mut files, records, left_out, .. } = copies;
        // Restoring follows the order of the archive, and so writes what is referred to before what refers to it.
        files.reverse();
        let (entries, offsets): (Vec<Entry>, Vec<u64>) = files.into_iter().unzip();
        let manifest = Manifest::new(created, project, scope.to_string(), entries);
        let bytes = destination.write(&manifest, spool, &offsets)?;
        Ok(BackupReport {
            file: file.clone(),
            bytes,
            files: manifest.entries.len() as u64,
            records,
            left_out,
            took: began.elapsed(),
        })
    }

    fn areas(&self, origin: &Origin, store: &Store) -> Vec<Area> {
        let places = &self.registry.places;
        if origin.root(places).is_ok_and(|root| root == store.root) {
            return vec![Area::ProjectData, Area::Project];
        }
        if store.scope == StoreScope::Global {
            return vec![Area::GlobalData, Area::Global];
        }
        let is_root =
            |root: &Path| root == store.root || dunce::canonicalize(root).is_ok_and(|root| root == store.root);
        let name = places.domains.iter().find(|(_, root)| is_root(root)).map(|(name, _)| name.clone());
        let areas = name.map(|name| vec![Area::DomainData(name.clone()), Area::Domain(name)]);
        areas.unwrap_or_default()
    }

    fn root_of(&self, area: &Area, store: &Store) -> PathBuf {
        match area {
            Area::Project | Area::Domain(_) | Area::Global => store.root.clone(),
            Area::ProjectData | Area::DomainData(_) | Area::GlobalData => store.folder.path.clone(),
            Area::Written => self.registry.places.written_logs(),
        }
    }

    /// Copies the own logs of the stores, the confirmations, and from the logs of other roots the lines that the copied journals have:
    /// a memory that was written in one work tree and merged into another is this user's own there too.
    fn copy_written(&self, stores: &[Arc<Store>], copies: &mut Copies<'_>) -> Result<(), BackupError> {
        let root = self.registry.places.written_logs();
        let logs = stores.iter().filter_map(|store| store.ledger.own_log());
        let own: HashSet<String> =
            logs.filter_map(|log| Some(log.folder().file_name()?.to_str()?.to_owned())).collect();
        let known = std::mem::take(&mut copies.hashes);
        for source in layout::list_files(&Area::Written, &root)? {
            let log = source.path.split_once('/').map(|(log, _)| log);
            match log {
                Some(log) if !own.contains(log) => {
                    if source.path.ends_with(JOURNAL_FILE) {
                        copies.add(source, &|line| known.contains(&LineHash::from_line(line)))?;
                    }
                }
                _ => copies.add(source, &|_| true)?,
            }
        }
        Ok(())
    }
}

struct Copies<'a> {
    /// The contents, one after the other.
    spool: Temporary<'a>,
    /// The files with their offsets, in the order of copying.
    files: Vec<(Entry, u64)>,
    bytes: u64,
    records: u64,
    /// The hashes of the lines of the journals.
    hashes: HashSet<LineHash>,
    left_out: Vec<Unused>,
    operation: OperationHandle<'a>,
    /// The number of files to copy, about.
    total: u64,
    /// The number of files that were looked at.
    seen: u64,
}

impl<'a> Copies<'a> {
    fn new(spool: Temporary<'a>, operation: OperationHandle<'a>, total: u64) -> Self {
        Self {
            spool,
            files: Vec::new(),
            bytes: 0,
            records: 0,
            hashes: HashSet::new(),
            left_out: Vec::new(),
            operation,
            total,
            seen: 0,
        }
    }

    fn add_all(&mut self, sources: Vec<Source>) -> Result<(), BackupError> {
        sources.into_iter().try_for_each(|source| self.add(source, &|_| true))
    }

    /// Copies a file. Of a line file, copies only the lines that `is_wanted` selects. An empty file is not copied.
    fn add(&mut self, source: Source, is_wanted: &dyn Fn(&[u8]) -> bool) -> Result<(), BackupError> {
        self.seen += 1;
        self.operation.report(self.seen, self.total.max(self.seen));
        let Source { area, path, .. } = &source;
        let Some(content) = area.content(path) else {
            self.leave_out(&source, "its name cannot be used on every platform");
            return Ok(());
        };
        let mut bytes = match read_source(&source)? {
            Ok(bytes) => bytes,
            Err(reason) => {
                if let Some(reason) = reason {
                    self.leave_out(&source, &reason);
                }
                return Ok(());
            }
        };
        if content != Content::Whole {
            // The end of the file may be a line that is being written.
            bytes.truncate(bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1));
            let lines = bytes.split_inclusive(|byte| *byte == b'\n');
            bytes = lines.filter(|line| is_wanted(line)).flatten().copied().collect();
            if bytes.is_empty() {
                return Ok(());
            }
            let lines = bytes.split_inclusive(|byte| *byte == b'\n');
            self.records += lines.clone().count() as u64;
            if content == Content::Lines(JOURNAL_FILE) && !area.is_trusted() {
                self.hashes.extend(lines.map(LineHash::from_line));
            }
        }
        let length = bytes.len() as u64;
        let offset = self.bytes;
        self.bytes += length;
        if self.bytes > TOTAL_BYTES {
            let path = self.spool.path();
            return Err(BackupError::TooLarge { path, bytes: self.bytes, limit: TOTAL_BYTES });
        }
        let written = self.spool.file.write_all(&bytes);
        written.map_err(|source| BackupError::Write { path: self.spool.path(), source })?;
        let blake3 = blake3::hash(&bytes).to_hex().to_string();
        let Source { area, path, .. } = source;
        self.files.push((Entry { area, path, bytes: length, blake3 }, offset));
        Ok(())
    }

    fn leave_out(&mut self, source: &Source, reason: &str) {
        let path = source.root.join(&source.path).display().to_string();
        self.left_out.push(Unused { path, reason: reason.to_owned() });
    }
}
