//! `recall_verify` and `recall_feedback`: whether memories still hold, and whether a hit was useful.

use std::fmt::Write as _;

use recall_api::v1::{
    AdoptedCheck, Anchor, Doubt, FeedbackKind, FeedbackRequest, FeedbackResponse, MovedFile, Scope, VerificationState,
    VerifiedMemory, VerifyMode, VerifyRequest, VerifyResponse,
};
use recall_text::quantity::count_noun;
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Code, Doing, ToolError};
use crate::json;
use crate::render::{ANSWER_CHARS, TAIL_CHARS, TITLE_CHARS, chars, inline};
use crate::tool::call::Call;

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    #[serde(default)]
    ids: Vec<String>,
    #[serde(default)]
    confirm: bool,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { ids, confirm, format } = arguments;
    let mode = if confirm { VerifyMode::Confirm } else { VerifyMode::Check };
    // Named memories may be in either store; without names, the project's memories are checked.
    let scope = if ids.is_empty() { Scope::Project } else { Scope::All };
    let request = VerifyRequest {
        context: Some(call.context.clone()),
        ids,
        scope: scope.into(),
        mode: mode.into(),
        with_changes: false,
    };
    let verify = call.daemon.call(Doing::Remembering, |client| {
        let request = request.clone();
        async move { client.verify(request).await }
    });
    let response = verify.await?;
    Ok(match format {
        Format::Text => Answer::Text(text(&response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

/// Formats the state of memories, the outdated ones first.
fn text(response: &VerifyResponse) -> String {
    let VerifyResponse { results, broken, adopted } = response;
    let state = if *broken == 0 { "all up to date".to_owned() } else { format!("{broken} out of date") };
    let memories = count_noun(results.len() as u64, "memory", "memories");
    let mut text = format!("{memories} checked, {state}.\n");
    let is_broken = |memory: &&VerifiedMemory| {
        memory.verification.as_ref().is_some_and(|verification| !verification.broken.is_empty())
    };
    let (first, rest): (Vec<_>, Vec<_>) = results.iter().partition(is_broken);
    let mut left = results.len();
    for memory in first.into_iter().chain(rest) {
        let line = line(memory);
        if chars(&text) + chars(&line) > ANSWER_CHARS - TAIL_CHARS {
            let _ = write!(text, "- and {left} more; name ids to see them");
            break;
        }
        text.push_str(&line);
        left -= 1;
    }
    if let Some(adopted) = adopted {
        push_doubts(&mut text, adopted);
    }
    text
}

/// Adds the doubts about the instructions and memories in files.
fn push_doubts(text: &mut String, adopted: &AdoptedCheck) {
    let AdoptedCheck { files, claims, doubts, too_early: _ } = adopted;
    if doubts.is_empty() {
        return;
    }
    let files = count_noun(*files, "file", "files");
    let _ = writeln!(text, "{} of {claims} names in {files} for agents are not there:", doubts.len());
    for (place, Doubt { path, line, name, reason, also_at, .. }) in doubts.iter().enumerate() {
        let others = inline(&also_at.join(", "), 400);
        let others = if others.is_empty() { others } else { format!(" (also at {others})") };
        let (path, name, reason) = (inline(path, 400), inline(name, 200), inline(reason, 200));
        let line = format!("- {path}:{line}{others} {name}: {reason}\n");
        if chars(text) + chars(&line) > ANSWER_CHARS - TAIL_CHARS {
            let _ = write!(text, "- and {} more", doubts.len() - place);
            break;
        }
        text.push_str(&line);
    }
}

fn line(memory: &VerifiedMemory) -> String {
    let VerifiedMemory { id, title, verification, changes: _ } = memory;
    let verification = verification.clone().unwrap_or_default();
    let mut line = format!("- {} · {} · {}", inline(id, 20), inline(title, TITLE_CHARS), state(verification.state()));
    for Anchor { path, symbol, .. } in verification.broken.iter().take(5) {
        let symbol = if symbol.is_empty() { String::new() } else { format!("{} in ", inline(symbol, 80)) };
        let _ = write!(line, "; {symbol}{}", inline(path, 400));
    }
    for MovedFile { from, to } in verification.moved.iter().take(5) {
        let _ = write!(line, "; {} moved to {}", inline(from, 400), inline(to, 400));
    }
    line.push('\n');
    line
}

fn state(state: VerificationState) -> &'static str {
    match state {
        VerificationState::Verified => "verified",
        VerificationState::Changed => "changed",
        VerificationState::Gone => "gone",
        VerificationState::Unanchored => "unanchored",
        VerificationState::Unspecified => "not checked",
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct FeedbackArguments {
    item_id: String,
    feedback: Option<Verdict>,
    useful: Option<bool>,
    context: Option<String>,
    duplicate_of: Option<String>,
    #[serde(default)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Useful,
    NotUseful,
    Outdated,
    Duplicate,
}

pub(super) async fn feedback(arguments: FeedbackArguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let kind = feedback_kind(&arguments)?;
    let FeedbackArguments { item_id, feedback: _, useful: _, context, duplicate_of, format } = arguments;
    let request = FeedbackRequest {
        context: Some(call.context.clone()),
        item_id: item_id.clone(),
        feedback: kind.into(),
        note: context.unwrap_or_default(),
        duplicate_of: duplicate_of.unwrap_or_default(),
    };
    let feedback = call.daemon.call(Doing::Remembering, |client| {
        let request = request.clone();
        async move { client.feedback(request).await }
    });
    let response = feedback.await?;
    Ok(match format {
        Format::Text => Answer::Text(feedback_text(&item_id, &response)),
        Format::Json => Answer::Json(json::plain(response)),
    })
}

/// Reads the verdict from either argument.
fn feedback_kind(arguments: &FeedbackArguments) -> Result<FeedbackKind, ToolError> {
    Ok(match (arguments.feedback, arguments.useful) {
        (Some(Verdict::Useful), None | Some(true)) | (None, Some(true)) => FeedbackKind::Useful,
        (Some(Verdict::NotUseful), None | Some(false)) | (None, Some(false)) => FeedbackKind::NotUseful,
        (Some(Verdict::Outdated), None) => FeedbackKind::Outdated,
        (Some(Verdict::Duplicate), None) => FeedbackKind::Duplicate,
        (None, None) => {
            let message =
                "`feedback` is missing: useful, not_useful, outdated or duplicate; or `useful`, true or false";
            return Err(ToolError::new(Code::InvalidArgument, message));
        }
        (Some(_), Some(_)) => {
            return Err(ToolError::new(Code::InvalidArgument, "`feedback` and `useful` contradict each other"));
        }
    })
}

/// Formats the feedback about an item.
fn feedback_text(item: &str, response: &FeedbackResponse) -> String {
    let stats = response.item_stats.unwrap_or_default();
    let flag = if stats.flagged { " It is flagged for review." } else { "" };
    format!("Noted. {}: {} useful, {} not useful.{flag}", inline(item, 80), stats.useful, stats.not_useful)
}

#[cfg(test)]
mod tests {
    use recall_api::v1::Verification;

    use super::*;

    #[test]
    fn outdated_memories_are_shown_first() {
        let one = |id: &str, state: VerificationState, broken: &[&str]| VerifiedMemory {
            id: id.to_owned(),
            title: "T".to_owned(),
            verification: Some(Verification {
                state: state.into(),
                broken: broken.iter().map(|path| Anchor { path: (*path).to_owned(), ..Anchor::default() }).collect(),
                ..Verification::default()
            }),
            changes: Vec::new(),
        };
        let holds = one("L-00000001", VerificationState::Verified, &[]);
        let results = vec![holds, one("L-00000002", VerificationState::Gone, &["src/a.rs"])];
        insta::assert_snapshot!(text(&VerifyResponse { results, broken: 1, adopted: None }), @r"
        2 memories checked, 1 out of date.
        - L-00000002 · T · gone; src/a.rs
        - L-00000001 · T · verified
        ");
    }

    #[test]
    fn a_verdict_comes_in_either_form() {
        let read = |arguments: serde_json::Value| {
            let arguments: FeedbackArguments = serde_json::from_value(arguments).expect("well-formed");
            feedback_kind(&arguments).map_err(|error| error.code)
        };
        let check = |arguments, expected| assert_eq!(read(arguments), expected);
        check(serde_json::json!({"item_id": "x", "feedback": "not_useful"}), Ok(FeedbackKind::NotUseful));
        check(serde_json::json!({"item_id": "x", "useful": true}), Ok(FeedbackKind::Useful));
        check(serde_json::json!({"item_id": "x", "feedback": "useful", "useful": true}), Ok(FeedbackKind::Useful));
        check(serde_json::json!({"item_id": "x"}), Err(Code::InvalidArgument));
        check(serde_json::json!({"item_id": "x", "feedback": "outdated", "useful": true}), Err(Code::InvalidArgument));
    }
}
