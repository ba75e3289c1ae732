//! Times for people: how long ago on a terminal, the date in a file.

use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::quantity::count_noun;

/// The age below which a time is `just now`.
const JUST_NOW: Duration = Duration::from_secs(45);

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The age in days from which the date says more than the age does.
const DATED_FROM_DAYS: u64 = 30;

/// Formats a time: relative to `now` if that is given, else to the minute in the user's time zone. Empty if it is out of range.
pub(crate) fn moment(time: &prost_types::Timestamp, now: Option<Timestamp>) -> String {
    let Ok(time) = Timestamp::new(time.seconds, time.nanos) else { return String::new() };
    let absolute = |format: &str| time.to_zoned(TimeZone::system()).strftime(format).to_string();
    let Some(now) = now else { return absolute("%Y-%m-%d %H:%M") };
    // A clock that was set back, or another machine's.
    let Ok(age) = Duration::try_from(now.duration_since(time)) else { return absolute("%Y-%m-%d %H:%M") };
    let seconds = age.as_secs();
    if age < JUST_NOW {
        "just now".to_owned()
    } else if seconds < HOUR {
        format!("{} min ago", (seconds / MINUTE).max(1))
    } else if seconds < DAY {
        format!("{} ago", count_noun(seconds / HOUR, "hour", "hours"))
    } else if seconds < DATED_FROM_DAYS * DAY {
        format!("{} ago", count_noun(seconds / DAY, "day", "days"))
    } else {
        absolute("%Y-%m-%d")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_says_how_long_ago_and_a_file_says_when() {
        let now = Timestamp::new(1_700_000_000, 0).expect("in range");
        let check = |seconds_ago: i64, expected: &str| {
            let time = prost_types::Timestamp { seconds: 1_700_000_000 - seconds_ago, nanos: 0 };
            assert_eq!(moment(&time, Some(now)), expected, "{seconds_ago}");
        };
        check(0, "just now");
        check(50, "1 min ago");
        check(59 * 60, "59 min ago");
        check(60 * 60, "1 hour ago");
        check(23 * 3600, "23 hours ago");
        check(86_400, "1 day ago");
        check(29 * 86_400, "29 days ago");
        assert_eq!(moment(&prost_types::Timestamp { seconds: 1_690_000_000, nanos: 0 }, Some(now)).len(), 10);
        // In the future, and without a present.
        assert_eq!(moment(&prost_types::Timestamp { seconds: 1_700_000_100, nanos: 0 }, Some(now)).len(), 16);
        assert_eq!(moment(&prost_types::Timestamp { seconds: 1_690_000_000, nanos: 0 }, None).len(), 16);
        assert_eq!(moment(&prost_types::Timestamp { seconds: i64::MAX, nanos: 0 }, None), "");
    }
}
