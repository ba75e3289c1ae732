//! The answer of a tool and its forms.

use recall_api::v1::{Severity, Warning};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Deserialize;
use serde_json::Value;

use crate::error::ToolError;
use crate::render;

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

impl Answer {
    /// Adds notes on the arguments of the call: as lines above the text, or to the warnings.
    pub(crate) fn with_notes(self, notes: &[String]) -> Self {
        if notes.is_empty() {
            return self;
        }
        let warning = |note: &String| Warning {
            code: "UNKNOWN_ARGUMENT".to_owned(),
            message: note.clone(),
            severity: Severity::Notice.into(),
            ..Warning::default()
        };
        let warnings: Vec<Warning> = notes.iter().map(warning).collect();
        match self {
            Self::Text(text) => Self::Text(render::notes(&warnings, None) + &text),
            Self::Json(mut answer) => {
                let written = |warning| serde_json::to_value(warning).expect("the keys are strings");
                let more = warnings.iter().map(written);
                if let Some(Value::Array(warnings)) = answer.get_mut("warnings") {
                    warnings.extend(more);
                } else if let Value::Object(answer) = &mut answer {
                    answer.insert("warnings".to_owned(), more.collect());
                }
                Self::Json(answer)
            }
        }
    }
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
    fn notes_are_lines_above_a_text_and_warnings_in_json() {
        let notes = ["there is no argument `x`".to_owned()];
        let text = Answer::Text("t".to_owned());
        assert_eq!(text.clone().with_notes(&[]), text);
        assert_eq!(text.with_notes(&notes), Answer::Text("note: there is no argument `x`\n\nt".to_owned()));
        for answer in [json!({"a": 1}), json!({"a": 1, "warnings": []})] {
            let Answer::Json(answer) = Answer::Json(answer).with_notes(&notes) else { panic!("still JSON") };
            assert_eq!(answer["a"], 1);
            assert_eq!(answer["warnings"][0]["code"], "UNKNOWN_ARGUMENT", "{answer}");
        }
    }

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
