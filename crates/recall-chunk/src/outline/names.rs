//! Names, signatures and documentation in the text of a node.

use std::ops::Range;

use recall_core::{ByteSpan, ChunkKind};
use tree_sitter::Node;

use crate::languages::{Kinds, child_of_kind};

/// The most bytes of type arguments skipped to find the name before them.
const MAX_TYPE_ARGUMENTS_BYTES: usize = 200;

/// Node kinds of bodies that are not a field of their definition.
const BODIES: &[&str] = &[
    "class_body",
    "enum_class_body",
    "function_body",
    "do_block",
    "block",
    "keyframe_block_list",
    "struct_declaration",
    "enum_declaration",
    "union_declaration",
    "column_definitions",
    "create_query",
    "class_declarations",
    "instance_declarations",
    "data_constructors",
    "computed_property",
    "match",
];

/// The name at the end of a callee: `open` of `self.store.open::<T>`. `None` if it does not end with a name.
pub(super) fn callee(text: &str, node: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut end = node.end;
    if let Some(b'>' | b']') = bytes.get(end.checked_sub(1)?) {
        end = before_type_arguments(bytes, node.start, end)?;
    }
    while end > node.start && matches!(bytes[end - 1], b'!' | b'?' | b'`') {
        end -= 1;
    }
    let start = (node.start..end).rev().take_while(|&at| is_name_byte(bytes[at])).last()?;
    is_worth_naming(&text[start..end]).then_some(start..end)
}

/// The last name of a type's path: `File` of `fs::File<T>`.
pub(super) fn type_name(text: &str, node: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_path_byte = |byte: u8| is_name_byte(byte) || matches!(byte, b':' | b'.' | b'\\');
    let head = node.clone().take_while(|&at| is_path_byte(bytes[at])).last()? + 1;
    let start = (node.start..head).rev().take_while(|&at| is_name_byte(bytes[at])).last()?;
    is_worth_naming(&text[start..head]).then_some(start..head)
}

/// The qualifier before a name: `self.store` before `open` in `self.store.open`, `fs` in `fs::open`. `None` if anything
/// but names and their separators precedes the name.
pub(crate) fn qualifier_before(text: &str, name: usize) -> Option<ByteSpan> {
    let head = text.get(..name)?;
    let end = head.strip_suffix("::").or_else(|| head.strip_suffix('.'))?.len();
    let bytes = text.as_bytes();
    let is_path_byte = |byte: u8| is_name_byte(byte) || matches!(byte, b'.' | b':');
    let reach = end.saturating_sub(MAX_QUALIFIER_BYTES);
    let start = (reach..end).rev().take_while(|&at| is_path_byte(bytes[at])).last()?;
    Some(ByteSpan { start: start as u32, end: end as u32 })
}

/// The longest qualifier.
const MAX_QUALIFIER_BYTES: usize = 120;

/// The string literal that an argument list begins with: `x` of `("x", y)` and of ` "x"`.
pub(super) fn leading_literal(arguments: &str) -> Option<&str> {
    let inner = arguments.trim_start_matches([' ', '(', '[']);
    // In `autoload :Lock, "store/lock"` the module is the second argument.
    let inner = match inner.strip_prefix(':').and_then(|rest| rest.split_once(',')) {
        Some((_, rest)) => rest.trim_start(),
        None => inner,
    };
    let quote = inner.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
    let (literal, _) = inner[1..].split_once(quote)?;
    (!literal.is_empty() && literal.len() <= 300).then_some(literal)
}

/// The string that is the first statement of a body.
pub(super) fn docstring(definition: Node<'_>) -> Option<Range<usize>> {
    let first = definition.child_by_field_name("body")?.named_child(0)?;
    let string = if first.kind() == "expression_statement" { first.named_child(0)? } else { first };
    (string.kind() == "string").then(|| string.byte_range())
}

