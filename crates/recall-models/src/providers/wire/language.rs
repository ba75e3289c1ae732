//! Requests to language models: Anthropic's messages, and OpenAI's chat completions.

use serde::{Deserialize, Serialize};

use super::parse;
use crate::providers::error::BadAnswer;
use crate::providers::provider::Wire;

/// A request to a language model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prompt<'a> {
    pub(crate) model: &'a str,
    /// What the model is to do.
    pub(crate) instruction: &'a str,
    /// What it is to do it with.
    pub(crate) text: &'a str,
    /// The most tokens of the reply.
    pub(crate) most_tokens: u32,
}

/// The reply of a language model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) text: String,
    /// The tokens of request and reply, if the server said.
    pub(crate) tokens: Option<u64>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct AnthropicBody<'a> {
    model: &'a str,
    max_tokens: u32,
    system: &'a str,
    messages: [Message<'a>; 1],
}

#[derive(Serialize)]
struct OpenAiChatBody<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    messages: [Message<'a>; 2],
}

/// Writes the body of a request. `is_vendor` tells whether OpenAI itself is asked, whose newer models refuse the old name of a field
/// that other servers know.
pub(crate) fn prompt_body(wire: Wire, prompt: Prompt<'_>, is_vendor: bool) -> Vec<u8> {
    let Prompt { model, instruction, text, most_tokens } = prompt;
    let user = Message { role: "user", content: text };
    let written = if wire == Wire::Anthropic {
        let messages = [user];
        serde_json::to_vec(&AnthropicBody { model, max_tokens: most_tokens, system: instruction, messages })
    } else {
        let messages = [Message { role: "system", content: instruction }, user];
        let (max_completion_tokens, max_tokens) =
            if is_vendor { (Some(most_tokens), None) } else { (None, Some(most_tokens)) };
        serde_json::to_vec(&OpenAiChatBody { model, max_completion_tokens, max_tokens, messages })
    };
    written.expect("strings and numbers can be written")
}

#[derive(Deserialize)]
struct AnthropicAnswer {
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<AnthropicUsage>,
}

#[derive(Deserialize)]
struct Block {
    text: Option<String>,
}

#[derive(Deserialize)]
struct AnthropicUsage {
    input_tokens: u64,
    output_tokens: u64,
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    choices: Vec<Choice>,
    usage: Option<OpenAiUsage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Content,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    content: Option<String>,
}

#[derive(Deserialize)]
struct OpenAiUsage {
    total_tokens: Option<u64>,
}

/// Reads a response. A reply that was cut off is none.
pub(crate) fn read_reply(wire: Wire, text: &str) -> Result<Reply, BadAnswer> {
    let (text, tokens) = if wire == Wire::Anthropic {
        let AnthropicAnswer { content, stop_reason, usage } = parse(text)?;
        if stop_reason.as_deref() == Some("max_tokens") {
            return Err(BadAnswer::NoReply);
        }
        let text: String = content.into_iter().filter_map(|block| block.text).collect();
        (text, usage.map(|usage| usage.input_tokens + usage.output_tokens))
    } else {
        let OpenAiAnswer { choices, usage } = parse(text)?;
        let first = choices.into_iter().next().ok_or(BadAnswer::NoReply)?;
        if first.finish_reason.as_deref() == Some("length") {
            return Err(BadAnswer::NoReply);
        }
        (first.message.content.unwrap_or_default(), usage.and_then(|usage| usage.total_tokens))
    };
    if text.trim().is_empty() { Err(BadAnswer::NoReply) } else { Ok(Reply { text, tokens }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_the_fields_of_its_vendor() {
        let check = |wire, is_vendor, expected: &str| {
            let prompt = Prompt { model: "m", instruction: "judge", text: "t", most_tokens: 9 };
            assert_eq!(String::from_utf8(prompt_body(wire, prompt, is_vendor)).expect("JSON"), expected);
        };
        let messages = r#""messages":[{"role":"system","content":"judge"},{"role":"user","content":"t"}]"#;
        check(Wire::OpenAi, true, &format!(r#"{{"model":"m","max_completion_tokens":9,{messages}}}"#));
        check(Wire::Ollama, false, &format!(r#"{{"model":"m","max_tokens":9,{messages}}}"#));
        let messages = r#"[{"role":"user","content":"t"}]"#;
        check(
            Wire::Anthropic,
            true,
            &format!(r#"{{"model":"m","max_tokens":9,"system":"judge","messages":{messages}}}"#),
        );
    }

    #[test]
    fn a_reply_that_was_cut_off_is_refused() {
        let whole = r#"{"content":[{"type":"text","text":"yes"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":1}}"#;
        let reply = read_reply(Wire::Anthropic, whole).expect("whole");
        assert_eq!(reply, Reply { text: "yes".to_owned(), tokens: Some(4) });
        let cut = whole.replace("end_turn", "max_tokens");
        assert_eq!(read_reply(Wire::Anthropic, &cut), Err(BadAnswer::NoReply));
        let whole = r#"{"choices":[{"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],"usage":{"total_tokens":4}}"#;
        assert_eq!(read_reply(Wire::OpenAi, whole).expect("whole").tokens, Some(4));
        assert_eq!(read_reply(Wire::OpenAi, &whole.replace("stop", "length")), Err(BadAnswer::NoReply));
        assert_eq!(read_reply(Wire::OpenAi, &whole.replace("yes", " ")), Err(BadAnswer::NoReply));
        assert_eq!(read_reply(Wire::OpenAi, r#"{"choices":[]}"#), Err(BadAnswer::NoReply));
    }
}
