//! The vendors' formats of requests and responses.
//!
//! Pure functions between recall's types and bytes: who is asked, how often and with which key is decided in `link`. Every
//! request forbids the server to cut long texts where its format can say so, since a cut text would be embedded as if it were the
//! whole one.

mod language;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::providers::error::BadAnswer;
use crate::providers::provider::Wire;

pub(crate) use language::{Prompt, Reply, prompt_body, read_reply};

/// The role of the texts of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Query,
    Document,
}

/// A request for embeddings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EmbedRequest<'a> {
    pub(crate) model: &'a str,
    pub(crate) input: Input,
    pub(crate) texts: &'a [&'a str],
    /// The dimensions to ask for; `None` for the model's own.
    pub(crate) dimensions: Option<usize>,
}

/// Embeddings in the order of their texts. Nothing but their number is checked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Embedded {
    pub(crate) vectors: Vec<Vec<f32>>,
    /// The tokens that the server counted, if it said.
    pub(crate) tokens: Option<u64>,
}

#[derive(Serialize)]
struct OllamaBody<'a> {
    model: &'a str,
    input: &'a [&'a str],
    /// Its default is to cut long texts silently.
    truncate: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Serialize)]
struct OpenAiBody<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Serialize)]
struct VoyageBody<'a> {
    model: &'a str,
    input: &'a [&'a str],
    input_type: &'static str,
    truncation: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_dimension: Option<usize>,
}

/// Writes the body of a request.
pub(crate) fn body(wire: Wire, request: EmbedRequest<'_>) -> Vec<u8> {
    let EmbedRequest { model, input, texts, dimensions } = request;
    let written = match wire {
        Wire::Ollama => serde_json::to_vec(&OllamaBody { model, input: texts, truncate: false, dimensions }),
        Wire::OpenAi | Wire::Anthropic => {
            serde_json::to_vec(&OpenAiBody { model, input: texts, encoding_format: "float", dimensions })
        }
        Wire::Voyage => serde_json::to_vec(&VoyageBody {
            model,
            input: texts,
            input_type: match input {
                Input::Query => "query",
                Input::Document => "document",
            },
            truncation: false,
            output_dimension: dimensions,
        }),
    };
    written.expect("strings and numbers can be written")
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
    prompt_eval_count: Option<u64>,
}

#[derive(Deserialize)]
struct IndexedAnswer {
    data: Vec<Indexed>,
    usage: Option<TokenUse>,
}

