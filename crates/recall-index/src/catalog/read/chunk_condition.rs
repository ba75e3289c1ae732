//! Evaluation of conditions on chunks. Chunks are packed, so SQLite cannot evaluate them.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::Bound;

use super::condition::{Column, ColumnValue, Condition};
use crate::catalog::packing::PackedChunk;

/// A condition on chunks, prepared to be evaluated many times.
pub(super) enum ChunkCondition<'a> {
    All(Vec<ChunkCondition<'a>>),
    Any(Vec<ChunkCondition<'a>>),
    Not(Box<ChunkCondition<'a>>),
    /// The text is one of these, of which there may be thousands.
    AmongTexts(Column, HashSet<&'a str>),
    Among(Column, &'a [ColumnValue]),
    Between(Column, &'a Bound<ColumnValue>, &'a Bound<ColumnValue>),
    Never,
}

impl<'a> ChunkCondition<'a> {
    /// Prepares a condition whose columns are those of chunks.
    pub(super) fn new(condition: &'a Condition) -> Self {
        let prepare_all = |parts: &'a [Condition]| parts.iter().map(Self::new).collect();
        match condition {
            Condition::All(parts) => Self::All(prepare_all(parts)),
            Condition::Any(parts) => Self::Any(prepare_all(parts)),
            Condition::Not(part) => Self::Not(Box::new(Self::new(part))),
            Condition::Among(column, values) => match values.iter().map(as_text).collect() {
                Some(texts) => Self::AmongTexts(*column, texts),
                None => Self::Among(*column, values),
            },
            Condition::Between(column, low, high) => Self::Between(*column, low, high),
            // Only documents have tags.
            Condition::Tagged(_) => Self::Never,
        }
    }

    pub(super) fn holds(&self, chunk: &PackedChunk<'_>) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(chunk)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(chunk)),
            Self::Not(part) => !part.holds(chunk),
            Self::AmongTexts(column, texts) => {
                matches!(value(*column, chunk), Some(ChunkValue::Text(found)) if texts.contains(found))
            }
            Self::Among(column, values) => value(*column, chunk)
                .is_some_and(|found| values.iter().any(|wanted| found.compare(wanted) == Some(Ordering::Equal))),
            Self::Between(column, low, high) => {
                value(*column, chunk).is_some_and(|found| found.is_above(low) && found.is_below(high))
            }
            Self::Never => false,
        }
    }
}

fn as_text(value: &ColumnValue) -> Option<&str> {
    match value {
        ColumnValue::Text(text) => Some(text),
        ColumnValue::Number(_) | ColumnValue::Integer(_) | ColumnValue::Bytes(_) | ColumnValue::Id(_) => None,
    }
}

/// The value of a column.
enum ChunkValue<'a> {
    Text(&'a str),
    Number(u32),
}

/// The value of a column of chunks. `None` if it is missing, or the column is one of documents.
fn value<'a>(column: Column, chunk: &PackedChunk<'a>) -> Option<ChunkValue<'a>> {
    Some(match column {
        Column::Kind => ChunkValue::Text(chunk.kind.as_str()),
        Column::Symbol => ChunkValue::Text(chunk.symbol?),
        Column::StartByte => ChunkValue::Number(chunk.span.bytes.start),
        Column::Tokens => ChunkValue::Number(chunk.tokens),
        Column::StartLine => ChunkValue::Number(chunk.span.start_line),
        Column::EndLine => ChunkValue::Number(chunk.span.end_line),
        Column::Path
        | Column::Id
        | Column::Type
        | Column::Language
        | Column::Source
        | Column::Title
        | Column::Hash
        | Column::Size
        | Column::Modified => return None,
    })
}

impl ChunkValue<'_> {
    /// `None` if the values are of different types.
    fn compare(&self, wanted: &ColumnValue) -> Option<Ordering> {
        match (self, wanted) {
            (Self::Text(found), ColumnValue::Text(wanted)) => Some((*found).cmp(wanted)),
            (Self::Number(found), ColumnValue::Integer(wanted)) => Some(i64::from(*found).cmp(wanted)),
            (Self::Number(found), ColumnValue::Number(wanted)) => f64::from(*found).partial_cmp(wanted),
            (Self::Text(_) | Self::Number(_), _) => None,
        }
    }

    fn is_above(&self, low: &Bound<ColumnValue>) -> bool {
        match low {
            Bound::Included(low) => self.compare(low).is_some_and(Ordering::is_ge),
            Bound::Excluded(low) => self.compare(low).is_some_and(Ordering::is_gt),
            Bound::Unbounded => true,
        }
    }

    fn is_below(&self, high: &Bound<ColumnValue>) -> bool {
        match high {
            Bound::Included(high) => self.compare(high).is_some_and(Ordering::is_le),
            Bound::Excluded(high) => self.compare(high).is_some_and(Ordering::is_lt),
            Bound::Unbounded => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use recall_core::{ByteSpan, ChunkKind, Span};

    use super::*;

    #[track_caller]
    fn check(symbol: Option<&str>, condition: &Condition, expected: bool) {
        let span = Span { bytes: ByteSpan { start: 100, end: 200 }, start_line: 7, end_line: 9 };
        let (kind, tokens) = (ChunkKind::Function, 30);
        let chunk = PackedChunk { kind, span, tokens, symbol, signature: None, doc_comment: None };
        assert_eq!(ChunkCondition::new(condition).holds(&chunk), expected, "{condition:?}");
        let negated = Condition::Not(Box::new(condition.clone()));
        assert_eq!(ChunkCondition::new(&negated).holds(&chunk), !expected, "{negated:?}");
    }

    #[test]
    fn a_comparison_holds_for_a_value_that_is_there() {
        let text = |text: &str| ColumnValue::Text(text.to_owned());
        let named = Condition::Among(Column::Symbol, vec![text("fn a"), text("fn b")]);
        check(Some("fn b"), &named, true);
        check(Some("fn c"), &named, false);
        check(None, &named, false);
        check(None, &Condition::Among(Column::Kind, vec![text("function")]), true);
        check(None, &Condition::Among(Column::Tokens, vec![ColumnValue::Integer(29), ColumnValue::Number(30.0)]), true);
        check(None, &Condition::Among(Column::Tokens, vec![text("30")]), false);
        let prefix = Condition::Between(Column::Symbol, Bound::Included(text("fn ")), Bound::Excluded(text("fn!")));
        check(Some("fn b"), &prefix, true);
        check(Some("struct B"), &prefix, false);
        check(None, &prefix, false);
        let lines = |low, high| Condition::Between(Column::StartLine, low, high);
        check(None, &lines(Bound::Included(ColumnValue::Integer(7)), Bound::Unbounded), true);
        check(None, &lines(Bound::Excluded(ColumnValue::Integer(7)), Bound::Unbounded), false);
        check(None, &lines(Bound::Unbounded, Bound::Included(ColumnValue::Number(7.0))), true);
        check(None, &lines(Bound::Unbounded, Bound::Excluded(ColumnValue::Number(7.0))), false);
        check(None, &Condition::All(vec![lines(Bound::Unbounded, Bound::Unbounded), named.clone()]), false);
        check(None, &Condition::Any(vec![lines(Bound::Unbounded, Bound::Unbounded), named]), true);
        check(None, &Condition::Tagged(vec!["x".to_owned()]), false);
    }
}
