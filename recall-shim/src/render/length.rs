//! How long answers and texts are.

/// The longest answer. Clients cut or refuse results of about 25,000 tokens, and put those above 50,000 characters
/// aside into a file; this is some 8,000 tokens.
pub(crate) const ANSWER_CHARS: usize = 30_000;

/// What stays free for the lines at the end of an answer.
pub(crate) const TAIL_CHARS: usize = 700;

/// The number of characters of a text.
pub(crate) fn chars(text: &str) -> usize {
    text.chars().count()
}
