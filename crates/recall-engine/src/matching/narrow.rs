//! What of a filter the catalog evaluates.
//!
//! A condition of the catalog is implied by the condition of the filter: it never leaves out a row that passes.

use std::ops::Bound;

use recall_core::rql::{Check, Condition, Field, Filter, Object};
use recall_core::{ChunkId, DocumentId, MemoryId, MemoryType};
use recall_index::catalog::{Column, ColumnValue, Condition as Stored};

/// The most alternatives that the catalog evaluates. SQLite limits the depth of expressions.
const MOST_ALTERNATIVES: usize = 64;

/// Where a condition is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluated {
    /// By the catalog alone, with bound values.
    Catalog,
    /// By the catalog as far as it can, then on each row.
    Both,
    /// On each row that was read, after masking.
    Rows,
}

impl Evaluated {
    /// Returns the name, as plans write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Catalog => "catalog",
            Self::Both => "catalog and rows",
            Self::Rows => "rows",
        }
    }
}

/// A condition of a filter, with the place where it is evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionPlan {
    /// The condition in RQL.
    pub text: String,
    /// Where it is evaluated.
    pub evaluated: Evaluated,
}

/// The conditions of the catalog for a filter.
#[derive(Debug, Default)]
pub(super) struct Narrowed {
    pub(super) documents: Option<Stored>,
    pub(super) chunks: Option<Stored>,
    pub(super) plan: Vec<ConditionPlan>,
    sees: Sees,
}

/// The documents as conditions see them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sees {
    /// With the paths and ids that the catalog has.
    #[default]
    Stored,
    /// With those of a workspace, which the catalog does not have.
    Mounted,
}

impl Narrowed {
    pub(super) fn new(from: Object, filter: Option<&Filter>, sees: Sees) -> Self {
        let (mut documents, mut chunks, mut plan) = (Vec::new(), Vec::new(), Vec::new());
        if from == Object::Memory {
            let types = MemoryType::ALL.into_iter().map(|kind| ColumnValue::Text(kind.as_str().to_owned()));
            documents.push(Stored::Among(Column::Type, types.collect()));
        }
        for (condition, text) in filter.iter().flat_map(|filter| filter.parts()) {
            let (stored, evaluated) = match (exact(condition, sees), imply(condition, sees)) {
                (Some(stored), _) => (Some(stored), Evaluated::Catalog),
                (None, Some(stored)) => (Some(stored), Evaluated::Both),
                (None, None) => (None, Evaluated::Rows),
            };
            match stored {
                Some(stored) if is_of_chunks(&stored) => chunks.push(stored),
                Some(stored) => documents.push(stored),
                None => {}
            }
            plan.push(ConditionPlan { text: text.to_owned(), evaluated });
        }
        let all = |parts: Vec<Stored>| (!parts.is_empty()).then_some(Stored::All(parts));
        Self { documents: all(documents), chunks: all(chunks), plan, sees }
    }

    /// Whether the catalog evaluates a condition so that it need not be evaluated on rows: it is the same there, and on no text that
    /// is masked.
    pub(super) fn settles(&self, condition: &Condition) -> bool {
        exact(condition, self.sees).is_some() && !condition.depends_on(&may_have_secrets)
    }

    /// Whether finding the chunks first reads less than finding the documents first: few chunks have one name, and the catalog has
    /// no index over the names.
    pub(super) fn chunks_select(&self) -> bool {
        let has = |stored: &Option<Stored>, columns: &[Column]| match stored {
            Some(Stored::All(parts)) => parts.iter().any(|part| match part {
                Stored::Among(column, _) | Stored::Between(column, ..) => columns.contains(column),
                _ => false,
            }),
            _ => false,
        };
        has(&self.chunks, &[Column::Symbol]) && !has(&self.documents, &[Column::Path, Column::Id])
    }
}

fn is_of_chunks(stored: &Stored) -> bool {
    match stored {
        Stored::All(parts) | Stored::Any(parts) => parts.first().is_some_and(is_of_chunks),
        Stored::Not(part) => is_of_chunks(part),
        Stored::Among(column, _) | Stored::Between(column, ..) => column.is_of_chunks(),
        Stored::Tagged(_) => false,
    }
}

/// Returns the same condition for the catalog. `None` if it has none, or if it is about documents and chunks together.
fn exact(condition: &Condition, sees: Sees) -> Option<Stored> {
    let exact = |condition: &Condition| exact(condition, sees);
    let all = |parts: &[Condition]| same_table(parts.iter().map(exact).collect::<Option<Vec<_>>>()?);
    match condition {
        Condition::All(parts) => all(parts).map(Stored::All),
        Condition::Any(parts) => all(parts).map(Stored::Any),
        Condition::Not(part) => exact(part).map(|part| Stored::Not(Box::new(part))),
        Condition::Is(Field::DocTag, Check::Among(tags)) => Some(Stored::Tagged(sort(tags))),
        Condition::Is(field, check) => compare(column(*field, sees)?, check),
    }
}

