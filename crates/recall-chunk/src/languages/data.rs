//! Languages of data: JSON, YAML, TOML and SQL.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use crate::guard::Hazard;

use super::{Definition, Kinds, Named, Syntax, call, child_of_kind, kubernetes, text_of};

pub(super) const JSON: Syntax = Syntax {
    definitions: &[Definition::key("pair", json_key)],
    blocks: &["document", "object", "array"],
    ..Syntax::bare("json", || tree_sitter_json::LANGUAGE.into())
};

pub(super) const YAML: Syntax = Syntax {
    definitions: &[
        Definition::module("document", "").named_by(kubernetes::object),
        Definition::key("block_mapping_pair", yaml_key),
    ],
    blocks: &["stream", "document", "block_mapping", "block_sequence", "flow_mapping", "flow_sequence"],
    addresses: Some(kubernetes::uses),
    // A mapping and a sequence may begin at the same column; each takes four bytes.
    hazard: Hazard::Columns { max: 100 },
    ..Syntax::bare("yaml", || tree_sitter_yaml::LANGUAGE.into())
};

pub(super) const TOML: Syntax = Syntax {
    definitions: &[
        Definition::key("table", toml_table),
        Definition::key("table_array_element", toml_table),
        Definition::key("pair", toml_key),
    ],
    blocks: &["document", "table", "table_array_element", "array", "inline_table"],
    ..Syntax::bare("toml", || tree_sitter_toml_ng::LANGUAGE.into())
};

fn json_key(node: Node<'_>, text: &str) -> Option<Named> {
    unquoted_name(node.child_by_field_name("key")?, text)
}

fn yaml_key(node: Node<'_>, text: &str) -> Option<Named> {
    unquoted_name(node.child_by_field_name("key")?, text)
}

fn toml_table(node: Node<'_>, text: &str) -> Option<Named> {
    unquoted_name(child_of_kind(node, &["bare_key", "dotted_key", "quoted_key"])?, text)
}

fn toml_key(node: Node<'_>, text: &str) -> Option<Named> {
    unquoted_name(child_of_kind(node, &["bare_key", "dotted_key", "quoted_key"])?, text)
}

/// A key without its quotes. A key that spans lines or is as long as prose is ignored.
fn unquoted_name(node: Node<'_>, text: &str) -> Option<Named> {
    const MAX_BYTES: usize = 120;
    let written = text_of(node, text);
    let name = written.trim_matches(['"', '\'']);
    if name.is_empty() || name.len() > MAX_BYTES || name.contains('\n') {
        return None;
    }
    let start = node.start_byte() + (written.len() - written.trim_start_matches(['"', '\'']).len());
    Some(Named::plain(start..start + name.len()))
}

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
