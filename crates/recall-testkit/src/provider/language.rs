//! Language models that judge passages, each by the words of the question that it has, and describe those of a document.

use serde_json::{Value, json};

use super::state::FAKE_MODEL;

/// A response: status and body.
pub(super) type Answer = (u16, String);

/// The beginning of the names of models that a client may know.
const VENDORS: [&str; 2] = ["claude-", "gpt-"];

/// Returns a refusal, as OpenAI writes it.
pub(super) fn refusal(status: u16, message: &str) -> Answer {
    (status, json!({ "error": { "message": message, "type": "invalid_request_error" } }).to_string())
}

/// Answers a request in Anthropic's format.
pub(super) fn messages(body: &Value) -> Answer {
    let refuse = |status, message: &str| {
        let error = json!({ "type": "invalid_request_error", "message": message });
        (status, json!({ "type": "error", "error": error }).to_string())
    };
    let known = ["model", "max_tokens", "system", "messages", "temperature", "stream", "metadata"];
    if let Err((status, message)) = check(body, &known) {
        return refuse(status, &message);
    }
    if !body["max_tokens"].is_u64() {
        return refuse(400, "max_tokens: Field required");
    }
    let text = reply(&body["messages"][0]);
    let answer = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": body["model"],
        "content": [{ "type": "text", "text": text }],
        "stop_reason": "end_turn", "stop_sequence": null, "usage": { "input_tokens": 100, "output_tokens": 20 },
    });
    (200, answer.to_string())
}

/// Answers a request in OpenAI's format.
pub(super) fn completions(body: &Value) -> Answer {
    let known = ["model", "max_tokens", "max_completion_tokens", "messages", "temperature", "stream"];
    if let Err((status, message)) = check(body, &known) {
        return refusal(status, &message);
    }
    let last = body["messages"].as_array().and_then(|messages| messages.last()).cloned().unwrap_or_default();
    let answer = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body["model"],
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": reply(&last) }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 },
    });
    (200, answer.to_string())
}

fn check(body: &Value, known: &[&str]) -> Result<(), (u16, String)> {
    if !body.as_object().is_some_and(|body| body.keys().all(|key| known.contains(&key.as_str()))) {
        return Err((400, "Extra inputs are not permitted".to_owned()));
    }
    let model = body["model"].as_str().unwrap_or_default();
    if model != FAKE_MODEL && !VENDORS.iter().any(|name| model.starts_with(name)) {
        return Err((404, format!("model: {model}")));
    }
    Ok(())
}

/// Scores the passages of a request, or describes those of a document; greets without any.
fn reply(message: &Value) -> String {
    let text = message["content"].as_str().unwrap_or_default();
    if let Some(document) = text.strip_prefix("\nDocument\n") {
        return describe(document);
    }
    let Some((question, passages)) = text.split_once("\nPassage ") else { return "Hello.".to_owned() };
    let wanted: Vec<String> = words(question).filter(|word| word.len() > 3).collect();
    let scores = passages.split("\nPassage ").enumerate().map(|(place, passage)| {
        let has: Vec<String> = words(passage).collect();
        let points = wanted.iter().filter(|word| has.contains(word)).count().min(10);
        json!({ "passage": place + 1, "score": points })
    });
    json!({ "scores": scores.collect::<Vec<_>>() }).to_string()
}

/// Describes each passage by the first line of the document that has words: its path or its title.
fn describe(document: &str) -> String {
    let (document, passages) = document.split_once("\nPassage ").unwrap_or((document, ""));
    let title = document.lines().skip(1).find(|line| words(line).next().is_some()).unwrap_or_default();
    let about = format!("This is about {}.", title.trim_start_matches(['#', ' ']));
    let described =
        (1..=passages.split("\nPassage ").count()).map(|passage| json!({ "passage": passage, "about": about }));
    json!({ "passages": described.collect::<Vec<_>>() }).to_string()
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
