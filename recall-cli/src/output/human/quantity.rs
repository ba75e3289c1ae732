//! Formatting of sizes, counts and durations.

use std::time::Duration;

/// Formats a number with thousands separators: `12,345`.
pub(crate) fn count(number: u64) -> String {
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

/// Formats a number with its noun: `1 file`, `2 files`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Formats a size in the largest unit that it fills: `12.3 MiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut size = bytes as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1023.95 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

/// Formats a short duration: `0.83 ms`, `12 ms`, `1.2 s`.
pub(crate) fn millis(ms: f64) -> String {
    if ms < 10.0 {
        format!("{ms:.2} ms")
    } else if ms < 1000.0 {
        format!("{ms:.0} ms")
    } else {
        format!("{:.1} s", ms / 1000.0)
    }
}

/// Formats a long duration in its two largest units: `2 h 5 min`.
pub(crate) fn span(time: Duration) -> String {
    let seconds = time.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_easily() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([counted(1, "file", "files"), counted(0, "file", "files")], ["1 file", "0 files"]);
        assert_eq!(
            [0, 1023, 1024, 1_048_575, 5_000_000].map(bytes),
            ["0 B", "1023 B", "1.0 KiB", "1.0 MiB", "4.8 MiB"]
        );
        assert_eq!([0.834, 12.4, 999.0, 1234.0].map(millis), ["0.83 ms", "12 ms", "999 ms", "1.2 s"]);
        assert_eq!(
            [5, 65, 7_500, 90_061].map(|s| span(Duration::from_secs(s))),
            ["5 s", "1 min 5 s", "2 h 5 min", "1 d 1 h"]
        );
    }
}
