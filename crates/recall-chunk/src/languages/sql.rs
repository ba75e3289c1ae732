//! SQL.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use super::{Definition, Kinds, Named, Syntax, call, child_of_kind};

const fn creates(node: &'static str, keyword: &'static str, chunk: ChunkKind, symbol: SymbolKind) -> Definition {
    Definition::new(node, keyword, Kinds::new(chunk, symbol)).named_by(object)
}

pub(super) const SQL: Syntax = Syntax {
    definitions: &[
        creates("create_table", "table", ChunkKind::Type, SymbolKind::Table),
        creates("create_view", "view", ChunkKind::Type, SymbolKind::Table),
        creates("create_materialized_view", "materialized view", ChunkKind::Type, SymbolKind::Table),
        creates("create_type", "type", ChunkKind::Type, SymbolKind::Type),
        creates("create_function", "function", ChunkKind::Function, SymbolKind::Function),
        creates("create_trigger", "trigger", ChunkKind::Group, SymbolKind::Table),
        creates("create_sequence", "sequence", ChunkKind::Group, SymbolKind::Table),
        creates("create_schema", "schema", ChunkKind::Group, SymbolKind::Module),
        creates("create_index", "index", ChunkKind::Group, SymbolKind::Table).named_by(index),
    ],
    blocks: &["program", "column_definitions", "block", "transaction", "function_body", "list"],
    comments: &["comment", "marginalia"],
    wrappers: &["statement"],
    calls: &[call("invocation", ""), call("relation", "")],
    ..Syntax::bare("sql", || tree_sitter_sequel::LANGUAGE.into())
};

/// `create table app.users` creates `users`.
fn object(node: Node<'_>, _text: &str) -> Option<Named> {
    let object = child_of_kind(node, &["object_reference", "identifier"])?;
    Some(Named::from_node(object.child_by_field_name("name").unwrap_or(object)))
}

fn index(node: Node<'_>, _text: &str) -> Option<Named> {
    node.child_by_field_name("column").or_else(|| child_of_kind(node, &["identifier"])).map(Named::from_node)
}
