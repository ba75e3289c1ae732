//! `Query`: answers a statement of the query language.

use recall_api::convert::exact::QueryCall;
use recall_api::convert::{document, exact, scope, time};
use recall_api::v1::{RequestContext, Severity};
use recall_api::{Failure, v1};
use recall_core::Limits;
use recall_core::rql::{Field, Query, RqlError, Selected};
use recall_engine::{ConditionPlan, QueryAnswer, QueryPlan, QueryRequest, QueryRow, ReadCounts, StorePlan};
use std::sync::Arc;
use std::time::Instant;
use tonic::Status;

use super::{CallLength, Service, ids, memory, search, warning};
use crate::admission::Answering;
use crate::daemon::Daemon;
use crate::failure::IntoFailure as _;

/// How many copies of a row's text an answer needs: as read, in the row, and encoded.
const COPIES_OF_A_TEXT: u64 = 3;

/// The number of rows that the reservation of every answer covers.
const ROWS_OF_AN_ANSWER: u64 = 50;

/// The bytes of a token, as chunks count them.
const BYTES_PER_TOKEN: u64 = 4;

pub(super) async fn handle(
    service: &Service,
    answering: &Answering,
    request: v1::QueryRequest,
) -> Result<v1::QueryResponse, Status> {
    let began = Instant::now();
    let QueryCall { context, rql, scope, explain } = exact::query_from_proto(request)?;
    let session = context.session_id.clone();
    let query = Query::parse(&rql).map_err(|error| failure(error, "rql"))?;
    let as_of = query.as_of.clone().unwrap_or(context.as_of);
    let origin = service.origin(Some(RequestContext { as_of, ..context })).await?;
    let more_rows = u64::from(query.limit).saturating_sub(ROWS_OF_AN_ANSWER);
    if more_rows > 0 && query.columns.iter().any(|column| is_text(*column)) {
        answering.admit_texts(more_rows * row_bytes(&service.daemon.settings.limits) * COPIES_OF_A_TEXT).await;
    }
    let asked = Arc::new(QueryRequest { query, scope, explain });
    let there = Arc::clone(&asked);
    let query = move |daemon: &Daemon| daemon.engine.query(&origin, &there);
    let answer = service.call_indexed(CallLength::Short, |answer: &QueryAnswer| &answer.warnings, query).await?;
    let mut response = to_proto(rql, &asked, answer);
    if let Some(stats) = &mut response.stats {
        stats.took_ms = search::millis(began.elapsed());
    }
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

fn is_text(column: Selected) -> bool {
    matches!(column, Selected::Field(Field::ChunkText | Field::MemoryContent))
}

/// The most bytes that the text of a chunk usually has.
fn row_bytes(limits: &Limits) -> u64 {
    u64::from(limits.chunk_tokens) * BYTES_PER_TOKEN
}

/// Returns the failure of a text in a field of a request.
pub(super) fn failure(error: RqlError, field: &str) -> Failure {
    error.into_failure().with_detail("field", field)
}

fn to_proto(rql: String, request: &QueryRequest, answer: QueryAnswer) -> v1::QueryResponse {
    let QueryRequest { query, scope: asked, explain: _ } = request;
    let (snapshot, documents) = (answer.snapshot(), answer.documents());
    let QueryAnswer { rows, next_offset, coverage, stale_files, model, plan, took, warnings } = answer;
    let ignored = query.ignored.iter().map(|ignored| {
        let message = format!("`{}` in SELECT is not a field and is ignored", ignored.name);
        let hint = ignored.near.map(|near| format!("the nearest field is `{near}`")).unwrap_or_default();
        warning::new("UNKNOWN_FIELD", Severity::Warning, message, &hint)
    });
    let mut all: Vec<v1::Warning> = ignored.collect();
    all.extend(warning::to_proto(warnings));
    v1::QueryResponse {
        query: Some(v1::QueryEcho {
            text: query.semantic.clone().or_else(|| query.lexical.clone()).unwrap_or_default(),
            rql,
            limit: query.limit,
            offset: query.offset,
            scope: scope::to_proto(*asked).into(),
            ..v1::QueryEcho::default()
        }),
        fields: query.columns.iter().map(|column| column.as_str().to_owned()).collect(),
        stats: Some(v1::SearchStats {
            total_hits: plan.as_ref().map_or(rows.len() as u64, |plan| plan.passed),
            snapshot: snapshot.map(time::to_proto),
            generation: ids::generation(&coverage),
            stages: [("query".to_owned(), search::millis(took))].into_iter().collect(),
            stores: coverage.iter().map(search::searched_store).collect(),
            models: model.map(|name| ("embed".to_owned(), name)).into_iter().collect(),
            indexing: search::indexing(&coverage),
            stale_files,
            documents,
            ..v1::SearchStats::default()
        }),
        plan: plan.map(plan_to_proto),
        results: rows.into_iter().map(|found| row(found, &query.columns)).collect(),
        warnings: all,
        next_offset,
    }
}

/// Converts a row. Only the selected fields are filled.
fn row(found: QueryRow, columns: &[Selected]) -> v1::Hit {
    let QueryRow { scope, store: _, document: found, chunk: span, memory: recalled, score } = found;
    let recalled = recalled.as_deref();
    let path = found.path.as_str().to_owned();
    let whole = v1::Hit {
        score: score.unwrap_or_default(),
        staleness: memory::staleness(recalled),
        doc: Some(v1::Document { path, ..document::to_proto(&found, scope, "") }),
        chunk: span.map(|(id, span, text)| v1::Chunk {
            doc_id: id.document.to_string(),
            ..document::chunk_to_proto(&span, id.document, &text)
        }),
        memory: memory::to_proto(recalled, scope),
        ..v1::Hit::default()
    };
    let mut row = v1::Hit::default();
    for column in columns {
        match column {
            Selected::Score => row.score = whole.score,
            Selected::Field(field) => copy(*field, &whole, &mut row),
        }
    }
    row
}

/// Copies one field of a row.
fn copy(field: Field, from: &v1::Hit, to: &mut v1::Hit) {
    macro_rules! copy {
        ($part:ident . $name:ident) => {
            if let Some(from) = &from.$part {
                to.$part.get_or_insert_default().$name = from.$name.clone();
            }
        };
    }
    match field {
        Field::DocId => copy!(doc.id),
        Field::DocPath => copy!(doc.path),
        Field::DocMtime => copy!(doc.mtime),
        Field::DocHash => copy!(doc.hash),
        Field::DocTag => copy!(doc.tag),
        Field::DocSource => copy!(doc.source),
        Field::DocType => copy!(doc.r#type),
        Field::DocTitle => copy!(doc.title),
        Field::DocScope => copy!(doc.scope),
        Field::DocLanguage => copy!(doc.language),
        Field::DocSize => copy!(doc.size),
        Field::DocStaleness => to.staleness = from.staleness,
        Field::ChunkId => copy!(chunk.id),
        Field::ChunkDocId => copy!(chunk.doc_id),
        Field::ChunkOffset => copy!(chunk.offset),
        Field::ChunkTokens => copy!(chunk.tokens),
        Field::ChunkText => copy!(chunk.text),
        Field::ChunkKind => copy!(chunk.kind),
        Field::ChunkSymbol => copy!(chunk.symbol),
        Field::ChunkStartLine => copy!(chunk.start_line),
        Field::ChunkEndLine => copy!(chunk.end_line),
        Field::MemoryId => copy!(memory.id),
        Field::MemoryType => copy!(memory.r#type),
        Field::MemoryTitle => copy!(memory.title),
        Field::MemoryContent => copy!(memory.content),
        Field::MemoryTag => copy!(memory.tags),
        Field::MemoryScope => copy!(memory.scope),
        Field::MemoryCreatedAt => copy!(memory.created_at),
        Field::MemoryUpdatedAt => copy!(memory.updated_at),
        Field::MemorySession => copy!(memory.session),
        Field::MemoryUsefulness => {
            let usefulness = from.memory.as_ref().and_then(|memory| memory.stats.as_ref()?.usefulness);
            let stats = to.memory.get_or_insert_default().stats.get_or_insert_default();
            stats.usefulness = usefulness;
        }
    }
}

fn plan_to_proto(plan: QueryPlan) -> v1::QueryPlan {
    let QueryPlan { conditions, stores, order, passed } = plan;
    v1::QueryPlan {
        conditions: conditions
            .into_iter()
            .map(|ConditionPlan { text, evaluated }| v1::PlannedCondition {
                text,
                evaluated: evaluated.as_str().to_owned(),
            })
            .collect(),
        stores: stores
            .into_iter()
            .map(|StorePlan { scope: of, search, read: ReadCounts { documents, chunks, texts } }| v1::StoreReading {
                scope: scope::store_to_proto(of).into(),
                documents,
                chunks,
                texts,
                search,
            })
            .collect(),
        order: order.as_str().to_owned(),
        passed,
    }
}
