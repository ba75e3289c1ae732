//! The index use cases: indexing of a project or of named paths, and the rebuild of the index or of a part of it.
//!
//! A named path is first recorded in the store's selection, then found by the same scan as every other file. So there is one way into
//! an index, and a later scan keeps what was named, with its tags.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{DocumentType, Scope};
use recall_text::{DocPath, path_spellings};
use recall_watch::root::resolve_inside;

use super::freshness::scan::explain_left_out;
use crate::Engine;
use crate::embeddings::UpdateExtent;
use crate::error::{IndexError, StoreError};
use crate::index_runs::{Cancel, Progress};
use crate::indexing::freshness::scan::LeftOutFile;
use crate::indexing::freshness::{Sync, SyncReport, sync};
use crate::origin::{self, Origin};
use crate::store::{Added, Decision, Files, Store};

/// A request to index paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexRequest {
    /// Files, directories or globs, absolute or below the client's directory. Empty for the whole project.
    pub paths: Vec<PathBuf>,
    /// The store to index into.
    pub scope: Scope,
    /// Whether the subdirectories of directories are indexed.
    pub recursive: bool,
    /// Globs of the files below a directory that are indexed. Empty for all files.
    pub globs: Vec<String>,
    /// Patterns, as in an ignore file, of the files below a directory that are not indexed. Only with paths below the root.
    pub ignore: Vec<String>,
    /// Tags for the documents.
    pub tags: Vec<String>,
    /// Where the documents come from.
    pub source: Option<String>,
    /// The documents' type; `None` to derive it from path and text.
    pub document_type: Option<DocumentType>,
    /// Whether unchanged files are read and parsed again.
    pub force: bool,
}

impl IndexRequest {
    /// Returns a request to index every change in the root of a store.
    pub fn everything(scope: Scope) -> Self {
        Self {
            paths: Vec::new(),
            scope,
            recursive: true,
            globs: Vec::new(),
            ignore: Vec::new(),
            tags: Vec::new(),
            source: None,
            document_type: None,
            force: false,
        }
    }
}

/// The result of an index job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexReport {
    /// Files that were not known.
    pub added: u64,
    /// Files whose content had changed.
    pub changed: u64,
    /// Files whose content had not changed.
    pub unchanged: u64,
    /// Files that are no longer there.
    pub removed: u64,
    /// Files that could not be read or parsed; `status` names them.
    pub failed: u64,
    /// Files that are not indexed because of their content, as binary files.
    pub skipped: u64,
    /// Files above `limits.parse_bytes`, which were parsed in parts.
    pub in_parts: u64,
    /// The named files that are not indexed.
    pub left_out: Vec<LeftOutFile>,
    /// Chunks of the files that were added or changed.
    pub chunks: u64,
    /// Bytes of text read.
    pub bytes: u64,
    /// How long it took.
    pub took: Duration,
}

impl IndexReport {
    fn add(&mut self, SyncReport { outcome, unchanged, index_run: _ }: SyncReport) {
        self.added += outcome.added;
        self.changed += outcome.changed;
        self.unchanged += unchanged + outcome.touched;
        self.removed += outcome.removed;
        self.failed += outcome.failed;
        self.skipped += outcome.skipped;
        self.in_parts += outcome.in_parts;
        self.chunks += outcome.chunks;
        self.bytes += outcome.bytes;
    }
}

