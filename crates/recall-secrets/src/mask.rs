//! The mask that replaces a secret.

use crate::Finding;

/// The beginning of a mask, followed by the rule's id and [`END`]. A mask depends on nothing of the secret, not even
/// its length.
pub(crate) const BEGINNING: &str = "[secret: ";

const END: char = ']';

/// Replaces each finding with a mask.
///
/// The line breaks of a secret are kept, so that line numbers do not change.
pub(crate) fn mask(text: &str, findings: &[Finding]) -> String {
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

/// Returns whether a text contains a mask.
pub(crate) fn is_masked(text: &str) -> bool {
    text.contains(BEGINNING)
}
