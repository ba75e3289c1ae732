//! Reading the files of a store, with the documents that were imported without their files, the private summaries of sessions, and
//! what git says.
//!
//! An imported document is read like a file until a file with its path appears, which takes its place for good. The summaries of
//! sessions that stay in the data home are in the store's folder, at the path that they would have in the project, and are read in
//! the same way. So are the files of agents in the user's home that concern the store, at paths of their own.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recall_core::Limits;
use recall_os::{Folder, OpenError};
use recall_text::DocPath;
use recall_watch::content::{self, Content, ContentError, Encoding, ReadOptions};
use recall_watch::{FoundFile, GitFacts, SizeLimits, StatOutcome, Tracking};

use super::Files;
use super::imported::{FILE, Imported, ImportedDocument, ImportedWriter, Placed};
use crate::home_memory::{HomeFile, HomeMemory};
use crate::store::settings::Configuration;

impl Files {
    /// Returns the documents that were imported without their files.
    pub(crate) fn list_imported_files(&self) -> Arc<Imported> {
        self.imported.current()
    }

    /// Returns the metadata of a file, or of the document that was imported or the private summary that is in its place.
    pub(crate) fn stat(&self, path: &DocPath) -> StatOutcome {
        match recall_watch::stat(&self.root, path) {
            StatOutcome::Gone => match self.list_imported_files().get(path) {
                Some(imported) => StatOutcome::File { size_bytes: imported.size_bytes, modified: imported.modified },
                None if is_summary(path) => recall_watch::stat(&self.folder, path),
                None => self.home.as_ref().map_or(StatOutcome::Gone, |home| home.stat(path)),
            },
            found => found,
        }
    }

    /// Reads a file within limits, or a private summary, or the document that was imported in its place, which is returned too.
    pub(crate) fn read_file(
        &self,
        path: &DocPath,
        limits: &Limits,
    ) -> Result<(Content, Option<Arc<ImportedDocument>>), ContentError> {
        let sizes = SizeLimits::from(limits);
        let tracking = self.tracking(path);
        let options = ReadOptions { sizes, tracking, text_of_notebook: Some(recall_chunk::read_notebook) };
        match content::read(&self.root, path, &options) {
            Err(ContentError::Gone { path: gone }) => {
                let imported = self.list_imported_files();
                let placed = match imported.placement(path) {
                    Some(placed) => placed,
                    None if is_summary(path) => {
                        return content::read(&self.folder, path, &options).map(|content| (content, None));
                    }
                    None => {
                        let home = self.home.as_ref().ok_or(ContentError::Gone { path: gone })?;
                        return home.read(path).map(|content| (content, None));
                    }
                };
                let text = self.text_of_imported(placed, &sizes)?;
                let ImportedDocument { hash, size_bytes, modified, .. } = *placed.document;
                let content = Content { text, hash, size_bytes, modified, encoding: Encoding::Utf8 };
                Ok((content, Some(Arc::clone(&placed.document))))
            }
            read => read.map(|content| (content, None)),
        }
    }

    fn text_of_imported(&self, placed: &Placed, sizes: &SizeLimits) -> Result<String, ContentError> {
        let path = &placed.document.path;
        if let Some(reason) = sizes.check_text(placed.document.size_bytes) {
            return Err(ContentError::Refused { path: path.clone(), reason });
        }
        let failed = |source: io::Error| ContentError::Unreadable { path: path.clone(), source };
        placed.text(&self.folder).map_err(failed)
    }

    /// Returns the imported documents as a scan finds files, in the order of their import, without those whose files are there.
    /// These are given up.
    pub(crate) fn imported_files(&self, is_there: impl Fn(&DocPath) -> bool) -> Vec<FoundFile> {
        let imported = self.list_imported_files();
        if imported.iter().any(|document| is_there(&document.path)) {
            let kept: Result<(), OpenError> = self.change_imported(|old| !is_there(&old.path), |_| Ok(()));
            if let Err(error) = kept {
                tracing::warn!(root = %self.root.display(), %error, "imported documents that have files are still kept");
            }
        }
        let missing = imported.iter().filter(|document| !is_there(&document.path));
        missing
            .map(|ImportedDocument { path, size_bytes, modified, .. }| {
                FoundFile::new(path.clone(), *size_bytes, *modified)
            })
            .collect()
    }

