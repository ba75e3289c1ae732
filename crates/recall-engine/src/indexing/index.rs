//! The index use case: indexing of a project or of named paths.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{DocPath, DocumentType, Scope};
use recall_watch::root::resolve_inside;

use crate::Engine;
use crate::error::{IndexError, StoreError};
use crate::indexing::freshness::{Sync, SyncReport, sync};
use crate::origin::Origin;
use crate::progress::{Cancel, Progress};
use crate::store::{Added, Decision, Store};

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
    /// Chunks written.
    pub chunks: u64,
    /// Bytes of text read.
    pub bytes: u64,
    /// How long it took.
    pub took: Duration,
}

impl Engine {
    /// Indexes the named paths, or every change in the store's root. Returns when the documents are searchable.
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
        let store = self.single_store(origin, request.scope)?;
        for path in &request.paths {
            let (path, glob) = split_glob(&origin.absolute(path));
            let inside = resolve(&store, &path)?;
            let globs = glob.map_or_else(|| request.globs.clone(), |glob| vec![glob]);
            if inside.is_none() && !request.ignore.is_empty() {
                return Err(IndexError::IgnoreEverywhere);
            }
            for glob in globs.iter().chain(&request.ignore) {
                globset::Glob::new(glob)
                    .map_err(|error| IndexError::Glob { glob: glob.clone(), reason: error.kind().to_string() })?;
            }
            match inside {
                Some(inside) => Self::select(&store, inside, request, globs)?,
                None if request.force => store.attention.rewrite_everything(),
                None => {}
            }
        }
        if request.paths.is_empty() && !request.ignore.is_empty() {
            return Err(IndexError::IgnoreEverywhere);
        }
        if request.paths.is_empty() && request.force {
            store.attention.rewrite_everything();
        }
        let job =
            Sync { store: &store, threads: self.settings.ingest_threads, now: self.clock.now(), cancel, progress };
        let SyncReport { outcome, unchanged, import: _ } = self.run(&store, job)?;
        Ok(IndexReport {
            added: outcome.added,
            changed: outcome.changed,
            unchanged: unchanged + outcome.touched,
            removed: outcome.removed,
            failed: outcome.failed,
            skipped: outcome.skipped,
            chunks: outcome.chunks,
            bytes: outcome.bytes,
            took: began.elapsed(),
        })
    }

    /// Runs a scan, which also counts for the freshness of later searches.
    pub(crate) fn run(&self, store: &Arc<Store>, mut job: Sync<'_>) -> Result<SyncReport, StoreError> {
        let began = Instant::now();
        let is_first = store.holds_nothing();
        let mut report = sync(&mut job);
        store.settle_soon(report.as_mut().ok().and_then(|report| report.import.take()));
        if is_first && report.is_ok() {
            store.semantic.wait_for(store.lexical.generation(), self.settings.embedding_wait);
        }
        match &report {
            Ok(_) => job.store.freshness.scanned_elsewhere(began),
            Err(error) => {
                job.store.freshness.failed_elsewhere();
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

    fn select(store: &Store, path: DocPath, request: &IndexRequest, globs: Vec<String>) -> Result<(), StoreError> {
        let added = Added {
            recursive: request.recursive,
            globs,
            ignore: request.ignore.clone(),
            tags: request.tags.clone(),
            source: request.source.clone(),
            document_type: request.document_type,
        };
        let mut selection = store.selection.lock();
        if request.force || selection.added(&path) != Some(&added) {
            store.attention.rewrite(&path);
        }
        selection.decide(path, Decision::Added(added)).map_err(StoreError::Selection)
    }
}

/// Returns an absolute path relative to the store's root; `None` for the root itself.
fn resolve(store: &Store, path: &Path) -> Result<Option<DocPath>, IndexError> {
    if std::fs::symlink_metadata(path).is_err() {
        return Err(IndexError::Missing { path: path.to_owned() });
    }
    if path.canonicalize().is_ok_and(|canonical| canonical == store.root) {
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
