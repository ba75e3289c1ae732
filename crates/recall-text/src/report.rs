//! A whole task as the question: a bug report, a stack trace, the output of a compiler or of a test runner.
//!
//! Words of such a text are a bad query. Most of them are about the reporter's machine, the template of a tracker or the example,
//! and the program that failed has already said where. The idea: the places that the text names are read with one table of formats
//! and come first, at their lines; what is asked beyond them is the title, with the names in the prose. On bug reports, a title alone
//! finds more of the changed files than the whole text does; `docs/benchmarks.md` has the figures. A language model could condense the
//! text as well, at a thousand times the cost.
//!
//! This module reads texts. It does not know which of the files exist: the engine maps places to indexed files.
//!
//! ADR 59 has the measurements. Begin with `report/formats.rs`, whose rows are the formats with their examples.

mod formats;
mod frames;
mod output;
mod sections;

use crate::doc_path::looks_like_identifier;
use crate::words::is_stop_word;
use formats::PATTERNS;
use frames::{Mentions, below_packages, read_frames};
use regex::Regex;
use sections::Sections;
use std::collections::HashSet;
use std::sync::LazyLock;

pub use frames::Frame;

/// The fewest bytes of a text whose question is shorter than the text. A shorter one is a question as it is.
const LONG_BYTES: usize = 300;

/// The most names that join the title in the question.
const MOST_NAMES: usize = 20;

/// The most messages of errors that are read.
const MOST_ERRORS: usize = 4;

/// The most bytes of a message. What follows is a value.
const MESSAGE_BYTES: usize = 200;

/// The most bytes of code that are asked.
const CODE_BYTES: usize = 700;

/// A text that names places or is long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// What is asked, in few words: the title and the names in the prose; the message of the error if there is no title; the whole
    /// text if it is short.
    pub question: String,
    /// The places that the text names: where it failed first, then the callers, then complaints and mentions.
    pub frames: Vec<Frame>,
    /// The messages of errors, the last one of the text first, without their classes.
    pub errors: Vec<String>,
}

impl Report {
    /// Reads a text. `None` if it is a question like any other: short, and without a place in a file.
    ///
    /// ```
    /// let trace = "why?\nTraceback (most recent call last):\n  File \"shop/cart.py\", line 12, in total\nKeyError: 'price'\n";
    /// let report = recall_text::Report::read(trace).expect("a report");
    /// assert_eq!((report.frames[0].path.as_str(), report.frames[0].line), ("shop/cart.py", Some(12)));
    /// assert!(recall_text::Report::read("how is the price of a cart computed").is_none());
    /// ```
    pub fn read(text: &str) -> Option<Self> {
        let is_word = !text.trim().contains(char::is_whitespace);
        let frames = read_frames(text, Mentions::Read);
        // A path with a line asks for that line. Its file is looked up as the place of a trace is.
        let is_place = matches!(frames[..], [Frame { line: Some(_), .. }]);
        if is_word && !is_place {
            return None;
        }
        let is_long = text.len() >= LONG_BYTES;
        if frames.is_empty() && !is_long {
            return None;
        }
        let errors = read_errors(text);
        let is_traced = text.lines().nth(1).is_some() && !frames.is_empty();
        if !is_long && !is_traced {
            return Some(Self { question: text.replace('"', " "), frames, errors });
        }
        let sections = Sections::read(text);
        let names = names(&sections, &frames);
        let question =
            question(&sections, &names, &errors).or_else(|| (!frames.is_empty()).then(|| code(&sections)))?;
        Some(Self { question, frames, errors })
    }

    /// Returns the paths under which a place may be indexed, the likeliest first: as written, for a script that was built from another
    /// language in that language, and for a class in the languages of its platform.
    pub fn candidate_paths(frame: &Frame) -> Vec<String> {
        let path = if frame.is_library { below_packages(&frame.path) } else { &frame.path };
        let mut paths = vec![path.to_owned()];
        if let Some((stem, "js" | "mjs" | "cjs" | "jsx")) = path.rsplit_once('.') {
            paths.extend(["ts", "tsx", "mts", "vue", "svelte"].map(|extension| format!("{stem}.{extension}")));
        }
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        if name.starts_with(char::is_uppercase) && !name.contains('.') {
            paths.extend(
                ["java", "kt", "scala", "groovy", "cs", "php", "swift"].map(|extension| format!("{path}.{extension}")),
            );
        }
        paths
    }
}

