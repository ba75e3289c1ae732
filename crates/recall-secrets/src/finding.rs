//! A secret in a text.

use std::ops::Range;

use crate::{Rule, rules};

/// Where a secret stands, and which rule tells so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// The bytes of the secret alone, on character boundaries, never empty. Names, quotes and marks around it are outside.
    pub span: Range<usize>,
}

/// What a rule takes for a secret, before it is compared with what others do.
pub(crate) struct Suspicion {
    pub(crate) rule: &'static Rule,
    pub(crate) span: Range<usize>,
}

/// The findings of all rules in the order of the text, none touching another.
///
/// What overlaps is one secret: it is found as a whole, under the name that a format tells, else that of the first.
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
