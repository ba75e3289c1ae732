//! What stands in the place of a secret.

use crate::Finding;

/// How a mask begins; the rule's id and [`END`] follow. Nothing in it depends on the secret, not even its length.
pub(crate) const BEGINNING: &str = "[secret: ";

const END: char = ']';

/// The text with a mask in the place of each finding.
///
/// The line breaks of a secret of several lines stay, so that every other line keeps its number.
pub(crate) fn masked(text: &str, findings: &[Finding]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for Finding { rule, span } in findings {
        masked.push_str(&text[done..span.start]);
        masked.push_str(BEGINNING);
        masked.push_str(rule);
        masked.push(END);
        masked.extend(text[span.clone()].chars().filter(|c| matches!(c, '\n' | '\r')));
        done = span.end;
    }
    masked.push_str(&text[done..]);
    masked
}

/// Whether a part of a text has been masked.
pub(crate) fn is_masked(text: &str) -> bool {
    text.contains(BEGINNING)
}
