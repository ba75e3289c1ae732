//! The lines of a story: what was decided and what failed in a sentence, and texts cut to the length of an entry.

use std::fmt::{Display, Formatter, Result};

use recall_core::{MemoryId, SessionEntry};

use crate::git::Commit;

/// The greatest length of an entry, in characters: two or three lines.
pub(super) const ENTRY_CHARS: usize = 300;

/// A decision, or a memory that was added.
#[derive(Clone, Debug)]
pub(super) struct Decided {
    pub(super) id: Option<MemoryId>,
    pub(super) text: String,
    pub(super) why: Option<String>,
}

/// Something that was tried and failed.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(super) what: String,
    pub(super) why: Option<String>,
    pub(super) how: Option<String>,
}

impl Display for Decided {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match (self.id, &self.why) {
            (Some(id), _) => write!(f, "{id} {}", self.text),
            (None, Some(why)) => write!(f, "{} Why: {}", sentence(&self.text), sentence(why)),
            (None, None) => f.write_str(&sentence(&self.text)),
        }
    }
}

impl Failure {
    /// Whether it is known how it was resolved.
    pub(crate) fn is_resolved(&self) -> bool {
        self.how.is_some()
    }

    /// Returns what was tried.
    pub(crate) fn what(&self) -> &str {
        &self.what
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&sentence(&self.what))?;
        for (label, text) in [("Why", &self.why), ("Resolved", &self.how)] {
            if let Some(text) = text {
                write!(f, " {label}: {}", sentence(text))?;
            }
        }
        Ok(())
    }
}

/// Returns entries that are about nothing that can be opened.
pub(super) fn entries(texts: impl IntoIterator<Item: AsRef<str>>) -> Vec<SessionEntry> {
    texts.into_iter().map(|text| SessionEntry { text: text.as_ref().to_owned(), item: None }).collect()
}

pub(super) fn line_of_commit(commit: &Commit) -> String {
    format!("{} {}", commit.id, one_line(&commit.subject))
}

pub(super) fn edits_of(edits: u64) -> String {
    format!("{edits} {}", if edits == 1 { "edit" } else { "edits" })
}

/// Returns whether two texts differ in case and punctuation at their ends only.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    let words = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    words(a) == words(b)
}

/// Ends a text with a full stop if it has no end of its own.
pub(super) fn sentence(text: &str) -> String {
    let has_end = text.ends_with(['.', '!', '?', '…', ':']);
    if has_end { text.to_owned() } else { format!("{text}.") }
}

/// Joins a text to one line of at most [`ENTRY_CHARS`] characters.
pub(crate) fn one_line(text: &str) -> String {
    first_chars(&text.split_whitespace().collect::<Vec<_>>().join(" "), ENTRY_CHARS)
}

/// Returns the beginning of a text, with `…` if there is more.
pub(crate) fn first_chars(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
