//! The document that describes the endpoints to programs, in `OpenAPI` 3.1.

use std::sync::LazyLock;

use recall_api::json::SCHEMAS;
use serde_json::{Map, Value};

/// The endpoints, what they take, and how they fail. What they answer are messages of the protocol.
const ENDPOINTS: &str = include_str!("../assets/openapi.json");

/// Returns the document.
pub(super) fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(write);
    &TEXT
}

/// Adds the schemas of the messages that the endpoints refer to, and of those within them.
fn write() -> String {
    let mut document: Value = serde_json::from_str(ENDPOINTS).expect("a test reads it");
    let mut messages: Map<String, Value> = serde_json::from_str(SCHEMAS).expect("the build script wrote it");
    let mut unread = references(&document);
    while let Some(name) = unread.pop() {
        if let Some(schema) = messages.remove(&name) {
            unread.extend(references(&schema));
            document["components"]["schemas"][name] = schema;
        }
    }
    document.to_string()
}

/// Returns the names of the schemas that a schema refers to.
fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(fields) => {
            let link = fields.get("$ref").and_then(Value::as_str);
            let name = link.and_then(|link| link.strip_prefix("#/components/schemas/")).map(str::to_owned);
            name.into_iter().chain(fields.values().flat_map(references)).collect()
        }
        Value::Array(values) => values.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_to_a_schema_leads_to_one() {
        let document: Value = serde_json::from_str(text()).expect("JSON");
        let schemas = &document["components"]["schemas"];
        let missing: Vec<_> = references(&document).into_iter().filter(|name| schemas.get(name).is_none()).collect();
        assert_eq!(missing, [""; 0]);
        let hit = &schemas["Hit"];
        assert_eq!(hit["properties"]["memory"]["$ref"], "#/components/schemas/Memory");
        assert!(!hit["required"].as_array().expect("a list").contains(&"memory".into()));
        assert_eq!(schemas["Memory"]["properties"]["status"]["enum"][1], "stale");
    }
}
