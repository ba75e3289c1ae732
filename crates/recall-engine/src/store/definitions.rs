//! The definitions and the lines of a file that an edit is about.
//!
//! Nothing is parsed: an agent waits for the hooks before its edits. The texts of the edit are looked up in the text that was indexed,
//! which is the one before the edit or the one after it, so that its symbols are in the right place even if the index is late. Lines
//! that the client counts would not be.

use std::ops::{Range, RangeInclusive};

use recall_core::{Replacement, Symbol, SymbolKind};
use recall_text::DocPath;

use super::Store;

/// The most definitions of an edit: one of more is an edit of the file.
const MOST: usize = 4;

/// The longest name.
const NAME_BYTES: usize = 120;

/// Returns the names of the innermost definitions that an edit of a file is about, in the order of the replacements. Empty if they are
/// not known: the file is not indexed, or has the texts at no place or at several.
pub(crate) fn definitions(store: &Store, path: &DocPath, replacements: &[Replacement]) -> Vec<String> {
    if replacements.is_empty() {
        return Vec::new();
    }
    let read = store.index.read(|snapshot| {
        let Some(stored) = snapshot.document_at(path)? else { return Ok(None) };
        let Some(text) = snapshot.text(stored.row)? else { return Ok(None) };
        Ok(Some((text, snapshot.symbols_of(stored.row)?)))
    });
    // An edit without its definitions is worth a line too.
    let Ok(Some((text, symbols))) = read else { return Vec::new() };
    let mut names: Vec<String> = Vec::new();
    for changed in replacements.iter().filter_map(|replacement| changed_bytes(&text, replacement)) {
        for symbol in innermost(&symbols, &changed) {
            if !names.contains(&symbol.qualified) && symbol.qualified.len() <= NAME_BYTES {
                names.push(symbol.qualified.clone());
            }
        }
    }
    names.truncate(MOST);
    names
}

/// The most parts of an edit whose lines are looked up, and the most lines of one. More would say no more about what the edit is about.
const MOST_PARTS: usize = 3;
const MOST_LINES: u32 = 40;

/// Returns the lines of a file that an edit changes, for each of its first parts. An insertion has the lines around it. Empty if they are not
/// known: the file is not indexed, or has the texts at no place or at several.
pub(crate) fn changed_lines(store: &Store, path: &DocPath, replacements: &[Replacement]) -> Vec<RangeInclusive<u32>> {
    if replacements.is_empty() {
        return Vec::new();
    }
    let read = store.index.read(|snapshot| {
        let Some(stored) = snapshot.document_at(path)? else { return Ok(None) };
        snapshot.text(stored.row)
    });
    let Ok(Some(text)) = read else { return Vec::new() };
    let changed = replacements.iter().filter_map(|replacement| changed_bytes(&text, replacement));
    changed.take(MOST_PARTS).filter_map(|bytes| lines_of(&text, &bytes)).collect()
}

/// Returns the numbers of the lines of some bytes; `None` if the text has no lines.
fn lines_of(text: &str, bytes: &Range<usize>) -> Option<RangeInclusive<u32>> {
    let number = |at: usize| text[..at].matches('\n').count() + 1;
    // A range that ends with a line feed does not touch the line after it.
    let (first, last) = if bytes.is_empty() {
        (number(bytes.start).saturating_sub(1), number(bytes.start))
    } else {
        (number(bytes.start), number(bytes.end - usize::from(text[bytes.clone()].ends_with('\n'))))
    };
    let (first, last) = (u32::try_from(first.max(1)).ok()?, u32::try_from(last.min(text.lines().count())).ok()?);
    (first <= last).then(|| first..=last.min(first.saturating_add(MOST_LINES - 1)))
}

/// Returns the bytes of a text that a replacement changes, without the lines that it leaves as they are.
fn changed_bytes(text: &str, replacement: &Replacement) -> Option<Range<usize>> {
    let Replacement { before, after } = replacement;
    let first = equal_bytes(before.split_inclusive('\n'), after.split_inclusive('\n'));
    let (before_end, after_end) = (&before[first..], &after[first..]);
    let last = equal_bytes(before_end.split_inclusive('\n').rev(), after_end.split_inclusive('\n').rev());
    let sides = [before, after].into_iter();
    let mut places = sides.filter_map(|side| Some((only_place(text, side)?, side.len())));
    places.next().map(|(at, length)| at + first..at + length - last)
}

/// Returns the bytes of the first lines that are equal.
fn equal_bytes<'a>(left: impl Iterator<Item = &'a str>, right: impl Iterator<Item = &'a str>) -> usize {
    left.zip(right).take_while(|(left, right)| left == right).map(|(line, _)| line.len()).sum()
}

/// Returns where a text has a part; `None` if it has it at no place or at several, or if the part is blank.
fn only_place(text: &str, part: &str) -> Option<usize> {
    let mut places = text.match_indices(part).filter(|_| !part.trim().is_empty());
    let (at, _) = places.next()?;
    places.next().is_none().then_some(at)
}

