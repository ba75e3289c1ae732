//! A check of JSON against the schemas of the API's document: the keywords that the document uses.

use serde_json::Value;

/// Keywords that say nothing about a value, or what other checks test.
const SILENT: &[&str] = &["description", "default", "format"];

/// Checks a value against a schema of a document; panics with the place and the reason.
pub(crate) fn check(document: &Value, schema: &Value, value: &Value) {
    if let Err(error) = found(document, schema, value, "$") {
        panic!("{error}\nin {value:#}");
    }
}

fn found(document: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let schema = resolved(document, schema);
    for (keyword, rule) in schema.as_object().ok_or_else(|| format!("{at}: the schema is not an object"))? {
        let holds = match keyword.as_str() {
            "type" => types(rule).iter().any(|name| is_of(name, value)),
            "const" => rule == value,
            "enum" => rule.as_array().is_some_and(|values| values.contains(value)),
            "minimum" => value.as_f64().is_none_or(|value| rule.as_f64().is_some_and(|least| value >= least)),
            "required" => {
                let names = rule.as_array().into_iter().flatten().filter_map(Value::as_str);
                value.as_object().is_none_or(|object| names.into_iter().all(|name| object.contains_key(name)))
            }
            "properties" => {
                for (name, schema) in rule.as_object().into_iter().flatten() {
                    if let Some(value) = value.get(name) {
                        found(document, schema, value, &format!("{at}.{name}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    found(document, rule, value, &format!("{at}.{name}"))?;
                }
                true
            }
            "items" => {
                for (number, value) in value.as_array().into_iter().flatten().enumerate() {
                    found(document, rule, value, &format!("{at}[{number}]"))?;
                }
                true
            }
            "oneOf" => {
                let fitting = rule.as_array().into_iter().flatten();
                fitting.filter(|schema| found(document, schema, value, at).is_ok()).count() == 1
            }
            silent => SILENT.contains(&silent),
        };
        if !holds {
            return Err(format!("{at}: {keyword} {rule} does not hold for {value}"));
        }
    }
    Ok(())
}

fn resolved<'d>(document: &'d Value, schema: &'d Value) -> &'d Value {
    match schema["$ref"].as_str() {
        Some(link) => document.pointer(link.trim_start_matches('#')).unwrap_or_else(|| panic!("{link} leads nowhere")),
        None => schema,
    }
}

fn types(rule: &Value) -> Vec<&str> {
    match rule {
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        name => name.as_str().into_iter().collect(),
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    }
}

#[test]
fn a_wrong_value_is_found() {
    use serde_json::json;

    let document =
        json!({ "a": { "type": "object", "required": ["x"], "properties": { "x": { "type": ["integer", "null"] } } } });
    let schema = json!({ "type": "array", "items": { "$ref": "#/a" } });
    for (value, fits) in [
        (json!([{ "x": 1 }, { "x": null, "y": 2 }]), true),
        (json!([{ "x": "1" }]), false),
        (json!([{ "y": 1 }]), false),
        (json!([7]), false),
        (json!({}), false),
    ] {
        assert_eq!(found(&document, &schema, &value, "$").is_ok(), fits, "{value}");
    }
}
