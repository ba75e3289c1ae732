//! Whether two texts of nearly the same words say different things.
//!
//! It looks at what changes a statement without changing many of its words: negation, numbers, names, opposite words, and the
//! order of words. It knows English only, and does not understand the texts.

use std::collections::BTreeMap;

/// Words that negate a statement.
const NEGATIONS: [&str; 14] = [
    "aint", "cannot", "hardly", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing", "nowhere",
    "rarely", "without",
];

/// Pairs of words of which one says the opposite of the other, or excludes it.
const OPPOSITES: [(&str, &str); 42] = [
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
];

/// A word of a sentence.
#[derive(Clone, Debug)]
struct SentenceWord {
    /// In lower case; a negated verb (`don't`) is split before.
    word: String,
    /// Whether it looks like a name: in backticks, with a capital letter that no sentence begins with, or made of letters and
    /// digits.
    is_name: bool,
}

impl SentenceWord {
    /// Returns the word without the ending of a plural.
    fn stem(&self) -> &str {
        let stem = self.word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s'));
        stem.unwrap_or(&self.word)
    }
}

/// Returns whether two texts of nearly the same words may contradict each other: one negates the other, has another number,
/// name or opposite word in its place, or exchanges two parts.
///
/// Texts that differ in additions, in other words, or in the order of their clauses do not count.
pub fn may_contradict(one: &str, other: &str) -> bool {
    let (one, other) = (tokens(one), tokens(other));
    let (only_one, only_other) = differences(&one, &other);
    if only_one.is_empty() && only_other.is_empty() {
        return exchanges(&one, &other);
    }
    let negations = |tokens: &[SentenceWord]| tokens.iter().filter(|token| is_negation(&token.word)).count();
    let numbers = |tokens: &[&SentenceWord]| tokens.iter().any(|token| is_number(&token.word));
    let names = |tokens: &[&SentenceWord]| tokens.iter().any(|token| token.is_name);
    let is_opposite = |(a, b): &(&str, &str)| {
        let has = |tokens: &[&SentenceWord], word: &str| tokens.iter().any(|token| token.word == word);
        (has(&only_one, a) && has(&only_other, b)) || (has(&only_one, b) && has(&only_other, a))
    };
    negations(&one) % 2 != negations(&other) % 2
        || (numbers(&only_one) && numbers(&only_other))
        || (names(&only_one) && names(&only_other))
        || OPPOSITES.iter().any(is_opposite)
}

fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the words that each text has more often than the other.
fn differences<'t>(
    one: &'t [SentenceWord],
    other: &'t [SentenceWord],
) -> (Vec<&'t SentenceWord>, Vec<&'t SentenceWord>) {
    fn surplus<'t>(of: &'t [SentenceWord], over: &[SentenceWord]) -> Vec<&'t SentenceWord> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for token in over {
            *counts.entry(token.stem()).or_default() += 1;
        }
        let is_surplus = |token: &&SentenceWord| match counts.get_mut(token.stem()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        };
        of.iter().filter(is_surplus).collect()
    }
    (surplus(one, other), surplus(other, one))
}

/// Returns whether two texts of the same words exchange parts around something that stays, as `A calls B` and `B calls A`. A
/// clause that moves as a whole (`in tests, use WAL` and `use WAL in tests`) is not an exchange.
fn exchanges(one: &[SentenceWord], other: &[SentenceWord]) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) =
        (one.iter().map(SentenceWord::stem).collect(), other.iter().map(SentenceWord::stem).collect());
    let before = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[before..], &other[before..]);
    let after = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[..one.len() - after], &other[..other.len() - after]);
    let is_rotated = |at: usize| one[at..] == other[..one.len() - at] && one[..at] == other[one.len() - at..];
    // A part of one word can only be exchanged with its neighbour, which is an exchange of roles.
    !one.is_empty() && (one.len() <= 2 || !(1..one.len()).any(is_rotated))
}

/// Splits a text into words.
fn tokens(text: &str) -> Vec<SentenceWord> {
    let mut tokens = Vec::new();
    let (mut word, mut is_quoted, mut begins_sentence) = (String::new(), false, true);
    // The separator at the end completes the last word.
    for c in text.chars().chain([' ']) {
        let is_inside = c.is_alphanumeric() || c == '_' || (matches!(c, '\'' | '’' | '.') && !word.is_empty());
        if is_inside {
            word.push(c);
            continue;
        }
        let ends_sentence = matches!(c, '!' | '?' | '\n') || word.ends_with('.');
        let complete = std::mem::take(&mut word);
        let complete = complete.trim_end_matches(['.', '\'', '’']);
        if !complete.is_empty() {
            push(&mut tokens, complete, is_quoted, begins_sentence);
            begins_sentence = false;
        }
        begins_sentence |= ends_sentence;
        is_quoted ^= c == '`';
    }
    tokens
}

fn push(tokens: &mut Vec<SentenceWord>, word: &str, is_quoted: bool, begins_sentence: bool) {
    let lower = word.to_lowercase().replace('’', "'");
    if let Some(verb) = lower.strip_suffix("n't") {
        let verb = if verb == "ca" { "can" } else { verb };
        tokens.push(SentenceWord { word: verb.to_owned(), is_name: false });
        return tokens.push(SentenceWord { word: "not".to_owned(), is_name: false });
    }
    let has = |test: fn(&char) -> bool| word.chars().any(|c| test(&c));
    let is_mixed = has(char::is_ascii_digit) && has(|c| c.is_alphabetic());
    let is_capital = has(|c| c.is_uppercase()) && !begins_sentence && word != "I";
    let is_name = is_quoted || is_mixed || is_capital || word.contains('_');
    tokens.push(SentenceWord { word: lower, is_name });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, other: &str, expected: bool) {
        assert_eq!(may_contradict(one, other), expected, "{one} / {other}");
        assert_eq!(may_contradict(other, one), expected, "{other} / {one}");
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