/// Whether a query of one line reads like the message of an error, and not like a question or a request.
pub fn reads_like_a_message(query: &str) -> bool {
    let words = bare_words(query);
    let asks = query.trim_end().ends_with('?') || words.first().is_some_and(|first| ASKING.contains(&first.as_str()));
    words.len() >= MIN_MESSAGE_WORDS
        && !asks
        && (says_failed(query) || query.contains([':', '\'', '`']) || query.ends_with('.'))
}

/// Returns the message that a question of one line is about: `no price for apples` of "why do I get no price for apples?". `None` if the
/// question does not say that it is about a message, or if the rest has fewer than four words.
pub fn asked_message(query: &str) -> Option<&str> {
    let asked = ASKED_MESSAGE.captures(query.trim())?;
    let message = asked.iter().skip(1).flatten().next()?.as_str();
    let message = message.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ':' | '“' | '”'));
    (message.split_whitespace().count() >= MIN_MESSAGE_WORDS).then_some(message)
}

/// A question about a message. The message is the only group that matches.
static ASKED_MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
    let introduced =
        r"(?:(?:the |this |an |a )?(?:following )?(?:error|exception|warning|message|panic)(?: message)?\b:?\s*)?";
    let before = [
        r"why (?:do|did|am|are|would) (?:i|we) (?:get|getting|see|seeing)",
        r"why does it (?:say|print|fail with|complain about)",
        r"how (?:do|can|should) (?:i|we) (?:fix|solve|resolve|avoid|get rid of)",
        r"how to (?:fix|solve|resolve|avoid|get rid of)",
        r"(?:which|what) (?:code |function |line |file )?(?:prints|raises|throws|logs|returns|reports|causes|emits|produces|says)",
        r"(?:i|we)(?: am| are|'m|'re| keep)? (?:get|getting|see|seeing)",
    ];
    let around = [
        (r"what does", r"mean"),
        (r"what is the (?:meaning|cause|reason) of", r""),
        (r"where (?:does|do)", r"come from"),
        (r"where is", r"(?:raised|thrown|printed|logged|reported|returned|produced|emitted|generated)"),
        (
            r"when (?:is|does)",
            r"(?:raised|thrown|printed|logged|reported|returned|produced|emitted|generated|happen|occur)",
        ),
    ];
    let before = before.map(|words| format!(r"{words}\s+{introduced}(.+?)")).into_iter();
    let around = around.map(|(words, end)| format!(r"{words}\s+{introduced}(.+?)\s*{end}")).into_iter();
    let all: Vec<String> = before.chain(around).collect();
    Regex::new(&format!(r"(?i)^(?:{})[\s?.!]*$", all.join("|"))).expect("the expression is valid: a test compiles it")
});

/// Whether a text has a word with which messages of errors say that something failed.
fn says_failed(text: &str) -> bool {
    bare_words(text).iter().any(|word| FAILING.iter().any(|failing| word.starts_with(failing)))
}

/// Returns the words of a text in lower case, without the marks around them.
fn bare_words(text: &str) -> Vec<String> {
    text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()).collect()
}

/// The fewest words of a message.
const MIN_MESSAGE_WORDS: usize = 4;

/// The first words of questions and of requests, such as the subjects of commits.
const ASKING: [&str; 45] = [
    "how",
    "what",
    "where",
    "why",
    "which",
    "who",
    "when",
    "is",
    "are",
    "does",
    "do",
    "can",
    "should",
    "whose",
    "explain",
    "find",
    "show",
    "add",
    "allow",
    "avoid",
    "bump",
    "change",
    "check",
    "clean",
    "don't",
    "drop",
    "ensure",
    "fix",
    "fixed",
    "fixes",
    "handle",
    "implement",
    "improve",
    "make",
    "merge",
    "move",
    "prevent",
    "refactor",
    "remove",
    "rename",
    "replace",
    "revert",
    "support",
    "update",
    "use",
];

/// How the words of messages begin.
const FAILING: [&str; 36] = [
    "error",
    "exception",
    "fail",
    "fatal",
    "invalid",
    "unknown",
    "unable",
    "cannot",
    "can't",
    "could",
    "must",
    "expected",
    "unexpected",
    "missing",
    "unsupported",
    "denied",
    "refused",
    "not",
    "no",
    "undefined",
    "require",
    "illegal",
    "already",
    "mismatch",
    "attempt",
    "deprecat",
    "defined",
    "reserved",
    "ignor",
    "exceed",
    "overflow",
    "timeout",
    "timed",
    "duplicate",
    "conflict",
    "corrupt",
];

