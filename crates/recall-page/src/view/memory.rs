//! A memory in a few words: its first line, and what is unusual about it.

use maud::{Markup, html};
use recall_api::v1::{Memory, MemoryStatus, Ownership, StoreScope, Trust, Verification, VerificationState};

/// The most characters of a line in a list.
const LINE_CHARS: usize = 220;

/// Shows a line of text. What is between backticks is code.
pub(crate) fn inline(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    // The last backtick of an odd number opens nothing.
    let closed = (parts.len() - 1) / 2 * 2;
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at % 2 == 1 && at < closed { code { (part) } } @else if at > closed { "`" (part) } @else { (part) }
        }
    }
}

/// Returns the beginning of a text on one line.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Returns the first line of a memory's text that says something: no heading, and no mark of a list or quotation.
pub(crate) fn first_line(memory: &Memory) -> String {
    let is_heading = |line: &&str| line.starts_with('#') || line.starts_with("---");
    let lines = || memory.content.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines().find(|line| !is_heading(line)).or_else(|| lines().next()).unwrap_or(&memory.title);
    let mut line = line.trim_start_matches('#').trim_start();
    for mark in ["> ", "- ", "* "] {
        line = line.strip_prefix(mark).unwrap_or(line);
    }
    shorten(line, LINE_CHARS)
}

/// Returns the title of a memory, if its first line does not say the same.
pub(crate) fn separate_title<'m>(memory: &'m Memory, line: &str) -> Option<&'m str> {
    let stem = |text: &str| text.trim_end_matches(['.', '…', ' ']).to_lowercase();
    let title = stem(&memory.title);
    (!title.is_empty() && !stem(line).starts_with(&title)).then_some(&memory.title)
}

/// Returns the name of the store that holds a memory.
pub(crate) fn scope(memory: &Memory) -> &'static str {
    match memory.scope() {
        StoreScope::Global => "global",
        StoreScope::Domain => "domain",
        StoreScope::Project | StoreScope::Unspecified => "project",
    }
}

/// Shows what is unusual about a memory as labels.
pub(crate) fn unusual_labels(memory: &Memory) -> Markup {
    let verification = memory.verification.clone().unwrap_or_default();
    let retired = if memory.holds.is_empty() { "retired" } else { &memory.holds };
    let unusual = [
        memory.proposed.then_some("proposed"),
        (memory.status() == MemoryStatus::Deprecated && !memory.proposed).then_some(retired),
        (memory.status() == MemoryStatus::Stale).then_some("stale"),
        files_label(&verification),
        (memory.ownership() == Ownership::Repository).then_some("unconfirmed"),
        (memory.ownership() != Ownership::Repository && memory.trust() == Trust::Low).then_some("low trust"),
        memory.stats.is_some_and(|stats| stats.flagged).then_some("flagged"),
    ];
    html! {
        @for label in unusual.into_iter().flatten() { span.label.warn { (label) } }
        @for moved in &verification.moved { span.label.warn title={ "from " (moved.from) } { "moved to " (moved.to) } }
    }
}

fn files_label(verification: &Verification) -> Option<&'static str> {
    match verification.state() {
        VerificationState::Changed => Some("files changed"),
        VerificationState::Gone => Some("files gone"),
        VerificationState::Unspecified | VerificationState::Verified | VerificationState::Unanchored => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(title: &str, content: &str) -> Memory {
        Memory { title: title.to_owned(), content: content.to_owned(), ..Memory::default() }
    }

    #[test]
    fn backticks_in_pairs_are_code() {
        for (text, expected) in [
            ("a `b` c", "a <code>b</code> c"),
            ("`a` `b`", "<code>a</code> <code>b</code>"),
            ("a ` b", "a ` b"),
            ("`a` ` b", "<code>a</code> ` b"),
            ("`<i>`", "<code>&lt;i&gt;</code>"),
        ] {
            assert_eq!(inline(text).into_string(), expected, "{text}");
        }
    }

    #[test]
    fn the_first_line_that_says_something_is_shown_and_a_title_that_repeats_it_is_not() {
        for (title, content, line, separate) in [
            ("Wombats dig", "Wombats dig at night.\nAlways.", "Wombats dig at night.", None),
            ("Retries", "## Context\n\n- Three attempts.", "Three attempts.", Some("Retries")),
            ("Only a heading", "# Only a heading", "Only a heading", None),
            ("Emphasis", "> *Never* do it.", "*Never* do it.", Some("Emphasis")),
            ("A title", "", "A title", None),
        ] {
            let memory = memory(title, content);
            let found = first_line(&memory);
            assert_eq!((found.as_str(), separate_title(&memory, &found)), (line, separate));
        }
    }
}