/// Returns the definitions that a range of bytes is in or touches, without those that contain another one of them. What is inserted
/// between two definitions is in neither.
fn innermost<'s>(symbols: &'s [Symbol], changed: &Range<usize>) -> Vec<&'s Symbol> {
    let touched: Vec<&Symbol> = symbols
        .iter()
        .filter(|symbol| is_definition(symbol.kind))
        .filter(|symbol| {
            let span = bytes(symbol);
            // An insertion has no bytes.
            let begins_before = if changed.is_empty() { span.start < changed.start } else { span.start < changed.end };
            begins_before && changed.start < span.end
        })
        .collect();
    touched.iter().copied().filter(|symbol| !contains_another(symbol, &touched)).collect()
}

/// Returns whether a definition contains another one.
fn contains_another(symbol: &Symbol, all: &[&Symbol]) -> bool {
    let span = bytes(symbol);
    let mut others = all.iter().map(|other| bytes(other)).filter(|other| *other != span);
    others.any(|other| span.start <= other.start && other.end <= span.end)
}

fn bytes(symbol: &Symbol) -> Range<usize> {
    symbol.span.bytes.start as usize..symbol.span.bytes.end as usize
}

/// Returns whether a symbol is one that people name as the place of a change: not a field or a heading.
fn is_definition(kind: SymbolKind) -> bool {
    match kind {
        SymbolKind::Function
        | SymbolKind::Method
        | SymbolKind::Class
        | SymbolKind::Struct
        | SymbolKind::Enum
        | SymbolKind::Interface
        | SymbolKind::Type
        | SymbolKind::Module
        | SymbolKind::Constant
        | SymbolKind::Macro
        | SymbolKind::Table => true,
        SymbolKind::Variable | SymbolKind::Key | SymbolKind::Heading => false,
    }
}

#[cfg(test)]
mod tests {
    use recall_core::{ByteSpan, Span};

    use super::*;

    const TEXT: &str = "class A:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n\ndef free():\n    return 3\n";

    fn symbols() -> Vec<Symbol> {
        let symbol = |qualified: &str, kind, first: &str, last: &str| {
            let start = TEXT.find(first).expect("the first line") as u32;
            let end = (TEXT.find(last).expect("the last line") + last.len()) as u32;
            let span = Span { bytes: ByteSpan { start, end }, start_line: 1, end_line: 1 };
            let name = qualified.rsplit("::").next().expect("a name").to_owned();
            Symbol { name, qualified: qualified.to_owned(), kind, span, chunk: 0 }
        };
        vec![
            symbol("A", SymbolKind::Class, "class A", "return 2"),
            symbol("A::one", SymbolKind::Method, "def one", "return 1"),
            symbol("A::two", SymbolKind::Method, "def two", "return 2"),
            symbol("free", SymbolKind::Function, "def free", "return 3"),
        ]
    }

    #[test]
    fn an_edit_changes_the_lines_of_its_bytes_or_is_between_two() {
        let check = |before: &str, after: &str, expected: Option<RangeInclusive<u32>>| {
            let replacement = Replacement { before: before.to_owned(), after: after.to_owned() };
            let lines = changed_bytes(TEXT, &replacement).and_then(|bytes| lines_of(TEXT, &bytes));
            assert_eq!(lines, expected, "{before:?}");
        };
        check("        return 2\n", "        return 4\n", Some(6..=6));
        check("return 1\n\n    def two(self):", "return 0\n\n    def too(self):", Some(3..=5));
        check("def free():\n", "def new():\n    pass\n\ndef free():\n", Some(7..=8));
        check("class A:\n", "import b\nclass A:\n", Some(1..=1));
        check("    return 3\n", "    return 3\n\nfree()\n", Some(9..=9));
        check("return 9", "return 8", None);
        let long = "x\n".repeat(100);
        assert_eq!(lines_of(&long, &(0..200)), Some(1..=MOST_LINES));
        assert_eq!(lines_of("", &(0..0)), None);
    }

    #[test]
    fn an_edit_is_about_the_innermost_definitions_of_its_changed_lines() {
        let check = |before: &str, after: &str, expected: &[&str]| {
            let replacement = Replacement { before: before.to_owned(), after: after.to_owned() };
            let symbols = symbols();
            let changed = changed_bytes(TEXT, &replacement);
            let names = changed.iter().flat_map(|changed| innermost(&symbols, changed));
            assert_eq!(names.map(|symbol| symbol.qualified.as_str()).collect::<Vec<_>>(), expected, "{before:?}");
        };
        check("        return 2\n", "        return 4\n", &["A::two"]);
        // The index has the text after the edit.
        check("        return 0\n", "        return 2\n", &["A::two"]);
        check("return 1", "return 7", &["A::one"]);
        // The lines around the change are as they were.
        check("        return 1\n\n    def two(self):\n", "        return 0\n\n    def two(self):\n", &["A::one"]);
        check("class A:\n", "class B:\n", &["A"]);
        check("return 1\n\n    def two(self):", "return 0\n\n    def too(self):", &["A::one", "A::two"]);
        // A new function between two others.
        check("def free():\n", "def new():\n    pass\n\ndef free():\n", &[]);
        // At no place, at several, and blank.
        check("return 9", "return 8", &[]);
        check("(self):", "(this):", &[]);
        check("\n", "\n\n", &[]);
        check("", "return 1", &["A::one"]);
    }
}
