//! Texts of counts, sizes and durations.

use std::time::Duration;

/// Formats a number with a comma every three digits: `12,345`.
pub fn count(number: u64) -> String {
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
pub fn count_noun(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Formats a size in the largest binary unit that it fills, the unit in which settings are written: `12.3 MiB`.
pub fn bytes(bytes: u64) -> String {
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

/// Formats a measured time in milliseconds: `0.8 ms`, `120 ms`, `2.4 s`, and from two minutes on as a [`span`].
pub fn millis(ms: f64) -> String {
    if ms < 10.0 {
        format!("{ms:.1} ms")
    } else if ms < 1_000.0 {
        format!("{ms:.0} ms")
    } else if ms < 120_000.0 {
        format!("{:.1} s", ms / 1_000.0)
    } else {
        span(Duration::from_secs((ms / 1_000.0) as u64))
    }
}

/// Formats a duration in its two largest units: `2 h 5 min`.
pub fn span(time: Duration) -> String {
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
    fn numbers_are_short_and_have_their_noun() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(count_noun(1, "file", "files"), "1 file");
        assert_eq!([0, 2_000].map(|number| count_noun(number, "file", "files")), ["0 files", "2,000 files"]);
    }

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(
            [0, 1023, 1024, 1_048_575, 5_000_000].map(bytes),
            ["0 B", "1023 B", "1.0 KiB", "1.0 MiB", "4.8 MiB"]
        );
    }

    #[test]
    fn durations_have_the_unit_that_suits_their_length() {
        assert_eq!(
            [0.84, 12.4, 999.0, 1_234.0, 7_500_000.0].map(millis),
            ["0.8 ms", "12 ms", "999 ms", "1.2 s", "2 h 5 min"]
        );
        assert_eq!(
            [5, 65, 7_500, 90_061].map(|seconds| span(Duration::from_secs(seconds))),
            ["5 s", "1 min 5 s", "2 h 5 min", "1 d 1 h"]
        );
    }
}
