//! The restore use case: adds what a backup has and the stores lack.
//!
//! Journals are sets of events (ADR 8), so a restore is a union: missing lines are appended, and nothing is overwritten. It may
//! therefore be repeated after a failure, and run on stores that are in use. A file may come from anyone: what would make memories
//! this user's own is restored only if a person trusts the backup (ADR 18).

use std::collections::{BTreeSet, HashSet};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use recall_core::{Provenance, Scope};
use recall_journal::{LineHash, LineLog};
use recall_os::{Access, Folder, OpenError, write_git_files};
use recall_text::PROJECT_FOLDER;

use super::archive::{Archive, Entry, FORMAT_VERSION, Manifest, Refusal};
use super::error::RestoreError;
use super::layout::{Area, Content, SELECTION, Unused};
use crate::Engine;
use crate::error::StoreError;
use crate::operations::OperationKind;
use crate::origin::Origin;
use crate::store_folder::{StoreFolder, name_of};

/// A request to restore a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreRequest {
    /// The archive, as an absolute path.
    pub file: PathBuf,
    /// The stores to restore, among those that the client sees.
    pub scope: Scope,
    /// Whether anything is written.
    pub mode: RestoreMode,
    /// Whether the backup is trusted.
    pub trust: Trust,
    /// Who asks: an agent cannot trust a backup.
    pub provenance: Provenance,
}

/// Whether a restore writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreMode {
    /// It only reports what it would do.
    DryRun,
    /// It appends missing lines and creates missing files; nothing that is there is changed.
    Write,
}

/// Whether a backup is trusted to be this user's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Its memories count as from the repository, and nothing is restored that would make memories this user's own.
    No,
    /// The global store and the record of what recall wrote are restored too.
    Yes,
}

/// What a restore changed, or would change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestoreReport {
    /// The lines and files that were added.
    pub added: u64,
    /// The lines and files that were there already.
    pub known: u64,
    /// The lines and files that are not restored unless the backup is trusted.
    pub untrusted: u64,
    /// What differs from the backup, and was left as it is.
    pub conflicts: Vec<Unused>,
    /// The folders that do not exist here.
    pub left_out: Vec<Unused>,
    /// The root of the project that the backup was made in.
    pub project: String,
    /// When the backup was begun, in RFC 3339.
    pub created: String,
    /// The version of the program that made it.
    pub recall_version: String,
    /// How long it took.
    pub took: Duration,
}

impl Engine {
    /// Adds what a backup has and the stores lack. Nothing is overwritten or deleted: of a journal the missing lines are appended,
    /// other files are created if nothing has their name.
    ///
    /// The whole backup is checked before anything is written.
    ///
    /// # Errors
    /// The backup cannot be read or is not accepted, an agent trusts it, or a file cannot be written. In the last case, restoring
    /// again continues.
    pub fn restore(&self, origin: &Origin, request: &RestoreRequest) -> Result<RestoreReport, RestoreError> {
        let began = Instant::now();
        let RestoreRequest { file: path, scope, mode, trust, provenance } = request;
        // In a memory, anyone could ask an agent to restore and trust a file.
        if *trust == Trust::Yes && provenance.agent.is_some() {
            return Err(RestoreError::TrustedByAgent);
        }
        let refused = |refusal| refusal_error(path, refusal);
        let file = open(path)?;
        check(&file).map_err(refused)?;
        let (manifest, mut archive) = Archive::open(&file).map_err(refused)?;
        let Manifest { recall_version, created, project, entries, .. } = manifest;
        let report = RestoreReport { project, created, recall_version, ..RestoreReport::default() };
        let mut restore = Restore::begin(self, origin, *mode, report);
        let operation = self.operations.begin(OperationKind::Restore, &self.place_of_operations(origin));
        for (done, entry) in (0..).zip(&entries) {
            operation.report(done, entries.len() as u64);
            // The file may have been replaced since it was checked.
            let content = archive.read(entry).map_err(refused)?;
            if !entry.area.is_seen(*scope) {
                continue;
            }
            if entry.area.is_trusted() && *trust == Trust::No {
                restore.report.untrusted += records(entry, &content);
                continue;
            }
            restore.add_to_root(entry, &content)?;
        }
        let mut report = restore.finish();
        report.took = began.elapsed();
        Ok(report)
    }
}

