//! Documents.

use recall_core::{Document, StoreScope};

use super::{scope, time};
use crate::v1;

/// Writes a document of a store. When it was first seen is unknown here and omitted. The document of a memory has the
/// memory's id and no path.
pub fn to_proto(document: &Document, store: StoreScope, store_id: &str) -> v1::Document {
    let Document {
        id,
        path,
        memory,
        document_type,
        title,
        language,
        hash,
        size_bytes,
        modified,
        file_kind,
        tags,
        source,
    } = document;
    v1::Document {
        id: memory.map_or_else(|| id.to_string(), |memory| memory.to_string()),
        path: if memory.is_some() { String::new() } else { path.as_str().to_owned() },
        mtime: Some(time::to_proto(*modified)),
        hash: hash.to_string(),
        tag: tags.clone(),
        source: source.clone().unwrap_or_default(),
        r#type: document_type.as_str().to_owned(),
        title: title.clone(),
        scope: scope::store_to_proto(store).into(),
        language: language.as_ref().map(|language| language.as_str().to_owned()).unwrap_or_default(),
        size: *size_bytes,
        created_at: None,
        updated_at: Some(time::to_proto(*modified)),
        file_kind: file_kind.as_str().to_owned(),
        store_id: store_id.to_owned(),
        root: String::new(),
    }
}
