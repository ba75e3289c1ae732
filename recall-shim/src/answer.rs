//! The answer of a tool and its forms.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Deserialize;
use serde_json::Value;

use crate::error::ToolError;

/// The requested form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    /// Text for a model.
    #[default]
    Text,
    /// The schema of `recall --json`.
    Json,
}

/// The answer of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answer {
    /// Text for a model. Never sent with structured content, because clients then drop the text.
    Text(String),
    /// Structured content; its text is the same JSON, for clients that know no structured content.
    Json(Value),
}

/// Converts an answer to a result of the protocol, in which failures are results too.
pub(crate) fn to_result(answer: Result<Answer, ToolError>) -> CallToolResult {
    match answer {
        Ok(Answer::Text(text)) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Ok(Answer::Json(value)) => CallToolResult::structured(value),
        Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::Code;

    #[test]
    fn text_comes_without_structured_content_and_errors_as_text() {
        let text = to_result(Ok(Answer::Text("t".to_owned())));
        assert_eq!((text.structured_content, text.is_error), (None, Some(false)));
        let json = to_result(Ok(Answer::Json(json!({"ok": true}))));
        assert_eq!(json.structured_content, Some(json!({"ok": true})));
        let error = to_result(Err(ToolError::new(Code::NotFound, "gone")));
        assert_eq!(error.is_error, Some(true));
        assert_eq!(error.content[0].as_text().map(|text| text.text.as_str()), Some("NOT_FOUND: gone"));
    }
}
