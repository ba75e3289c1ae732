//! Times as other tools write them.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use recall_core::Timestamp;
use serde_json::Value;

/// Numbers from here on count milliseconds: as seconds they would be after the year 5000.
const FIRST_MILLISECONDS: f64 = 1e11;

/// The earliest believable time: 1990-01-01. Coding agents are younger, and a zero is not a time.
const EARLIEST: i64 = 631_152_000;

/// Reads a time: RFC 3339, the forms of SQLite, Python and Go, or a number of seconds or milliseconds since 1970. A time
/// without a zone is in UTC.
///
/// `None` for anything else, and for times before 1990.
pub(crate) fn from_text(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return believable(moment);
    }
    if let Ok(number) = text.parse::<f64>() {
        return from_number(number);
    }
    // Go writes `2026-01-02 03:04:05.6 +0000 UTC m=+0.1`.
    let mut words = text.split_whitespace();
    if let (Some(date), Some(time), Some(offset)) = (words.next(), words.next(), words.next())
        && let Some((hours, minutes)) = offset.split_at_checked(3)
        && let Ok(moment) = format!("{date}T{time}{hours}:{minutes}").parse::<jiff::Timestamp>()
    {
        return believable(moment);
    }
    let civil: DateTime = text.parse().ok()?;
    believable(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Reads a number of seconds or milliseconds since 1970.
pub(crate) fn from_number(number: f64) -> Option<Timestamp> {
    let seconds = if number.abs() >= FIRST_MILLISECONDS { number / 1000.0 } else { number };
    let millis = (seconds * 1000.0).round();
    believable(jiff::Timestamp::from_millisecond(millis as i64).ok()?)
}

/// Reads a time from JSON.
pub(crate) fn from_json(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => from_text(text),
        Value::Number(number) => from_number(number.as_f64()?),
        _ => None,
    }
}

fn believable(moment: jiff::Timestamp) -> Option<Timestamp> {
    let nanos = i64::try_from(moment.as_nanosecond()).ok()?;
    (moment.as_second() >= EARLIEST).then_some(Timestamp(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_all_forms() {
        let expected = Some(Timestamp(1_767_323_045_000_000_000));
        for text in [
            "2026-01-02T03:04:05Z",
            "2026-01-02T04:04:05+01:00",
            "2026-01-02 03:04:05",
            "2026-01-02 03:04:05+00:00",
            "2026-01-02T03:04:05",
            "2026-01-02 03:04:05.000000",
            "2026-01-02 03:04:05 +0000 UTC",
            "2026-01-02 04:04:05 +0100 CET m=+0.012",
            "1767323045",
            "1767323045000",
            " 2026-01-02T03:04:05Z ",
        ] {
            assert_eq!(from_text(text), expected, "{text}");
        }
        assert_eq!(from_text("2026-01-02"), Some(Timestamp(1_767_312_000_000_000_000)));
    }

    #[test]
    fn what_is_not_a_time_is_rejected() {
        for text in
            ["", "yesterday", "0", "1969-01-01", "99999999999999999999999", "NaN", "2026-13-01", "a b c", "é é é é"]
        {
            assert_eq!(from_text(text), None, "{text}");
        }
        assert_eq!(from_json(&serde_json::json!({})), None);
    }
}
