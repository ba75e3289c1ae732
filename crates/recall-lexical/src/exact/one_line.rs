//! Expressions without line breaks.

use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition,
};

use crate::exact::error::PatternError;

/// Returns the expression so that no match contains a line break: `[^a]` and `\s` match everything else that they matched.
///
/// # Errors
/// A line break is named.
pub(crate) fn without_line_breaks(hir: &Hir) -> Result<Hir, PatternError> {
    Ok(match hir.kind() {
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => return Err(PatternError::LineBreak),
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) => hir.clone(),
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut class = class.clone();
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Repetition(repetition) => {
            let sub = Box::new(without_line_breaks(&repetition.sub)?);
            Hir::repetition(Repetition { sub, ..repetition.clone() })
        }
        HirKind::Capture(capture) => {
            let sub = Box::new(without_line_breaks(&capture.sub)?);
            Hir::capture(Capture { sub, ..capture.clone() })
        }
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(without_line_breaks).collect::<Result<_, _>>()?),
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.iter().map(without_line_breaks).collect::<Result<_, _>>()?)
        }
    })
}
