//! Text output of the daemon's state, and of lines of its log.

use std::fmt::Write;
use std::time::Duration;

use recall_api::v1;
use serde_json::Value;

use super::quantity::{bytes, count, count_noun, span};
use super::style::{DIM, ERROR, GOOD, STRONG, WARNING};
use super::text::printable;

/// Formats the state of the daemon.
pub(crate) fn render(daemon: &v1::DaemonStatus) -> String {
    let v1::DaemonStatus {
        pid,
        version,
        build,
        protocols: _,
        started_at: _,
        uptime_ms,
        memory,
        connections,
        sessions,
        requests_in_flight,
        limits: _,
        socket,
        log,
        auto_started,
        private,
    } = daemon;
    let uptime = span(Duration::from_millis(*uptime_ms));
    let build = if build.is_empty() { String::new() } else { format!(" ({build})") };
    let mut text = format!("{STRONG}recalld {version}{STRONG:#}{build} {GOOD}running{GOOD:#} for {uptime}, pid {pid}");
    if *private {
        text.push_str(", for this command alone");
    } else if *auto_started {
        text.push_str(", started when it was needed");
    }
    text.push('\n');
    if let Some(v1::MemoryUse { resident_bytes, anonymous_bytes, peak_bytes, ceiling_bytes, shares }) = memory {
        let _ = write!(text, "  memory       {} private, {} resident", bytes(*anonymous_bytes), bytes(*resident_bytes));
        let _ = write!(text, ", peak {}", bytes(*peak_bytes));
        if *ceiling_bytes > 0 {
            let _ = write!(text, ", limit {}", bytes(*ceiling_bytes));
        }
        text.push('\n');
        if let Some(in_flight) = in_flight(shares) {
            let _ = writeln!(text, "  in flight    {in_flight}");
        }
    }
    let _ = write!(text, "  clients      {}", count_noun((*connections).into(), "connection", "connections"));
    let _ = write!(text, ", {}", count_noun((*sessions).into(), "session", "sessions"));
    let _ = writeln!(text, ", {} in flight", count_noun((*requests_in_flight).into(), "request", "requests"));
    let _ = writeln!(text, "  {DIM}socket       {socket}{DIM:#}");
    if !log.is_empty() {
        let _ = writeln!(text, "  {DIM}log          {log}{DIM:#}");
    }
    text
}

/// Formats the memory reservations and the tasks that wait for memory; `None` if there are none.
fn in_flight(shares: &[v1::MemoryShare]) -> Option<String> {
    let told = shares.iter().filter(|share| share.used_bytes > 0 || share.waiting > 0).map(|share| {
        let v1::MemoryShare { name, whole_bytes, used_bytes, waiting } = share;
        let waiting = if *waiting > 0 { format!(", {} waiting", count(*waiting)) } else { String::new() };
        format!("{name} {} of {}{waiting}", bytes(*used_bytes), bytes(*whole_bytes))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Formats a line of the log, which is a JSON object. A line that is not one is shown unchanged.
pub(crate) fn render_log(line: &str) -> String {
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
            anstream::adapter::strip_str(&render_log(line)).to_string(),
            "not a time WARN  slow scan files=12 root=/p\n"
        );
        assert_eq!(render_log("thread panicked\u{7}"), "thread panicked\n");
    }
}
