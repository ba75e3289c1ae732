//! The rebuild use case: a new index from the files, or a new part of it.

use recall_core::Scope;

use crate::Engine;
use crate::embeddings::UpdateExtent;
use crate::error::IndexError;
use crate::indexing::index::{IndexReport, IndexRequest};
use crate::origin::Origin;
use crate::progress::{Cancel, Progress};

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
                store.index.rebuild_lexical()?;
                drop(store);
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
