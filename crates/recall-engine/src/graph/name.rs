//! Parsing of a name: a document id, a chunk id or a path.

use recall_core::{ChunkId, DocumentId};
use recall_text::DocPath;

use crate::Engine;
use crate::engine::MountedStore;
use crate::origin::Origin;
use crate::written;

pub(crate) enum Name {
    Document(DocumentId),
    Chunk(ChunkId),
    /// The paths that it may be, the likeliest first.
    Paths(Vec<DocPath>),
}

impl Name {
    /// Returns the name as a store has it; `None` if it cannot name anything there.
    pub(crate) fn in_store(&self, of: &MountedStore) -> Option<Self> {
        match self {
            Self::Document(id) => of.mount.inner_id(*id, &of.index.known_documents()).map(Self::Document),
            Self::Chunk(id) => {
                let document = of.mount.inner_id(id.document, &of.index.known_documents())?;
                Some(Self::Chunk(ChunkId { document, ..*id }))
            }
            Self::Paths(paths) => {
                let inner: Vec<DocPath> = paths.iter().filter_map(|path| of.mount.inner_path(path)).collect();
                (!inner.is_empty()).then_some(Self::Paths(inner))
            }
        }
    }
}

impl Engine {
    /// Parses a name: an id by its form, otherwise a path.
    pub(crate) fn name(&self, origin: &Origin, text: &str) -> Option<Name> {
        if let Ok(id) = text.parse() {
            return Some(Name::Document(id));
        }
        if let Ok(id) = text.parse() {
            return Some(Name::Chunk(id));
        }
        let root = origin.root(&self.registry.places).ok()?;
        let paths = written::paths_below(&root, origin, text);
        (!paths.is_empty()).then_some(Name::Paths(paths))
    }
}
