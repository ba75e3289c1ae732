//! Packed symbols of a document.

use recall_core::{ByteSpan, Span, Symbol, SymbolKind};

use super::{LastName, join, push_name, push_number, push_step, split};

/// A packed symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedSymbol<'a> {
    pub(crate) name: &'a str,
    pub(crate) qualified: &'a str,
    pub(crate) kind: SymbolKind,
    pub(crate) span: Span,
    pub(crate) chunk: u32,
}

impl PackedSymbol<'_> {
    pub(crate) fn to_symbol(self) -> Symbol {
        let Self { name, qualified, kind, span, chunk } = self;
        Symbol { name: name.to_owned(), qualified: qualified.to_owned(), kind, span, chunk }
    }
}

/// Packs symbols in order.
///
/// A kind is its index in [`SymbolKind::ALL`]. A qualified name often begins as the previous one does. A bare name is written only
/// if it is not the part after the last `::` of the qualified one.
pub(crate) fn pack_symbols(symbols: &[Symbol]) -> Vec<u8> {
    let (mut numbers, mut names) = (Vec::new(), Vec::new());
    let mut last_qualified = LastName::default();
    let (mut last_chunk, mut last_byte, mut last_line) = (0, 0, 0);
    push_number(&mut numbers, symbols.len());
    for Symbol { name, qualified, kind, span, chunk } in symbols {
        let kind = SymbolKind::ALL.iter().position(|known| known == kind);
        push_number(&mut numbers, kind.expect("the list has every kind"));
        push_step(&mut numbers, last_chunk, *chunk);
        push_step(&mut numbers, last_byte, span.bytes.start);
        push_step(&mut numbers, span.bytes.start, span.bytes.end);
        push_step(&mut numbers, last_line, span.start_line);
        push_step(&mut numbers, span.start_line, span.end_line);
        (last_chunk, last_byte, last_line) = (*chunk, span.bytes.start, span.start_line);
        last_qualified.push(&mut names, Some(qualified));
        let is_last_part = last_part(qualified) == name;
        push_number(&mut numbers, usize::from(!is_last_part));
        if !is_last_part {
            push_name(&mut names, name);
        }
    }
    join(&numbers, &names)
}

/// Calls `visit` with each packed symbol in order. `None` if the bytes are not a result of [`pack_symbols`]; it may then have been
/// called with symbols before the damage.
pub(crate) fn visit_symbols(packed: &[u8], mut visit: impl FnMut(PackedSymbol<'_>)) -> Option<()> {
    let (mut numbers, mut names) = split(packed)?;
    let mut last_qualified = LastName::default();
    let (mut last_chunk, mut last_byte, mut last_line) = (0, 0, 0);
    for _ in 0..numbers.count()? {
        let kind = *SymbolKind::ALL.get(numbers.number()?)?;
        let chunk = numbers.step(last_chunk)?;
        let start = numbers.step(last_byte)?;
        let end = numbers.step(start)?;
        let start_line = numbers.step(last_line)?;
        let end_line = numbers.step(start_line)?;
        (last_chunk, last_byte, last_line) = (chunk, start, start_line);
        if !last_qualified.read(&mut names)? {
            return None;
        }
        let qualified = &*last_qualified.0;
        let name = match numbers.number()? {
            0 => last_part(qualified),
            1 => names.name()?,
            _ => return None,
        };
        let span = Span { bytes: ByteSpan { start, end }, start_line, end_line };
        visit(PackedSymbol { name, qualified, kind, span, chunk });
    }
    (numbers.is_empty() && names.is_empty()).then_some(())
}

/// The part after the last `::`.
fn last_part(qualified: &str) -> &str {
    qualified.rsplit_once("::").map_or(qualified, |(_, last)| last)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn unpack(packed: &[u8]) -> Option<Vec<Symbol>> {
        let mut symbols = Vec::new();
        visit_symbols(packed, |symbol| symbols.push(symbol.to_symbol()))?;
        Some(symbols)
    }

    fn any_symbol() -> impl Strategy<Value = Symbol> {
        (select(&SymbolKind::ALL), any::<[u32; 5]>(), "[a-cä]{0,3}", "([a-cä]{0,2}::)?[a-cä]{0,3}").prop_map(
            |(kind, [start, end, start_line, end_line, chunk], name, qualified)| Symbol {
                name: if chunk % 2 == 0 { last_part(&qualified).to_owned() } else { name },
                qualified,
                kind,
                span: Span { bytes: ByteSpan { start, end }, start_line, end_line },
                chunk,
            },
        )
    }

    proptest! {
        #[test]
        fn symbols_round_trip(symbols in proptest::collection::vec(any_symbol(), 0..20)) {
            prop_assert_eq!(unpack(&pack_symbols(&symbols)), Some(symbols));
        }

        #[test]
        fn any_bytes_are_unpacked_or_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            unpack(&bytes);
        }
    }
}