impl Engine {
    /// Indexes the named paths, or every change in the store's root and in the repositories that are nested in it. Returns when the
    /// documents are searchable.
    ///
    /// A named path is stored in the selection: it stays indexed, with its tags, even if an ignore rule matches it.
    ///
    /// # Errors
    /// A path is missing or outside of the root, the scope does not name a single store, the job was cancelled, or the store
    /// failed. Committed batches stay.
    pub fn index(
        &self,
        origin: &Origin,
        request: &IndexRequest,
        progress: &mut dyn FnMut(Progress),
        cancel: &Cancel,
    ) -> Result<IndexReport, IndexError> {
        let began = Instant::now();
        let mut before = Totals::default();
        let mut job = |store: &Arc<Store>, report: &mut IndexReport| {
            let (threads, so_far) = (self.settings.ingest_threads, before);
            let mut report_sum = |of_store: Progress| progress(before.with(so_far, of_store));
            let job = Sync { store, threads, now: self.clock.now(), cancel, progress: &mut report_sum };
            self.run(store, job).map(|done| report.add(done))
        };
        let mut report = IndexReport::default();
        let store = self.single_store(origin, request.scope)?;
        if request.paths.is_empty() {
            if !request.ignore.is_empty() {
                return Err(IndexError::IgnoreEverywhere);
            }
            self.index_all(origin, request, store, |store| job(store, &mut report))?;
        } else {
            let paths: Vec<PathBuf> = request.paths.iter().map(|path| absolute(&store.root, origin, path)).collect();
            if store.index.holds_nothing() && paths.iter().any(|path| is_in_repository(&store.root, path)) {
                // The scan finds the nested repositories.
                job(&store, &mut report)?;
            }
            for store in self.select_all(origin, request, &paths, &store)? {
                job(&store, &mut report)?;
                report.left_out.extend(left_out_of(&store, origin, request)?);
            }
        }
        Ok(IndexReport { took: began.elapsed(), ..report })
    }

    /// Runs `job` for a store, and, if it is the project's, for the repositories that are nested in it.
    fn index_all(
        &self,
        origin: &Origin,
        request: &IndexRequest,
        store: Arc<Store>,
        mut job: impl FnMut(&Arc<Store>) -> Result<(), StoreError>,
    ) -> Result<(), IndexError> {
        let mut waiting = vec![store];
        let mut done: Vec<PathBuf> = Vec::new();
        while let Some(store) = waiting.pop() {
            if request.force {
                store.files.dirty().rewrite_everything();
            }
            job(&store)?;
            done.push(store.root.clone());
            if waiting.is_empty() {
                let nested = self.project_stores(origin, request.scope)?.into_iter().rev();
                waiting.extend(nested.filter(|store| !done.contains(&store.root)));
            }
        }
        Ok(())
    }

    /// Adds absolute paths to the selections of the stores that hold them. Returns these stores, each once.
    fn select_all(
        &self,
        origin: &Origin,
        request: &IndexRequest,
        paths: &[PathBuf],
        store: &Arc<Store>,
    ) -> Result<Vec<Arc<Store>>, IndexError> {
        let nested = self.project_stores(origin, request.scope)?;
        let mut selected: Vec<Arc<Store>> = Vec::new();
        for path in paths {
            let (path, glob) = split_glob(path);
            let store = holder(&nested, &path).unwrap_or(store);
            let inside = resolve(store, &path)?;
            let globs = glob.map_or_else(|| request.globs.clone(), |glob| vec![glob]);
            if inside.is_none() && !request.ignore.is_empty() {
                return Err(IndexError::IgnoreEverywhere);
            }
            for glob in globs.iter().chain(&request.ignore) {
                globset::Glob::new(glob)
                    .map_err(|error| IndexError::Glob { glob: glob.clone(), reason: error.kind().to_string() })?;
            }
            match inside {
                Some(inside) => Self::select(&store.files, &inside, request, globs)?,
                None if request.force => store.files.dirty().rewrite_everything(),
                None => {}
            }
            if !selected.iter().any(|known| Arc::ptr_eq(known, store)) {
                selected.push(Arc::clone(store));
            }
        }
        Ok(selected)
    }

    /// Returns the project's store and those of its nested repositories if the scope includes the project; otherwise none.
    pub(crate) fn project_stores(&self, origin: &Origin, scope: Scope) -> Result<Vec<Arc<Store>>, StoreError> {
        match scope {
            Scope::Project | Scope::All => {
                Ok(self.stores(origin, Scope::Project)?.into_iter().map(|mounted| mounted.store).collect())
            }
            Scope::Global | Scope::Domain => Ok(Vec::new()),
        }
    }