/// A restore in progress.
pub(super) struct Restore<'a> {
    engine: &'a Engine,
    origin: &'a Origin,
    mode: RestoreMode,
    report: RestoreReport,
    /// The areas whose folders were created, and whether that includes recall's folder in a root.
    prepared: BTreeSet<(Area, bool)>,
    /// The roots of stores whose files were changed.
    changed: BTreeSet<PathBuf>,
}

impl<'a> Restore<'a> {
    pub(super) fn begin(engine: &'a Engine, origin: &'a Origin, mode: RestoreMode, report: RestoreReport) -> Self {
        Self { engine, origin, mode, report, prepared: BTreeSet::new(), changed: BTreeSet::new() }
    }

    /// Restores a file in the folder of its area.
    pub(super) fn add_to_root(&mut self, entry: &Entry, content: &[u8]) -> Result<(), RestoreError> {
        match self.root(&entry.area)? {
            Ok(root) => self.add(entry, &root, content)?,
            Err(reason) => self.leave_out(entry, reason),
        }
        Ok(())
    }

    /// Closes the stores whose files were changed: a store that is opened again reads them, and judges every memory again.
    pub(super) fn finish(self) -> RestoreReport {
        if !self.changed.is_empty() {
            self.engine.registry.own.expire();
        }
        for root in self.changed {
            self.engine.registry.forget(&root);
        }
        self.report
    }

    /// Returns the folder of an area; the inner error is why there is none.
    fn root(&self, area: &Area) -> Result<Result<PathBuf, String>, RestoreError> {
        let places = &self.engine.registry.places;
        Ok(match area {
            Area::Written => Ok(places.written_logs()),
            Area::Project | Area::Domain(_) | Area::Global => self.store_root(area)?,
            Area::ProjectData | Area::DomainData(_) | Area::GlobalData => {
                self.store_root(area)?.map(|root| places.stores.join(name_of(&root)))
            }
        })
    }

    fn store_root(&self, area: &Area) -> Result<Result<PathBuf, String>, RestoreError> {
        let places = &self.engine.registry.places;
        let project = || self.origin.root(places).map_err(StoreError::from);
        let (Area::Domain(name) | Area::DomainData(name)) = area else {
            let is_global = matches!(area, Area::Global | Area::GlobalData);
            return Ok(Ok(if is_global { places.global_root.clone() } else { project()? }));
        };
        let store = self.engine.registry.project(self.origin, &*self.engine.clock)?;
        let root = places.domains.get(name).filter(|root| root.is_dir());
        let root = root.filter(|_| store.settings().domains.contains(name));
        Ok(root
            .map(|root| dunce::canonicalize(root).unwrap_or_else(|_| root.clone()))
            .ok_or_else(|| format!("the project sees no domain `{name}` here")))
    }

    fn leave_out(&mut self, entry: &Entry, reason: String) {
        let path = entry.area.label();
        if !self.report.left_out.iter().any(|unused| unused.path == path) {
            self.report.left_out.push(Unused { path, reason });
        }
    }

    fn add(&mut self, entry: &Entry, root: &Path, content: &[u8]) -> Result<(), RestoreError> {
        match entry.area.content(&entry.path) {
            None => Err(RestoreError::ForeignEntry { path: root.to_owned(), entry: entry.name() }),
            Some(Content::Lines(name)) => self.add_lines(entry, root, name, content, &missing),
            Some(Content::Decisions) => self.add_lines(entry, root, SELECTION, content, &lines_to_decide),
            Some(Content::Whole) => self.add_file(entry, root, content),
        }
    }