    /// Writes the imported documents that `keep` accepts, in their order, and then what `add` adds.
    pub(crate) fn change_imported<E: From<OpenError>>(
        &self,
        keep: impl Fn(&ImportedDocument) -> bool,
        add: impl FnOnce(&mut ImportedWriter) -> Result<(), E>,
    ) -> Result<(), E> {
        let _changing = self.imported.change();
        let imported = self.list_imported_files();
        let mut writer = ImportedWriter::begin(&self.folder)?;
        let failed = |source: io::Error| OpenError::Io { path: self.imported_path(), source };
        for placed in imported.placements().filter(|placed| keep(&placed.document)) {
            let line = placed.line(&self.folder).map_err(failed)?;
            writer.keep(&line).map_err(failed)?;
        }
        add(&mut writer)?;
        writer.finish()?;
        let mut unread = Vec::new();
        let imported = Imported::load(&self.folder, |problem| unread.push(problem));
        if let Some(problem) = unread.pop() {
            return Err(failed(io::Error::other(problem)).into());
        }
        self.imported.replace(imported);
        Ok(())
    }

    /// Returns the path of the file of imported documents.
    pub(crate) fn imported_path(&self) -> PathBuf {
        self.folder.join(FILE)
    }
}

impl Files {
    /// Returns what git says about its files. Reads git's files again if their stamps have changed.
    pub(crate) fn git_facts(&self) -> Arc<GitFacts> {
        self.follow_git();
        self.git.load_full().unwrap_or_default()
    }

    /// Reads git's files again if their stamps have changed. Costs one `stat` per file; returns whether git says something
    /// else about a file.
    pub(crate) fn follow_git(&self) -> Configuration {
        let before = self.git.load_full();
        if before.as_ref().is_some_and(|before| before.is_current()) {
            return Configuration::Same;
        }
        // The memory of another program is read as a whole; a repository around it does not decide.
        let facts = if self.is_adopted { GitFacts::default() } else { GitFacts::read(&self.root, &self.user_git) };
        let is_same = before.is_some_and(|before| before.agrees_with(&facts));
        self.git.store(Some(Arc::new(facts)));
        if is_same { Configuration::Same } else { Configuration::Changed }
    }

    /// Returns whether git tracks a file, as far as that is known.
    pub(crate) fn tracking(&self, path: &DocPath) -> Tracking {
        let facts = self.git.load_full().unwrap_or_else(|| self.git_facts());
        if facts.tracks(path.as_str()) { Tracking::Tracked } else { Tracking::Untracked }
    }
}

/// The folder of summaries, below the root of a project and below the folder of a store.
pub(crate) const SUMMARIES: &str = ".recall/history";

/// The most private summaries that are indexed, the latest by name: one session a working day for four years.
const MOST_SUMMARIES: usize = 1000;

impl Files {
    /// Returns the private summaries as a scan finds files.
    pub(crate) fn private_summaries(&self) -> Vec<FoundFile> {
        let folder = Folder::open(&self.folder).and_then(|folder| folder.folder(SUMMARIES));
        let names = folder.ok().and_then(|folder| folder.names().ok()).unwrap_or_default();
        let mut paths: Vec<DocPath> = names
            .iter()
            .filter_map(|name| name.to_str())
            .filter(|name| {
                !name.starts_with('.') && Path::new(name).extension().is_some_and(|extension| extension == "md")
            })
            .filter_map(|name| DocPath::new(&format!("{SUMMARIES}/{name}")).ok())
            .collect();
        paths.sort_unstable_by(|a, b| b.cmp(a));
        paths.truncate(MOST_SUMMARIES);
        let found = |path: DocPath| match recall_watch::stat(&self.folder, &path) {
            StatOutcome::File { size_bytes, modified } => Some(FoundFile::new(path, size_bytes, modified)),
            _ => None,
        };
        paths.into_iter().filter_map(found).collect()
    }
}

impl Files {
    /// Lists the files of agents in the home again if something changed there, and returns whether the list differs.
    pub(crate) fn follow_home(&self, agents: &[String]) -> Configuration {
        match &self.home {
            Some(home) if home.follow(agents) => Configuration::Changed,
            _ => Configuration::Same,
        }
    }

    /// Returns the files of agents in the home as a scan finds files.
    pub(crate) fn home_files(&self) -> Vec<FoundFile> {
        self.home.as_ref().map(HomeMemory::files).unwrap_or_default()
    }

    /// Returns the file of an agent in the home that clients see at a path. A file of the root comes first, so that a repository
    /// cannot pass one of its files off as the user's.
    pub(crate) fn home_file(&self, path: &DocPath) -> Option<HomeFile> {
        let file = self.home.as_ref()?.file(path)?;
        (recall_watch::stat(&self.root, path) == StatOutcome::Gone).then_some(file)
    }
}

/// Returns whether a path is that of a summary.
pub(crate) fn is_summary(path: &DocPath) -> bool {
    path.as_str().strip_prefix(SUMMARIES).is_some_and(|name| name.starts_with('/'))
}
