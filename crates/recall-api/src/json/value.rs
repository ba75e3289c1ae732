//! JSON of any shape in the protocol's types.

use prost_types::value::Kind;
use prost_types::{ListValue, Struct};
use recall_core::exact_integer;
use serde_json::{Map, Value};

/// Converts a JSON object to the protocol's type. Numbers become floating-point.
pub fn to_struct(object: Map<String, Value>) -> Struct {
    Struct { fields: object.into_iter().map(|(name, value)| (name, to_value(value))).collect() }
}

fn to_value(value: Value) -> prost_types::Value {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(is) => Kind::BoolValue(is),
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or_default()),
        Value::String(text) => Kind::StringValue(text),
        Value::Array(values) => Kind::ListValue(ListValue { values: values.into_iter().map(to_value).collect() }),
        Value::Object(values) => Kind::StructValue(to_struct(values)),
    };
    prost_types::Value { kind: Some(kind) }
}

/// Converts an object of the protocol to JSON.
pub(crate) fn json_object(values: &Struct) -> Value {
    Value::Object(values.fields.iter().map(|(name, value)| (name.clone(), json_value(value))).collect())
}

fn json_value(value: &prost_types::Value) -> Value {
    match &value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(is)) => Value::Bool(*is),
        Some(Kind::NumberValue(number)) => json_number(*number),
        Some(Kind::StringValue(text)) => Value::String(text.clone()),
        Some(Kind::ListValue(ListValue { values })) => Value::Array(values.iter().map(json_value).collect()),
        Some(Kind::StructValue(values)) => json_object(values),
    }
}

/// Converts whole numbers back to integers: the protocol has only floating-point numbers.
fn json_number(number: f64) -> Value {
    exact_integer(number).map_or_else(|| Value::from(number), Value::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_survives_the_protocol() {
        let value = json!({"a": [null, true, 3, -0.25, "x"], "b": {"c": {}}});
        let Value::Object(map) = value.clone() else { unreachable!("it is an object") };
        assert_eq!(json_object(&to_struct(map)), value);
    }
}