    /// Appends the lines that are missing in a file.
    fn add_lines(
        &mut self,
        entry: &Entry,
        root: &Path,
        name: &'static str,
        content: &[u8],
        compare: &dyn Fn(&[u8], &[u8]) -> MissingLines,
    ) -> Result<(), RestoreError> {
        let below = Path::new(&entry.path).parent().unwrap_or(Path::new(""));
        let log = LineLog::below(root, below, name);
        let known = match log.read() {
            Ok(known) => known,
            Err(source) if is_obstacle(&source) => {
                self.conflict(log.path(), &source.to_string());
                return Ok(());
            }
            Err(source) => return Err(RestoreError::Read { path: log.path().to_owned(), source }),
        };
        let mut found = compare(&known, content);
        if found.lines > 0 && self.mode == RestoreMode::Write {
            self.prepare(entry, root)?;
            // Another client may have written since.
            let appended = log.append(|known| {
                found = compare(known, content);
                std::mem::take(&mut found.bytes)
            });
            appended.map_err(|source| RestoreError::Write { path: log.path().to_owned(), source })?;
        }
        self.report.added += found.lines;
        self.report.known += found.known;
        if found.conflicts > 0 {
            self.conflict(log.path(), &format!("{} of its decisions differ; those here are kept", found.conflicts));
        }
        Ok(())
    }

    /// Creates a file if nothing has its name.
    fn add_file(&mut self, entry: &Entry, root: &Path, content: &[u8]) -> Result<(), RestoreError> {
        let path = root.join(&entry.path);
        match Folder::open(root).and_then(|root| root.read(&entry.path, content.len() as u64 + 1)) {
            Ok(known) if known == content => self.report.known += 1,
            Ok(_) => self.conflict(&path, "it differs from the backup"),
            Err(OpenError::Missing { .. }) => {
                if self.mode == RestoreMode::Write {
                    self.prepare(entry, root)?;
                    let below = Path::new(&entry.path);
                    let name = below.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                    let folder =
                        Folder::open(root).and_then(|root| root.make_folder(below.parent().unwrap_or(Path::new(""))));
                    let created = folder.and_then(|folder| folder.create(name, content));
                    created.map_err(|error| RestoreError::Write { path, source: error.into() })?;
                }
                self.report.added += 1;
            }
            Err(OpenError::Io { source, .. }) => return Err(RestoreError::Read { path, source }),
            Err(error) => self.conflict(&path, &error.to_string()),
        }
        Ok(())
    }

    /// Creates the folders of an area, and in a project the files for git: they must exist before files that git should ignore.
    fn prepare(&mut self, entry: &Entry, root: &Path) -> Result<(), RestoreError> {
        let Entry { area, path, .. } = entry;
        let store = if *area == Area::Written { None } else { self.store_root(area)?.ok() };
        self.changed.extend(store.clone());
        let is_in_recalls_folder = path.starts_with(PROJECT_FOLDER);
        if !self.prepared.insert((area.clone(), is_in_recalls_folder)) {
            return Ok(());
        }
        let made = match (area, store) {
            (Area::Written, _) => Folder::private(root).map(drop),
            (Area::Global, _) if !root.is_dir() => Folder::private(root).map(drop),
            (Area::ProjectData | Area::DomainData(_) | Area::GlobalData, Some(store)) => {
                StoreFolder::prepare(&store, &self.engine.registry.places).map(drop)
            }
            _ => Ok(()),
        };
        let made = made.and_then(|()| if is_in_recalls_folder { write_git_files(root).map(drop) } else { Ok(()) });
        made.map_err(|error| RestoreError::Write { path: error.path().to_owned(), source: error.into() })
    }

    fn conflict(&mut self, path: &Path, reason: &str) {
        self.report.conflicts.push(Unused { path: path.display().to_string(), reason: reason.to_owned() });
    }
}

/// The lines of a backup that a file lacks.
#[derive(Debug, Default)]
struct MissingLines {
    bytes: Vec<u8>,
    lines: u64,
    known: u64,
    conflicts: u64,
}

/// Returns the lines that a file lacks. Neither order nor repetition means anything.
fn missing(known: &[u8], content: &[u8]) -> MissingLines {
    let mut seen: HashSet<LineHash> = lines(known).map(LineHash::from_line).collect();
    let mut missing = MissingLines::default();
    for line in lines(content) {
        if seen.insert(LineHash::from_line(line)) {
            missing.add(line);
        } else {
            missing.known += 1;
        }
    }
    missing
}