/// Returns a condition that each row satisfies that satisfies this one.
fn imply(condition: &Condition, sees: Sees) -> Option<Stored> {
    let either = |condition: &Condition| exact(condition, sees).or_else(|| imply(condition, sees));
    match condition {
        Condition::Any(parts) => same_table(parts.iter().map(either).collect::<Option<Vec<_>>>()?).map(Stored::Any),
        Condition::All(parts) => {
            let parts: Vec<Stored> = parts.iter().filter_map(either).collect();
            let of_chunks = parts.first().map(is_of_chunks)?;
            Some(Stored::All(parts.into_iter().filter(|part| is_of_chunks(part) == of_chunks).collect()))
        }
        Condition::Is(field, Check::Among(texts)) if !is_translated(*field, sees) => by_identity(*field, texts.iter()),
        Condition::Is(field, Check::Matches(pattern)) => {
            let column = column(*field, sees).filter(|_| !pattern.prefix().is_empty())?;
            let low = Bound::Included(ColumnValue::Text(pattern.prefix().to_owned()));
            let high = after_prefix(pattern.prefix()).map(ColumnValue::Text);
            Some(Stored::Between(column, low, high.map_or(Bound::Unbounded, Bound::Excluded)))
        }
        Condition::Not(_) | Condition::Is(..) => None,
    }
}

/// Whether rows have another value of a field than the catalog.
fn is_translated(field: Field, sees: Sees) -> bool {
    sees == Sees::Mounted && matches!(field, Field::DocPath | Field::DocId | Field::ChunkDocId | Field::ChunkId)
}

/// Returns the condition for texts that identify documents. A text that is not of the right form identifies none.
fn by_identity<'t>(field: Field, texts: impl Iterator<Item = &'t String>) -> Option<Stored> {
    let path = |text: &str| ColumnValue::Text(text.to_owned());
    match field {
        Field::DocId => {
            let (mut ids, mut paths) = (Vec::new(), Vec::new());
            for text in texts {
                match text.parse::<DocumentId>() {
                    Ok(id) => ids.push(ColumnValue::Id(id)),
                    Err(_) => paths.extend(text.parse::<MemoryId>().ok().map(|_| path(text))),
                }
            }
            let both = [Stored::Among(Column::Id, ids), Stored::Among(Column::Path, paths)];
            let mut both: Vec<Stored> = both
                .into_iter()
                .filter(|part| !matches!(part, Stored::Among(_, values) if values.is_empty()))
                .collect();
            Some(if both.len() == 1 { both.remove(0) } else { Stored::Any(both) })
        }
        Field::ChunkDocId => {
            Some(Stored::Among(Column::Id, texts.filter_map(|text| text.parse().ok()).map(ColumnValue::Id).collect()))
        }
        Field::ChunkId => {
            let ids = texts.filter_map(|text| text.parse::<ChunkId>().ok());
            Some(Stored::Among(Column::Id, ids.map(|id| ColumnValue::Id(id.document)).collect()))
        }
        Field::DocHash => {
            let hashes = texts.filter_map(|text| hex::decode(text).ok());
            Some(Stored::Among(Column::Hash, hashes.map(ColumnValue::Bytes).collect()))
        }
        Field::MemoryId => Some(Stored::Among(Column::Path, texts.map(|text| path(text)).collect())),
        Field::MemoryType => Some(Stored::Among(Column::Type, texts.map(|text| path(text)).collect())),
        _ => None,
    }
}

/// Whether the texts of a field are masked.
pub(super) fn may_have_secrets(field: Field) -> bool {
    matches!(
        field,
        Field::DocPath | Field::DocTag | Field::DocSource | Field::DocTitle | Field::ChunkText | Field::ChunkSymbol
    )
}

/// Returns the parts if they are few, and all about documents or all about chunks.
fn same_table(parts: Vec<Stored>) -> Option<Vec<Stored>> {
    let of_chunks = parts.first().map(is_of_chunks)?;
    let fits = parts.len() <= MOST_ALTERNATIVES && parts.iter().all(|part| is_of_chunks(part) == of_chunks);
    fits.then_some(parts)
}

