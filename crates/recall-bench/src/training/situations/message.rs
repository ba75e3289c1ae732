//! What the message of a commit says: a memory, the commits that it names, and the commands and errors that it quotes.

use recall_core::MemoryType;

use crate::quality::mine::{Commit, without_credits};

/// The shortest text that is a memory, in bytes. A shorter one says little that its title does not.
const LEAST_BYTES: usize = 120;

/// The words of a text that gives a cause, a reason or a warning.
const REASONS: &[&str] = &[
    "avoid",
    "because",
    "broke",
    "breaks",
    "broken",
    "caused",
    "crash",
    "crashes",
    "deadlock",
    "fails",
    "failed",
    "leak",
    "leaks",
    "must",
    "never",
    "otherwise",
    "prevent",
    "race",
    "reason",
    "regressed",
    "regression",
    "revert",
    "reverts",
    "since",
    "workaround",
];

/// The words of a text about a failure.
const FAILURES: &[&str] = &[
    "broke",
    "breaks",
    "broken",
    "crash",
    "crashes",
    "deadlock",
    "fails",
    "failed",
    "failure",
    "leak",
    "leaks",
    "race",
    "regressed",
    "regression",
    "reverts",
];

/// The phrases of a text about a choice.
const CHOICES: &[&str] = &["instead of", "rather than", "we decided", "let's not", "so that"];

/// A memory as a developer or an agent would have written it when the commit was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemoryText {
    pub(super) memory_type: MemoryType,
    pub(super) title: String,
    pub(super) content: String,
}

impl MemoryText {
    /// Returns the memory of a commit whose message gives a cause, a reason or a warning; `None` for other commits. Nothing but the
    /// message is read.
    pub(super) fn from_message(commit: &Commit) -> Option<Self> {
        let content = without_trailers(&commit.body);
        let lower = content.to_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
        let has_one = |listed: &[&str]| listed.iter().any(|word| words.contains(word));
        let has_choice = CHOICES.iter().any(|phrase| lower.contains(phrase));
        if content.len() < LEAST_BYTES || !(has_one(REASONS) || has_choice) {
            return None;
        }
        let memory_type = match () {
            () if has_one(FAILURES) => MemoryType::Failure,
            () if has_choice => MemoryType::Decision,
            () => MemoryType::Lesson,
        };
        Some(Self { memory_type, title: commit.subject.clone(), content })
    }
}

/// Returns a body without the lines that credit people or name tickets and commits: nobody would write these into a memory.
fn without_trailers(body: &str) -> String {
    let credited = without_credits(body);
    let lines: Vec<&str> = credited.lines().filter(|line| !is_trailer(line)).collect();
    lines.join("\n").trim().to_owned()
}

fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(name, _)| {
        let name = name.to_lowercase();
        name.starts_with("reported-at") || TRAILERS.contains(&name.as_str())
    })
}

const TRAILERS: &[&str] = &["bug", "cc", "change-id", "closes", "fixes", "issue", "link", "see", "submitted-at"];

/// The fewest digits of an id of a commit.
const LEAST_DIGITS: usize = 7;

/// How far before an id the words stand that say that the commit is a copy of the other one.
const COPY_BYTES: usize = 40;

/// Returns what may be ids of commits in a message.
///
/// A word of only digits is a number, one of only letters a word. A commit that was picked from another branch says nothing about the
/// other one.
pub(super) fn named_ids(message: &str) -> Vec<&str> {
    let mut ids = Vec::new();
    let mut at = 0;
    for word in message.split(|c: char| !c.is_ascii_alphanumeric()) {
        let start = at;
        // The separators are characters of any length.
        at += word.len() + message[at + word.len()..].chars().next().map_or(0, char::len_utf8);
        let is_hex = word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let has_both =
            word.bytes().any(|byte| byte.is_ascii_digit()) && word.bytes().any(|byte| byte.is_ascii_lowercase());
        let before = &message[message.floor_char_boundary(start.saturating_sub(COPY_BYTES))..start];
        if (LEAST_DIGITS..=40).contains(&word.len()) && is_hex && has_both && !before.contains("picked from") {
            ids.push(word);
        }
    }
    ids
}