#[derive(Deserialize)]
struct Indexed {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct TokenUse {
    total_tokens: Option<u64>,
}

/// Reads the response to a request with `count` texts.
pub(crate) fn read(wire: Wire, text: &str, count: usize) -> Result<Embedded, BadAnswer> {
    match wire {
        Wire::Ollama => {
            let OllamaAnswer { embeddings, prompt_eval_count } = parse(text)?;
            check_count(count, embeddings.len())?;
            Ok(Embedded { vectors: embeddings, tokens: prompt_eval_count })
        }
        Wire::OpenAi | Wire::Voyage | Wire::Anthropic => {
            let IndexedAnswer { data, usage } = parse(text)?;
            Ok(Embedded { vectors: by_index(data, count)?, tokens: usage.and_then(|usage| usage.total_tokens) })
        }
    }
}

/// Orders vectors by their indexes, which must be 0 to `count` - 1.
fn by_index(data: Vec<Indexed>, count: usize) -> Result<Vec<Vec<f32>>, BadAnswer> {
    check_count(count, data.len())?;
    let mut vectors = vec![None; count];
    for Indexed { index, embedding } in data {
        match vectors.get_mut(index) {
            Some(place @ None) => *place = Some(embedding),
            _ => return Err(BadAnswer::WrongIndex { index }),
        }
    }
    let missing = |index| BadAnswer::WrongIndex { index };
    vectors.into_iter().enumerate().map(|(index, vector)| vector.ok_or_else(|| missing(index))).collect()
}

fn check_count(expected: usize, found: usize) -> Result<(), BadAnswer> {
    if expected == found { Ok(()) } else { Err(BadAnswer::WrongCount { expected, found }) }
}

/// Parses JSON. The error says where it is wrong, and not what is there, which may be anything.
pub(crate) fn parse<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, BadAnswer> {
    serde_json::from_str(text).map_err(|error| {
        let kind = match error.classify() {
            serde_json::error::Category::Eof => "it ends early",
            serde_json::error::Category::Syntax => "it is malformed",
            serde_json::error::Category::Data => "a field is missing or has another type",
            serde_json::error::Category::Io => "it cannot be read",
        };
        BadAnswer::Malformed { reason: format!("{kind}, at line {} column {}", error.line(), error.column()) }
    })
}

/// The most characters of a server's message that are shown.
const MOST_CHARS: usize = 300;

/// Returns the message in the body of a failure, on one line; empty if there is none.
///
/// Vendors write `{"error": {"message": …}}`, `{"error": …}`, `{"detail": …}` or `{"message": …}`. A body that is not JSON is a page
/// for a browser, and not shown.
pub(crate) fn message(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else { return String::new() };
    let places = ["/error/message", "/error", "/detail", "/message"];
    let found = places.iter().find_map(|place| value.pointer(place)?.as_str());
    let line: String = found.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(MOST_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_fields_of_its_vendor() {
        let check = |wire, input, dimensions, expected: &str| {
            let request = EmbedRequest { model: "m", input, texts: &["a", "b"], dimensions };
            assert_eq!(String::from_utf8(body(wire, request)).expect("JSON"), expected);
        };
        check(Wire::Ollama, Input::Document, None, r#"{"model":"m","input":["a","b"],"truncate":false}"#);
        check(
            Wire::OpenAi,
            Input::Query,
            Some(256),
            r#"{"model":"m","input":["a","b"],"encoding_format":"float","dimensions":256}"#,
        );
        check(
            Wire::Voyage,
            Input::Query,
            None,
            r#"{"model":"m","input":["a","b"],"input_type":"query","truncation":false}"#,
        );
        check(
            Wire::Voyage,
            Input::Document,
            Some(512),
            r#"{"model":"m","input":["a","b"],"input_type":"document","truncation":false,"output_dimension":512}"#,
        );
    }

    #[test]
    fn vectors_are_ordered_by_their_indexes() {
        let text =
            r#"{"data":[{"index":1,"embedding":[2.0]},{"index":0,"embedding":[1.0]}],"usage":{"total_tokens":7}}"#;
        let read = read(Wire::OpenAi, text, 2).expect("complete");
        assert_eq!(read, Embedded { vectors: vec![vec![1.0], vec![2.0]], tokens: Some(7) });
    }

    #[test]
    fn an_answer_without_one_vector_for_each_text_is_refused() {
        let check = |wire, text: &str, expected: fn(&BadAnswer) -> bool| {
            let error = read(wire, text, 2).expect_err(text);
            assert!(expected(&error), "{text}: {error:?}");
        };
        check(Wire::Ollama, r#"{"embeddings":[[1.0]]}"#, |e| {
            matches!(e, BadAnswer::WrongCount { expected: 2, found: 1 })
        });
        check(Wire::OpenAi, r#"{"data":[]}"#, |e| matches!(e, BadAnswer::WrongCount { found: 0, .. }));
        let twice = r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#;
        check(Wire::OpenAi, twice, |e| matches!(e, BadAnswer::WrongIndex { index: 0 }));
        let beyond = r#"{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}"#;
        check(Wire::Voyage, beyond, |e| matches!(e, BadAnswer::WrongIndex { index: 2 }));
        for text in [
            r#"{"embeddings":[[1.0],[NaN]]}"#,
            r#"{"embeddings":[[1.0],[null]]}"#,
            r#"{"embeddings":[[1.0"#,
            "",
            "<html>",
        ] {
            check(Wire::Ollama, text, |e| matches!(e, BadAnswer::Malformed { .. }));
        }
    }

    #[test]
    fn the_message_is_found_where_each_vendor_writes_it() {
        let check = |body: &str, expected: &str| assert_eq!(message(body), expected, "{body}");
        check(r#"{"error":{"message":"too\nlong","type":"x"}}"#, "too long");
        check(r#"{"error":"model not found"}"#, "model not found");
        check(r#"{"detail":"batch too large"}"#, "batch too large");
        check(r#"{"message":"no"}"#, "no");
        check("<html>teapot</html>", "");
        assert_eq!(message(&format!(r#"{{"error":"{}"}}"#, "x".repeat(1000))).len(), MOST_CHARS);
    }
}
