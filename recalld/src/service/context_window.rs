//! `Context`: packs what belongs to a task into one window.

use std::collections::HashMap;
use std::time::Instant;

use recall_api::convert::{chunk, document, filters, limits, scope};
use recall_api::v1::{ContextRequest, ContextResponse, ContextType, PackedContext, PackedSpan, SearchResponse};
use recall_api::{InvalidRequest, Problem};
use recall_core::{Scope, SearchRequest};
use recall_engine::{ContextRequest as Asked, ContextSection, ContextSpan, ContextWindow, Coverage, WorkTreeChanges};
use recall_text::condense;
use tonic::Status;

use super::{Service, context, ids, search, warning};

/// The name of the only tokenizer.
const TOKENIZER: &str = "estimate";

pub(super) async fn handle(service: &Service, request: ContextRequest) -> Result<ContextResponse, Status> {
    let began = Instant::now();
    let ContextRequest {
        context: from,
        task,
        file_paths,
        context_types,
        budget_tokens,
        tokenizer,
        diversity,
        scope: wanted,
        filters: conditions,
        work_tree_changes,
    } = request;
    let bounds = &service.daemon.settings.limits;
    if !task.trim().is_empty() {
        limits::query_text("task", &task, bounds)?;
    }
    let condensed = (task.len() > bounds.searched_bytes).then(|| condense(&task, bounds.searched_bytes));
    let task = condensed.as_ref().map_or(task, |condensed| condensed.text.clone());
    if !tokenizer.is_empty() && tokenizer != TOKENIZER {
        return Err(InvalidRequest::new("tokenizer", Problem::Unknown { value: tokenizer, known: TOKENIZER }).into());
    }
    if file_paths.iter().any(|path| path.trim().is_empty()) {
        return Err(InvalidRequest::new("file_paths", Problem::Empty).into());
    }
    let sections: Result<Vec<_>, _> = context_types.into_iter().map(section).collect();
    let asked = Asked {
        task,
        files: file_paths,
        changes: if work_tree_changes { WorkTreeChanges::Include } else { WorkTreeChanges::Ignore },
        sections: sections?,
        budget_tokens: limits::context_tokens(budget_tokens)?,
        diversity: limits::context_parts(diversity)?,
        scope: scope::from_proto(wanted, Scope::All)?,
        filters: filters::from_proto(conditions)?,
    };
    let budget = asked.budget_tokens;
    let session = context::session(from.as_ref());
    let origin = service.origin(from).await?;
    let window = service.call(move |daemon| daemon.engine.context(&origin, &asked)).await?;
    let ContextWindow { text, used_tokens, spans, query, search: found, coverage, warnings } = window;
    let chunks = spans.into_iter().map(|span| span_to_proto(span, &coverage)).collect();
    let (query, stats) = match found {
        None => (None, None),
        Some(answer) => {
            let request = SearchRequest::new(query, answer.scope, 0);
            let SearchResponse { query, stats, .. } =
                search::to_proto(&request, None, answer, &HashMap::new(), began.elapsed());
            (query, stats)
        }
    };
    let mut response = ContextResponse {
        query,
        context: Some(PackedContext {
            text,
            budget_tokens: budget,
            used_tokens,
            chunks,
            tokenizer: TOKENIZER.to_owned(),
        }),
        stats,
        warnings: warning::to_proto(warnings),
    };
    response.warnings.extend(condensed.as_ref().map(warning::condensed_warning));
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

fn section(kind: i32) -> Result<ContextSection, InvalidRequest> {
    match ContextType::try_from(kind) {
        Ok(ContextType::RelatedCode) => Ok(ContextSection::Code),
        Ok(ContextType::Documentation) => Ok(ContextSection::Documentation),
        Ok(ContextType::Adrs) => Ok(ContextSection::Adrs),
        Ok(ContextType::Decisions) => Ok(ContextSection::Decisions),
        Ok(ContextType::RecentChanges) => Ok(ContextSection::Changes),
        Ok(ContextType::Ownership) => Ok(ContextSection::Owners),
        Ok(ContextType::Signatures) => Ok(ContextSection::Signatures),
        Ok(ContextType::Tests) => Ok(ContextSection::Tests),
        Ok(ContextType::Unspecified) | Err(_) => {
            let known = "the values of ContextType";
            Err(InvalidRequest::new("context_types", Problem::Unknown { value: kind.to_string(), known }))
        }
    }
}

fn section_to_proto(section: ContextSection) -> ContextType {
    match section {
        ContextSection::Code => ContextType::RelatedCode,
        ContextSection::Documentation => ContextType::Documentation,
        ContextSection::Adrs => ContextType::Adrs,
        ContextSection::Decisions => ContextType::Decisions,
        ContextSection::Signatures => ContextType::Signatures,
        ContextSection::Tests => ContextType::Tests,
        ContextSection::Changes => ContextType::RecentChanges,
        ContextSection::Owners => ContextType::Ownership,
    }
}

fn span_to_proto(span: ContextSpan, coverage: &[Coverage]) -> PackedSpan {
    let ContextSpan {
        section,
        scope,
        store: place,
        document: found,
        chunk: part,
        text,
        citation,
        score,
        tokens,
        is_cut,
    } = span;
    PackedSpan {
        context_type: section_to_proto(section).into(),
        doc: Some(document::to_proto(&found, scope, &ids::store_id_at(place, coverage))),
        chunk: Some(chunk::to_proto(&part, found.id, &text)),
        citation,
        score,
        tokens,
        truncated: is_cut,
    }
}
