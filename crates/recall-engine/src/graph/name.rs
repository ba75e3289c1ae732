//! Parsing of a name: a document id, a chunk id or a path.

use recall_core::{ChunkId, DocPath, DocumentId};

use crate::Engine;
use crate::origin::Origin;

/// A parsed name.
pub(crate) enum Name {
    Document(DocumentId),
    Chunk(ChunkId),
    /// The candidate paths: relative to the client's directory, as a shell completes it, then to the root, as a citation writes
    /// it.
    Paths(Vec<DocPath>),
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
        let absolute = origin.absolute(text.as_ref());
        let mut paths: Vec<DocPath> = recall_watch::root::resolve_inside(&root, &absolute).into_iter().collect();
        paths.extend(DocPath::new(text).ok().filter(|path| !paths.contains(path)));
        (!paths.is_empty()).then_some(Name::Paths(paths))
    }
}
