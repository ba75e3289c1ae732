//! Totals over a store.

use std::collections::BTreeMap;

use recall_core::DocumentType;
use recall_text::{DocPath, Language};

use super::{Snapshot, UnparsedDocument};
use crate::catalog::ReadError;
use crate::catalog::rows;

/// Totals over a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of documents.
    pub documents: u64,
    /// The number of chunks.
    pub chunks: u64,
    /// The number of symbols.
    pub symbols: u64,
    /// The number of edges, without those of kind `Defines`.
    pub edges: u64,
    /// The uncompressed size of all texts in bytes.
    pub text_bytes: u64,
    /// The number of documents indexed in windows because they could not be parsed.
    pub unparsed: u64,
    /// The number of documents by type.
    pub by_type: BTreeMap<DocumentType, u64>,
    /// The number of documents by language, if one was recognised.
    pub by_language: BTreeMap<Language, u64>,
}

impl Snapshot<'_> {
    /// Computes the totals. Costs one pass over the documents, but not over their chunks.
    pub fn counts(&self) -> Result<Counts, ReadError> {
        let mut counts = Counts::default();
        rows::all(
            self.connection(),
            "SELECT type, language, count(*), sum(chunk_count), sum(symbol_count), sum(edge_count), sum(text_bytes),
                sum(outcome = 'failed')
            FROM documents GROUP BY type, language",
            [],
            |row| {
                let number = |column: usize| row.get::<_, i64>(column).map(|number| number as u64);
                let name = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
                let document_type: DocumentType =
                    name.parse().map_err(|_| ReadError::damaged(format!("`{name}` is not a type of document")))?;
                let documents = number(2)?;
                counts.documents += documents;
                counts.chunks += number(3)?;
                counts.symbols += number(4)?;
                counts.edges += number(5)?;
                counts.text_bytes += number(6)?;
                counts.unparsed += number(7)?;
                *counts.by_type.entry(document_type).or_default() += documents;
                if let Some(language) = row.get::<_, Option<String>>(1)? {
                    *counts.by_language.entry(Language::from(language)).or_default() += documents;
                }
                Ok(())
            },
        )?;
        Ok(counts)
    }

    /// The documents that could not be parsed, by path, at most `limit`.
    pub fn unparsed_documents(&self, limit: usize) -> Result<Vec<UnparsedDocument>, ReadError> {
        rows::all(
            self.connection(),
            "SELECT path, reason FROM documents WHERE outcome = 'failed' ORDER BY path LIMIT ?1",
            [i64::try_from(limit).unwrap_or(i64::MAX)],
            |row| {
                let path = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
                Ok(UnparsedDocument {
                    path: DocPath::new(path)
                        .map_err(|_| ReadError::damaged(format!("`{path}` is not a valid path")))?,
                    reason: row.get(1)?,
                })
            },
        )
    }
}