/// Returns the messages of errors in a text, the last one first.
fn read_errors(text: &str) -> Vec<String> {
    let mut errors: Vec<String> = Vec::new();
    let mut follows_panic = false;
    for line in text.lines() {
        let line = line.trim_end();
        let read = PATTERNS.error.captures(line);
        let message =
            read.as_ref().and_then(|read| read.name("message").or(read.name("plain"))).map(|group| group.as_str());
        // The message of a panic stands on the line after its place.
        let message = message.or_else(|| follows_panic.then_some(line.trim()).filter(|line| !line.is_empty()));
        follows_panic = line.contains("panicked at ") && line.ends_with(':');
        if let Some(message) = message {
            let end = message.floor_char_boundary(MESSAGE_BYTES.min(message.len()));
            errors.retain(|known| known != &message[..end]);
            errors.push(message[..end].to_owned());
        }
    }
    errors.reverse();
    errors.truncate(MOST_ERRORS);
    errors
}

/// Returns the names in the title and the prose, and the functions of the innermost places, each once.
fn names(sections: &Sections, frames: &[Frame]) -> Vec<String> {
    let prose = std::iter::once(&sections.title).chain(&sections.prose);
    let identifiers = prose.flat_map(|line| words(line)).filter(|word| looks_like_identifier(word));
    let quoted = sections.quoted.iter().flat_map(|quoted| words(quoted)).filter(|word| !is_stop_word(word));
    let failed = frames.iter().filter(|frame| !frame.is_library && sections.title.is_empty());
    let functions = failed.filter_map(|frame| frame.function.as_deref()).flat_map(words);
    let mut names: Vec<String> = Vec::new();
    for name in identifiers.chain(quoted).chain(functions).filter(|name| name.len() > 2) {
        if names.len() < MOST_NAMES && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns the words of a text that may be names, without the marks around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '#');
    text.split(move |c: char| !is_part(c))
        .map(|word| word.trim_matches(['.', ':', '#']))
        .filter(|word| !word.is_empty())
}

/// Returns the title and names; without a title the messages of errors, or the code. `None` if the text has none of them.
fn question(sections: &Sections, names: &[String], errors: &[String]) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    if sections.title.is_empty() {
        parts.extend(errors.iter().map(String::as_str).take(2));
    } else {
        parts.push(&sections.title);
    }
    let title: HashSet<&str> = words(&sections.title).collect();
    parts.extend(names.iter().map(String::as_str).filter(|name| !title.contains(name)));
    if parts.is_empty() {
        // Neither prose nor a message: pasted code or a log.
        return None;
    }
    Some(parts.join(" ").replace('"', " "))
}

