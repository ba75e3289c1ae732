//! Questions about who uses something: "who calls `open`", "where is `StoreError` used", "what implements `Reader`", "where is
//! `StoreError` raised".

use recall_text::looks_like_identifier;

/// The name whose users a question asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedName {
    /// The name as the question has it, with its scopes: `Store::open`.
    pub name: String,
    /// Whether the name is an ordinary word, such as `open`. Texts have it in other senses too.
    pub is_plain_word: bool,
    /// Which users the question asks for.
    pub kind: UseKind,
}

/// Which users of a name a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseKind {
    /// Whatever uses it.
    Any,
    /// The subtypes of a type: what implements or extends it.
    Subtypes,
    /// What throws or raises an error.
    Throws,
    /// The tests of it.
    Tests,
}

/// The most words of a question about users. A longer text asks for more than a name.
const MOST_WORDS: usize = 20;

/// The most words of a line of code that throws an error: "throw new `StoreError`".
const MOST_WORDS_OF_CODE: usize = 4;

/// The most words before "callers" or "usages" in a text that does not ask: "the function `open` callers".
const MOST_BEFORE_USERS: usize = 3;

/// Words that ask for users with the name behind them: "who calls `open`".
const USING: &str = "call calls calling invoke invokes invoking use uses using reference references referencing import imports \
                     importing instantiate instantiates depends implement implements implementing extend extends extending \
                     inherit inherits inheriting subclass subclasses cover covers covering throw throws throwing raise raises raising";

/// Words that ask for users with the name before or behind them: "`open` callers", "callers of `open`".
const USERS: &str = "callers caller users usages usage uses references calls importers implementations implementors \
                     implementers subclasses subtypes";

/// Words that ask for tests with "for" or "of" and the name behind them: "tests for `open`".
const TESTS: &str = "test tests testcase testcases";

/// Words that ask for users with the name before them: "where is `open` called".
const USED: &str = "called used invoked referenced imported instantiated implemented extended thrown raised";

/// Words that ask for tests with the name before them: "is `open` tested".
const TESTED: &str = "tested covered";

/// How words begin that ask for the subtypes of a type.
const SUBTYPES: &str = "implement extend inherit subclass subtype";

/// How words begin that ask for what throws an error.
const THROWS: &str = "throw raise raising";

/// How words begin that ask for tests.
const TESTING: &str = "test cover";

/// What kind of thing a name is.
const KINDS: &str = "function method class struct type macro trait interface";

/// What stands between a word of [`TESTS`] and the name. Other languages say *test* too.
const OF: &str = "of for für von pour de para per di voor dla";

/// What stands between a word for use and the name behind it, besides [`KINDS`].
const BETWEEN: &str = "of to on from for the a an new";

/// What stands between a name and a word of [`USED`], besides [`KINDS`].
const BEING: &str = "is are gets get being";

/// Words with which a question about users begins.
const ASKING: &str = "who what which where find list show all every everything anything code places";

fn is_among(word: &str, set: &str) -> bool {
    set.split_whitespace().any(|known| known == word)
}

