//! Values of the protocol's types as JSON, for the messages that `build.rs` lets `serde` serialise.

use jiff::Timestamp;
use prost_types::Struct;
use serde::{Serialize, Serializer};

use crate::json::value::json_object;

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

#[cfg(test)]
mod tests {
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
}
