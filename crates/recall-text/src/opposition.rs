//! How two statements relate: whether they say the same, add to each other, or may contradict each other.
//!
//! It looks at what changes a statement: negation, quantities, names of which a project takes one, opposite words, and the order of
//! words. It does not understand the texts. What a text says and denies is in `statement`, what it chooses in `values`.
//!
//! A contradiction takes two things: the statements are about one subject, and something in them excludes the other. In nearly the
//! same words, the subject is the words that both have: if a word of the subject itself is exchanged (`the read timeout`, `the
//! connect timeout`), the subjects differ. In other words, the subject is the nearness of their embeddings, which the caller knows.

mod statement;
mod values;

use std::collections::BTreeSet;

pub use statement::Statement;

use statement::StatementWord;
use values::ValueKind;

/// Pairs of words of which one says the opposite of the other, or excludes it.
const OPPOSITES: [(&str, &str); 55] = [
    ("accept", "reject"),
    ("accepted", "rejected"),
    ("add", "remove"),
    ("after", "before"),
    ("allow", "forbid"),
    ("allowed", "forbidden"),
    ("always", "never"),
    ("always", "sometimes"),
    ("ascending", "descending"),
    ("asynchronous", "synchronous"),
    ("async", "sync"),
    ("client", "server"),
    ("decrease", "increase"),
    ("disable", "enable"),
    ("disabled", "enabled"),
    ("disables", "enables"),
    ("downstream", "upstream"),
    ("everything", "nothing"),
    ("external", "internal"),
    ("fails", "succeeds"),
    ("fast", "slow"),
    ("first", "last"),
    ("high", "low"),
    ("ignore", "require"),
    ("ignored", "required"),
    ("include", "exclude"),
    ("left", "right"),
    ("less", "more"),
    ("local", "remote"),
    ("maximum", "minimum"),
    ("max", "min"),
    ("mutable", "immutable"),
    ("off", "on"),
    ("optional", "required"),
    ("primary", "replica"),
    ("private", "public"),
    ("read", "write"),
    ("safe", "unsafe"),
    ("spaces", "tabs"),
    ("start", "stop"),
    ("stable", "unstable"),
    ("false", "true"),
    ("automatic", "manual"),
    ("automatic", "hand"),
    ("automatically", "manually"),
    ("own", "shared"),
    ("own", "share"),
    ("optimistic", "pessimistic"),
    ("stateful", "stateless"),
    ("eager", "lazy"),
    ("centralized", "decentralized"),
    ("mandatory", "optional"),
    ("encrypted", "unencrypted"),
    ("parallel", "sequential"),
    ("open", "closed"),
];

/// Words that say which of several things a statement is about, in the form of their stems. Statements that exchange them are about
/// different things.
const PLACES: [&str; 22] = [
    "linux",
    "macos",
    "window",
    "android",
    "ios",
    "production",
    "staging",
    "development",
    "test",
    "local",
    "mobil",
    "web",
    "frontend",
    "backend",
    "server",
    "client",
    "admin",
    "api",
    "cli",
    "ui",
    "user",
    "customer",
];

/// How two statements relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// Both cannot hold, as far as their words show.
    Contradiction,
    /// One says what the other says, and more.
    Refinement,
    /// Both say the same.
    Repeat,
}

impl Relation {
    /// Returns its name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Contradiction => "contradiction",
            Self::Refinement => "refinement",
            Self::Repeat => "repeat",
        }
    }
}

/// The share of common content words from which two statements are compared word by word.
const ALIKE: f64 = 0.5;

/// The least nearness of two statements in nearly the same words.
const NEAR_ALIKE: f64 = 0.35;

/// The least nearness of two statements in other words that have a word in common and choose different names for one purpose, or of
/// which one denies a name that the other states. Names are rare, so they say more about the subject than other words.
const NEAR_WITH_NAMES: f64 = 0.28;

/// The least nearness of two statements in other words that give different values of one kind.
const NEAR_WITH_VALUES: f64 = 0.45;

/// The least nearness of two statements in other words of which one denies several words of the other.
const NEAR_WITH_DENIALS: f64 = 0.58;

/// The least nearness of two statements in other words with opposite words.
const NEAR_WITH_OPPOSITES: f64 = 0.52;

/// The nearness from which two statements are about one subject, whatever words they exchange.
const NEAR_SUBJECT: f64 = 0.82;

/// The least nearness of a repetition in other words.
const NEAR_REPEAT: f64 = 0.62;

/// The least nearness of an addition in other words.
const NEAR_REFINEMENT: f64 = 0.45;

