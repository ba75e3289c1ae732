//! The literals that a text must hold to pass a filter, so that the signatures of texts leave out most documents (ADR 49).

use recall_core::rql::{Check, Condition, Field};
use recall_core::{Case, DocumentRow};
use recall_index::catalog::Snapshot;
use recall_index::lexical::exact::Pattern;

use crate::error::StoreError;
use crate::mask;
use crate::store::Store;

/// The most literals that are compared with signatures. More exclude hardly more.
const MOST_LITERALS: usize = 8;

/// Returns the documents whose texts may pass the conditions, ascending; `None` if no condition excludes any by a literal.
///
/// Conditions see masked texts and signatures the texts as they are. A literal that a mask may have made is not compared.
pub(super) fn documents_that_may_pass(
    conditions: &[&Condition],
    store: &Store,
    snapshot: &Snapshot<'_>,
) -> Result<Option<Vec<DocumentRow>>, StoreError> {
    let mut literals: Vec<String> = conditions.iter().flat_map(|condition| literals(condition)).collect();
    literals.retain(|literal| !mask::may_be_of_mask(literal));
    literals.sort_by_key(|literal| std::cmp::Reverse(literal.len()));
    literals.truncate(MOST_LITERALS);
    let mut documents: Option<Vec<DocumentRow>> = None;
    for literal in literals {
        // A literal that is too large for a pattern excludes nothing.
        let Ok(pattern) = Pattern::literal(&literal, Case::Sensitive) else { continue };
        if pattern.is_selective() {
            let rows = store.index.may_match(snapshot, &pattern)?;
            documents = Some(match documents {
                Some(known) => known.into_iter().filter(|row| rows.binary_search(row).is_ok()).collect(),
                None => rows,
            });
        }
    }
    Ok(documents)
}

/// Returns literals that the text of each chunk holds that satisfies a condition.
fn literals(condition: &Condition) -> Vec<String> {
    match condition {
        Condition::All(parts) => parts.iter().flat_map(literals).collect(),
        Condition::Is(Field::ChunkText, Check::Matches(pattern)) => pattern.literals().collect(),
        Condition::Is(Field::ChunkText, Check::Among(texts)) if texts.len() == 1 => texts.iter().cloned().collect(),
        Condition::Any(_) | Condition::Not(_) | Condition::Is(..) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use recall_core::rql::Filter;

    use super::*;

    #[test]
    fn only_what_every_match_holds_is_a_literal() {
        for (filter, expected) in [
            ("chunk.text LIKE '%open%'", &["open"][..]),
            ("chunk.text LIKE 'fn _pen(%) {%'", &["fn ", "pen(", ") {"]),
            ("chunk.text = 'whole'", &["whole"]),
            ("chunk.text LIKE '%a%' AND doc.path = 'b'", &["a"]),
            ("chunk.text LIKE '%a%' OR chunk.text LIKE '%b%'", &[]),
            ("NOT chunk.text LIKE '%a%'", &[]),
            ("chunk.text IN ('a', 'b')", &[]),
            ("doc.path LIKE '%a%'", &[]),
        ] {
            let parsed = Filter::parse(filter).expect("valid");
            let found: Vec<String> = parsed.parts().flat_map(|(condition, _)| literals(condition)).collect();
            assert_eq!(found, expected, "{filter}");
        }
    }
}
