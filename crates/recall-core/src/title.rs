//! The title of a text.

use crate::SHORT_TEXT_BYTES;

/// A longer line is a paragraph.
const TITLE_CHARS: usize = 80;
const _: () = assert!(TITLE_CHARS * 4 < SHORT_TEXT_BYTES, "a title is within the limit of short texts in any script");

/// Returns the first line that is not blank, without the marks of a heading. A line of more than 80 characters is cut
/// and ends in `…`.
///
/// Empty if every line is blank.
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
