//! `Exact`: finds every line that holds a literal or matches a regular expression.

use std::time::Instant;

use recall_api::convert::exact::{self, Call};
use recall_api::convert::{document, filters, scope, time};
use recall_api::v1;
use recall_core::{Case, ExactRequest, OtherProjects};
use recall_engine::{Coverage, ExactAnswer, ExactTotals, Hit};
use tonic::Status;

use super::{CallLength, Service, ids, search, warning};
use crate::admission::Answering;
use crate::daemon::Daemon;

/// The number of lines that the reservation of every answer covers.
const LINES_OF_AN_ANSWER: u32 = 100;

/// The most bytes of a line with its document, as read, in the hit, and encoded.
const LINE_BYTES: u64 = 4 * 1024;

pub(super) async fn handle(
    service: &Service,
    answering: &Answering,
    request: v1::ExactRequest,
) -> Result<v1::ExactResponse, Status> {
    let began = Instant::now();
    let Call { context, request } = exact::from_proto(request)?;
    let session = context.session_id.clone();
    if request.others != OtherProjects::None {
        search::may_search_elsewhere(&context, service.daemon.settings.search.agents_everywhere)?;
    }
    let origin = service.origin(Some(context)).await?;
    let more_lines = u64::from(request.limit.saturating_sub(LINES_OF_AN_ANSWER));
    if more_lines > 0 {
        answering.admit_texts(more_lines * LINE_BYTES).await;
    }
    let asked = request.clone();
    let find = move |daemon: &Daemon| daemon.engine.find_exact(&origin, &asked);
    let answer = service.call_indexed(CallLength::Short, |answer: &ExactAnswer| &answer.warnings, find).await?;
    let mut response = to_proto(&request, answer);
    if let Some(stats) = &mut response.stats {
        stats.took_ms = search::millis(began.elapsed());
    }
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

fn to_proto(request: &ExactRequest, answer: ExactAnswer) -> v1::ExactResponse {
    let snapshot = answer.snapshot();
    let ExactAnswer {
        filters: in_force,
        hits,
        totals: ExactTotals { matches, lines, documents },
        next_offset,
        is_complete,
        files_left_out,
        documents_searched,
        coverage,
        stale_files,
        stages,
        warnings,
    } = answer;
    v1::ExactResponse {
        query: Some(v1::QueryEcho {
            text: request.needle.text().to_owned(),
            filters: Some(filters::to_proto(&in_force)),
            class: request.needle.kind().to_owned(),
            limit: request.limit,
            offset: request.offset,
            scope: scope::to_proto(request.scope).into(),
            ..v1::QueryEcho::default()
        }),
        results: hits.into_iter().map(|line| hit(&line, &coverage)).collect(),
        stats: Some(v1::SearchStats {
            total_hits: lines,
            snapshot: snapshot.map(time::to_proto),
            generation: ids::generation(&coverage),
            stages: stages.into_iter().map(|(stage, took)| (stage.to_owned(), search::millis(took))).collect(),
            stores: coverage.iter().map(search::searched_store).collect(),
            indexing: search::indexing(&coverage),
            stale_files,
            documents: documents_searched,
            ..v1::SearchStats::default()
        }),
        warnings: warning::to_proto(warnings),
        next_offset,
        total_matches: matches,
        total_lines: lines,
        total_documents: documents,
        complete: is_complete,
        files_left_out,
        ignore_case: request.case == Case::Insensitive,
    }
}

/// Converts a line. It has no confidence, no explanation and no definitions around it.
fn hit(line: &Hit, coverage: &[Coverage]) -> v1::Hit {
    let place = line.store;
    let elsewhere = coverage.get(place).filter(|coverage| coverage.is_elsewhere).map(|coverage| &coverage.root);
    let citation = match elsewhere {
        Some(root) => format!("{}/{}", root.display(), line.citation()),
        None => line.citation(),
    };
    let root = elsewhere.map(|root| root.to_string_lossy().into_owned()).unwrap_or_default();
    let doc = document::to_proto(&line.document, line.scope, &ids::store_id_at(place, coverage));
    let highlights = line.highlights.iter();
    v1::Hit {
        score: line.score,
        chunk: Some(document::chunk_to_proto(&line.chunk, line.document.id, &line.text)),
        doc: Some(v1::Document { root, created_at: line.created.map(time::to_proto), ..doc }),
        citation,
        highlights: highlights
            .map(|range| v1::ByteRange { start: range.start as u32, end: range.end as u32 })
            .collect(),
        ..v1::Hit::default()
    }
}
