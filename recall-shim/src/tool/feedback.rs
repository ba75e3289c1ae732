//! `recall_feedback`

use recall_api::v1::{FeedbackKind, FeedbackRequest, FeedbackResponse};
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Code, Doing, ToolError};
use crate::json;
use crate::render::inline;
use crate::tool::call::Call;

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
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

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let kind = kind(&arguments)?;
    let Arguments { item_id, feedback: _, useful: _, context, duplicate_of, format } = arguments;
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
        Format::Text => Answer::Text(text(&item_id, &response)),
        Format::Json => Answer::Json(json::plain(response)),
    })
}

/// Reads the verdict from either argument.
fn kind(arguments: &Arguments) -> Result<FeedbackKind, ToolError> {
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
fn text(item: &str, response: &FeedbackResponse) -> String {
    let stats = response.item_stats.unwrap_or_default();
    let flag = if stats.flagged { " It is flagged for review." } else { "" };
    format!("Noted. {}: {} useful, {} not useful.{flag}", inline(item, 80), stats.useful, stats.not_useful)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_comes_in_either_form() {
        let read = |arguments: serde_json::Value| {
            let arguments: Arguments = serde_json::from_value(arguments).expect("well-formed");
            kind(&arguments).map_err(|error| error.code)
        };
        let check = |arguments, expected| assert_eq!(read(arguments), expected);
        check(serde_json::json!({"item_id": "x", "feedback": "not_useful"}), Ok(FeedbackKind::NotUseful));
        check(serde_json::json!({"item_id": "x", "useful": true}), Ok(FeedbackKind::Useful));
        check(serde_json::json!({"item_id": "x", "feedback": "useful", "useful": true}), Ok(FeedbackKind::Useful));
        check(serde_json::json!({"item_id": "x"}), Err(Code::InvalidArgument));
        check(serde_json::json!({"item_id": "x", "feedback": "outdated", "useful": true}), Err(Code::InvalidArgument));
    }
}
