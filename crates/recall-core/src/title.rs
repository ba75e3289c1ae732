//! What would a person call a text?

use crate::SHORT_TEXT_BYTES;

/// A longer line is a paragraph.
const TITLE_CHARS: usize = 80;
const _: () = assert!(TITLE_CHARS * 4 < SHORT_TEXT_BYTES, "a title is a short text whatever it is written in");

/// The first line of a text that says something, without the marks of a heading; a long one is cut, and says so.
///
/// Empty where no line says anything.
///
/// ```
/// use recall_core::title_of;
/// assert_eq!(title_of("\n  \n## Short\nmore"), "Short");
/// assert_eq!(title_of(&"ä".repeat(100)).chars().count(), 81);
/// ```
pub fn title_of(text: &str) -> String {
    let line = text.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    match line.char_indices().nth(TITLE_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}