/// Returns the decisions about paths that a file does not decide about. The last decision about a path wins, so an older one
/// must not be appended.
fn lines_to_decide(known: &[u8], content: &[u8]) -> MissingLines {
    let there: HashSet<&[u8]> = lines(known).collect();
    let decided: HashSet<String> = lines(known).filter_map(decided_path).collect();
    let mut missing = MissingLines::default();
    for line in lines(content) {
        if there.contains(line) {
            missing.known += 1;
        } else if decided_path(line).is_some_and(|path| decided.contains(&path)) {
            missing.conflicts += 1;
        } else {
            missing.add(line);
        }
    }
    missing
}

impl MissingLines {
    fn add(&mut self, line: &[u8]) {
        self.bytes.extend_from_slice(line);
        self.bytes.push(b'\n');
        self.lines += 1;
    }
}

fn decided_path(line: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct RestoreDecision {
        path: String,
    }

    serde_json::from_slice::<RestoreDecision>(line).ok().map(|decision| decision.path)
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty())
}

/// Returns the number of lines of a file, or 1 for a file that is a whole.
fn records(entry: &Entry, content: &[u8]) -> u64 {
    match entry.area.content(&entry.path) {
        Some(Content::Whole) | None => 1,
        Some(Content::Lines(_) | Content::Decisions) => lines(content).count() as u64,
    }
}

/// Returns whether something other than a regular file, such as a link, is in the way.
fn is_obstacle(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory)
}

fn open(path: &Path) -> Result<File, RestoreError> {
    let not_absolute = || RestoreError::NotAbsolute { path: path.to_owned() };
    let (Some(folder), Some(name), true) = (path.parent(), path.file_name(), path.is_absolute()) else {
        return Err(not_absolute());
    };
    let opened = Folder::open(folder).and_then(|folder| folder.file(name, Access::Read));
    opened.map_err(|error| match error {
        OpenError::NotAFile { .. } if path.is_dir() => {
            RestoreError::Folder { path: path.to_owned(), newest: newest_backup(path) }
        }
        error => RestoreError::Open(error),
    })
}

/// The most files of a folder that are looked at, the last changed first. Of each only the manifest is read.
const MOST_LOOKED_AT: usize = 50;

/// Returns the backup in a folder that was made last.
fn newest_backup(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let files = entries.filter_map(|entry| {
        let metadata = entry.metadata().ok().filter(Metadata::is_file)?;
        Some((metadata.modified().ok()?, entry.path()))
    });
    let mut files: Vec<(SystemTime, PathBuf)> = files.collect();
    files.sort_by(|a, b| b.cmp(a));
    let backups = files.into_iter().take(MOST_LOOKED_AT).filter_map(|(_, path)| {
        let file = open(&path).ok()?;
        let (manifest, _) = Archive::open(&file).ok()?;
        Some((manifest.created, path))
    });
    backups.max().map(|(_, path)| path)
}

/// Reads a whole backup and compares it with its manifest.
fn check(file: &File) -> Result<(), Refusal> {
    let (manifest, mut archive) = Archive::open(file)?;
    for entry in &manifest.entries {
        archive.read(entry)?;
    }
    archive.finish()
}

fn refusal_error(path: &Path, refusal: Refusal) -> RestoreError {
    let path = path.to_owned();
    match refusal {
        Refusal::NotABackup(reason) => RestoreError::NotABackup { path, reason },
        Refusal::Newer(version) => RestoreError::Newer { path, version, known: FORMAT_VERSION },
        Refusal::Damaged(reason) => RestoreError::Damaged { path, reason },
        Refusal::TooLarge { what, bytes, limit } => RestoreError::TooLarge { path, what, bytes, limit },
        Refusal::ForeignEntry(entry) => RestoreError::ForeignEntry { path, entry },
        Refusal::Io(source) => RestoreError::Read { path, source },
    }
}
