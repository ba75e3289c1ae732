//! Dates and times of comparisons.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

/// A stretch of time that a text names: a day, a second, or an instant. In nanoseconds since 1970; the end is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The first nanosecond that belongs to it.
    pub start: i64,
    /// The nanosecond after the last.
    pub end: i64,
}

const NANOS_PER_SECOND: i64 = 1_000_000_000;

impl Moment {
    /// Reads `2026-01-31` as a day and `2026-01-31T10:00:00Z` as a second, or as an instant if it has a fraction. Without an offset,
    /// the time is in UTC. Times that nanoseconds in 64 bits cannot represent become the nearest one.
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(date) = text.parse::<Date>()
            && text.len() == "2026-01-31".len()
        {
            let next = date.checked_add(1.day()).unwrap_or(date);
            return Some(Self { start: start_of(date), end: start_of(next) });
        }
        let instant = text.parse::<Timestamp>().ok().or_else(|| {
            let local = text.parse::<DateTime>().ok()?;
            local.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
        })?;
        let start = nanoseconds(instant);
        let length = if text.contains(['.', ',']) { 1 } else { NANOS_PER_SECOND };
        Some(Self { start, end: start.saturating_add(length) })
    }

    /// Returns the same stretches, ascending, without overlaps.
    pub(crate) fn merge(mut all: Vec<Self>) -> Vec<Self> {
        all.sort_unstable();
        let mut merged: Vec<Self> = Vec::with_capacity(all.len());
        for moment in all {
            match merged.last_mut().filter(|last| moment.start <= last.end) {
                Some(last) => last.end = last.end.max(moment.end),
                None => merged.push(moment),
            }
        }
        merged
    }
}

fn start_of(date: Date) -> i64 {
    // The last day of the year 9999 is beyond the time stamps of the library.
    let beyond = if date.year() < 1970 { i64::MIN } else { i64::MAX };
    date.to_zoned(TimeZone::UTC).map_or(beyond, |zoned| nanoseconds(zoned.timestamp()))
}

fn nanoseconds(instant: Timestamp) -> i64 {
    let nanoseconds = instant.as_nanosecond();
    i64::try_from(nanoseconds).unwrap_or(if nanoseconds < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400 * NANOS_PER_SECOND;

    #[test]
    fn a_text_names_a_stretch_of_time() {
        let noon = 20_000 * DAY + DAY / 2;
        for (text, expected) in [
            ("1970-01-01", Some((0, DAY))),
            ("1969-12-31", Some((-DAY, 0))),
            ("2024-10-04", Some((20_000 * DAY, 20_001 * DAY))),
            ("2024-10-04T12:00:00Z", Some((noon, noon + NANOS_PER_SECOND))),
            ("2024-10-04T14:00:00+02:00", Some((noon, noon + NANOS_PER_SECOND))),
            ("2024-10-04 12:00:00", Some((noon, noon + NANOS_PER_SECOND))),
            ("2024-10-04T12:00:00.5Z", Some((noon + NANOS_PER_SECOND / 2, noon + NANOS_PER_SECOND / 2 + 1))),
            ("2024-13-04", None),
            ("2024-02-30", None),
            ("9999-12-31", Some((i64::MAX, i64::MAX))),
            ("0001-01-01", Some((i64::MIN, i64::MIN))),
            ("yesterday", None),
            ("", None),
        ] {
            assert_eq!(Moment::parse(text).map(|moment| (moment.start, moment.end)), expected, "{text}");
        }
    }
}
