//! Reading of arguments by a tool's input schema.
//!
//! Models write a number as `"3"` or `3.0`, a list as its text, and arguments that do not exist. What they mean is clear, and an error
//! would cost them a turn; so [`tidy`] reads these forms before [`read`] validates.

use recall_text::nearest;
use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Code, ToolError};

/// Reads the forms in which models write arguments: leaves out those that are `null` or unknown, and converts values to the type that
/// the schema names if their text is one of it. Returns a sentence for each that was unknown.
///
/// # Errors
/// An unknown argument is near to a required one that is missing.
pub(crate) fn tidy(schema: &JsonObject, arguments: &JsonObject) -> Result<(JsonObject, Vec<String>), ToolError> {
    let none = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let (mut known, mut notes) = (JsonObject::new(), Vec::new());
    for (name, value) in arguments {
        if value.is_null() {
            continue;
        }
        if let Some(property) = properties.get(name).and_then(Value::as_object) {
            known.insert(name.clone(), convert(value, property));
            continue;
        }
        let meant = nearest(name, properties.keys().map(String::as_str));
        if meant.is_some_and(|meant| is_required(schema, meant) && !arguments.contains_key(meant)) {
            return Err(unknown(name, properties));
        }
        let hint = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        notes.push(format!("there is no argument `{}`, so it was ignored{hint}", cut(name)));
    }
    Ok((known, notes))
}

fn is_required(schema: &JsonObject, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|one| one == name))
}

/// Converts a value to the type of a schema if that is clear; otherwise returns it as it is.
fn convert(value: &Value, schema: &JsonObject) -> Value {
    let expected = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    let of_text = |text: &str| -> Option<Value> {
        match expected {
            "integer" | "number" => text.trim().parse::<serde_json::Number>().ok().map(Value::Number),
            "boolean" => text.trim().to_ascii_lowercase().parse().ok().map(Value::Bool),
            "array" => match serde_json::from_str(text) {
                Ok(Value::Array(entries)) => Some(Value::Array(entries)),
                // One entry is written without the list around it.
                _ => Some(Value::Array(vec![text.into()])),
            },
            "object" => serde_json::from_str(text).ok().filter(Value::is_object),
            _ => None,
        }
    };
    let value = value.as_str().and_then(of_text).unwrap_or_else(|| value.clone());
    match &value {
        // JSON Schema counts 3.0 as an integer.
        Value::Number(number) if expected == "integer" => number.as_f64().and_then(whole_number).unwrap_or(value),
        _ => value,
    }
}

/// Returns a number without a fraction as an integer. Larger ones are not exact.
fn whole_number(number: f64) -> Option<Value> {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= LARGEST_EXACT).then(|| Value::from(number as i64))
}

/// Checks arguments against a tool's input schema and reads them.
///
/// An argument that is `null` counts as absent. Supports the part of JSON Schema that the tools' schemas use: `type`,
/// `enum`, `minimum`, `maximum`, `minLength`, `items`, `properties`, `required`.
///
/// # Errors
/// An argument is unknown, missing, of another type or out of its bounds; the first in the order of the call.
pub(crate) fn read<A: DeserializeOwned>(schema: &JsonObject, mut arguments: JsonObject) -> Result<A, ToolError> {
    arguments.retain(|_, value| !value.is_null());
    let none = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    for (name, value) in &arguments {
        let Some(property) = properties.get(name).and_then(Value::as_object) else {
            return Err(unknown(name, properties));
        };
        check(name, value, property).map_err(|error| match error.hint {
            Some(_) => error,
            None => error.with_hint(describe_properties(name, properties)),
        })?;
    }
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required {
        if !arguments.contains_key(name) {
            return Err(
                invalid(format!("the argument `{name}` is missing")).with_hint(describe_properties(name, properties))
            );
        }
    }
    serde_json::from_value(Value::Object(arguments)).map_err(|error| invalid(error.to_string()))
}

fn check(name: &str, value: &Value, schema: &JsonObject) -> Result<(), ToolError> {
    let expected = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    if !is_of_type(value, expected) {
        let article = if expected.starts_with(['a', 'i']) { "an" } else { "a" };
        return Err(invalid(format!("`{name}` must be {article} {expected}, not {}", value_text(value))));
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        return Err(value_error(name, value, allowed));
    }
    if let Some(number) = value.as_f64() {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        if let Some(minimum) = bound("minimum").filter(|minimum| number < *minimum) {
            return Err(invalid(format!("`{name}` must be at least {minimum}, not {number}")));
        }
        if let Some(maximum) = bound("maximum").filter(|maximum| number > *maximum) {
            let message = format!("`{name}` must be at most {maximum}, not {number}");
            return Err(ToolError::new(Code::LimitExceeded, message));
        }
    }
    if let (Some(text), Some(minimum)) = (value.as_str(), schema.get("minLength").and_then(Value::as_u64))
        && (text.trim().len() as u64) < minimum
    {
        return Err(invalid(format!("`{name}` must not be blank")));
    }
    if let (Some(entries), Some(items)) = (value.as_array(), schema.get("items").and_then(Value::as_object)) {
        entries.iter().try_for_each(|entry| check(name, entry, items))?;
    }
    Ok(())
}

