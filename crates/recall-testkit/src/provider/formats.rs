//! The vendors' formats, and vectors that are computed from the words of a text.

use std::hash::{DefaultHasher, Hash, Hasher};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::language::{self, Answer, refusal};
use super::state::{FAKE_MODEL, FakeRules, Mutation};

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
        "/v1/messages" => language::messages(body),
        "/v1/chat/completions" => language::completions(body),
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
