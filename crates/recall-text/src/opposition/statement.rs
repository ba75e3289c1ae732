//! The words of a statement, what it denies, and what it chooses.

use std::collections::BTreeMap;

use crate::words::is_stop_word;

use super::values::{Value, ValueKind, value_at};

/// Words that deny the clause in which they are. Those of other languages are no words of English texts about software.
const NEGATIONS: [&str; 68] = [
    "aint",
    "cannot",
    "hardly",
    "neither",
    "never",
    "no",
    "nobody",
    "none",
    "nor",
    "not",
    "nothing",
    "nowhere",
    "rarely",
    "without",
    "avoid",
    "stop",
    "forbid",
    "forbidden",
    "prohibited",
    "disallow",
    "gone",
    "abandoned",
    "deprecated",
    "dropped",
    "ignored",
    "unsupported",
    "obsolete",
    "wrong",
    "breaks",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "nie",
    "niemals",
    "ohne",
    "statt",
    "jamais",
    "pas",
    "sans",
    "aucun",
    "aucune",
    "nunca",
    "jamás",
    "sin",
    "ningún",
    "não",
    "sem",
    "mai",
    "senza",
    "non",
    "niet",
    "geen",
    "nooit",
    "zonder",
    "nigdy",
    "bez",
    "не",
    "нет",
    "никогда",
    "нельзя",
    "без",
    "değil",
    "asla",
    "yok",
    "olmadan",
    "geen",
    "brak",
];

/// Signs of denial in scripts without spaces between words, and at the end of Korean words.
const UNSPACED_NEGATIONS: [&str; 15] =
    ["不", "没", "未", "勿", "禁止", "别", "ない", "ません", "なし", "ずに", "ぬ", "않", "없", "말고", "못"];

/// Words that begin what a clause denies, up to its end: `instead of`, `rather than`.
const REPLACEMENTS: [(&str, &str); 3] = [("instead", "of"), ("rather", "than"), ("other", "than")];

/// Verbs of a change, in the form of their stems: what is between `from` and `to` no longer holds.
const MOVES: [&str; 6] = ["mov", "migrat", "switch", "chang", "port", "upgrad"];

/// Verbs after which the choice of a project stands, in the form of their stems.
const PREFERENCES: [&str; 3] = ["prefer", "favor", "favour"];

/// The fewest letters that two forms of a word in another language than English begin with.
const COMMON_BEGINNING: usize = 5;

/// Words that a statement needs not share to be about the same.
const FILLERS: [&str; 46] = [
    "use", "us", "using", "must", "should", "need", "always", "may", "can", "every", "each", "all", "any", "new",
    "now", "more", "only", "one", "per", "run", "keep", "kept", "make", "made", "have", "do", "does", "prefer", "let",
    "please", "also", "longer", "instead", "rather", "than", "allow", "allowed", "mehr", "immer", "wir", "nur",
    "siempre", "toujours", "well", "still", "anymore",
];

/// A word of a statement.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a word has these properties independently of each other")]
pub(super) struct StatementWord {
    /// In lower case; a negated verb (`don't`) is split before.
    pub(super) word: String,
    /// Without the endings of English inflection.
    pub(super) stem: String,
    /// Whether it looks like a name: in backticks, with a capital letter that no sentence begins with, or made of letters and
    /// digits.
    pub(super) is_name: bool,
    /// Whether it says what the statement is about; articles, auxiliaries and negations do not.
    pub(super) is_content: bool,
    /// Whether its clause denies it.
    pub(super) is_denied: bool,
    /// The value that begins with it or that it is part of.
    pub(super) is_value: bool,
    clause: usize,
}

impl StatementWord {
    /// Returns whether two words are forms of one: they have the same stem, or begin with the same letters, two thirds of the longer
    /// one at least.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        if self.stem == other.stem {
            return true;
        }
        let common = self.stem.chars().zip(other.stem.chars()).take_while(|(a, b)| a == b).count();
        let longer = self.stem.chars().count().max(other.stem.chars().count());
        common >= COMMON_BEGINNING && 3 * common >= 2 * longer && !self.is_name && !other.is_name
    }
}

/// A statement: a short text about how something is or is to be done.
#[derive(Clone, Debug, Default)]
pub struct Statement {
    pub(super) words: Vec<StatementWord>,
    /// The values that are not denied, by their kind.
    pub(super) values: BTreeMap<ValueKind, Vec<String>>,
    /// Whether it was read with English words.
    pub(super) is_translated: bool,
}

