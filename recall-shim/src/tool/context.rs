//! `recall_context`

use recall_api::convert;
use recall_api::v1::{ContextRequest, ContextResponse, Scope};
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Code, Doing, ToolError};
use crate::json;
use crate::render::notes;
use crate::tool::call::Call;

/// The budget if a call names none.
const BUDGET_TOKENS: u32 = 2_000;

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    #[serde(default)]
    task: String,
    file_path: Option<String>,
    #[serde(default)]
    context_types: Vec<String>,
    budget_tokens: Option<u32>,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { task, file_path, context_types, budget_tokens, format } = arguments;
    if task.is_empty() && file_path.is_none() {
        let missing = ToolError::new(Code::InvalidArgument, "neither `task` nor `file_path` is given".to_owned());
        return Err(missing.with_hint("task: what you are about to do, in words, or a bug report".to_owned()));
    }
    let types = context_types.iter().filter_map(|name| convert::context_type(name));
    let request = ContextRequest {
        context: Some(call.context.clone()),
        task,
        file_paths: file_path.into_iter().collect(),
        context_types: types.map(i32::from).collect(),
        budget_tokens: Some(budget_tokens.unwrap_or(BUDGET_TOKENS)),
        scope: Scope::All.into(),
        ..ContextRequest::default()
    };
    let packed = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.context(request).await }
    });
    let response = packed.await?;
    Ok(match format {
        Format::Text => Answer::Text(text(&response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

/// Formats a window. The daemon has already fenced and quoted its content.
fn text(response: &ContextResponse) -> String {
    let ContextResponse { query: _, context, stats: _, warnings } = response;
    let mut text = notes(warnings, None);
    match context.as_ref().map(|packed| packed.text.trim_end()).filter(|packed| !packed.is_empty()) {
        Some(packed) => text.push_str(packed),
        None => text.push_str("Nothing here belongs to it. Try recall_search with other words."),
    }
    text
}

#[cfg(test)]
mod tests {
    use recall_api::v1::PackedContext;

    use super::*;

    #[test]
    fn a_window_is_passed_on_as_it_is() {
        let window = |text: &str| ContextResponse {
            context: Some(PackedContext { text: text.to_owned(), ..PackedContext::default() }),
            ..ContextResponse::default()
        };
        assert_eq!(text(&window("## Code\n- src/a.rs:1-2 fn a()\n")), "## Code\n- src/a.rs:1-2 fn a()");
        assert_eq!(text(&window("")), "Nothing here belongs to it. Try recall_search with other words.");
    }
}