/// Returns the name whose users a text asks for; `None` if it asks for something else, such as what the name itself calls.
pub(super) fn used_name(text: &str) -> Option<UsedName> {
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(|c| !is_of_name(c))).collect();
    if words.len() > MOST_WORDS {
        return None;
    }
    let folded: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let is = |place: usize, set: &str| folded.get(place).is_some_and(|word| is_among(word, set));
    let behind =
        |place: usize| (place + 1..words.len()).find(|&next| ![BETWEEN, OF, KINDS].iter().any(|set| is(next, set)));
    let before = |place: usize| (0..place).rev().find(|&next| !is(next, BEING) && !is(next, KINDS));
    let asks = |place: usize| (0..place).any(|word| is(word, ASKING));
    let found = (0..words.len()).find_map(|place| {
        // "Optimise the union by less dict usage" and "later calls to it will fail" are about something else.
        let is_alone = asks(place) || place <= MOST_BEFORE_USERS;
        let with_of =
            (is(place, USERS) && is(place + 1, "of to") && is_alone) || (is(place, TESTS) && is(place + 1, OF));
        // "what does `open` call" asks for the opposite.
        let with_verb = is(place, USING) && asks(place) && !is(0, "how why when");
        let as_code = place == 0 && is(0, "throw raise") && words.len() <= MOST_WORDS_OF_CODE;
        let as_used = is(place, USED)
            && !is(place + 1, "for as in with")
            && (is(0, "where find list show") || (asks(place) && is(place + 1, "by")));
        let as_tested = is(place, TESTED) && !is(place + 1, "for as in with") && is(0, "is are where how");
        let as_users = is(place, USERS) && (place + 1 == words.len() || is(place + 1, "in")) && is_alone;
        let after = (with_of || with_verb || as_code).then(|| behind(place)).flatten();
        after.or_else(|| if as_used || as_tested || as_users { before(place) } else { None })
    })?;
    let name = words[found];
    let is_word = name.chars().count() > 2 && !is(found, ASKING) && !is(found, USED) && !is(found, TESTS);
    let is_plain_word = !looks_like_identifier(name) && !is_joined(name);
    // "who uses the library" asks for no name.
    let is_common = is_plain_word
        && name.chars().all(char::is_lowercase)
        && (found > 0 && is(found - 1, "the a an"))
        && !is(found + 1, KINDS);
    // The name itself may begin like such a word.
    let others = folded.iter().enumerate().filter(|(place, _)| *place != found);
    let kind = use_kind(&others.map(|(_, word)| word.as_str()));
    (is_word && !is_common).then(|| UsedName { name: name.to_owned(), is_plain_word, kind })
}

/// Whether punctuation joins the words of a name, as in `codecs/pipes`. A name with a dot is a path.
fn is_joined(name: &str) -> bool {
    name.contains(['/', ':', '-']) && !name.contains('.')
}

fn use_kind<'a>(words: &(impl Iterator<Item = &'a str> + Clone)) -> UseKind {
    let has = |beginnings: &str| {
        words.clone().any(|word| beginnings.split_whitespace().any(|beginning| word.starts_with(beginning)))
    };
    let kinds = [(SUBTYPES, UseKind::Subtypes), (THROWS, UseKind::Throws), (TESTING, UseKind::Tests)];
    kinds.into_iter().find(|(beginnings, _)| has(beginnings)).map_or(UseKind::Any, |(_, kind)| kind)
}

/// Returns the name whose users a translated question asks for. A translation by dictionaries has the words of the other language in their
/// order and several meanings of each, so the words decide, not their order: one that asks, one for use, and one name.
pub(super) fn used_name_in_translation(text: &str) -> Option<UsedName> {
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation())).collect();
    let has = |set: &str| words.iter().any(|word| is_among(word, set));
    let mut names = words.iter().filter(|word| looks_like_identifier(word));
    let (name, None) = (names.next(), names.next()) else { return None };
    // The name of a module may be an ordinary word. It counts if all other words ask for imports.
    let mut others = words.iter().filter(|word| ![IMPORTING, ASKING, "file"].iter().any(|set| is_among(word, set)));
    let name = name.or_else(|| others.next().filter(|_| others.next().is_none() && has(IMPORTING)))?;
    let kind = use_kind(&words.iter().copied().filter(|word| word != name));
    // "what does `open` call" asks for the opposite.
    let asks_what = has("what") && (kind != UseKind::Any || has(IMPORTING));
    let asks = (asks_what || has("who where which")) && !has("how why when");
    let is_short = words.len() <= MOST_TRANSLATED_WORDS;
    let is_question = asks && is_short && (has(USING) || has(USERS) || has(USED) || has(SUBTYPING));
    let names_users = words.len() <= MOST_TRANSLATED_NOUN_WORDS && (has(SUBTYPING) || has(IMPORTING) || has(USERS));
    let asks_for_tests = has(TESTS) && !has("how why when") && words.len() <= MOST_TRANSLATED_TEST_WORDS;
    (is_question || names_users || asks_for_tests).then(|| UsedName {
        name: (*name).to_owned(),
        is_plain_word: !looks_like_identifier(name),
        kind,
    })
}

/// Words of translations for a subtype of a type, besides those of [`USERS`].
const SUBTYPING: &str = "implementation implementor implementer subclass subtype";

/// Words of translations for imports.
const IMPORTING: &str = "import imports imported importing";

/// The most words of a translation that asks with a noun alone: "subclass `Reader`".
const MOST_TRANSLATED_NOUN_WORDS: usize = 2;