impl Statement {
    /// Reads a text, and the English words for what it says if it is in another language.
    pub fn new(text: &str, english: Option<&str>) -> Self {
        let mut words = tokens(text);
        let is_denied = deny_clauses(&mut words);
        let is_unspaced = text.chars().any(|c| matches!(c, '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'));
        let is_denied = is_denied || is_unspaced && UNSPACED_NEGATIONS.iter().any(|sign| text.contains(sign));
        if let Some(english) = english {
            words.retain(|word| !is_unspaced || word.word.is_ascii());
            // The dictionary has no function words, which English lists do not know.
            for word in words.iter_mut().filter(|word| !word.is_name) {
                word.is_content = false;
            }
            let known: Vec<String> = words.iter().map(|word| word.stem.clone()).collect();
            let clause = words.last().map_or(0, |word| word.clause + 1);
            let added = english.split_whitespace().map(|word| plain_word(word, clause, is_denied));
            words.extend(added.filter(|word| word.is_content && !known.contains(&word.stem)));
        }
        let values = read_values(&mut words);
        Self { words, values, is_translated: english.is_some() }
    }

    /// Returns the content words in their order.
    pub(super) fn content(&self) -> Vec<&StatementWord> {
        self.words.iter().filter(|word| word.is_content).collect()
    }

    /// Returns the first content word after a verb of preference.
    pub(super) fn preference(&self) -> Option<&StatementWord> {
        let verb = self.words.iter().position(|word| PREFERENCES.contains(&word.stem.as_str()) && !word.is_denied)?;
        self.words[verb + 1..].iter().find(|word| word.is_content)
    }

    /// Returns whether a stem occurs, as (asserted, denied).
    pub(super) fn polarity(&self, stem: &str) -> (bool, bool) {
        let mut found = (false, false);
        for word in self.words.iter().filter(|word| word.stem == stem) {
            if word.is_denied { found.1 = true } else { found.0 = true }
        }
        found
    }
}

fn plain_word(word: &str, clause: usize, is_denied: bool) -> StatementWord {
    let (word, stem) = (word.to_owned(), stem(word));
    let is_content = is_content(&word, &stem);
    StatementWord { word, stem, is_name: false, is_content, is_denied, is_value: false, clause }
}

fn is_content(word: &str, stem: &str) -> bool {
    let is_filler = |word: &str| FILLERS.contains(&word) || NEGATIONS.contains(&word) || is_stop_word(word);
    !is_filler(word) && !is_filler(stem)
}

/// Marks the words of clauses that deny something. Returns whether any does.
fn deny_clauses(words: &mut [StatementWord]) -> bool {
    let mut denies = false;
    let mut start = 0;
    while start < words.len() {
        let clause = words[start].clause;
        let end = start + words[start..].iter().take_while(|word| word.clause == clause).count();
        denies |= deny_words(&mut words[start..end]);
        start = end;
    }
    denies
}

/// Marks the words that a clause denies: all after an odd number of negations, but not what it puts in their place.
fn deny_words(clause: &mut [StatementWord]) -> bool {
    let is_denied = (0..clause.len()).filter(|place| is_negation(clause, *place)).count() % 2 == 1;
    let has = |stems: &[&str]| clause.iter().any(|word| stems.contains(&word.stem.as_str()));
    let (is_move, is_preference) = (has(&MOVES), has(&PREFERENCES));
    let mut is_replaced = false;
    for place in 0..clause.len() {
        let next = clause.get(place + 1).map_or("", |next| next.word.as_str());
        let word = clause[place].word.as_str();
        let is_other = is_preference && word == "over" || is_move && word == "from";
        is_replaced |= REPLACEMENTS.contains(&(word, next)) || is_other;
        is_replaced &= !(is_move && word == "to");
        clause[place].is_denied = is_denied ^ is_replaced;
    }
    is_denied
}

/// Returns whether a word denies its clause. `Nobody but` says who does.
fn is_negation(clause: &[StatementWord], place: usize) -> bool {
    let StatementWord { word, stem, is_name, .. } = &clause[place];
    let is_listed = NEGATIONS.contains(&word.as_str()) || NEGATIONS.contains(&stem.as_str());
    !is_name && is_listed && clause.get(place + 1).is_none_or(|next| next.word != "but")
}