/// Returns the first lines of code, for complaints that come without a word.
fn code(sections: &Sections) -> String {
    let mut code = sections.code.join(" ").replace('"', " ");
    code.truncate(code.floor_char_boundary(CODE_BYTES.min(code.len())));
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUE: &str = "Cart total is wrong after `remove_item`\n\n## Describe the bug\nWhen PriceList.load reads an empty file, the total stays at the old value. This was not so in the last release, where it was 0.\n\n```\nTraceback (most recent call last):\n  File \"/usr/lib/python3/site-packages/shop/cart.py\", line 12, in total\n    return sum(x)\nTypeError: unsupported operand type(s)\n```\n\n## Environment\npython 3.12, linux, shop_tools 4.5.6\n";

    #[test]
    fn a_report_asks_for_its_title_and_names() {
        let report = Report::read(ISSUE).expect("a report");
        assert_eq!(report.question, "Cart total is wrong after  remove_item PriceList.load");
        assert_eq!(report.errors, ["unsupported operand type(s)"]);
        assert_eq!(Report::candidate_paths(&report.frames[0]), ["shop/cart.py"]);
    }

    #[test]
    fn a_path_with_a_line_is_a_place() {
        for (text, path) in [
            ("store.rs:12", "store.rs"),
            ("src/store.rs:12", "src/store.rs"),
            ("./src/store.rs:12:9", "./src/store.rs"),
            ("/srv/shop/src/store.rs:12", "/srv/shop/src/store.rs"),
            ("C:\\shop\\store.rs:12", "C:/shop/store.rs"),
            ("store.rs#L12-L14", "store.rs"),
            ("what does /srv/shop/src/store.rs:12 do?", "/srv/shop/src/store.rs"),
            ("what does `src/store.rs:12:9` do?", "src/store.rs"),
            ("line 12 of src/store.rs", "src/store.rs"),
            ("explain lines 12-20 of `src/store.rs`", "src/store.rs"),
            ("Zeile 12 der Datei src/store.rs", "src/store.rs"),
            ("lignes 12 à 20 de src/store.rs", "src/store.rs"),
            ("línea 12 en src/store.rs", "src/store.rs"),
            ("строка 12 в файле src/store.rs", "src/store.rs"),
            ("src/store.rs 的第 12 行", "src/store.rs"),
            ("src/store.rs の12行目", "src/store.rs"),
            ("src/store.rs 12번째 줄", "src/store.rs"),
            ("src/store.rs dosyasının 12. satırı", "src/store.rs"),
            ("src/store.rs on line 12", "src/store.rs"),
            ("Undefined variable $x in /srv/shop/src/store.php on line 12", "/srv/shop/src/store.php"),
            ("src/store.rs, lines 12 to 14", "src/store.rs"),
        ] {
            let report = Report::read(text).expect("a place");
            assert_eq!((report.frames[0].path.as_str(), report.frames[0].line), (path, Some(12)), "{text}");
            assert_eq!(report.question, text);
        }
    }

    #[test]
    fn a_question_about_a_message_has_it() {
        for text in [
            "why do I get no price for apples?",
            "Why am I getting the error: no price for apples",
            "how do I fix \"no price for apples\"",
            "which code prints no price for apples",
            "what does the message `no price for apples` mean?",
            "where does no price for apples come from",
            "where is no price for apples raised",
            "I'm getting no price for apples",
        ] {
            assert_eq!(asked_message(text), Some("no price for apples"), "{text}");
        }
        for text in
            ["what does Cart mean", "where is the price of apples computed", "how do I fix it", "no price for apples"]
        {
            assert_eq!(asked_message(text), None, "{text}");
        }
    }

    #[test]
    fn questions_like_any_other_are_not_reports() {
        for text in [
            "Store::open",
            "store.rs",
            "src/store.rs",
            "std::vec",
            "how are carts priced",
            "the cart\nis wrong",
            "",
            "   ",
        ] {
            assert_eq!(Report::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_short_text_with_a_place_is_asked_whole() {
        let report = Report::read("wrong sum in shop/cart.py:12 of late").expect("a report");
        assert_eq!(
            (report.question.as_str(), report.frames[0].line),
            ("wrong sum in shop/cart.py:12 of late", Some(12))
        );
    }

    #[test]
    fn a_trace_alone_asks_for_its_message_and_functions() {
        let trace = "thread 'main' panicked at src/cart.rs:12:9:\nno price for apples\nstack backtrace:\n   4: shop::cart::total\n             at ./src/cart.rs:12:9\n";
        let report = Report::read(trace).expect("a report");
        assert_eq!(report.errors, ["no price for apples"]);
        assert_eq!(report.question, "no price for apples shop::cart::total");
    }

    #[test]
    fn scripts_that_were_built_are_looked_for_in_their_language() {
        let report = Report::read("it fails\n    at total (webpack:///./src/cart.js:12:9)\n").expect("a report");
        assert_eq!(Report::candidate_paths(&report.frames[0])[..2], ["./src/cart.js", "./src/cart.ts"]);
    }

    #[test]
    fn a_class_is_looked_for_in_the_languages_of_its_platform() {
        let report = Report::read("Tests in error:\norg.acme.CartTest$Sums > total() FAILED\n").expect("a report");
        assert_eq!(
            Report::candidate_paths(&report.frames[0])[..3],
            ["org/acme/CartTest", "org/acme/CartTest.java", "org/acme/CartTest.kt"]
        );
    }

    #[test]
    fn messages_are_told_from_questions() {
        for (query, expected) in [
            ("no price for foo in the list", true),
            ("could not open foo: permission denied", true),
            ("how are errors of prices reported", false),
            ("why is no price found", false),
            ("price list loading", false),
            ("Fix missing prices in the cart", false),
            ("no price", false),
        ] {
            assert_eq!(reads_like_a_message(query), expected, "{query}");
        }
    }

    #[test]
    fn pasted_code_is_not_a_report() {
        assert_eq!(Report::read(&"    let a = b;\n".repeat(40)), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(\\PC|[ \n`#:]){0,500}") {
            if let Some(report) = Report::read(&text) {
                proptest::prop_assert!(report.question.len() <= text.len() + MOST_NAMES);
            }
        }
    }
}