/// Returns how two statements relate; `None` if they are about different things. `nearness` is the cosine of their embeddings;
/// without it, statements in other words are not related.
pub fn relation(one: &Statement, other: &Statement, nearness: Option<f64>) -> Option<Relation> {
    if exchanges(one, other) {
        return Some(Relation::Contradiction);
    }
    let alignment = Alignment::new(one, other);
    let least = if alignment.common > 1 { NEAR_ALIKE } else { NEAR_REPEAT };
    let are_near = nearness.is_none_or(|nearness| nearness >= least);
    if (alignment.share >= ALIKE || alignment.is_contained()) && are_near {
        return alignment.relation(one, other, nearness);
    }
    let nearness = nearness?;
    let evidence = Evidence::new(one, other);
    let has_names = alignment.common > 0 && (evidence.has_names || evidence.denied_name);
    let has_preferences = alignment.common > 0 && evidence.has_preferences;
    if nearness >= NEAR_WITH_NAMES && has_names
        || nearness >= NEAR_WITH_VALUES && evidence.has_values
        || nearness >= NEAR_WITH_DENIALS && evidence.denied > 1
        || nearness >= NEAR_WITH_OPPOSITES && (evidence.has_opposites || evidence.denied > 0 || has_preferences)
    {
        return Some(Relation::Contradiction);
    }
    match nearness {
        _ if nearness >= NEAR_REPEAT => Some(Relation::Repeat),
        _ if nearness >= NEAR_REFINEMENT => Some(Relation::Refinement),
        _ => None,
    }
}

/// What in two statements excludes the other.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "the signs are independent of each other")]
struct Evidence {
    /// Both choose values of one kind, and none in common.
    has_values: bool,
    /// Some of these are names.
    has_names: bool,
    /// A word of one is the opposite of a word of the other.
    has_opposites: bool,
    /// Both prefer something, and not the same.
    has_preferences: bool,
    /// One denies a name that the other states.
    denied_name: bool,
    /// How many words of the subject one denies and the other states.
    denied: usize,
}

impl Evidence {
    fn new(one: &Statement, other: &Statement) -> Self {
        let mut evidence = Self::default();
        for (kind, chosen) in &one.values {
            let others = other.values.get(kind).map(Vec::as_slice).unwrap_or_default();
            let excludes = !others.is_empty() && !chosen.iter().any(|value| others.contains(value));
            evidence.has_values |= excludes;
            evidence.has_names |= excludes && matches!(kind, ValueKind::Alternative(_));
        }
        let has = |statement: &Statement, word: &str| statement.words.iter().any(|known| known.word == word);
        let only = |word: &str, a: &Statement, b: &Statement| has(a, word) && !has(b, word);
        evidence.has_opposites = OPPOSITES
            .iter()
            .any(|(a, b)| only(a, one, other) && only(b, other, one) || only(b, one, other) && only(a, other, one));
        evidence.has_preferences = match (one.preference(), other.preference()) {
            (Some(one), Some(other)) => !one.is_alike(other),
            _ => false,
        };
        let stems: BTreeSet<&str> = one.content().iter().map(|word| word.stem.as_str()).collect();
        for stem in stems {
            let (here, there) = (one.polarity(stem), other.polarity(stem));
            let is_denied = matches!((here, there), ((true, false), (false, true)) | ((false, true), (true, false)));
            if is_denied {
                evidence.denied += 1;
                let names = one.words.iter().chain(&other.words).filter(|word| word.stem == stem);
                evidence.denied_name |= names.into_iter().any(|word| word.is_name || word.is_value);
            }
        }
        evidence
    }
}

/// The content words of two statements, word by word.
struct Alignment<'s> {
    /// The words of each that the other lacks, between two common words or at an end.
    gaps: Vec<(Vec<&'s StatementWord>, Vec<&'s StatementWord>)>,
    /// The number of common words.
    common: usize,
    /// The share of common words in the content words of both.
    share: f64,
    /// The fewer content words of the two.
    fewer: usize,
}

