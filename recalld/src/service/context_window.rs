//! `Context`: packs what belongs to a task into one window; `Remind`: what an agent should know about a prompt, a file, a
//! command, a search or a failed command.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use recall_api::convert::{document, filters, limits, remember, scope};
use recall_api::v1::{
    self, ContextRequest, ContextResponse, ContextType, FailedCommand, PackedContext, PackedSpan, RemindRequest,
    RemindResponse, SearchResponse, remind_request,
};
use recall_api::{InvalidRequest, Problem};
use recall_core::{Limits, Provenance, Scope, SearchRequest};
use recall_engine::{
    ContextRequest as Asked, ContextSection, ContextSpan, ContextWindow, Coverage, ItemUse, Occasion, Origin,
    RemindRequest as Request, Reminder, ReminderSubject, Reminders, SearchError, WorkTreeChanges,
};
use recall_text::condense;
use tonic::Status;

use super::{CallLength, Service, context, ids, search, warning};
use crate::daemon::Daemon;

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
    let context = move |daemon: &Daemon| daemon.engine.context(&origin, &asked);
    let window = service.call_indexed(CallLength::Long, |window: &ContextWindow| &window.warnings, context).await?;
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
        chunk: Some(document::chunk_to_proto(&part, found.id, &text)),
        citation,
        score,
        tokens,
        truncated: is_cut,
    }
}

pub(super) async fn remind(service: &Service, request: RemindRequest) -> Result<RemindResponse, Status> {
    let RemindRequest {
        context,
        occasion,
        budget_tokens,
        place_confidence,
        memory_confidence,
        shown,
        others_within_s,
        replacements,
    } = request;
    let asked = Request {
        occasion: occasion_from_proto(occasion, &service.daemon.settings.limits)?,
        budget_tokens: limits::reminder_tokens(budget_tokens)?,
        place_confidence: confidence("place_confidence", place_confidence)?,
        memory_confidence: confidence("memory_confidence", memory_confidence)?,
        shown: shown.into_iter().collect(),
        session: context.as_ref().map(|context| context.session_id.clone()).filter(|id| !id.is_empty()),
        others_within: Duration::from_secs(others_within_s.into()),
        replacements: recall_api::convert::session::replacements(replacements)?,
        scope: service.daemon.settings.search.scope,
    };
    let session = context::session(context.as_ref());
    let provenance = remember::provenance(&context.clone().unwrap_or_default());
    let origin = context::origin(context)?;
    let found = service.call_short(move |daemon| answer_occasion(daemon, &origin, &provenance, &asked)).await?;
    let Reminders { heading, reminders, footing, warnings } = found;
    let mut response = RemindResponse {
        heading,
        reminders: reminders.into_iter().map(reminder_to_proto).collect(),
        footing: footing.to_owned(),
        warnings: warning::to_proto(warnings),
    };
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

/// Answers an occasion, and notes that the session reads or edits the file.
fn answer_occasion(
    daemon: &Daemon,
    origin: &Origin,
    provenance: &Provenance,
    asked: &Request,
) -> Result<Reminders, SearchError> {
    if let Occasion::File(file) = &asked.occasion {
        daemon.engine.note_use(origin, provenance, ItemUse::Files(std::slice::from_ref(file)));
    }
    daemon.engine.remind(origin, asked)
}

fn occasion_from_proto(asked: Option<remind_request::Occasion>, bounds: &Limits) -> Result<Occasion, InvalidRequest> {
    match asked {
        None => Err(InvalidRequest::new("occasion", Problem::Empty)),
        Some(remind_request::Occasion::Prompt(prompt)) => Ok(Occasion::Prompt(prompt)),
        Some(remind_request::Occasion::File(file) | remind_request::Occasion::Edit(file)) if file.trim().is_empty() => {
            Err(InvalidRequest::new("file", Problem::Empty))
        }
        Some(remind_request::Occasion::Edit(file)) => Ok(Occasion::Edit(file)),
        Some(remind_request::Occasion::File(file)) => Ok(Occasion::File(file)),
        Some(remind_request::Occasion::Command(command)) => Ok(Occasion::Command(command)),
        Some(remind_request::Occasion::Search(pattern)) => Ok(Occasion::Search(pattern)),
        Some(remind_request::Occasion::Failure(FailedCommand { command, output })) => {
            limits::query_text("failure.output", &output, bounds)?;
            Ok(Occasion::Failure { command, output })
        }
    }
}

fn confidence(field: &'static str, value: f64) -> Result<f64, InvalidRequest> {
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    let expected = "a number from 0 to 1";
    Err(InvalidRequest::new(field, Problem::Malformed { value: value.to_string(), expected }))
}

fn reminder_to_proto(reminder: Reminder) -> v1::Reminder {
    let Reminder { key, subject, reason, text } = reminder;
    let reminder = v1::Reminder { key, text, reason, ..v1::Reminder::default() };
    match subject {
        ReminderSubject::Memory(id) => v1::Reminder { memory_id: id.to_string(), ..reminder },
        ReminderSubject::Place(path) => v1::Reminder { path, ..reminder },
        ReminderSubject::Session(session_id) => v1::Reminder { session_id, ..reminder },
    }
}
