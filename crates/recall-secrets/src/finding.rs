//! Findings: secrets in a text, and the merging of overlapping ones.

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
pub(crate) struct Suspicion {
    pub(crate) rule: &'static Rule,
    pub(crate) span: Range<usize>,
}

/// Merges the matches of all rules into disjoint findings, in text order.
///
/// Overlapping matches are one secret. Its rule is one that knows a format, if there is one; otherwise the first.
pub(crate) fn joined(mut suspicions: Vec<Suspicion>) -> Vec<Finding> {
    suspicions.sort_by_key(|suspicion| {
        (suspicion.span.start, !suspicion.rule.is_certain(), suspicion.span.end, rules::place(suspicion.rule))
    });
    let mut joined: Vec<Suspicion> = Vec::new();
    for next in suspicions {
        match joined.last_mut().filter(|last| next.span.start < last.span.end) {
            Some(last) => {
                if next.rule.is_certain() && !last.rule.is_certain() {
                    last.rule = next.rule;
                }
                last.span.end = last.span.end.max(next.span.end);
            }
            None => joined.push(next),
        }
    }
    joined.into_iter().map(|found| Finding { rule: found.rule.id, span: found.span }).collect()
}
