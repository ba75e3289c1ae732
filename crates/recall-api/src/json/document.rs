//! Documents, chunks and symbols.

use crate::v1;
use serde::Serialize;

use crate::json::{non_empty, store_scope, timestamp_text};

#[derive(Debug, Serialize)]
pub(crate) struct Document<'a> {
    id: &'a str,
    path: Option<&'a str>,
    mtime: Option<String>,
    hash: &'a str,
    tag: &'a [String],
    source: Option<&'a str>,
    r#type: &'a str,
    title: &'a str,
    scope: Option<&'static str>,
    language: Option<&'a str>,
    size: u64,
    created_at: Option<String>,
    updated_at: Option<String>,
    file_kind: Option<&'a str>,
    store_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    root: Option<&'a str>,
}

impl<'a> From<&'a v1::Document> for Document<'a> {
    fn from(message: &'a v1::Document) -> Self {
        let v1::Document {
            id,
            path,
            mtime,
            hash,
            tag,
            source,
            r#type,
            title,
            scope,
            language,
            size,
            created_at,
            updated_at,
            file_kind,
            store_id,
            root,
        } = message;
        Self {
            id,
            path: non_empty(path),
            mtime: timestamp_text(mtime.as_ref()),
            hash,
            tag,
            source: non_empty(source),
            r#type,
            title,
            scope: store_scope(*scope),
            language: non_empty(language),
            size: *size,
            created_at: timestamp_text(created_at.as_ref()),
            updated_at: timestamp_text(updated_at.as_ref()),
            file_kind: non_empty(file_kind),
            store_id,
            root: non_empty(root),
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Chunk<'a> {
    id: &'a str,
    doc_id: &'a str,
    offset: u32,
    tokens: u32,
    text: &'a str,
    start_line: u32,
    end_line: u32,
    symbol: Option<&'a str>,
    kind: &'a str,
    signature: Option<&'a str>,
}

impl<'a> From<&'a v1::Chunk> for Chunk<'a> {
    fn from(message: &'a v1::Chunk) -> Self {
        let v1::Chunk { id, doc_id, offset, tokens, text, start_line, end_line, symbol, kind, signature } = message;
        Self {
            id,
            doc_id,
            offset: *offset,
            tokens: *tokens,
            text,
            start_line: *start_line,
            end_line: *end_line,
            symbol: non_empty(symbol),
            kind,
            signature: non_empty(signature),
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Symbol<'a> {
    name: &'a str,
    qualified: &'a str,
    kind: &'a str,
    start_line: u32,
    end_line: u32,
    chunk_id: &'a str,
}

impl<'a> From<&'a v1::Symbol> for Symbol<'a> {
    fn from(message: &'a v1::Symbol) -> Self {
        let v1::Symbol { name, qualified, kind, start_line, end_line, chunk_id } = message;
        Self { name, qualified, kind, start_line: *start_line, end_line: *end_line, chunk_id }
    }
}
