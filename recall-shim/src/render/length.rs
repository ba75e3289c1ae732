//! The length of answers and texts.

/// The longest answer, about 8,000 tokens. Clients truncate or reject results of about 25,000 tokens, and move those above
/// 50,000 characters to a file.
pub(crate) const ANSWER_CHARS: usize = 30_000;

/// The space reserved for the lines at the end of an answer.
pub(crate) const TAIL_CHARS: usize = 700;

/// The longest title of a memory shown; few are longer.
pub(crate) const TITLE_CHARS: usize = 160;

/// The error that the entries do not fit in one answer; `fitting` of them do, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany {
    pub(crate) fitting: u32,
}

/// Returns the number of characters of a text.
pub(crate) fn chars(text: &str) -> usize {
    text.chars().count()
}
