//! UTC days, which name the files of a journal, and conversions between timestamps and RFC 3339.

use std::fmt;
use std::path::PathBuf;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use recall_core::Timestamp;

/// The name of the only file in a day's folder.
pub const FILE: &str = "memories.jsonl";

/// A UTC day from year 0 to 9999. Its `Display` form is the name of its folder, `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(Date);

impl Day {
    /// The day passed to a storage that has a single file for all days.
    pub(crate) const SINGLE: Self = Self(Date::constant(1970, 1, 1));

    /// Returns the day of a timestamp. A [`Timestamp`] covers the years 1677 to 2262.
    pub fn from_timestamp(timestamp: Timestamp) -> Self {
        Self(moment(timestamp).to_zoned(TimeZone::UTC).date())
    }

    /// Parses the name of a day's folder. Returns `None` for any name not of the form `YYYY-MM-DD`.
    pub fn from_name(name: &str) -> Option<Self> {
        let is_digit_or_dash =
            |(at, byte): (usize, u8)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
        if name.len() != 10 || !name.bytes().enumerate().all(is_digit_or_dash) {
            return None;
        }
        name.parse().ok().map(Self)
    }

    /// Returns the path of the day's file, relative to the folder of journals.
    pub fn path(self) -> PathBuf {
        [self.to_string().as_str(), FILE].iter().collect()
    }

    /// Returns midnight at the start of the day, or `None` if it is out of a [`Timestamp`]'s range.
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

/// Converts a timestamp to `jiff`'s type.
pub(crate) fn moment(timestamp: Timestamp) -> jiff::Timestamp {
    jiff::Timestamp::from_nanosecond(i128::from(timestamp.0))
        .expect("jiff's range includes every 64-bit count of nanoseconds")
}

/// Formats a timestamp as RFC 3339 in UTC.
pub fn rfc_3339(timestamp: Timestamp) -> String {
    moment(timestamp).to_string()
}

/// Parses an RFC 3339 timestamp. Returns `None` if the text is not one, or if it is out of a [`Timestamp`]'s range.
pub fn moment_of(text: &str) -> Option<Timestamp> {
    let moment: jiff::Timestamp = text.parse().ok()?;
    i64::try_from(moment.as_nanosecond()).ok().map(Timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_belongs_to_its_utc_day() {
        for (nanoseconds, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (1_795_305_599_999_999_999, "2026-11-21"),
            (i64::MIN, "1677-09-21"),
            (i64::MAX, "2262-04-11"),
        ] {
            let day = Day::from_timestamp(Timestamp(nanoseconds));
            assert_eq!(day.to_string(), expected);
            assert_eq!(Day::from_name(expected), Some(day));
        }
    }

    #[test]
    fn a_folder_name_that_is_not_a_date_is_rejected() {
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
        assert_eq!(
            (Day::from_timestamp(begin), Day::from_timestamp(Timestamp(begin.0 - 1)).to_string()),
            (day, "2026-11-19".to_owned())
        );
        assert_eq!(Day::from_name("0001-01-01").expect("a day").begin(), None);
    }
}