/// The most words of a translation that asks for the users of a name. A longer one asks for something about them.
const MOST_TRANSLATED_WORDS: usize = 6;

/// The most words of a translation that asks for the tests of a name, several for each word of the question.
const MOST_TRANSLATED_TEST_WORDS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_whose_users_are_asked_for_is_read() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(used_name(text).map(|used| used.name).as_deref(), expected, "{text}");
        };
        for text in [
            "who calls parse_header",
            "who calls `parse_header`?",
            "which functions call the function parse_header()",
            "where is parse_header called",
            "where is parse_header called from?",
            "where do we use parse_header",
            "callers of parse_header",
            "all references to parse_header",
            "parse_header usages",
            "what is parse_header used by",
            "find every place that uses parse_header",
            "code that calls parse_header in the tests",
        ] {
            check(text, Some("parse_header"));
        }
        for text in [
            "tests for parse_header",
            "is parse_header tested?",
            "how is parse_header tested",
            "which tests cover parse_header",
            "a test of parse_header",
        ] {
            check(text, Some("parse_header"));
        }
        check("is the code tested", None);
        check("if that fails, subsequent calls to response handlers have an error", None);
        check("make the union of sets cheaper by less dict usage", None);
        check("how do I run tests for parse_header", Some("parse_header"));
        check("who calls Store::open", Some("Store::open"));
        check("who calls open", Some("open"));
        check("what implements the trait Reader", Some("Reader"));
        check("which classes inherit from BaseReader", Some("BaseReader"));
        check("subclasses of Reader", Some("Reader"));
        check("where is the Reader interface implemented", Some("Reader"));
        for text in [
            "what does parse_header call",
            "how is parse_header used",
            "what is parse_header used for",
            "how to use parse_header",
            "when is parse_header called",
            "why does open use parse_header",
            "who uses the library",
            "use parse_header to read a request",
            "who calls parse_header is what we want to know, because since the last release a request without a header fails in the reader",
            "how do I implement Reader",
            "implement a retry",
            "parse_header",
            "",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn a_translation_asks_by_its_words() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(used_name_in_translation(text).map(|used| used.name).as_deref(), expected, "{text}");
        };
        check("readAll call invoke where", Some("readAll"));
        check("who caller invoke readAll", Some("readAll"));
        check("where use user readAll", Some("readAll"));
        check("what class implement readAll", Some("readAll"));
        check("readAll implementation class which", Some("readAll"));
        check("subclass readAll", Some("readAll"));
        check("caller readAll", Some("readAll"));
        check("which file import hamlit", Some("hamlit"));
        check("import hamlit", Some("hamlit"));
        check("where file hamlit", None);
        check("what readAll call", None);
        check("implementation of the cache", None);
        check("how use readAll", None);
        check("where define readAll", None);
        check("who call open", None);
        check("where use readAll writeAll", None);
        check("test readAll", Some("readAll"));
        check("readAll test testing", Some("readAll"));
        check("how test readAll", None);
    }

    #[test]
    fn subtypes_and_what_throws_are_asked_for_by_their_words() {
        for (text, expected) in [
            ("what implements BaseReader", Some(UseKind::Subtypes)),
            ("implementations of BaseReader", Some(UseKind::Subtypes)),
            ("who uses BaseReader", Some(UseKind::Any)),
            ("where is ReadError thrown", Some(UseKind::Throws)),
            ("which code raises ReadError?", Some(UseKind::Throws)),
            ("throw new ReadError", Some(UseKind::Throws)),
            ("tests for BaseReader", Some(UseKind::Tests)),
            ("Tests für BaseReader", Some(UseKind::Tests)),
            ("which tests cover BaseReader", Some(UseKind::Tests)),
            ("who calls test_reader", Some(UseKind::Any)),
            ("why is ReadError thrown", None),
            ("raise the limit of open files in ReadError", None),
        ] {
            assert_eq!(used_name(text).map(|used| used.kind), expected, "{text}");
        }
    }

    #[test]
    fn ordinary_words_are_told_from_names() {
        let is_plain = |text: &str| used_name(text).map(|used| used.is_plain_word);
        assert_eq!(is_plain("who calls open"), Some(true));
        assert_eq!(is_plain("who calls readAll"), Some(false));
    }
}
