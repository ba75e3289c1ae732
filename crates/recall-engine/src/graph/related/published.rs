//! Documents of a shared store that are similar to one of its documents.
//!
//! A store has no links between documents, so words are the only tie: the significant words of the text, as in
//! [`Ties`](super::ties::Ties), found by the store and scored here.

use recall_core::{DocumentType, Lines, StoreScope};
use recall_index::lexical::{Lengths, SimilarQuery, SimilarWords, Statistics};
use recall_shared::{Ask, Depths, Document, Filters, Guarded, StoreError, Weighted, WholeDocument};

use super::ties::{COMPARED_BYTES, MOST_ALIKE, format_citation, span_of};
use crate::error::GraphError;
use crate::graph::answer::{Related, RelatedDocument, RelatedRequest, Tie};
use crate::shared::{Record, coverage_of, in_store};

/// Which part of a published document is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PublishedPart {
    Whole,
    Lines(Lines),
    Chunk(u32),
}

/// Returns the documents of a store that are similar to a part of one of its documents; `None` if the document has no such part, or
/// another version of recall published it.
///
/// # Errors
/// The document does not have the lines, or the store does not answer.
pub(super) fn related_published(
    store: &Guarded,
    found: &WholeDocument,
    part: PublishedPart,
    request: &RelatedRequest,
) -> Result<Option<Related>, GraphError> {
    let WholeDocument { document, text } = found;
    let Some(record) = Record::decode(&document.path, &document.record) else { return Ok(None) };
    let part_text = match part {
        PublishedPart::Whole => text.as_str(),
        PublishedPart::Lines(lines) => {
            let span = span_of(text, lines).ok_or_else(|| GraphError::NoLines {
                path: document.path.clone(),
                lines: text.lines().count() as u32,
                start: lines.start,
                end: lines.end,
            })?;
            span.slice(text).unwrap_or_default()
        }
        PublishedPart::Chunk(ordinal) => {
            let Some(chunk) = record.chunks.get(ordinal as usize) else { return Ok(None) };
            let lines = Lines { start: chunk.span.start_line, end: chunk.span.end_line };
            span_of(text, lines).and_then(|span| span.slice(text)).unwrap_or_default()
        }
    };
    let compared = &part_text[..part_text.floor_char_boundary(COMPARED_BYTES)];
    let failed = |source| GraphError::Shared { store: store.name.clone(), source };
    let similar = similar_documents(store, compared, &request.types).map_err(failed)?;
    let best_own = similar.words.best_chunk(&record.analyses).map_or(0.0, |(_, score)| score);
    let mut documents = Vec::new();
    for (other, mut record) in similar.documents {
        let is_same = other.repository == document.repository && other.path == document.path;
        let best = similar.words.best_chunk(&record.analyses).filter(|_| !is_same && best_own > 0.0);
        let Some((place, value)) = best else { continue };
        let Some(span) = record.chunks.get(place).map(|chunk| chunk.span) else { continue };
        record.document = in_store(&store.name, &other.repository, record.document);
        documents.push(RelatedDocument {
            citation: Some(format_citation(&record.document, span.start_line, span.end_line)),
            document: record.document,
            score: Tie::Similar.weight() * f64::from(value / best_own).min(1.0),
            ties: vec![Tie::Similar],
        });
    }
    documents.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.document.path.cmp(&b.document.path)));
    documents.truncate(request.limit as usize);
    let newest = documents.iter().map(|one| one.document.modified).max();
    let coverage = coverage_of(&store.name, similar.count, newest);
    Ok(Some(Related { scope: StoreScope::Domain, documents, coverage, warnings: Vec::new() }))
}

/// What a store has of documents that share words with a text.
struct SimilarDocuments {
    words: SimilarWords,
    documents: Vec<(Document, Record)>,
    /// The number of all documents of the store.
    count: u64,
}

fn similar_documents(store: &Guarded, text: &str, types: &[DocumentType]) -> Result<SimilarDocuments, StoreError> {
    let query = SimilarQuery::new(text);
    let recall_shared::Statistics { chunks, documents: count, lengths, counts } = store.statistics(&query.keys())?;
    let words = query.weigh(&Statistics { chunks, documents: count, lengths: Lengths::from_array(lengths), counts });
    let keys = words.keys().into_iter();
    let found = store.find(&Ask {
        words: keys.map(|one| Weighted { key: one.key, weight: one.weight, count: one.count }).collect(),
        definitions: Vec::new(),
        files: Vec::new(),
        vector: None,
        filters: Filters { kinds: types.iter().map(|kind| kind.as_str().to_owned()).collect(), ..Filters::default() },
        without: Vec::new(),
        depths: Depths { words: MOST_ALIKE, definitions: 0, files: 0, nearest: 0 },
    })?;
    let decode = |document: Document| Some((Record::decode(&document.path, &document.record)?, document));
    let documents = found.documents.into_iter().filter_map(decode).map(|(record, document)| (document, record));
    Ok(SimilarDocuments { words, documents: documents.collect(), count })
}