impl<'s> Alignment<'s> {
    /// Aligns the longest common subsequence of the content words.
    fn new(one: &'s Statement, other: &'s Statement) -> Self {
        let (one, other) = (one.content(), other.content());
        let (rows, columns) = (one.len(), other.len());
        let mut lengths = vec![vec![0_usize; columns + 1]; rows + 1];
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                lengths[row][column] = if one[row].is_alike(other[column]) {
                    lengths[row + 1][column + 1] + 1
                } else {
                    lengths[row + 1][column].max(lengths[row][column + 1])
                };
            }
        }
        let (mut row, mut column) = (0, 0);
        let mut gaps = vec![(Vec::new(), Vec::new())];
        while row < rows || column < columns {
            let gap = gaps.last_mut().expect("there is one from the start");
            if row < rows && column < columns && one[row].is_alike(other[column]) {
                (row, column) = (row + 1, column + 1);
                gaps.push((Vec::new(), Vec::new()));
            } else if column == columns || row < rows && lengths[row + 1][column] >= lengths[row][column + 1] {
                gap.0.push(one[row]);
                row += 1;
            } else {
                gap.1.push(other[column]);
                column += 1;
            }
        }
        let common = lengths[0][0];
        let share = if rows + columns == 0 { 0.0 } else { 2.0 * common as f64 / (rows + columns) as f64 };
        Self { gaps, common, share, fewer: rows.min(columns) }
    }

    /// Returns whether one has all content words of the other, of which there are two or more.
    fn is_contained(&self) -> bool {
        self.common == self.fewer && self.fewer > 1
    }

    /// Relates statements in nearly the same words.
    fn relation(&self, one: &Statement, other: &Statement, nearness: Option<f64>) -> Option<Relation> {
        let evidence = Evidence::new(one, other);
        // A dictionary gives several words for one, of which the other statement has one.
        let is_translated = one.is_translated || other.is_translated;
        let is_sure = is_translated || nearness.is_some_and(|nearness| nearness >= NEAR_SUBJECT);
        let mut names_differ = false;
        for (at, (here, there)) in self.gaps.iter().enumerate() {
            let is_named = |words: &[&StatementWord]| words.iter().any(|word| word.is_name);
            let is_place = |words: &[&StatementWord]| words.iter().any(|word| PLACES.contains(&word.stem.as_str()));
            let are_named = is_named(here) && is_named(there);
            let (here, there) = (remaining_words(here, there), remaining_words(there, here));
            // What comes first is the subject: another name there is another subject.
            let is_subject = at == 0 && self.gaps.len() > 1 || is_place(&here) && is_place(&there);
            let is_about_both = is_sure || evidence.has_preferences || !is_subject && are_named;
            if !here.is_empty() && !there.is_empty() && !is_about_both {
                return None;
            }
            names_differ |= are_named;
        }
        let denies = evidence.denied * 2 > self.common || evidence.denied_name;
        if denies || evidence.has_values || evidence.has_opposites || evidence.has_preferences || names_differ {
            return Some(Relation::Contradiction);
        }
        let (more, fewer) = (count_missing(one, other), count_missing(other, one));
        Some(if more.max(fewer) < 2 { Relation::Repeat } else { Relation::Refinement })
    }
}

/// Returns the number of content words of a statement that another one lacks.
fn count_missing(statement: &Statement, other: &Statement) -> usize {
    statement.content().iter().filter(|word| other.polarity(&word.stem) == (false, false)).count()
}

/// Returns the words that are neither a value nor the opposite of one of the others.
fn remaining_words<'s>(words: &[&'s StatementWord], others: &[&StatementWord]) -> Vec<&'s StatementWord> {
    let is_pair = |a: &str, b: &str| OPPOSITES.iter().any(|(c, d)| (a == *c && b == *d) || (a == *d && b == *c));
    let is_opposite = |word: &&StatementWord| others.iter().any(|other| is_pair(&word.word, &other.word));
    words.iter().copied().filter(|word| !word.is_value && !is_opposite(word)).collect()
}

/// Returns whether two texts of the same words exchange parts around something that stays, as `A calls B` and `B calls A`. A
/// clause that moves as a whole (`in tests, use WAL` and `use WAL in tests`) is not an exchange.
fn exchanges(one: &Statement, other: &Statement) -> bool {
    let stems = |statement: &Statement| statement.words.iter().map(|word| word.stem.clone()).collect::<Vec<_>>();
    let (one, other) = (stems(one), stems(other));
    if sort_words(&one) != sort_words(&other) {
        return false;
    }
    let before = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[before..], &other[before..]);
    let after = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[..one.len() - after], &other[..other.len() - after]);
    let is_rotated = |at: usize| one[at..] == other[..one.len() - at] && one[..at] == other[one.len() - at..];
    // A part of one word can only be exchanged with its neighbour, which is an exchange of roles.
    !one.is_empty() && (one.len() <= 2 || !(1..one.len()).any(is_rotated))
}

