//! Typed conditions, and whether a row satisfies them.
//!
//! A comparison with a value that a row lacks does not hold, and its negation does. So each condition either holds or not.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Bound;

use crate::rql::field::Field;
use crate::rql::moment::Moment;
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
