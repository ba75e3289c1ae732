//! Sample answers of a daemon, for tests.

use recall_api::v1;

/// Returns a document of a project.
pub(crate) fn doc(path: &str, r#type: &str, language: &str) -> v1::Document {
    v1::Document {
        id: "0123456789abcdef".to_owned(),
        path: path.to_owned(),
        r#type: r#type.to_owned(),
        title: path.rsplit('/').next().unwrap_or(path).to_owned(),
        language: language.to_owned(),
        scope: v1::StoreScope::Project.into(),
        updated_at: Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 }),
        ..v1::Document::default()
    }
}

/// Returns a hit whose chunk begins in line 10.
pub(crate) fn hit(doc: v1::Document, symbol: &str, text: &str) -> v1::Hit {
    let end_line = 9 + text.lines().count() as u32;
    v1::Hit {
        score: 0.0325,
        citation: format!("{}:10-{end_line}@0123456789ab", doc.path),
        chunk: Some(v1::Chunk {
            id: format!("{}-4", doc.id),
            doc_id: doc.id.clone(),
            text: text.to_owned(),
            start_line: 10,
            end_line,
            symbol: symbol.to_owned(),
            kind: "function".to_owned(),
            ..v1::Chunk::default()
        }),
        doc: Some(doc),
        ..v1::Hit::default()
    }
}

/// Returns the answer to a search with these hits.
pub(crate) fn sample_answer(results: Vec<v1::Hit>) -> v1::SearchResponse {
    v1::SearchResponse {
        query: Some(v1::QueryEcho {
            text: "where are sessions opened".to_owned(),
            scope: v1::Scope::All.into(),
            ..v1::QueryEcho::default()
        }),
        results,
        stats: Some(v1::SearchStats {
            took_ms: 0.84,
            total_hits: 41,
            generation: 7,
            stores: vec![v1::SearchedStore {
                scope: v1::StoreScope::Project.into(),
                id: "5f3c".to_owned(),
                name: "recall".to_owned(),
                generation: 7,
            }],
            ..v1::SearchStats::default()
        }),
        ..v1::SearchResponse::default()
    }
}
