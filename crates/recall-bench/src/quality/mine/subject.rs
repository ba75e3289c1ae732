//! Queries from the subjects of commit messages.

use std::collections::HashSet;

use recall_text::words::is_stop_word;

/// The minimum number of content words of a query.
const MIN_CONTENT_WORDS: usize = 3;

/// Returns the subject without prefixes and ticket numbers; `None` if it does not describe code.
pub(super) fn query_text(subject: &str) -> Option<String> {
    if is_housekeeping(subject) {
        return None;
    }
    let text = without_tickets(without_prefixes(subject.trim()));
    let is_query = !is_housekeeping(&text) && content_words(&text) >= MIN_CONTENT_WORDS;
    is_query.then_some(text)
}

/// Whether a subject describes housekeeping of the repository, such as a release or formatting.
fn is_housekeeping(subject: &str) -> bool {
    let lower = subject.trim().to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.first().is_some_and(|first| HOUSEKEEPING_FIRST_WORDS.contains(first))
        || words.iter().any(|word| HOUSEKEEPING_WORDS.contains(word))
        || HOUSEKEEPING_PHRASES.iter().any(|phrase| lower.contains(phrase))
        || words.first().is_some_and(|first| is_version(first)) && words.len() < 4
}

const HOUSEKEEPING_FIRST_WORDS: &[&str] = &[
    "merge",
    "merged",
    "merging",
    "revert",
    "reverts",
    "reverted",
    "bump",
    "bumps",
    "bumped",
    "release",
    "released",
    "releasing",
    "version",
    "wip",
    "fixup",
    "squash",
    "amend",
    "style",
    "backport",
    "cherry",
];

/// Words that only occur in housekeeping subjects.
const HOUSEKEEPING_WORDS: &[&str] = &[
    "typo",
    "typos",
    "misspelling",
    "misspellings",
    "spelling",
    "changelog",
    "changelogs",
    "formatting",
    "reformat",
    "reformatted",
    "rustfmt",
    "gofmt",
    "gofumpt",
    "goimports",
    "clippy",
    "prettier",
    "eslint",
    "flake8",
    "pylint",
    "rubocop",
    "golangci",
    "ktlint",
    "swiftlint",
    "swiftformat",
    "stylua",
    "ormolu",
    "hlint",
    "whitespace",
    "whitespaces",
    "indentation",
    "nits",
    "copyright",
    "license",
    "licence",
    "licenses",
    "dependabot",
    "renovate",
    "submodule",
    "submodules",
    "yapf",
    "isort",
    "codespell",
];

/// Phrases that only occur in housekeeping subjects.
const HOUSEKEEPING_PHRASES: &[&str] = &[
    "prepare release",
    "prepare for release",
    "prepare for next",
    "new release",
    "release notes",
    "cut release",
    "release candidate",
    "version bump",
    "bump version",
    "update version",
    "set version",
    "next version",
    "update dependencies",
    "update dependency",
    "update deps",
    "upgrade dependencies",
    "update all dependencies",
    "cargo fmt",
    "run fmt",
    "clang-format",
    "code style",
    "trailing space",
    "compiler warning",
    "fix warnings",
    "fix lint",
    "lint fix",
    "lint error",
    "linter error",
    "review comment",
    "review feedback",
    "code review",
    "address feedback",
    "address comments",
    "cherry-pick",
    "auto-generated",
];

/// `v1.2.3` begins with the word `v1`, `1.2.3` with `1`.
fn is_version(word: &str) -> bool {
    let number = word.strip_prefix('v').unwrap_or(word);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Removes what precedes the sentence: `fix(parser)!: `, `net/http: `, `[core] `, `:bug: `, an emoji.
///
/// A prefix names the part of the code, which would give the answer away.
fn without_prefixes(subject: &str) -> &str {
    let mut rest = subject;
    loop {
        let start =
            rest.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '[' | '(' | ':' | '`' | '"'));
        let cut = bracket_content(start).or_else(|| emoji(start)).or_else(|| label_content(start)).unwrap_or(start);
        if cut.len() == rest.len() {
            return rest;
        }
        rest = cut;
    }
}

/// Returns what follows `[core] ` or `(core) `.
fn bracket_content(text: &str) -> Option<&str> {
    let (_, rest) = text.strip_prefix('[')?.split_once(']').or_else(|| text.strip_prefix('(')?.split_once(')'))?;
    Some(rest.strip_prefix(':').unwrap_or(rest).trim_start())
}

/// Returns what follows `:bug: `.
fn emoji(text: &str) -> Option<&str> {
    let (name, rest) = text.strip_prefix(':')?.split_once(':')?;
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '+')).then(|| rest.trim_start())
}

/// Returns what follows `fix(parser)!: ` or `net/http: `. A label is one word; a scope in parentheses may have several.
fn label_content(text: &str) -> Option<&str> {
    let (label, rest) = text.split_once(": ")?;
    let (name, scope) = label.split_once('(').unwrap_or((label, ")"));
    let name = name.trim_end();
    let is_label = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | ':' | '.' | ',' | '*' | '!' | '+'))
        && (scope.ends_with(')') || scope.ends_with(")!"));
    is_label.then(|| rest.trim_start())
}

/// Removes ticket numbers (`#12`, `GH-12`, `owner/name#12`, `ABC-12`), links, and the words that introduce them.
fn without_tickets(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        let is_introduced = kept.last().is_none_or(|last| introduces_ticket(bare(last)));
        let is_ticket_number = is_ticket(word) || is_introduced && is_long_number(bare(word));
        if !is_ticket_number {
            kept.push(word);
            continue;
        }
        while kept.last().is_some_and(|last| introduces_ticket(bare(last))) {
            kept.pop();
        }
    }
    kept.join(" ").trim_matches(is_loose_end).to_owned()
}

