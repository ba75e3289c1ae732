//! `Why`: returns where lines of a file come from.

use std::ops::RangeInclusive;

use recall_api::convert::time;
use recall_api::v1::{self, WhyRequest, WhyResponse};
use recall_api::{Failure, InvalidRequest, Problem, Reason};
use recall_engine::{LineCommit, LineOrigin, LineSession, LineTie, LineTrace, Why, WhyRequest as Asked};
use recall_text::quantity::count_noun;
use tonic::Status;

use super::{Service, context, warning};

pub(super) async fn handle(service: &Service, request: WhyRequest) -> Result<WhyResponse, Status> {
    let WhyRequest { context, file, start_line, end_line } = request;
    if file.trim().is_empty() {
        return Err(InvalidRequest::new("file", Problem::Empty).into());
    }
    let lines = match (start_line, end_line) {
        (None, None) => None,
        (Some(0), _) => return Err(InvalidRequest::new("start_line", Problem::Zero).into()),
        (Some(first), last) => Some(first..=last.unwrap_or(first)),
        (None, Some(last)) => Some(1..=last),
    };
    if lines.as_ref().is_some_and(RangeInclusive::is_empty) {
        return Err(InvalidRequest::new("end_line", Problem::Contradiction { other: "start_line" }).into());
    }
    let session = context::session(context.as_ref());
    let origin = context::origin(context)?;
    let asked = Asked { file, lines };
    let why = service.call(move |daemon| daemon.engine.why(&origin, &asked)).await?;
    if why.ranges.is_empty() && why.first != 1 {
        return Err(absent(&why).into());
    }
    let mut response = to_proto(why);
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

/// Returns the failure that a file does not have a line.
fn absent(why: &Why) -> Failure {
    let all = count_noun(why.line_count.into(), "line", "lines");
    let message = format!("`{}` has no line {}: it has {all}", why.path, why.first);
    Failure::new(Reason::NotFound, message)
        .with_detail("path", &why.path)
        .with_hint("leave the lines out for the whole document")
}

fn to_proto(why: Why) -> WhyResponse {
    let Why { path, line_count: _, first: _, ranges, ties, more_ties, warnings } = why;
    WhyResponse {
        path,
        ranges: ranges.into_iter().map(range_to_proto).collect(),
        ties: ties.into_iter().map(tie_to_proto).collect(),
        more_ties,
        warnings: warning::to_proto(warnings),
    }
}

fn range_to_proto(range: LineOrigin) -> v1::LineOrigin {
    let LineOrigin { first, last, commit, moved_from, session, trace } = range;
    let (commit, commit_unknown) = apart(commit);
    let (session, session_unknown) = apart(session);
    v1::LineOrigin {
        start_line: first,
        end_line: last,
        commit: commit.map(|commit| commit_to_proto(commit, moved_from.unwrap_or_default())),
        commit_unknown,
        session: session.map(session_to_proto),
        session_unknown,
        trace: trace.map(trace_to_proto),
    }
}

fn apart<T>(known: Result<T, impl ToString>) -> (Option<T>, String) {
    match known {
        Ok(known) => (Some(known), String::new()),
        Err(reason) => (None, reason.to_string()),
    }
}

fn commit_to_proto(commit: LineCommit, moved_from: String) -> v1::LineCommit {
    let LineCommit { hash, author, authored, committed: _, subject, is_cut } = commit;
    v1::LineCommit { hash, author, authored_at: Some(time::to_proto(authored)), subject, moved_from, shallow: is_cut }
}

fn session_to_proto(session: LineSession) -> v1::LineSession {
    let LineSession { id, agent, title, prompt, evidence } = session;
    v1::LineSession {
        id,
        agent: agent.unwrap_or_default(),
        title: title.unwrap_or_default(),
        prompt: prompt.unwrap_or_default(),
        evidence,
    }
}

fn trace_to_proto(trace: LineTrace) -> v1::LineTrace {
    let LineTrace { contributor, model, url, tool, source } = trace;
    v1::LineTrace {
        contributor: contributor.as_str().to_owned(),
        model_id: model.unwrap_or_default(),
        url: url.unwrap_or_default(),
        tool: tool.unwrap_or_default(),
        source: source.to_owned(),
    }
}

fn tie_to_proto(tie: LineTie) -> v1::LineTie {
    let LineTie { id, title, document_type, how, state } = tie;
    v1::LineTie { id, title, r#type: document_type.as_str().to_owned(), how, state }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_after_the_end_is_named_with_what_can_be_asked() {
        let failure = absent(&Why { path: "src/a.rs".to_owned(), line_count: 3, first: 99, ..Why::default() });
        assert_eq!(failure.message, "`src/a.rs` has no line 99: it has 3 lines");
        assert!(failure.hint.is_some_and(|hint| hint.contains("leave the lines out")), "the path is right");
    }
}