fn sort_words(words: &[String]) -> Vec<&String> {
    let mut words: Vec<&String> = words.iter().collect();
    words.sort_unstable();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, other: &str, expected: bool) {
        let relate = |one: &str, other: &str| relation(&Statement::new(one, None), &Statement::new(other, None), None);
        assert_eq!(relate(one, other) == Some(Relation::Contradiction), expected, "{one} / {other}");
        assert_eq!(relate(one, other), relate(other, one), "{other} / {one}");
    }

    #[test]
    fn a_negation_a_number_a_name_and_an_opposite_contradict() {
        check("We use tabs for indentation in Go files.", "We do not use tabs for indentation in Go files.", true);
        check("Retry the upload.", "Don't retry the upload.", true);
        check("The service can be restarted.", "The service can’t be restarted.", true);
        check("Always run the migrations first.", "Never run the migrations first.", true);
        check("Run it before the deployment.", "Run it after the deployment.", true);
        check("The retry limit of the worker is 3.", "The retry limit of the worker is 5.", true);
        check("Sessions are kept in Redis for a day.", "Sessions are kept in Postgres for a day.", true);
        check("Call `open` under the lock.", "Call `close` under the lock.", true);
        check("Indent with tabs.", "Indent with spaces.", true);
    }

    #[test]
    fn exchanged_parts_contradict() {
        check("Server A is primary, server B is the replica.", "Server B is primary, server A is the replica.", true);
        check("The client calls the server.", "The server calls the client.", true);
        check("Auth depends on the user data service.", "The user data service depends on auth.", true);
        check("The auth service depends on the user data.", "The user data depends on the auth service.", true);
        check("Billing before audit.", "Audit before billing.", true);
    }

    #[test]
    fn values_of_one_kind_exclude_each_other_in_other_words() {
        let relate = |one: &str, other: &str, nearness| {
            relation(&Statement::new(one, None), &Statement::new(other, None), Some(nearness))
        };
        let contradiction = Some(Relation::Contradiction);
        for (one, other) in [
            ("Ship to production only on Mondays.", "Production deployments are done every Wednesday."),
            ("The HTTP client gives up after 10 seconds.", "Outgoing requests have a timeout of half a minute."),
            ("Background jobs go through RabbitMQ.", "We moved background jobs from RabbitMQ to SQS."),
            ("The build runs on Jenkins.", "CI is GitHub Actions, not Jenkins."),
        ] {
            assert_eq!(relate(one, other, 0.6), contradiction, "{one} / {other}");
            assert_ne!(relate(one, other, 0.2), contradiction, "about different things: {one} / {other}");
        }
        let (minutes, half) = ("Tokens expire after 30 minutes.", "A token lives for half an hour.");
        assert_eq!(relate(minutes, half, 0.7), Some(Relation::Repeat));
        let (one, other) = ("The read timeout is 5 seconds.", "The connect timeout is 1 second.");
        assert_eq!(relate(one, other, 0.7), None, "the subjects differ");
    }

    #[test]
    fn a_statement_in_another_language_is_compared_by_its_english_words() {
        let german = Statement::new("Den Export nicht mehr cachen.", Some("export cache"));
        let english = Statement::new("Cache the export.", None);
        assert_eq!(relation(&german, &english, Some(0.8)), Some(Relation::Contradiction));
    }

    #[test]
    fn what_one_says_and_the_other_says_more_precisely_is_a_refinement() {
        let relate = |one: &str, other: &str| relation(&Statement::new(one, None), &Statement::new(other, None), None);
        let (one, other) = ("Retries need jitter.", "Retries need jitter of at least 20 percent of the pause.");
        assert_eq!((relate(one, other), relate(other, one)), (Some(Relation::Refinement), Some(Relation::Refinement)));
        assert_eq!(relate("Use pnpm instead of npm.", "Use pnpm, not npm."), Some(Relation::Repeat));
    }

    #[test]
    fn the_same_statement_in_other_form_does_not_contradict() {
        for (one, other) in [
            ("Use WAL mode.", "use WAL mode"),
            ("In tests, use WAL mode.", "Use WAL mode in tests."),
            ("Retries need jitter.", "Retries need jitter, always."),
            ("The limit is 3.", "The limit is 3 since 2024."),
            ("Retries need some jitter.", "Retries need a jitter."),
            ("Nothing is deployed on a Friday.", "Nothing is deployed on Fridays."),
            ("First lock it. Then write.", "Then write. First lock it."),
            ("It is not that it does not work.", "It is that it works."),
            ("", ""),
            ("…", "a"),
        ] {
            check(one, other, false);
        }
    }
}