/// Whether a word introduces a ticket number and is meaningless without it.
fn introduces_ticket(word: &str) -> bool {
    TICKET_INTRODUCERS.contains(&word.to_lowercase().as_str())
}

const TICKET_INTRODUCERS: &[&str] = &[
    "", "fixes", "fix", "fixed", "closes", "close", "closed", "resolves", "resolve", "refs", "ref", "see", "for",
    "from", "issue", "issues", "pr", "bug", "and", "part", "of",
];

fn is_ticket(word: &str) -> bool {
    let bare = bare(word);
    let has_number_sign = word.split_once('#').is_some_and(|(_, number)| is_number(self::bare(number)));
    let has_key = bare.split_once('-').is_some_and(|(key, number)| is_number(number) && is_key(key));
    has_number_sign || has_key || bare.starts_with("http://") || bare.starts_with("https://")
}

/// Whether a word is the key of a tracker, such as `ABC` in `ABC-12`, and not a standard as in `UTF-8`.
fn is_key(text: &str) -> bool {
    let is_capital = text.len() > 1 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    introduces_ticket(text) || is_capital && !is_standard(text)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a bare number looks like a ticket number.
fn is_long_number(text: &str) -> bool {
    text.len() > 2 && is_number(text)
}

fn is_standard(key: &str) -> bool {
    matches!(key, "UTF" | "UCS" | "SHA" | "AES" | "ISO" | "RFC" | "IEEE" | "CP" | "TLS" | "HTTP" | "CVE" | "CRC")
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_loose_end(c: char) -> bool {
    matches!(c, ':' | ',' | ';' | '-' | '.' | ' ')
}

/// Counts the distinct content words of a text.
fn content_words(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase);
    let content = words.filter(|word| word.chars().count() > 2 && word.chars().any(char::is_alphabetic));
    content.filter(|word| !is_stop_word(word) && !GENERIC_WORDS.contains(&word.as_str())).collect::<HashSet<_>>().len()
}

/// Words that fit any commit.
const GENERIC_WORDS: &[&str] = &[
    "again",
    "also",
    "bit",
    "bug",
    "bugs",
    "change",
    "changes",
    "clean",
    "cleanup",
    "code",
    "comment",
    "comments",
    "couple",
    "few",
    "file",
    "files",
    "fixes",
    "improvement",
    "improvements",
    "issue",
    "issues",
    "little",
    "minor",
    "misc",
    "more",
    "new",
    "not",
    "now",
    "only",
    "other",
    "problem",
    "problems",
    "properly",
    "refactor",
    "refactoring",
    "review",
    "several",
    "slightly",
    "small",
    "stuff",
    "things",
    "tidy",
    "tweak",
    "tweaks",
    "various",
    "work",
    "works",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(subject: &str, expected: Option<&str>) {
        assert_eq!(query_text(subject).as_deref(), expected, "{subject:?}");
    }

    #[test]
    fn prefixes_are_removed() {
        for subject in [
            "retry failed webhook deliveries",
            "fix: retry failed webhook deliveries",
            "feat(hooks)!: retry failed webhook deliveries",
            "fix (hooks): retry failed webhook deliveries",
            "fix(some part, other): retry failed webhook deliveries",
            "net/http: retry failed webhook deliveries",
            "[hooks] retry failed webhook deliveries",
            "[hooks]: fix: retry failed webhook deliveries",
            ":bug: retry failed webhook deliveries",
            "\u{1f41b} fix: retry failed webhook deliveries",
        ] {
            check(subject, Some("retry failed webhook deliveries"));
        }
        check("Parser: recover after a missing brace", Some("recover after a missing brace"));
        check("Handle this case: a brace is missing", Some("Handle this case: a brace is missing"));
    }

    #[test]
    fn ticket_numbers_are_removed() {
        for subject in [
            "Retry failed webhook deliveries (#123)",
            "Retry failed webhook deliveries (GH-12) (#13)",
            "Retry failed webhook deliveries, closes #12.",
            "Retry failed webhook deliveries (fixes owner/name#12)",
            "Retry failed webhook deliveries - see https://example.org/12",
            "PAY-77 Retry failed webhook deliveries",
            "Fix #12: Retry failed webhook deliveries",
            "Fix 2104: Retry failed webhook deliveries",
            "2104 Retry failed webhook deliveries",
            "Fix-2104 Retry failed webhook deliveries",
        ] {
            check(subject, Some("Retry failed webhook deliveries"));
        }
        check("Decode UTF-8 file names lazily", Some("Decode UTF-8 file names lazily"));
    }

    #[test]
    fn housekeeping_is_not_a_query() {
        for subject in [
            "Merge branch 'main' into feature",
            "Revert \"Retry failed webhook deliveries\"",
            "chore(deps): bump tokio from 1.0 to 1.1",
            "Release version two of everything",
            "v1.2.3",
            "1.2.3 release candidate",
            "Fix typo in webhook delivery docs",
            "chore: run cargo fmt over everything",
            "Apply clippy suggestions in parser",
            "Update the changelog for webhooks",
            "style: sort the imports of webhooks",
            "Address review comments on the parser",
            "",
        ] {
            check(subject, None);
        }
    }

    #[test]
    fn a_query_has_three_content_words() {
        for subject in ["fix bug", "Fix the tests", "more small fixes", "Fix #12", "wip", "Update a b c d", "a 1 2 3 4"]
        {
            check(subject, None);
        }
        check("Fix parser panic", Some("Fix parser panic"));
        check("parser parser parser", None);
    }
}