/// Returns the column with the values of a field as rows have them.
fn column(field: Field, sees: Sees) -> Option<Column> {
    if is_translated(field, sees) {
        return None;
    }
    Some(match field {
        Field::DocPath => Column::Path,
        Field::DocMtime => Column::Modified,
        Field::DocSource => Column::Source,
        Field::DocType => Column::Type,
        Field::DocTitle => Column::Title,
        Field::DocLanguage => Column::Language,
        Field::DocSize => Column::Size,
        Field::ChunkOffset => Column::StartByte,
        Field::ChunkTokens => Column::Tokens,
        Field::ChunkKind => Column::Kind,
        Field::ChunkSymbol => Column::Symbol,
        Field::ChunkStartLine => Column::StartLine,
        Field::ChunkEndLine => Column::EndLine,
        _ => return None,
    })
}

fn compare(column: Column, check: &Check) -> Option<Stored> {
    let bound = |bound: &Bound<String>| bound.clone().map(ColumnValue::Text);
    Some(match check {
        Check::Among(texts) => Stored::Among(column, sort(texts).into_iter().map(ColumnValue::Text).collect()),
        Check::Between(low, high) => Stored::Between(column, bound(low), bound(high)),
        Check::Numbers(numbers) => {
            Stored::Among(column, numbers.iter().map(|number| ColumnValue::Number(*number)).collect())
        }
        Check::Within(low, high) => {
            Stored::Between(column, low.map(ColumnValue::Number), high.map(ColumnValue::Number))
        }
        Check::During(moments) if moments.len() <= MOST_ALTERNATIVES => {
            let between = |moment: &recall_core::rql::Moment| {
                let low = Bound::Included(ColumnValue::Integer(moment.start));
                Stored::Between(column, low, Bound::Excluded(ColumnValue::Integer(moment.end)))
            };
            Stored::Any(moments.iter().map(between).collect())
        }
        Check::During(_) | Check::Matches(_) => return None,
    })
}

/// Returns the texts in a fixed order, so that equal filters have equal statements.
fn sort(texts: &std::collections::HashSet<String>) -> Vec<String> {
    let mut texts: Vec<String> = texts.iter().cloned().collect();
    texts.sort_unstable();
    texts
}

/// Returns the least text that is greater than every text with a prefix; `None` if there is none.
fn after_prefix(prefix: &str) -> Option<String> {
    let mut rest = prefix.to_owned();
    while let Some(last) = rest.pop() {
        let next = (u32::from(last) + 1..=u32::from(char::MAX)).find_map(char::from_u32);
        if let Some(next) = next {
            rest.push(next);
            return Some(rest);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_after_a_prefix_follows_all_that_begin_with_it() {
        for (prefix, expected) in [("src/", Some("src0")), ("a\u{d7ff}", Some("a\u{e000}")), ("a\u{10ffff}", Some("b"))]
        {
            assert_eq!(after_prefix(prefix).as_deref(), expected);
        }
        assert_eq!(after_prefix("\u{10ffff}"), None);
    }

    #[test]
    fn what_selects_goes_to_the_catalog() {
        for (filter, expected) in [
            ("doc.path = 'a'", Evaluated::Catalog),
            ("NOT doc.path = 'a'", Evaluated::Catalog),
            ("doc.language != 'rust'", Evaluated::Catalog),
            ("doc.tag = 'a'", Evaluated::Catalog),
            ("doc.mtime >= '2026-01-31'", Evaluated::Catalog),
            ("chunk.symbol = 'a' OR chunk.kind = 'b'", Evaluated::Catalog),
            ("doc.path GLOB 'src/**'", Evaluated::Both),
            ("doc.path GLOB 'src/**' OR doc.type = 'adr'", Evaluated::Both),
            ("chunk.id = '0123456789abcdef-0'", Evaluated::Both),
            ("doc.path GLOB '**/a'", Evaluated::Rows),
            ("NOT doc.path GLOB 'src/**'", Evaluated::Rows),
            ("NOT doc.id = '0123456789abcdef'", Evaluated::Rows),
            ("doc.path = 'a' OR chunk.kind = 'b'", Evaluated::Rows),
            ("chunk.text LIKE '%a%'", Evaluated::Rows),
            ("doc.staleness > 0.5", Evaluated::Rows),
        ] {
            let parsed = Filter::parse(filter).expect("valid");
            let plan = Narrowed::new(Object::Chunk, Some(&parsed), Sees::Stored).plan;
            assert_eq!(plan[0].evaluated, expected, "{filter}");
            let mounted = Narrowed::new(Object::Chunk, Some(&parsed), Sees::Mounted).plan[0].evaluated;
            let is_translated = ["doc.path", "doc.id", "chunk.id"].iter().any(|field| filter.contains(field));
            assert_eq!(mounted, if is_translated { Evaluated::Rows } else { expected }, "{filter}");
        }
    }
}