fn is_of_type(value: &Value, expected: &str) -> bool {
    match expected {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

fn unknown(name: &str, properties: &JsonObject) -> ToolError {
    let error = invalid(format!("there is no argument `{}`", cut(name)));
    match nearest(name, properties.keys().map(String::as_str)) {
        Some(meant) => error.with_hint(format!("did you mean `{meant}`?")),
        None => error.with_hint(format!("the arguments are {}", list_names(properties.keys().map(String::as_str)))),
    }
}

fn value_error(name: &str, value: &Value, allowed: &[Value]) -> ToolError {
    let code = if name == "scope" { Code::InvalidScope } else { Code::InvalidArgument };
    let names = || allowed.iter().filter_map(Value::as_str);
    let error =
        ToolError::new(code, format!("`{name}` must be one of {}, not {}", list_names(names()), value_text(value)));
    match nearest(value.as_str().unwrap_or_default(), names()) {
        Some(meant) => error.with_hint(format!("did you mean `{meant}`?")),
        None => error,
    }
}

/// Describes an argument by the description in its schema, or by its type and bounds if there is none.
fn describe_properties(name: &str, properties: &JsonObject) -> String {
    let Some(schema) = properties.get(name) else { return String::new() };
    if let Some(description) = schema.get("description").and_then(Value::as_str) {
        return format!("`{name}`: {description}");
    }
    let allowed = schema.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let allowed = list_names(allowed);
    let kind = match schema.get("type").and_then(Value::as_str).unwrap_or_default() {
        _ if !allowed.is_empty() => format!("one of {allowed}"),
        "integer" => match (schema.get("minimum"), schema.get("maximum")) {
            (Some(from), Some(to)) => format!("a whole number from {from} to {to}"),
            _ => "a whole number".to_owned(),
        },
        "boolean" => "true or false".to_owned(),
        "array" => "a list of texts".to_owned(),
        kind => kind.to_owned(),
    };
    match schema.get("default") {
        Some(default) => format!("`{name}`: {kind}; {default} by default"),
        None => format!("`{name}`: {kind}"),
    }
}

fn invalid(message: String) -> ToolError {
    ToolError::new(Code::InvalidArgument, message)
}

fn list_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Formats a value for an error: on one line and no longer than a line.
fn value_text(value: &Value) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    const SHOWN_CHARS: usize = 60;
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::tool::Tool;

    #[derive(Debug, Deserialize)]
    struct Read {
        query: String,
        limit: Option<u32>,
        types: Option<Vec<String>>,
        include_code: Option<bool>,
    }

    fn check(arguments: Value) -> String {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let schema = &Tool::Search.definition().input_schema;
        let read =
            tidy(schema, &arguments).and_then(|(arguments, notes)| Ok((read::<Read>(schema, arguments)?, notes)));
        match read {
            Ok((Read { query, limit, types, include_code }, notes)) => {
                format!("{query} {limit:?} {types:?} {include_code:?} {}", notes.join("; ")).trim_end().to_owned()
            }
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn good_arguments_are_read_and_null_is_absent() {
        assert_eq!(check(json!({"query": "q", "limit": 3})), "q Some(3) None None");
        assert_eq!(check(json!({"query": "q", "limit": null, "scope": null})), "q None None None");
    }

    #[test]
    fn values_in_the_form_of_another_type_are_read() {
        for three in [json!("3"), json!(" 3 "), json!(3.0), json!("3.0")] {
            assert_eq!(check(json!({"query": "q", "limit": three})), "q Some(3) None None", "{three}");
        }
        for types in [json!("code"), json!("[\"code\"]"), json!(["code"])] {
            assert_eq!(check(json!({"query": "q", "types": types})), "q None Some([\"code\"]) None", "{types}");
        }
        assert_eq!(check(json!({"query": "q", "include_code": "False"})), "q None None Some(false)");
    }

    #[test]
    fn an_unknown_argument_is_ignored_with_a_note() {
        let note = "q None None None there is no argument";
        assert_eq!(check(json!({"query": "q", "zzz": 1})), format!("{note} `zzz`, so it was ignored"));
        let near = "`limt`, so it was ignored; did you mean `limit`?";
        assert_eq!(check(json!({"query": "q", "limt": 1})), format!("{note} {near}"));
    }

    #[test]
    fn bad_arguments_have_specific_errors() {
        let bad = [
            json!({}),
            json!({"query": 3}),
            json!({"query": "  "}),
            json!({"qeury": "q"}),
            json!({"query": "q", "limit": "ten"}),
            json!({"query": "q", "limit": 1.5}),
            json!({"query": "q", "limit": 0}),
            json!({"query": "q", "limit": 10_000}),
            json!({"query": "q", "limit": -1}),
            json!({"query": "q", "scope": "projct"}),
            json!({"query": "q", "types": ["code", "cod"]}),
            json!({"query": "q", "types": {"deep": "x".repeat(200)}}),
        ];
        let errors: Vec<String> = bad.into_iter().map(check).collect();
        insta::assert_snapshot!(errors.join("\n\n"));
    }
}
