//! The rebuild use case: a new index from the files.

use recall_core::Scope;

use crate::Engine;
use crate::error::IndexError;
use crate::indexing::index::{IndexReport, IndexRequest};
use crate::origin::Origin;
use crate::progress::{Cancel, Progress};

impl Engine {
    /// Deletes a store's index and rebuilds it from the files. Returns when it is searchable.
    ///
    /// # Errors
    /// As [`index`](Self::index). After an error the next search indexes what is missing.
    pub fn rebuild(
        &self,
        origin: &Origin,
        scope: Scope,
        progress: &mut dyn FnMut(Progress),
        cancel: &Cancel,
    ) -> Result<IndexReport, IndexError> {
        let store = self.single_store(origin, scope)?;
        self.registry.delete_index(&store)?;
        drop(store);
        let request = IndexRequest {
            paths: Vec::new(),
            scope,
            recursive: true,
            globs: Vec::new(),
            ignore: Vec::new(),
            tags: Vec::new(),
            source: None,
            document_type: None,
            force: false,
        };
        self.index(origin, &request, progress, cancel)
    }
}