    /// Runs a scan, which also counts for the freshness of later searches.
    pub(crate) fn run(&self, store: &Arc<Store>, mut job: Sync<'_>) -> Result<SyncReport, StoreError> {
        let began = Instant::now();
        let is_first = store.index.holds_nothing();
        let mut report = sync(&mut job);
        store.settle_soon(report.as_mut().ok().and_then(|report| report.index_run.take()));
        if is_first && report.is_ok() {
            store.index.embeddings().wait_for(store.index.generation(), self.settings.embedding_wait);
        }
        match &report {
            Ok(_) => job.store.files.scans().scanned_elsewhere(began),
            Err(error) => {
                job.store.files.scans().failed_elsewhere();
                self.registry.close_damaged(error);
            }
        }
        report
    }

    /// Returns the single store that a writing request names; `all` means the project's.
    pub(crate) fn single_store(&self, origin: &Origin, scope: Scope) -> Result<Arc<Store>, IndexError> {
        match scope {
            Scope::Project | Scope::All => Ok(self.registry.project(origin, &*self.clock)?),
            Scope::Global => Ok(self.registry.global(&*self.clock)?),
            Scope::Domain => {
                let project = self.registry.project(origin, &*self.clock)?;
                let domains = self.registry.domains(&project, origin, scope, &*self.clock)?;
                // If the project has several domains, the request has to name one.
                let [domain] = domains.try_into().map_err(|_| IndexError::NoStore { scope })?;
                Ok(domain)
            }
        }
    }

    fn select(files: &Files, path: &DocPath, request: &IndexRequest, globs: Vec<String>) -> Result<(), StoreError> {
        let added = Added {
            recursive: request.recursive,
            globs,
            ignore: request.ignore.clone(),
            tags: request.tags.clone(),
            source: request.source.clone(),
            document_type: request.document_type,
        };
        let is_changed = request.force || files.selection().addition(path) != Some(&added);
        files.decide(path.clone(), Decision::Added(added))?;
        // After the decision, so that no scan takes the note and misses the decision.
        if is_changed {
            files.dirty().rewrite(path);
        }
        Ok(())
    }
}

/// The files and bytes that a job has read in all its stores.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    files: u64,
    bytes: u64,
}

impl Totals {
    /// Returns the progress of a store as that of the whole job, after the stores in `so_far`.
    fn with(&mut self, so_far: Self, of_store: Progress) -> Progress {
        match of_store {
            Progress::Started { files } => {
                self.files = so_far.files + files;
                Progress::Started { files: self.files }
            }
            Progress::Advanced { files_done, files, bytes, current } => {
                *self = Self { files: so_far.files + files, bytes: so_far.bytes + bytes };
                let files_done = so_far.files + files_done;
                Progress::Advanced { files_done, files: self.files, bytes: self.bytes, current }
            }
        }
    }
}

/// Returns the absolute path of what a client's path names; a path at which nothing exists is relative to the client's directory.
fn absolute(root: &Path, origin: &Origin, path: &Path) -> PathBuf {
    let Some(text) = path.to_str() else { return origin.absolute(path) };
    // A glob does not exist itself.
    origin::existing(root, origin, text).unwrap_or_else(|| origin.absolute(Path::new(&*path_spellings(text)[0])))
}

/// Returns whether an absolute path is in a repository below a root, or is one.
fn is_in_repository(root: &Path, path: &Path) -> bool {
    let path = dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let above = path.ancestors().take_while(|above| above.starts_with(root) && *above != root);
    above.into_iter().any(|above| above.join(".git").symlink_metadata().is_ok())
}

/// Returns the store with the deepest root above an absolute path.
pub(crate) fn holder<'s>(stores: &'s [Arc<Store>], path: &Path) -> Option<&'s Arc<Store>> {
    let path = dunce::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let above = stores.iter().filter(|store| path.starts_with(&store.root));
    above.max_by_key(|store| store.root.components().count())
}

