//! The JSON schema of the files of settings, from the table of settings.

use recall_config::{Row, Shape};
use serde_json::{Map, Value, json};

/// The version of the schema's language that editors for TOML understand.
const DIALECT: &str = "http://json-schema.org/draft-07/schema#";

/// The texts that are a size.
const SIZE: &str = "^\\s*[0-9]+\\s*(B|kB|KiB|MB|MiB|GB|GiB)\\s*$";

/// The texts that are a duration.
const DURATION: &str = "^\\s*([0-9]+\\s*(ms|s|m|h|d)\\s*)+$";

/// Returns the JSON schema of both files. An unknown setting is an error.
pub(super) fn schema() -> Value {
    let mut sections: Map<String, Value> = Map::new();
    for row in recall_config::defaults().rows() {
        let (section, name) = row.key.split_once('.').expect("each setting has a section");
        let section = sections
            .entry(section)
            .or_insert_with(|| json!({ "type": "object", "additionalProperties": false, "properties": {} }));
        section["properties"][name] = setting(row);
    }
    json!({
        "$schema": DIALECT,
        "title": "Settings of recall",
        "type": "object",
        "additionalProperties": false,
        "properties": sections,
    })
}

fn setting(row: &Row) -> Value {
    let Row { reach, shape, default, doc, .. } = row;
    let note = match reach.who() {
        "user" => " Only in the user's own file.",
        _ => "",
    };
    let mut schema = shape_schema(shape);
    schema["description"] = format!("{doc}{note} Default: {default}").into();
    schema
}

fn shape_schema(shape: &Shape) -> Value {
    match shape {
        Shape::Whole { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Shape::Number { least, most } => json!({ "type": "number", "minimum": least, "maximum": most }),
        Shape::Size => json!({ "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string", "pattern": SIZE }] }),
        Shape::Duration => json!({ "type": "string", "pattern": DURATION }),
        Shape::Bool => json!({ "type": "boolean" }),
        Shape::Text => json!({ "type": "string" }),
        Shape::OneOf(words) => json!({ "type": "string", "enum": words }),
        Shape::List(inner) => json!({ "type": "array", "items": shape_schema(inner) }),
        Shape::Table(inner) => json!({ "type": "object", "additionalProperties": shape_schema(inner) }),
        Shape::Any(shapes) => json!({ "anyOf": shapes.iter().map(shape_schema).collect::<Vec<_>>() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether a value has the types, bounds and names of a schema. Patterns of texts are not evaluated.
    fn accepts(schema: &Value, value: &Value) -> bool {
        if let Some(schemas) = schema["anyOf"].as_array() {
            return schemas.iter().any(|schema| accepts(schema, value));
        }
        let within = |number: f64| {
            schema["minimum"].as_f64().is_none_or(|least| number >= least)
                && schema["maximum"].as_f64().is_none_or(|most| number <= most)
        };
        match schema["type"].as_str().expect("each schema has a type") {
            "integer" => value.is_i64() && value.as_f64().is_some_and(within),
            "number" => value.as_f64().is_some_and(within),
            "boolean" => value.is_boolean(),
            "string" => value.is_string() && schema["enum"].as_array().is_none_or(|words| words.contains(value)),
            "array" => value.as_array().is_some_and(|list| list.iter().all(|one| accepts(&schema["items"], one))),
            "object" => value.as_object().is_some_and(|table| {
                table.iter().all(|(name, value)| match (&schema["properties"][name], &schema["additionalProperties"]) {
                    (Value::Null, Value::Bool(allowed)) => *allowed,
                    (Value::Null, schema) | (schema, _) => accepts(schema, value),
                })
            }),
            other => panic!("unknown type {other}"),
        }
    }

    fn with(key: &str, value: &Value) -> Value {
        let (section, name) = key.split_once('.').expect("a section");
        json!({ section: { name: value } })
    }

    #[test]
    fn each_setting_is_in_the_schema_and_its_default_fits() {
        let schema = schema();
        for row in recall_config::defaults().rows() {
            let (section, name) = row.key.split_once('.').expect("a section");
            assert!(schema["properties"][section]["properties"][name]["description"].is_string(), "{}", row.key);
            // Defaults are texts, numbers, truth values and empty lists and tables, which JSON writes as TOML does.
            let default: Value = serde_json::from_str(row.default).expect(row.default);
            assert!(accepts(&schema, &with(row.key, &default)), "{} = {}", row.key, row.default);
        }
    }

    #[test]
    fn what_recall_refuses_the_schema_refuses() {
        let schema = schema();
        for (key, value) in [
            ("daemon.idel_exit", json!("1h")),
            ("daemons.idle_exit", json!("1h")),
            ("daemon.drain", json!(5)),
            ("limits.hits", json!(0)),
            ("limits.hits", json!(1001)),
            ("search.ranker", json!("best")),
            ("search.rerank_weight", json!(1.5)),
            ("index.exclude", json!("a")),
            ("index.types", json!({ "ops/*": "novel" })),
            ("models.providers", json!(["gpu"])),
            ("client.replace_older", json!("yes")),
        ] {
            assert!(!accepts(&schema, &with(key, &value)), "{key} = {value}");
        }
        for (key, value) in [
            ("index.types", json!({ "ops/*": "playbook" })),
            ("index.threads", json!(3)),
            ("search.bm25_weight", json!(0.5)),
            ("limits.file_bytes", json!(1000)),
        ] {
            assert!(accepts(&schema, &with(key, &value)), "{key} = {value}");
        }
    }
}
