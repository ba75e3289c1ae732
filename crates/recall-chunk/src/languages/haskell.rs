//! Haskell.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use super::{Clauses, Definition, Kinds, Named, Syntax, call, import, imports, text_of};

pub(super) const HASKELL: Syntax = Syntax {
    definitions: &[
        Definition::function("function", "").look(equation),
        Definition::function("bind", "").outside_functions(),
        Definition::function("signature", ""),
        Definition::a_type("data_type", "data", SymbolKind::Type),
        Definition::a_type("newtype", "newtype", SymbolKind::Type),
        Definition::a_type("type_synonym", "type", SymbolKind::Type),
        Definition::a_type("class", "class", SymbolKind::Interface),
        Definition::new("instance", "instance", Kinds::unnamed(ChunkKind::Type)).look(instance),
        Definition::a_type("type_family", "type family", SymbolKind::Type),
    ],
    blocks: &[
        "haskell",
        "imports",
        "declarations",
        "class_declarations",
        "instance_declarations",
        "local_binds",
        "do",
        "alternatives",
        "record",
        "fields",
        "data_constructors",
        "list",
        "match",
    ],
    comments: &["comment", "haddock", "pragma"],
    imports: &[import("import", imports::dotted)],
    calls: &[call("apply", "function"), call("infix_id", "")],
    types: &["name"],
    clauses: Clauses::Together,
    ..Syntax::bare("haskell", || tree_sitter_haskell::LANGUAGE.into())
};

/// An equation; the same kind of node stands for a function's type, which has no name.
fn equation(node: Node<'_>, _text: &str) -> Option<Named> {
    node.child_by_field_name("name").map(Named::of)
}

/// `instance Display Store where`.
fn instance(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?;
    let head = text_of(node, text);
    let label = head.split("where").next().unwrap_or(head).lines().next().unwrap_or(head).trim_end();
    Some(Named::of(name).labelled(label))
}
