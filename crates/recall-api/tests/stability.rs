//! What `recall.v1` promises: messages, fields with their numbers and types, values of enumerations and RPCs, the JSON of answers, and
//! the reasons of errors. Each may be added, and none removed, renumbered or retyped.

use std::collections::BTreeSet;
use std::path::Path;

use protox::prost_reflect::{Cardinality, DescriptorPool, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor};
use recall_api::{Reason, json, v1};
use recall_testkit::check_promises;
use serde_json::Value;

#[track_caller]
fn check(list: &str, lines: &BTreeSet<String>) {
    check_promises(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/promises").join(list), lines);
}

#[test]
fn messages_keep_their_fields_and_the_service_its_rpcs() {
    let pool = DescriptorPool::decode(v1::FILE_DESCRIPTOR_SET).expect("the build script wrote it");
    let messages = pool.all_messages().filter(|message| message.package_name() == "recall.v1");
    let enumerations = pool.all_enums().filter(|enumeration| enumeration.package_name() == "recall.v1");
    let mut lines: BTreeSet<String> = messages.flat_map(|message| message_lines(&message)).collect();
    for enumeration in enumerations {
        let name = local_name(enumeration.full_name());
        lines.extend(enumeration.values().map(|value| format!("{name} {} = {}", value.name(), value.number())));
    }
    lines.extend(pool.services().flat_map(|service| service.methods().collect::<Vec<_>>()).map(|rpc| rpc_line(&rpc)));
    check("recall.v1.txt", &lines);
}

fn local_name(name: &str) -> &str {
    name.strip_prefix("recall.v1.").unwrap_or(name)
}

fn message_lines(message: &MessageDescriptor) -> Vec<String> {
    let name = local_name(message.full_name());
    let fields = message.fields().map(|field| format!("{name} {}", field_line(&field)));
    // A message without fields is promised too.
    fields.chain([format!("message {name}")]).collect()
}

fn field_line(field: &FieldDescriptor) -> String {
    let name = match field.kind() {
        Kind::Message(message) => local_name(message.full_name()).to_owned(),
        Kind::Enum(enumeration) => local_name(enumeration.full_name()).to_owned(),
        scalar => format!("{scalar:?}").to_lowercase(),
    };
    let choice = field.containing_oneof().filter(|choice| !choice.is_synthetic());
    let rule = match field.cardinality() {
        Cardinality::Repeated => "repeated ",
        // What an old reader takes for absent changes with it.
        _ if field.supports_presence() && choice.is_none() && field.kind().as_message().is_none() => "optional ",
        _ => "",
    };
    let choice = choice.map(|choice| format!(" in {}", choice.name())).unwrap_or_default();
    format!("{rule}{name} {} = {}{choice}", field.name(), field.number())
}

fn rpc_line(rpc: &MethodDescriptor) -> String {
    let [request, answer] = [(rpc.input(), rpc.is_client_streaming()), (rpc.output(), rpc.is_server_streaming())]
        .map(|(message, is_stream)| format!("{}{}", if is_stream { "stream " } else { "" }, message.name()));
    format!("rpc {}({request}) returns ({answer})", rpc.name())
}

#[test]
fn the_json_of_answers_keeps_its_fields() {
    let schemas: Value = serde_json::from_str(json::SCHEMAS).expect("the build script wrote it");
    let mut lines = BTreeSet::new();
    for (name, schema) in schemas.as_object().expect("schemas by name") {
        let required = schema["required"].as_array().expect("a list");
        for (field, value) in schema["properties"].as_object().expect("an object") {
            lines.insert(format!("{name} {field}: {}", type_of(value)));
            if required.iter().any(|name| name == field) {
                lines.insert(format!("{name} {field} is never absent"));
            }
            lines.extend(words_of(value).map(|word| format!("{name} {field} may be {word}")));
        }
    }
    check("json.txt", &lines);
}

/// Returns the type of a value without the words that it may be: these can be added.
fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or_default().to_owned();
    }
    if let Some(types) = schema["oneOf"].as_array() {
        return types.iter().map(type_of).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => format!("list of {}", type_of(&schema["items"])),
        Value::String(name) if name == "object" && schema["additionalProperties"].is_object() => {
            format!("map to {}", type_of(&schema["additionalProperties"]))
        }
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "any".to_owned(),
    }
}

fn words_of(schema: &Value) -> impl Iterator<Item = &Value> {
    let words = schema["enum"].as_array();
    words.or_else(|| schema["items"]["enum"].as_array()).into_iter().flatten()
}

#[test]
fn reasons_of_errors_keep_their_names() {
    check("reasons.txt", &Reason::ALL.iter().map(|reason| reason.as_str().to_owned()).collect());
}
