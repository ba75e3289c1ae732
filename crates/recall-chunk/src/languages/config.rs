//! JSON, YAML and TOML.

use tree_sitter::Node;

use crate::guard::Hazard;

use super::{Definition, Named, Syntax, child_of_kind, kubernetes, text_of};

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
