//! The symbol names in the text of a memory.

use std::collections::HashSet;

use recall_core::Symbol;
use recall_text::words::{self, Word};

/// The separator in a symbol's qualified name.
const SCOPED: &str = "::";

/// The words of a text that may be symbols.
#[derive(Debug)]
pub(super) struct NamedSymbols<'t> {
    /// Identifiers: all words between backticks, and compound words, as `open_store`.
    bare: HashSet<String>,
    text: &'t str,
}

impl<'t> NamedSymbols<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let mut bare = HashSet::new();
        for (at, piece) in text.split('`').enumerate() {
            let is_code = at % 2 == 1;
            words::split(piece, |word| match word {
                Word::Compound(word) => _ = bare.insert(word.to_owned()),
                Word::Plain(word) if is_code => _ = bare.insert(word.to_owned()),
                Word::Plain(_) | Word::Part(_) => {}
            });
        }
        Self { bare, text }
    }

    /// Returns whether the text has words that may be symbols.
    pub(super) fn are_any(&self) -> bool {
        !self.bare.is_empty() || self.text.contains(SCOPED)
    }

    /// Returns whether the text names a symbol, by its name as an identifier or by its qualified name.
    pub(super) fn hold(&self, symbol: &Symbol) -> bool {
        let is_qualified = symbol.qualified.len() > symbol.name.len();
        self.bare.contains(symbol.name.as_str()) || (is_qualified && self.text.contains(&symbol.qualified))
    }
}

#[cfg(test)]
mod tests {
    use recall_core::{ByteSpan, Span, SymbolKind};

    use super::*;

    fn check(text: &str, qualified: &str, expected: bool) {
        let span = Span { bytes: ByteSpan { start: 0, end: 0 }, start_line: 1, end_line: 1 };
        let name = qualified.rsplit("::").next().expect("one part at least").to_owned();
        let symbol = Symbol { name, qualified: qualified.to_owned(), kind: SymbolKind::Function, span, chunk: 0 };
        let names = NamedSymbols::new(text);
        assert_eq!(names.hold(&symbol), expected, "{text}: {qualified}");
        assert!(names.are_any() || !expected, "{text}");
    }

    #[test]
    fn symbols_are_recognised_by_backticks_compounds_and_qualified_names() {
        check("`open` waits for the lock", "open", true);
        check("`Store::open(path)` waits", "Store::open", true);
        check("call Store::open first", "Store::open", true);
        check("open_store waits", "open_store", true);
        check("keep the door open", "open", false);
        assert!(!NamedSymbols::new("keep the door open").are_any());
        check("reopen_store waits", "open_store", false);
    }
}
