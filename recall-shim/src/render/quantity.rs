//! Compact formats of counts, sizes, durations and timestamps.

/// Formats a number with a comma every three digits: `12,345`.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// Formats a number of things: `1 file`, `2 files`.
pub(super) fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Formats a size: `12.3 MB`.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [(&str, f64); 3] = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let bytes = bytes as f64;
    UNITS
        .into_iter()
        .find(|(_, unit)| bytes >= *unit)
        .map_or_else(|| format!("{bytes} bytes"), |(name, unit)| format!("{:.1} {name}", bytes / unit))
}

/// Formats a duration: `0.8 ms`, `120 ms`, `2.4 s`, `5 min`, `3 h 20 min`.
pub(super) fn time(ms: f64) -> String {
    let minutes = ms / 60_000.0;
    if ms < 10.0 {
        format!("{ms:.1} ms")
    } else if ms < 1_000.0 {
        format!("{ms:.0} ms")
    } else if minutes < 2.0 {
        format!("{:.1} s", ms / 1_000.0)
    } else if minutes < 120.0 {
        format!("{minutes:.0} min")
    } else {
        format!("{} h {} min", minutes as u64 / 60, minutes as u64 % 60)
    }
}

/// Formats a timestamp to the minute, in UTC: `2026-11-20 10:42 UTC`.
pub(super) fn moment(message: Option<&prost_types::Timestamp>) -> Option<String> {
    let prost_types::Timestamp { seconds, nanos } = *message?;
    let moment = jiff::Timestamp::new(seconds, nanos).ok()?;
    Some(moment.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_short() {
        assert_eq!([count(0), count(999), count(1_234_567)], ["0", "999", "1,234,567"]);
        assert_eq!([counted(1, "file"), counted(2_000, "file")], ["1 file", "2,000 files"]);
        assert_eq!([size(12), size(1_500), size(45_300_000)], ["12 bytes", "1.5 kB", "45.3 MB"]);
        assert_eq!([time(0.84), time(120.4), time(2_440.0), time(300_000.0)], ["0.8 ms", "120 ms", "2.4 s", "5 min"]);
        assert_eq!(time(12_000_000.0), "3 h 20 min");
        let second = prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 };
        assert_eq!(moment(Some(&second)).as_deref(), Some("2023-11-14 22:13 UTC"));
    }
}
