//! Values of the protocol's types as JSON, for the messages that `build.rs` lets `serde` serialise, and JSON of any
//! shape in these types.

use jiff::Timestamp;
use prost_types::value::Kind;
use prost_types::{ListValue, Struct};
use recall_core::exact_integer;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// An enumeration of the protocol. The build script implements it for each.
pub(crate) trait Enumeration {
    /// Returns the name of a value; for unknown values that of the unspecified one, which may have none.
    fn json_name(number: i32) -> Option<&'static str>;
}

/// Writes the name of a value, or null.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference to the field")]
pub(crate) fn value_name<E: Enumeration, S: Serializer>(number: &i32, serializer: S) -> Result<S::Ok, S::Error> {
    E::json_name(*number).serialize(serializer)
}

/// Writes a time in RFC 3339, or null.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(crate) fn time<S: Serializer>(time: &Option<prost_types::Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    time.as_ref().and_then(rfc3339).serialize(serializer)
}

/// Writes an object of any shape, or null.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(crate) fn object<S: Serializer>(values: &Option<Struct>, serializer: S) -> Result<S::Ok, S::Error> {
    values.as_ref().map(json_object).serialize(serializer)
}

/// Writes null for an empty text and for zero.
pub(crate) fn null_if_default<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Default + PartialEq + Serialize,
    S: Serializer,
{
    Some(value).filter(|value| !is_default(*value)).serialize(serializer)
}

/// Whether a field is empty, zero or absent.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Formats a timestamp as RFC 3339 in UTC; `None` if it is out of range.
pub fn rfc3339(message: &prost_types::Timestamp) -> Option<String> {
    let prost_types::Timestamp { seconds, nanos } = *message;
    Timestamp::new(seconds, nanos).ok().map(|time| time.to_string())
}

/// Reads a time in RFC 3339, as [`rfc3339`] writes it; `None` if it is none.
pub fn timestamp(text: &str) -> Option<prost_types::Timestamp> {
    let time: Timestamp = text.parse().ok()?;
    let nanos = time.as_nanosecond();
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
    Some(prost_types::Timestamp { seconds, nanos: i32::try_from(nanos.rem_euclid(1_000_000_000)).ok()? })
}

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
    fn a_time_is_read_as_it_was_written() {
        for (seconds, nanos) in [(0, 0), (1_795_000_000, 123_456_789), (-1, 999_999_999)] {
            let time = prost_types::Timestamp { seconds, nanos };
            let text = rfc3339(&time).expect("in range");
            assert_eq!(timestamp(&text), Some(time), "{text}");
        }
        assert_eq!(timestamp("yesterday"), None);
    }

    #[test]
    fn timestamps_are_rfc_3339() {
        let text = |seconds, nanos| rfc3339(&prost_types::Timestamp { seconds, nanos });
        assert_eq!(text(1_700_000_000, 500_000_000).as_deref(), Some("2023-11-14T22:13:20.5Z"));
        assert_eq!(text(i64::MAX, 0), None);
    }

    #[test]
    fn json_survives_the_protocol() {
        let value = json!({"a": [null, true, 3, -0.25, "x"], "b": {"c": {}}});
        let Value::Object(map) = value.clone() else { unreachable!("it is an object") };
        assert_eq!(json_object(&to_struct(map)), value);
    }
}
