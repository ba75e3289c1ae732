//! Findings: secrets in a text, the merging of overlapping ones, and the masks that replace them.

use std::ops::Range;

use crate::{Rule, rules};

/// The position of a secret, and the rule that found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// The byte range of the secret itself, on character boundaries and never empty. It excludes names, quotes and
    /// markers around the secret.
    pub span: Range<usize>,
}

/// A match of one rule, before matches are merged.
pub(crate) struct Candidate {
    pub(crate) rule: &'static Rule,
    pub(crate) span: Range<usize>,
}

/// Merges the matches of all rules into disjoint findings, in text order.
///
/// Overlapping matches are one secret. Its rule is one that knows a format, if there is one; otherwise the first.
pub(crate) fn merge(mut candidates: Vec<Candidate>) -> Vec<Finding> {
    candidates.sort_by_key(|candidate| {
        (candidate.span.start, !candidate.rule.is_certain(), candidate.span.end, rules::place(candidate.rule))
    });
    let mut merged: Vec<Candidate> = Vec::new();
    for next in candidates {
        match merged.last_mut().filter(|last| next.span.start < last.span.end) {
            Some(last) => {
                if next.rule.is_certain() && !last.rule.is_certain() {
                    last.rule = next.rule;
                }
                last.span.end = last.span.end.max(next.span.end);
            }
            None => merged.push(next),
        }
    }
    merged.into_iter().map(|found| Finding { rule: found.rule.id, span: found.span }).collect()
}

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
