//! The vendors' formats, vectors that are computed from the words of a text, and language models that judge passages,
//! each by the words of the question that it has, describe those of a document, and compare notes.

use std::hash::{DefaultHasher, Hash, Hasher};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::rules::{FAKE_MODEL, FakeRules, Mutation};

/// The fields that a vendor knows of a request for embeddings.
const OLLAMA: &[&str] = &["model", "input", "truncate", "dimensions", "options", "keep_alive"];
const OPENAI: &[&str] = &["model", "input", "encoding_format", "dimensions", "user"];
const VOYAGE: &[&str] =
    &["model", "input", "input_type", "truncation", "output_dimension", "output_dtype", "encoding_format"];

/// Answers a request by its path.
pub(super) fn answer(path: &str, body: &Value, rules: &FakeRules, mutation: Option<Mutation>) -> Answer {
    match path {
        "/api/embed" => embeddings(body, rules, OLLAMA, "dimensions", mutation),
        // Voyage and OpenAI have the same path; only Voyage has these fields.
        "/v1/embeddings" if VOYAGE[2..6].iter().any(|field| body.get(field).is_some()) => {
            embeddings(body, rules, VOYAGE, "output_dimension", mutation)
        }
        "/v1/embeddings" => embeddings(body, rules, OPENAI, "dimensions", mutation),
        "/v1/messages" => messages(body),
        "/v1/chat/completions" => completions(body),
        _ => refusal(404, "no such path"),
    }
}

fn embeddings(body: &Value, rules: &FakeRules, fields: &[&str], sized: &str, mutation: Option<Mutation>) -> Answer {
    // Each vendor writes a refusal in its own way.
    let refuse = |status, message: &str| match fields {
        OLLAMA => (status, json!({ "error": message }).to_string()),
        VOYAGE => (status, json!({ "detail": message }).to_string()),
        _ => refusal(status, message),
    };
    let known = body.as_object().is_some_and(|body| body.keys().all(|key| fields.contains(&key.as_str())));
    if !known {
        return refuse(400, "unknown field");
    }
    let model = body["model"].as_str().unwrap_or_default();
    // Known names of the vendors, so that a client applies what it knows about them.
    let vendors = ["nomic-embed-text", "text-embedding-3-", "voyage-code-3"];
    if model != FAKE_MODEL && !vendors.iter().any(|name| model.starts_with(name)) {
        return refuse(404, &format!("model \"{model}\" not found"));
    }
    let texts: Vec<&str> = match &body["input"] {
        Value::String(text) => vec![text],
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if texts.is_empty() || texts.iter().any(|text| text.is_empty()) {
        return refuse(400, "input must not be empty");
    }
    if texts.len() > rules.most_texts {
        return refuse(413, "too many texts");
    }
    if texts.iter().any(|text| text.len() > rules.longest_text) {
        return refuse(400, "the input length exceeds the context length");
    }
    let dimensions = body[sized].as_u64().map_or(rules.dimensions, |number| number as usize);
    let mut vectors: Vec<Vec<f32>> = texts.iter().map(|text| fake_vector(text, dimensions)).collect();
    let tokens: usize = texts.iter().map(|text| text.split_whitespace().count()).sum();
    change_vectors(&mut vectors, mutation);
    let is_base64 = body["encoding_format"] == "base64";
    let shown = |vector: &Vec<f32>| {
        if is_base64 {
            let bytes: Vec<u8> = vector.iter().flat_map(|component| component.to_le_bytes()).collect();
            json!(STANDARD.encode(bytes))
        } else {
            json!(vector)
        }
    };
    let text = if fields == OLLAMA {
        json!({ "model": model, "embeddings": vectors, "total_duration": 1, "load_duration": 1, "prompt_eval_count": tokens })
    } else {
        let mut data: Vec<Value> = vectors
            .iter()
            .enumerate()
            .map(|(index, vector)| json!({ "object": "embedding", "index": index, "embedding": shown(vector) }))
            .collect();
        match mutation {
            Some(Mutation::Reversed) => data.reverse(),
            Some(Mutation::SameIndex) => data.iter_mut().for_each(|one| one["index"] = json!(0)),
            _ => {}
        }
        let usage = json!({ "prompt_tokens": tokens, "total_tokens": tokens });
        json!({ "object": "list", "data": data, "model": model, "usage": usage })
    };
    (200, change_text(text.to_string(), mutation))
}

fn change_vectors(vectors: &mut Vec<Vec<f32>>, mutation: Option<Mutation>) {
    match mutation {
        Some(Mutation::Short) => drop(vectors.pop()),
        Some(Mutation::Long) => vectors.push(vectors[0].clone()),
        Some(Mutation::Zero) => vectors[0].fill(0.0),
        Some(Mutation::FewerDimensions) => vectors.iter_mut().for_each(|vector| _ = vector.pop()),
        Some(Mutation::MoreDimensions) => vectors.iter_mut().for_each(|vector| vector.push(0.5)),
        Some(Mutation::NoDimensions) => vectors.iter_mut().for_each(Vec::clear),
        _ => {}
    }
}

/// Replaces the first number of the first vector.
fn change_text(text: String, mutation: Option<Mutation>) -> String {
    let replaced = match mutation {
        Some(Mutation::NotANumber) => "NaN",
        Some(Mutation::Null) => "null",
        Some(Mutation::Huge) => "1e300",
        _ => return text,
    };
    let start = text.find("[[").map(|at| at + 2).or_else(|| text.find("\"embedding\":[").map(|at| at + 13));
    let Some(start) = start else { return text };
    let end = text[start..].find([',', ']']).map_or(start, |at| start + at);
    format!("{}{replaced}{}", &text[..start], &text[end..])
}

/// Returns the vector of a text: each word adds to some components. Equal texts have equal vectors, texts with common words similar
/// ones, and no text has the zero vector. It is not of length 1.
pub fn fake_vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.0; dimensions];
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        for salt in 0..3_u8 {
            let mut hasher = DefaultHasher::new();
            (word.to_lowercase(), salt).hash(&mut hasher);
            let hash = hasher.finish();
            let place = (hash % dimensions as u64) as usize;
            vector[place] += if hash >> 63 == 0 { 1.0 } else { -1.0 };
        }
    }
    vector[0] += 0.125;
    vector
}

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

/// Scores the passages of a request, describes those of a document, or compares notes; greets without any.
fn reply(message: &Value) -> String {
    let text = message["content"].as_str().unwrap_or_default();
    if let Some(document) = text.strip_prefix("\nDocument\n") {
        return describe(document);
    }
    if let Some(notes) = text.strip_prefix("\nOlder note\n") {
        return compare(notes);
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

/// Says that two notes contradict each other if both have the word `exclusive`.
fn compare(notes: &str) -> String {
    let (older, newer) = notes.split_once("\nNewer note\n").unwrap_or((notes, ""));
    let is_exclusive = |note: &str| words(note).any(|word| word == "exclusive");
    let relation = if is_exclusive(older) && is_exclusive(newer) { "contradiction" } else { "unrelated" };
    json!({ "relation": relation }).to_string()
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}
