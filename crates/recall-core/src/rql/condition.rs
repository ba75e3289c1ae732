//! Typed conditions with their dates and times, and whether a row satisfies them.
//!
//! A comparison with a value that a row lacks does not hold, and its negation does. So each condition either holds or not.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Bound;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};

use crate::rql::field::Field;
use crate::rql::pattern::Pattern;

/// A row that conditions are asked of.
pub trait Row {
    /// Returns the value that the row has for a field, or `Absent`.
    fn value(&self, field: Field) -> Value<'_>;
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// The row has none.
    Absent,
    /// One text.
    Text(Cow<'a, str>),
    /// The entries of a field that is a set, such as tags.
    Set(&'a [String]),
    /// A number; whole numbers too are floating-point.
    Number(f64),
    /// A point in time, in nanoseconds since 1970 in UTC.
    Time(i64),
}

impl<'a> Value<'a> {
    /// Makes a value from a text that may be missing.
    pub fn from_text(text: Option<&'a str>) -> Self {
        text.map_or(Value::Absent, |text| Value::Text(Cow::Borrowed(text)))
    }

    /// Returns the value without borrowing from the row. Rows are not ordered by sets: one is absent.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Value::Number(number) => Value::Number(number),
            Value::Time(time) => Value::Time(time),
            Value::Absent | Value::Set(_) => Value::Absent,
        }
    }

    /// Returns the order of two values of one field: an absent one is the least.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (Value::Set(a), Value::Set(b)) => a.cmp(b),
            (Value::Number(a), Value::Number(b)) => a.total_cmp(b),
            (Value::Time(a), Value::Time(b)) => a.cmp(b),
            _ => (*self != Value::Absent).cmp(&(*other != Value::Absent)),
        }
    }
}

/// A condition on a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// All hold; true of none.
    All(Vec<Condition>),
    /// At least one holds.
    Any(Vec<Condition>),
    /// The condition does not hold.
    Not(Box<Condition>),
    /// The value of a field passes a check.
    Is(Field, Check),
}

/// A check of a field's value. An absent value passes none; a set passes if one of its texts does.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// The text is one of these.
    Among(HashSet<String>),
    /// The text is between these bounds, bytewise.
    Between(Bound<String>, Bound<String>),
    /// The text matches a pattern of `LIKE` or `GLOB`.
    Matches(Pattern),
    /// The number is one of these. Ascending.
    Numbers(Vec<f64>),
    /// The number is between these bounds.
    Within(Bound<f64>, Bound<f64>),
    /// The time is in one of these stretches, which ascend and do not overlap.
    During(Vec<Moment>),
}

impl Condition {
    /// Whether a row satisfies the condition.
    pub fn holds(&self, row: &impl Row) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(row)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(row)),
            Self::Not(part) => !part.holds(row),
            Self::Is(field, check) => check.passes(&row.value(*field)),
        }
    }

    /// Whether the condition depends on a field that `is_meant` accepts.
    pub fn depends_on(&self, is_meant: &impl Fn(Field) -> bool) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.depends_on(is_meant)),
            Self::Not(part) => part.depends_on(is_meant),
            Self::Is(field, _) => is_meant(*field),
        }
    }

    /// Returns the number of checks.
    pub(crate) fn checks(&self) -> usize {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().map(Self::checks).sum(),
            Self::Not(part) => part.checks(),
            Self::Is(..) => 1,
        }
    }
}

impl Check {
    /// Whether a value passes. A set passes if one of its texts does.
    pub fn passes(&self, value: &Value<'_>) -> bool {
        match value {
            Value::Absent => false,
            Value::Text(text) => self.passes_text(text),
            Value::Set(texts) => texts.iter().any(|text| self.passes_text(text)),
            Value::Number(number) => self.passes_number(*number),
            Value::Time(time) => self.passes_time(*time),
        }
    }

    fn passes_text(&self, text: &str) -> bool {
        match self {
            Self::Among(texts) => texts.contains(text),
            Self::Between(low, high) => {
                is_above(low.as_ref().map(String::as_str), text) && is_below(high.as_ref().map(String::as_str), text)
            }
            Self::Matches(pattern) => pattern.matches(text),
            Self::Numbers(_) | Self::Within(..) | Self::During(_) => false,
        }
    }

    fn passes_number(&self, number: f64) -> bool {
        match self {
            Self::Numbers(numbers) => numbers.binary_search_by(|known| known.total_cmp(&number)).is_ok(),
            Self::Within(low, high) => is_above(low.as_ref(), &number) && is_below(high.as_ref(), &number),
            Self::Among(_) | Self::Between(..) | Self::Matches(_) | Self::During(_) => false,
        }
    }

    fn passes_time(&self, time: i64) -> bool {
        match self {
            Self::During(moments) => {
                let after = moments.partition_point(|moment| moment.start <= time);
                after > 0 && time < moments[after - 1].end
            }
            Self::Among(_) | Self::Between(..) | Self::Matches(_) | Self::Numbers(_) | Self::Within(..) => false,
        }
    }
}

fn is_above<T: PartialOrd + ?Sized>(bound: Bound<&T>, value: &T) -> bool {
    match bound {
        Bound::Included(low) => value >= low,
        Bound::Excluded(low) => value > low,
        Bound::Unbounded => true,
    }
}

fn is_below<T: PartialOrd + ?Sized>(bound: Bound<&T>, value: &T) -> bool {
    match bound {
        Bound::Included(high) => value <= high,
        Bound::Excluded(high) => value < high,
        Bound::Unbounded => true,
    }
}

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