/// Reads the values that are not denied, and marks their words.
fn read_values(words: &mut [StatementWord]) -> BTreeMap<ValueKind, Vec<String>> {
    let mut values: BTreeMap<ValueKind, Vec<String>> = BTreeMap::new();
    let mut before: Option<String> = None;
    for place in 0..words.len() {
        let clause = words[place].clause;
        let rest = words[place..].iter().take_while(|word| word.clause == clause).take(4);
        let rest: Vec<(&str, &str)> = rest.map(|word| (word.word.as_str(), word.stem.as_str())).collect();
        let value = value_at(&rest, words[place].is_name, before.as_deref());
        if let Some(Value { kind, text, words: length }) = value {
            for word in &mut words[place..place + length] {
                word.is_value = true;
                word.is_name |= matches!(kind, ValueKind::Alternative(_));
            }
            if !words[place].is_denied {
                values.entry(kind).or_default().push(text);
            }
        } else if words[place].is_content {
            before = Some(words[place].stem.clone());
        }
    }
    values
}

/// Splits a text into words with their clauses.
fn tokens(text: &str) -> Vec<StatementWord> {
    let mut tokens: Vec<StatementWord> = Vec::new();
    let (mut word, mut is_quoted, mut begins_sentence, mut clause) = (String::new(), false, true, 0);
    let has_small_letters = text.chars().any(char::is_lowercase);
    // The separator at the end completes the last word.
    for c in text.chars().chain([' ']) {
        let is_inside = c.is_alphanumeric()
            || c == '_'
            || (matches!(c, '\'' | '’' | '.' | '+') && !word.is_empty())
            || (is_quoted && matches!(c, '/' | '*' | '-' | '.'));
        if is_inside {
            word.push(c);
            continue;
        }
        let ends_sentence = matches!(c, '!' | '?' | '\n' | ';' | '。' | '；') || word.ends_with('.');
        let complete = std::mem::take(&mut word);
        let complete = complete.trim_end_matches(['.', '\'', '’']);
        if !complete.is_empty() {
            // Between capitals only, a capital names nothing.
            let complete = if has_small_letters { complete.to_owned() } else { complete.to_lowercase() };
            push(&mut tokens, &complete, is_quoted, begins_sentence, clause);
            begins_sentence = false;
        }
        begins_sentence |= ends_sentence;
        let ends_clause = ends_sentence || matches!(c, ',' | ':' | '，' | '、' | '(' | ')');
        clause += usize::from(ends_clause || is_conjunction(&tokens));
        is_quoted ^= c == '`';
    }
    tokens
}

/// Returns whether the last word begins another clause.
fn is_conjunction(tokens: &[StatementWord]) -> bool {
    tokens.last().is_some_and(|last| matches!(last.word.as_str(), "but" | "because" | "since" | "so"))
}

fn push(tokens: &mut Vec<StatementWord>, word: &str, is_quoted: bool, begins_sentence: bool, clause: usize) {
    let lower = word.to_lowercase().replace('’', "'");
    if let Some(verb) = lower.strip_suffix("n't") {
        let verb = if verb == "ca" { "can" } else { verb };
        tokens.push(plain_word(verb, clause, false));
        return tokens.push(plain_word("not", clause, false));
    }
    let has = |test: fn(&char) -> bool| word.chars().any(|c| test(&c));
    let is_mixed = has(char::is_ascii_digit) && has(|c| c.is_alphabetic());
    let is_capital = has(|c| c.is_uppercase()) && !begins_sentence && word != "I";
    let is_inner_capital = word.chars().skip(1).any(char::is_uppercase);
    let is_name = is_quoted || is_mixed || is_capital || is_inner_capital || word.contains('_');
    let token = plain_word(&lower, clause, false);
    tokens.push(StatementWord { is_name, is_content: token.is_content || is_quoted, ..token });
}

/// Returns a word without the endings of English inflection and of some derivations.
pub(super) fn stem(word: &str) -> String {
    const ENDINGS: [&str; 10] = ["ments", "ment", "ations", "ation", "ings", "ing", "ed", "es", "s", "e"];
    if !word.is_ascii() || word.ends_with("ss") {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies").or_else(|| word.strip_suffix("ied")).filter(|stem| stem.len() > 2) {
        return format!("{stem}y");
    }
    let stem =
        ENDINGS.iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() > 2)).unwrap_or(word);
    match stem.as_bytes() {
        // A doubled letter before an ending: `running`.
        [.., before, last] if before == last && stem.len() > 3 && stem.len() < word.len() && *last != b's' => {
            stem[..stem.len() - 1].to_owned()
        }
        _ => stem.to_owned(),
    }
}
