//! Times as people write them: dates, ages, weeks, commits and tags.
//!
//! A text names a stretch of time or a revision. What a revision is, git decides; the caller asks it and passes a [`TimePoint`]. The
//! days are those of UTC, as in the journals.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, ToSpan as _};

use crate::Timestamp;
use crate::rql::Moment;

/// The longest text that names a time, in bytes.
pub const WHEN_BYTES: usize = 200;

/// A time as a text names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// From the first to the second, which is exclusive. Both are equal for an age such as `3h`.
    Stretch(Timestamp, Timestamp),
    /// A commit, a tag or a branch.
    Revision(String),
}

impl When {
    /// Reads a text: `2026-11-20`, `2026-11`, `2026`, RFC 3339, `3d`, `2 weeks ago`, `yesterday`, `last week`, `last monday`; anything
    /// else that git could know is a revision. `None` for any other text.
    ///
    /// Ages are counted in hours `h`, days `d`, weeks `w`, months `mo` and years `y`.
    pub fn parse(text: &str, now: Timestamp) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.len() > WHEN_BYTES {
            return None;
        }
        let words = text.to_lowercase().replace(['_', '-'], " ");
        let words: Vec<&str> = words.split_whitespace().collect();
        let today = date_of(now)?;
        Self::absolute(text)
            .or_else(|| age(text, now))
            .or_else(|| relative(&words, today))
            .or_else(|| is_revision(text).then(|| Self::Revision(text.to_owned())))
    }

    fn absolute(text: &str) -> Option<Self> {
        if let Some(Moment { start, end }) = Moment::parse(text) {
            return Some(Self::Stretch(Timestamp(start), Timestamp(end)));
        }
        let (year, month) = text.split_once('-').map_or((text, None), |(year, month)| (year, Some(month)));
        let is_year = year.len() == 4 && (year.starts_with("19") || year.starts_with("20"));
        let year = year.parse().ok().filter(|_| is_year)?;
        match month {
            Some(month) => days(Date::new(year, month.parse().ok()?, 1).ok()?, 1.month()),
            None => days(Date::new(year, 1, 1).ok()?, 1.year()),
        }
    }
}

/// A point in time, or the state after a commit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimePoint {
    /// The time; of a commit, the second in which it was made.
    pub at: Timestamp,
    /// The full hash of the commit.
    pub commit: Option<String>,
}

impl TimePoint {
    /// Whether something had been made by then. Git knows the time of a commit to the second; what was made in that second while the
    /// commit was checked out was made after it.
    pub fn includes(&self, made: Timestamp, made_at: Option<&str>) -> bool {
        let Some(commit) = &self.commit else { return made < self.at };
        let second = |timestamp: Timestamp| timestamp.0.div_euclid(NANOS_PER_SECOND);
        match second(made).cmp(&second(self.at)) {
            std::cmp::Ordering::Equal => !made_at.is_some_and(|hash| !hash.is_empty() && commit.starts_with(hash)),
            order => order.is_lt(),
        }
    }
}

/// When a statement holds, as it was stated.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValidTime {
    /// Since when; `None` if from its addition on.
    pub from: Option<TimePoint>,
    /// Until when, exclusive; `None` if that is open.
    pub until: Option<TimePoint>,
}

/// Whether a statement holds, by the time that is stated for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holds {
    /// Nothing says otherwise.
    #[default]
    Now,
    /// Its time has not begun.
    NotYet,
    /// Its time is over.
    NoLonger,
}

impl Holds {
    /// Compares a time with the stated beginning and end.
    pub fn at([from, until]: [Option<Timestamp>; 2], now: Timestamp) -> Self {
        if until.is_some_and(|until| until <= now) {
            Self::NoLonger
        } else if from.is_some_and(|from| from > now) {
            Self::NotYet
        } else {
            Self::Now
        }
    }

    /// Returns the words for it; empty if nothing says otherwise.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Now => "",
            Self::NotYet => "not valid yet",
            Self::NoLonger => "expired",
        }
    }
}