/// The signature: from the first keyword to the body, without leading attributes. Empty for keys and for documents.
pub(super) fn signature(node: Node<'_>, outer: usize, name: &Range<usize>, kinds: Kinds, text: &str) -> Range<usize> {
    /// More than any signature needs; bounds a table of constants, which has no body.
    const MAX_BYTES: usize = 1000;
    let bytes = text.as_bytes();
    if kinds.symbol == Some(recall_core::SymbolKind::Key) || node.kind() == "document" {
        return outer..outer;
    }
    // A decorator before the wrapped definition is not part of its signature. `export` and `template` are.
    let mut start = if bytes.get(outer) == Some(&b'@') { node.start_byte() } else { outer };
    while let Some(b'@' | b'[' | b'#') = bytes.get(start)
        && !text[start..].starts_with("#define")
        && let Some(line_end) = text[start..].find('\n').map(|at| start + at)
        && line_end < name.start
    {
        start = line_end + (text[line_end..].len() - text[line_end..].trim_start().len());
    }
    let body = body_of(node).map(|body| body.start_byte()).filter(|&body| body > name.start);
    let end = body.unwrap_or_else(|| {
        let rest = &text[name.end..node.end_byte().max(name.end)];
        let stop = if kinds.chunk == ChunkKind::Group { rest.find(['=', '\n']) } else { rest.find('{') };
        name.end + stop.unwrap_or(rest.len())
    });
    let start = start.min(name.start);
    start..text.floor_char_boundary(end.max(name.end).min(start + MAX_BYTES))
}

fn body_of(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("body").or_else(|| {
        // `const open = () => {…}` and `exports.open = function () {…}`.
        let value = node.child_by_field_name("value").or_else(|| node.child_by_field_name("right"));
        value
            .and_then(|value| {
                // `memo(() => {…})`.
                let wrapped = || value.child_by_field_name("arguments")?.named_child(0)?.child_by_field_name("body");
                value.child_by_field_name("body").or_else(wrapped)
            })
            .or_else(|| child_of_kind(node, BODIES))
    })
}

fn before_type_arguments(bytes: &[u8], start: usize, end: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for at in (start..end).rev().take(MAX_TYPE_ARGUMENTS_BYTES) {
        match bytes[at] {
            b'>' | b']' => depth += 1,
            b'<' | b'[' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let turbofish = bytes[start..at].ends_with(b"::");
            return Some(if turbofish { at - 2 } else { at });
        }
    }
    None
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Whether a name is worth recording. Names of one character, and words that are keywords, constants or `self` in some
/// language, are not.
pub(crate) fn is_worth_naming(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "Err",
        "None",
        "Ok",
        "Self",
        "Some",
        "bool",
        "char",
        "def",
        "defmodule",
        "defp",
        "do",
        "double",
        "else",
        "false",
        "float",
        "for",
        "if",
        "int",
        "long",
        "nil",
        "null",
        "of",
        "return",
        "self",
        "sizeof",
        "str",
        "string",
        "super",
        "switch",
        "this",
        "true",
        "undefined",
        "void",
        "while",
    ];
    name.chars().nth(1).is_some()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && WORDS.binary_search(&name).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_callee_is_the_last_name() {
        for (text, expected) in [
            ("open", Some("open")),
            ("self.store.open", Some("open")),
            ("Store::open::<Vec<u8>>", Some("open")),
            ("Foo<int>", Some("Foo")),
            ("empty?", Some("empty")),
            ("handlers[0]", Some("handlers")),
            ("(|| x)", None),
            ("f", None),
            ("größe", Some("größe")),
            ("super", None),
            (">>>>", None),
        ] {
            let found = callee(text, 0..text.len()).map(|range| &text[range]);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_type_name_is_the_end_of_its_path() {
        for (text, expected) in
            [("fs::File<T>", Some("File")), ("Optional[Path]", Some("Optional")), ("T", None), ("*x", None)]
        {
            let found = type_name(text, 0..text.len()).map(|range| &text[range]);
            assert_eq!(found, expected, "{text}");
        }
    }
}
