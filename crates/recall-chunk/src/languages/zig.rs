//! Zig.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use super::{Definition, Kinds, Named, Syntax, call, child_of_kind, import, imports, text_of};

pub(super) const ZIG: Syntax = Syntax {
    definitions: &[
        Definition::function("function_declaration", "fn"),
        Definition::constant("variable_declaration", "const").named_by(variable),
        Definition::new("test_declaration", "test", Kinds::without_name(ChunkKind::Function))
            .child(&["string", "identifier"]),
    ],
    blocks: &[
        "source_file",
        "struct_declaration",
        "enum_declaration",
        "union_declaration",
        "opaque_declaration",
        "error_set_declaration",
        "block",
        "switch_expression",
        "initializer_list",
    ],
    imports: &[import("builtin_function", push_imported)],
    calls: &[call("call_expression", "function")],
    ..Syntax::bare("zig", || tree_sitter_zig::LANGUAGE.into())
};

/// `const Store = struct {…}` is a type, `const LIMIT = 3` a constant.
fn variable(node: Node<'_>, text: &str) -> Option<Named> {
    let name = child_of_kind(node, &["identifier"])?;
    let named = Named::from_node(name);
    let container = [
        ("struct_declaration", SymbolKind::Struct, "struct"),
        ("union_declaration", SymbolKind::Struct, "union"),
        ("opaque_declaration", SymbolKind::Struct, "opaque"),
        ("enum_declaration", SymbolKind::Enum, "enum"),
        ("error_set_declaration", SymbolKind::Enum, "error set"),
    ];
    for (kind, symbol, keyword) in container {
        if child_of_kind(node, &[kind]).is_some() {
            let label = format!("{keyword} {}", text_of(name, text));
            return Some(named.with(Kinds::a_type(symbol)).with_label(label));
        }
    }
    let head = text.get(node.start_byte()..name.start_byte())?;
    Some(if head.contains("var") { named.with(Kinds::VARIABLE).with_label(text_of(name, text)) } else { named })
}

/// `@import("std")` and `@embedFile("x")`. Other builtin functions import nothing.
fn push_imported(text: &str, targets: &mut Vec<String>) {
    if text.starts_with("@import") || text.starts_with("@embedFile") {
        imports::push_quoted(text, targets);
    }
}