/// A change of a [`ValidTime`]; what is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ValidTimeChange {
    /// The new beginning.
    pub from: Option<NewBound>,
    /// The new end.
    pub until: Option<NewBound>,
}

/// A new bound of a [`ValidTime`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NewBound {
    /// This one.
    At(TimePoint),
    /// None any more.
    Open,
}

/// A [`ValidTime`] as a request words it. A time is a date, an age, a commit or a tag; see [`When`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordedTime {
    /// Since when; empty removes it, `None` keeps it.
    pub from: Option<String>,
    /// Until when, in the same way.
    pub until: Option<String>,
}

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// Whether git may know a text as a revision. It cannot be an option, a range, or several arguments.
fn is_revision(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._/+~^@{}-".contains(c);
    !text.starts_with(['-', '.']) && !text.contains("..") && text.chars().all(is_plain)
}

fn date_of(now: Timestamp) -> Option<Date> {
    let now = jiff::Timestamp::from_nanosecond(i128::from(now.0)).ok()?;
    Some(now.to_zoned(TimeZone::UTC).date())
}

/// Returns the stretch that begins with a day.
fn days(first: Date, length: Span) -> Option<When> {
    let begin = |date: Date| {
        let begin = date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_nanosecond();
        i64::try_from(begin).ok().map(Timestamp)
    };
    Some(When::Stretch(begin(first)?, begin(first.checked_add(length).ok()?)?))
}

/// Reads `3d`: the moment that long ago.
fn age(text: &str, now: Timestamp) -> Option<When> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).filter(|at| *at > 0)?;
    let (count, unit) = (text[..unit_at].parse::<i64>().ok()?, &text[unit_at..]);
    let now = jiff::Timestamp::from_nanosecond(i128::from(now.0)).ok()?;
    let ago = if unit == "h" {
        now.checked_sub(hours(count)?).ok()?
    } else {
        now.to_zoned(TimeZone::UTC).checked_sub(span(count, unit)?).ok()?.timestamp()
    };
    let ago = Timestamp(i64::try_from(ago.as_nanosecond()).ok()?);
    Some(When::Stretch(ago, ago))
}

fn hours(count: i64) -> Option<Span> {
    Span::new().try_hours(count).ok()
}

fn span(count: i64, unit: &str) -> Option<Span> {
    let new = Span::new();
    match unit {
        "d" | "day" | "days" => new.try_days(count).ok(),
        "w" | "week" | "weeks" => new.try_weeks(count).ok(),
        "mo" | "month" | "months" => new.try_months(count).ok(),
        "y" | "year" | "years" => new.try_years(count).ok(),
        _ => None,
    }
}

/// Reads words that name days by their distance from today.
fn relative(words: &[&str], today: Date) -> Option<When> {
    let back = |first: Date, span: Span| first.checked_sub(span).ok();
    let monday = back(today, i64::from(today.weekday().to_monday_zero_offset()).days())?;
    match *words {
        ["today" | "now"] => days(today, 1.day()),
        ["yesterday"] => days(today.yesterday().ok()?, 1.day()),
        ["this", "week"] => days(monday, 1.week()),
        ["last", "week"] => days(back(monday, 1.week())?, 1.week()),
        ["this", "month"] => days(today.first_of_month(), 1.month()),
        ["last", "month"] => days(back(today.first_of_month(), 1.month())?, 1.month()),
        ["this", "year"] => days(today.first_of_year(), 1.year()),
        ["last", "year"] => days(back(today.first_of_year(), 1.year())?, 1.year()),
        [count, unit, "ago"] => {
            let count = number(count)?;
            // The whole day, week, month or year of which that day is a part of, counted back from today.
            let first = back(today, span(count, unit)?)?;
            days(first, span(1, unit)?)
        }
        ["last", day] | [day] => {
            let weekday = weekday(day)?;
            let since = (today.weekday().since(weekday) + 6) % 7 + 1;
            days(back(today, i64::from(since).days())?, 1.day())
        }
        _ => None,
    }
}

