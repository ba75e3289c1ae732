//! Text output of the daemon's state.

use std::fmt::Write;
use std::time::Duration;

use recall_api::v1;

use super::quantity::{bytes, count, count_noun, span};
use super::style::{DIM, GOOD, STRONG};

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