/// Returns the named files of a store that are not indexed.
fn left_out_of(store: &Store, origin: &Origin, request: &IndexRequest) -> Result<Vec<LeftOutFile>, StoreError> {
    let mut left_out = Vec::new();
    let named = request.paths.iter().filter_map(|path| resolve_inside(&store.root, &origin.absolute(path)).ok());
    for path in named {
        if store.index.known_documents().files.get(path.as_str()).is_none_or(|known| known.hash.is_none()) {
            left_out.extend(explain_left_out(store, &path)?);
        }
    }
    Ok(left_out)
}

/// Returns an absolute path relative to the store's root; `None` for the root itself.
fn resolve(store: &Store, path: &Path) -> Result<Option<DocPath>, IndexError> {
    if std::fs::symlink_metadata(path).is_err() {
        return Err(IndexError::Missing { path: path.to_owned() });
    }
    if dunce::canonicalize(path).is_ok_and(|canonical| canonical == store.root) {
        return Ok(None);
    }
    resolve_inside(&store.root, path).map(Some).map_err(|source| IndexError::Outside { path: path.to_owned(), source })
}

/// Splits `docs/**/*.md` into the directory before the first component with a wildcard, and the glob below it.
///
/// The glob begins with `/`; otherwise `*.md` would match in every directory below.
fn split_glob(path: &Path) -> (PathBuf, Option<String>) {
    let is_glob = |part: &std::ffi::OsStr| part.to_string_lossy().contains(['*', '?', '[']);
    let plain: PathBuf = path.iter().take_while(|part| !is_glob(part)).collect();
    let glob: PathBuf = path.iter().skip_while(|part| !is_glob(part)).collect();
    // An existing file whose name has such a character is not a glob.
    if glob.as_os_str().is_empty() || std::fs::symlink_metadata(path).is_ok() {
        return (path.to_owned(), None);
    }
    (plain, Some(format!("/{}", glob.to_string_lossy())))
}

/// The part of an index that is rebuilt: the catalog from the files, the others from the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RebuildPart {
    /// The whole index, which is deleted first.
    All,
    /// The catalog: every file is read and parsed again. Searches continue meanwhile; the other parts follow.
    Catalog,
    /// The lexical index, from the catalog.
    Lexical,
    /// The embeddings, from the catalog. Those in the embedding store are not computed again.
    Vectors,
}

impl Engine {
    /// Rebuilds a store's index, or a part of it. Returns when it is searchable.
    ///
    /// # Errors
    /// As [`index`](Self::index). After an error the next search indexes what is missing.
    pub fn rebuild(
        &self,
        origin: &Origin,
        scope: Scope,
        part: RebuildPart,
        progress: &mut dyn FnMut(Progress),
        cancel: &Cancel,
    ) -> Result<IndexReport, IndexError> {
        let store = self.single_store(origin, scope)?;
        match part {
            RebuildPart::All => self.registry.delete_index(store)?,
            RebuildPart::Catalog => drop(store),
            RebuildPart::Lexical => {
                let is_over = || cancel.is_cancelled() || store.jobs.cancel().is_cancelled();
                let turn = store.jobs.index_runs().begin(is_over).ok_or(StoreError::Cancelled)?;
                store.index.rebuild_lexical()?;
                drop((turn, store));
            }
            // The new store cannot write its embeddings while the old one is open.
            RebuildPart::Vectors => {
                self.registry.delete_vectors(&store)?;
                drop(store);
            }
        }
        // Also finds what has changed since the last scan.
        let request = IndexRequest { force: part == RebuildPart::Catalog, ..IndexRequest::everything(scope) };
        let report = self.index(origin, &request, progress, cancel)?;
        if part == RebuildPart::Vectors {
            self.single_store(origin, scope)?.catch_up(UpdateExtent::Complete);
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_is_split_from_its_directory() {
        assert_eq!(split_glob(Path::new("/a/docs/**/*.md")), (PathBuf::from("/a/docs"), Some("/**/*.md".to_owned())));
        assert_eq!(split_glob(Path::new("/a/docs/*.md")), (PathBuf::from("/a/docs"), Some("/*.md".to_owned())));
        assert_eq!(split_glob(Path::new("/a/docs")), (PathBuf::from("/a/docs"), None));
    }
}
