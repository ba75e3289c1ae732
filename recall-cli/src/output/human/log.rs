//! Text output of lines of the daemon's log.

use std::fmt::Write;

use serde_json::Value;

use super::style::{DIM, ERROR, GOOD, WARNING};
use super::text::printable;

/// Formats a line of the log, which is a JSON object. A line that is not one is shown unchanged.
pub(crate) fn render(line: &str) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::from_str::<Value>(line) else {
        return format!("{}\n", printable(line));
    };
    let mut take = |name: &str| match fields.shift_remove(name) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let (time, level, message) = (take("timestamp"), take("level"), take("message"));
    let style = match level.as_str() {
        "ERROR" => ERROR,
        "WARN" => WARNING,
        "INFO" => GOOD,
        _ => DIM,
    };
    let mut text = format!("{DIM}{}{DIM:#} {style}{level:<5}{style:#} {}", local(&time), printable(&message));
    for (name, value) in fields {
        let value = match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let _ = write!(text, " {DIM}{}={}{DIM:#}", printable(&name), printable(&value));
    }
    text.push('\n');
    text
}

/// Formats a time to the millisecond, in the user's time zone.
fn local(time: &str) -> String {
    let Ok(moment) = time.parse::<jiff::Timestamp>() else { return time.to_owned() };
    moment.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S%.3f").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_as_time_level_message_and_fields() {
        let line = r#"{"timestamp":"not a time","level":"WARN","message":"slow scan","files":12,"root":"/p"}"#;
        assert_eq!(
            anstream::adapter::strip_str(&render(line)).to_string(),
            "not a time WARN  slow scan files=12 root=/p\n"
        );
        assert_eq!(render("thread panicked\u{7}"), "thread panicked\n");
    }
}