fn number(word: &str) -> Option<i64> {
    const WORDS: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let spelled = || match word {
        "a" | "an" => Some(1),
        _ => WORDS.iter().position(|known| *known == word).map(|at| at as i64 + 1),
    };
    word.parse().ok().filter(|count| (1..100_000).contains(count)).or_else(spelled)
}

fn weekday(word: &str) -> Option<Weekday> {
    use Weekday::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};
    Some(match word {
        "monday" => Monday,
        "tuesday" => Tuesday,
        "wednesday" => Wednesday,
        "thursday" => Thursday,
        "friday" => Friday,
        "saturday" => Saturday,
        "sunday" => Sunday,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Friday, 2026-11-27, 12:30 UTC.
    const NOW: Timestamp = Timestamp(1_795_782_600_000_000_000);

    fn check(text: &str, expected: Option<(&str, &str)>) {
        let moment = |text: &str| Timestamp(Moment::parse(text).expect(text).start);
        let expected = expected.map(|(from, to)| When::Stretch(moment(from), moment(to)));
        assert_eq!(When::parse(text, NOW), expected, "{text}");
    }

    #[test]
    fn a_text_names_a_stretch_of_time() {
        for (text, from, to) in [
            ("2026-11-20", "2026-11-20", "2026-11-21"),
            ("2026-02", "2026-02-01", "2026-03-01"),
            ("2025", "2025-01-01", "2026-01-01"),
            ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00Z", "2026-11-20T10:00:01Z"),
            ("3d", "2026-11-24T12:30:00Z", "2026-11-24T12:30:00Z"),
            ("12h", "2026-11-27T00:30:00Z", "2026-11-27T00:30:00Z"),
            ("1mo", "2026-10-27T12:30:00Z", "2026-10-27T12:30:00Z"),
            ("today", "2026-11-27", "2026-11-28"),
            ("Yesterday", "2026-11-26", "2026-11-27"),
            ("last week", "2026-11-16", "2026-11-23"),
            ("last-week", "2026-11-16", "2026-11-23"),
            ("this week", "2026-11-23", "2026-11-30"),
            ("last month", "2026-10-01", "2026-11-01"),
            ("last year", "2025-01-01", "2026-01-01"),
            ("3 days ago", "2026-11-24", "2026-11-25"),
            ("two weeks ago", "2026-11-13", "2026-11-20"),
            ("monday", "2026-11-23", "2026-11-24"),
            ("last friday", "2026-11-20", "2026-11-21"),
        ] {
            check(text, Some((from, to)));
        }
        for text in ["", " ", "the day of days", "-x", "a..b", "v1;rm", "0 days ago"] {
            check(text, None);
        }
        for text in ["v2.3", "0123abcd", "main~3", "release/1.0", "20d9f1e"] {
            assert_eq!(When::parse(text, NOW), Some(When::Revision(text.to_owned())));
        }
    }

    #[test]
    fn a_statement_holds_from_its_beginning_until_before_its_end() {
        let at = |now: i64| Holds::at([Some(Timestamp(10)), Some(Timestamp(20))], Timestamp(now));
        assert_eq!([9, 10, 19, 20].map(at), [Holds::NotYet, Holds::Now, Holds::Now, Holds::NoLonger]);
        assert_eq!(Holds::at([None, None], Timestamp(0)), Holds::Now);
    }

    #[test]
    fn what_was_made_in_the_second_of_a_commit_is_after_it_if_the_commit_was_checked_out() {
        let point = TimePoint { at: Timestamp(10 * NANOS_PER_SECOND), commit: Some("abcdef".to_owned()) };
        let made = |tenths: i64, at: Option<&str>| point.includes(Timestamp(tenths * NANOS_PER_SECOND / 10), at);
        assert!(made(99, Some("abcdef")) && made(103, Some("012345")) && made(103, None));
        assert!(!made(103, Some("abc")) && !made(110, None));
        let time = TimePoint { at: Timestamp(10), commit: None };
        assert!(time.includes(Timestamp(9), None) && !time.includes(Timestamp(10), None));
    }
}
