//! The mount point of a store: the place of a nested repository in the client's project.
//!
//! A nested repository has a store of its own, with paths below its own root. In the requests and answers of a client that works
//! above it, its files have their paths below the client's project, and the ids of these paths. The files of a project's auto memory,
//! which lie elsewhere, have paths below a name of their own.

use std::path::Path;

use recall_core::{ChunkId, Document, DocumentId, Filters, MemoryId, MemoryView, Understood};
use recall_text::DocPath;

use crate::known::Known;

/// Where the root of a store lies below the root of the client's project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mount {
    /// `None` for a store that is not below the project, and for the project's own.
    below: Option<DocPath>,
}

impl Mount {
    /// Returns the mount point of a root in a project.
    pub(crate) fn new(root: &Path, project: &Path) -> Self {
        let below = root.strip_prefix(project).ok().and_then(|below| DocPath::from_relative(below).ok());
        Self { below }
    }

    /// Returns a mount point that no directory of the project has to be.
    pub(crate) fn with_name(name: &str) -> Self {
        Self { below: DocPath::new(name).ok() }
    }

    /// Returns whether the client sees the store's own paths and ids.
    pub(crate) fn is_plain(&self) -> bool {
        self.below.is_none()
    }

    /// Returns a path of the store as the client sees it.
    pub(crate) fn outer(&self, inner: &str) -> String {
        match &self.below {
            Some(mount) => format!("{mount}/{inner}"),
            None => inner.to_owned(),
        }
    }

    /// Returns a document's path as the client sees it.
    pub(crate) fn outer_path(&self, inner: &DocPath) -> DocPath {
        DocPath::new(&self.outer(inner.as_str())).unwrap_or_else(|_| inner.clone())
    }

    /// Returns a directory of the store as the client sees it. `.` is the root.
    pub(crate) fn outer_directory(&self, inner: &str) -> String {
        match &self.below {
            Some(mount) if inner == "." => mount.to_string(),
            _ => self.outer(inner),
        }
    }

    /// Returns a path of the client as the store has it; `None` if it is not below the mount point.
    pub(crate) fn inner_path(&self, outer: &DocPath) -> Option<DocPath> {
        let Some(mount) = &self.below else { return Some(outer.clone()) };
        let below = outer.as_str().strip_prefix(mount.as_str())?.strip_prefix('/')?;
        DocPath::new(below).ok()
    }

    /// Returns the id that a document of the store has there, given its id for the client; `None` if the store does not have it.
    pub(crate) fn inner_id(&self, outer: DocumentId, known: &Known) -> Option<DocumentId> {
        if self.below.is_none() {
            return Some(outer);
        }
        // An id cannot be turned back into its path. Memories have the same id everywhere.
        let of_file = known.file_paths().find(|path| DocumentId::from_path(&self.outer_path(path)) == outer);
        let of_memory =
            || known.memories.ids().map(MemoryId::to_path).find(|path| DocumentId::from_path(path) == outer);
        of_file.or_else(of_memory).map(|path| DocumentId::from_path(&path))
    }

    /// Gives a document the path and the id that the client sees. Not for masked paths, whose id would be another one.
    pub(crate) fn show(&self, document: &mut Document) {
        if self.below.is_some() && document.memory.is_none() {
            document.path = self.outer_path(&document.path);
            document.id = DocumentId::from_path(&document.path);
        }
    }

    /// Gives a document and a chunk of it the path and the ids that the client sees.
    pub(crate) fn show_chunk(&self, document: &mut Document, chunk: &mut ChunkId) {
        self.show(document);
        chunk.document = document.id;
    }

    /// Gives the files of a memory the paths that the client sees.
    pub(crate) fn show_memory(&self, view: &mut MemoryView) {
        if self.below.is_none() {
            return;
        }
        let show = |path: &mut DocPath| *path = self.outer_path(path);
        view.memory.related_files.iter_mut().for_each(show);
        view.memory.anchors.iter_mut().for_each(|anchor| show(&mut anchor.path));
        view.verification.broken.iter_mut().for_each(|(anchor, _)| show(&mut anchor.path));
        view.verification.moved.iter_mut().flat_map(|moved| [&mut moved.from, &mut moved.to]).for_each(show);
    }

    /// Returns a query as it concerns the store; `None` if it is the same.
    pub(crate) fn inner_query(&self, query: &Understood) -> Option<Understood> {
        let mount = self.below.as_ref()?;
        let mut query = query.clone();
        query.filters = self.inner_filters(&query.filters);
        for path in &mut query.paths {
            let below = path.strip_prefix(mount.as_str()).and_then(|rest| rest.strip_prefix('/'));
            if let Some(below) = below.map(str::to_owned) {
                *path = below;
            }
        }
        Some(query)
    }

    /// Returns filters as they concern the store.
    pub(crate) fn inner_filters(&self, filters: &Filters) -> Filters {
        Filters { mount: self.below.clone(), ..filters.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> DocPath {
        DocPath::new(text).expect("plain")
    }

    #[test]
    fn paths_are_translated_both_ways() {
        let mount = Mount::new(Path::new("/w/libs/x"), Path::new("/w"));
        assert_eq!(mount.outer_path(&path("src/a.rs")), path("libs/x/src/a.rs"));
        assert_eq!(mount.inner_path(&path("libs/x/src/a.rs")), Some(path("src/a.rs")));
        for outside in ["libs/xy/a.rs", "libs/x", "src/a.rs"] {
            assert_eq!(mount.inner_path(&path(outside)), None, "{outside}");
        }
        assert_eq!((mount.outer_directory("."), mount.outer_directory("src")), ("libs/x".into(), "libs/x/src".into()));
    }

    #[test]
    fn the_projects_own_store_and_one_elsewhere_keep_their_paths() {
        for mount in [Mount::new(Path::new("/w"), Path::new("/w")), Mount::new(Path::new("/v"), Path::new("/w"))] {
            assert_eq!(mount, Mount::default());
            assert_eq!(mount.outer_path(&path("a.rs")), path("a.rs"));
            assert_eq!(mount.inner_path(&path("a.rs")), Some(path("a.rs")));
        }
    }
}
