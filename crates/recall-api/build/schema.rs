//! The schemas of the answers' JSON, in JSON Schema 2020-12, as `OpenAPI` 3.1 uses it.

use protox::prost_reflect::{FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value, json};

use crate::json::{Empty, FieldOptions, ValueNames};

/// Returns the schemas of messages, by their names. Events have none: no program over HTTP sees them.
pub(crate) fn write(messages: &[MessageDescriptor]) -> String {
    let messages = messages.iter().filter(|message| message.oneofs().all(|choice| choice.is_synthetic()));
    let schemas: Map<_, _> = messages.map(|message| (message.name().to_owned(), object(message))).collect();
    Value::Object(schemas).to_string()
}

fn object(message: &MessageDescriptor) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in message.fields() {
        let FieldOptions { name, empty, shape } = FieldOptions::new(&field);
        let name = name.unwrap_or_else(|| field.name().to_owned());
        match empty {
            Empty::Never => continue,
            Empty::Absent => {}
            Empty::AsItIs | Empty::Null => required.push(name.clone()),
        }
        // The functions for other shapes say nothing about them here.
        let schema = if shape.is_some() { json!({}) } else { values(&field, empty) };
        properties.insert(name, schema);
    }
    json!({ "type": "object", "required": required, "properties": properties })
}

/// Returns the schema of a field's value, list or map.
fn values(field: &FieldDescriptor, empty: Empty) -> Value {
    if field.is_map() {
        let value = field.kind().as_message().expect("the entry is a message").map_entry_value_field();
        return json!({ "type": "object", "additionalProperties": self::value(&value) });
    }
    let value = value(field);
    if field.is_list() {
        return json!({ "type": "array", "items": value });
    }
    match empty {
        Empty::Null => nullable(value),
        Empty::AsItIs if field.supports_presence() => nullable(value),
        Empty::AsItIs | Empty::Absent | Empty::Never => value,
    }
}

fn value(field: &FieldDescriptor) -> Value {
    match field.kind() {
        Kind::Message(message) => match message.full_name() {
            "google.protobuf.Timestamp" => json!({ "type": "string", "format": "date-time" }),
            "google.protobuf.Struct" => json!({ "type": "object" }),
            _ => json!({ "$ref": format!("#/components/schemas/{}", message.name()) }),
        },
        Kind::Enum(enumeration) => {
            let ValueNames { names, unspecified } = ValueNames::new(&enumeration);
            let mut names: Vec<_> = names.into_iter().map(|(_, name)| Value::from(name)).collect();
            let unspecified = Value::from(unspecified);
            let kind = if unspecified.is_null() { json!(["string", "null"]) } else { json!("string") };
            if !names.contains(&unspecified) {
                names.push(unspecified);
            }
            json!({ "type": kind, "enum": names })
        }
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::String => json!({ "type": "string" }),
        Kind::Double | Kind::Float => json!({ "type": "number" }),
        Kind::Uint32 | Kind::Uint64 => json!({ "type": "integer", "minimum": 0 }),
        _ => json!({ "type": "integer" }),
    }
}

fn nullable(mut schema: Value) -> Value {
    match schema.get("type").cloned() {
        Some(kind) => {
            schema["type"] = json!([kind, "null"]);
            schema
        }
        None => json!({ "oneOf": [schema, { "type": "null" }] }),
    }
}