/// Returns what may be subjects of commits in a message: what it says to revert, and what stands as `("subject")`.
pub(super) fn named_subjects(commit: &Commit) -> Vec<&str> {
    let reverted = commit.subject.strip_prefix("Revert \"").and_then(|rest| rest.strip_suffix('"'));
    let quoted = commit.body.split("(\"").skip(1).filter_map(|rest| rest.split_once("\")")).map(|(subject, _)| subject);
    reverted.into_iter().chain(quoted).collect()
}

/// Returns the command lines that a message quotes after the prompt of a shell.
pub(super) fn quoted_commands(body: &str) -> Vec<&str> {
    let commands = body.lines().filter_map(|line| line.trim_start().strip_prefix("$ ")).map(str::trim);
    commands.filter(|command| command.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.')).collect()
}

/// The words of a line that reports an error.
const ERROR_WORDS: &[&str] =
    &["abort", "assert", "cannot", "error", "fail", "fatal", "invalid", "panic", "traceback", "warning:"];

/// Returns the lines that a message quotes by indenting them and that report an error.
pub(super) fn quoted_errors(body: &str) -> Vec<&str> {
    let is_quoted = |line: &&str| line.starts_with("  ") || line.starts_with('\t');
    let quoted = body.lines().filter(is_quoted).map(str::trim);
    quoted.filter(|line| reports_error(line)).collect()
}

fn reports_error(line: &str) -> bool {
    let lower = line.to_lowercase();
    let is_a_point = line.starts_with(['-', '*', '$', '#', '+']);
    !is_a_point && ERROR_WORDS.iter().any(|word| lower.contains(word)) && split_words(line).len() >= LEAST_ERROR_WORDS
}

/// The fewest words of an error that tell it from others.
const LEAST_ERROR_WORDS: usize = 4;

/// Whether a text has the same error: its words, in this order and next to each other, without those that have digits.
pub(super) fn has_error(text: &str, error: &str) -> bool {
    let (text, error) = (split_words(text), split_words(error));
    error.len() >= LEAST_ERROR_WORDS && text.windows(error.len()).any(|part| part == error)
}

fn split_words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    words.filter(|word| !word.bytes().any(|byte| byte.is_ascii_digit())).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(subject: &str, body: &str) -> Commit {
        Commit { subject: subject.to_owned(), body: body.to_owned(), ..Commit::default() }
    }

    #[test]
    fn a_message_with_a_reason_is_a_memory() {
        let check = |body: &str, expected: Option<MemoryType>| {
            let text = MemoryText::from_message(&commit("store: wait", body));
            assert_eq!(text.map(|text| text.memory_type), expected, "{body}");
        };
        let more = "The words after it are only there to make the text long enough to be worth a memory, as most messages are.";
        check(&format!("A lock that is taken twice leads to a deadlock. {more}"), Some(MemoryType::Failure));
        check(&format!("We wait for the lock instead of asking again. {more}"), Some(MemoryType::Decision));
        check(&format!("The lock must be taken first. {more}"), Some(MemoryType::Lesson));
        check(&format!("Add a function. {more}"), None);
        check("It must be so.", None);
        let text = MemoryText::from_message(&commit(
            "a",
            &format!("It must wait. {more}\nFixes: 0123abc (\"b\")\nSigned-off-by: A"),
        ));
        assert!(text.is_some_and(|text| text.content.ends_with("as most messages are.")));
    }

    #[test]
    fn commits_are_named_by_ids_and_subjects() {
        let check = |message: &str, expected: &[&str]| assert_eq!(named_ids(message), expected, "{message}");
        check("Fixes: 0123abcdef (\"store: wait\") – 1234567 and deadbeef, 12ab", &["0123abcdef"]);
        check("(cherry picked from commit 0123abcdef0123abcdef0123abcdef0123abcdef)", &[]);
        let named = commit("Revert \"store: wait\"", "As in (\"store: ask again\").");
        assert_eq!(named_subjects(&named), ["store: wait", "store: ask again"]);
    }

    #[test]
    fn commands_and_errors_are_quoted() {
        let body = "Running\n\n    $ make check TESTS=1\n    fatal: cannot lock the store 12\n\nreports an error in the store now.";
        assert_eq!(quoted_commands(body), ["make check TESTS=1"]);
        assert_eq!(quoted_errors(body), ["fatal: cannot lock the store 12"]);
        assert!(has_error("It said `fatal: cannot lock the store 7`.", "fatal: cannot lock the store 12"));
        assert!(!has_error("It cannot lock the store.", "fatal: cannot lock the store 12"));
    }
}
