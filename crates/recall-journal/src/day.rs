//! Which file does an event go to?

use std::fmt;
use std::path::PathBuf;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use recall_core::Timestamp;

/// The name of the one file in the folder of a day.
pub(crate) const FILE: &str = "memories.jsonl";

/// A day in UTC, from year 0 to 9999. Shown as the name of its folder, `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(Date);

impl Day {
    /// The day of a moment: every moment that a [`Timestamp`] can tell lies between 1677 and 2262.
    pub fn of(timestamp: Timestamp) -> Self {
        Self(moment(timestamp).to_zoned(TimeZone::UTC).date())
    }

    /// Reads the name of a folder; any other name is none of a day.
    pub fn from_name(name: &str) -> Option<Self> {
        let is_digit_or_dash =
            |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
        if name.len() != 10 || !name.bytes().enumerate().all(is_digit_or_dash) {
            return None;
        }
        name.parse().ok().map(Self)
    }

    /// Where the day's file is, below the folder of journals.
    pub fn path(self) -> PathBuf {
        [self.to_string().as_str(), FILE].iter().collect()
    }

    /// When it began; none where a [`Timestamp`] does not reach.
    pub(crate) fn begin(self) -> Option<Timestamp> {
        let begin = self.0.to_zoned(TimeZone::UTC).ok()?.timestamp();
        i64::try_from(begin.as_nanosecond()).ok().map(Timestamp)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A moment as the library for dates knows it.
pub(crate) fn moment(timestamp: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_nanosecond(i128::from(timestamp.0)).expect("it reaches further than 64 bits of nanoseconds")
}

/// A moment in RFC 3339 and UTC.
pub fn rfc_3339(timestamp: Timestamp) -> String {
    moment(timestamp).to_string()
}

/// The moment that a text in RFC 3339 tells; `None` where it tells none, or one beyond the reach of a [`Timestamp`].
pub fn moment_of(text: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = text.parse().ok()?;
    i64::try_from(moment.as_nanosecond()).ok().map(Timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_of_its_day_in_utc() {
        for (nanoseconds, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (1_795_305_599_999_999_999, "2026-11-21"),
            (i64::MIN, "1677-09-21"),
            (i64::MAX, "2262-04-11"),
        ] {
            let day = Day::of(Timestamp(nanoseconds));
            assert_eq!(day.to_string(), expected);
            assert_eq!(Day::from_name(expected), Some(day));
        }
    }

    #[test]
    fn only_dates_are_names_of_days() {
        for name in
            ["index", "2026-1-1", "2026-13-01", "2026-02-30", "2026-11-20 ", "20261120", "+026-11-20", "2026-11-2x"]
        {
            assert_eq!(Day::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn a_day_begins_at_midnight() {
        let day = Day::from_name("2026-11-20").expect("a day");
        let begin = day.begin().expect("within reach");
        assert_eq!((Day::of(begin), Day::of(Timestamp(begin.0 - 1)).to_string()), (day, "2026-11-19".to_owned()));
        assert_eq!(Day::from_name("0001-01-01").expect("a day").begin(), None);
    }
}
