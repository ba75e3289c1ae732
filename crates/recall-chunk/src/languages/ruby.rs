//! Ruby.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use crate::guard::Hazard;

use super::{Definition, Kinds, Named, Syntax, call, text_of};

pub(super) const RUBY: Syntax = Syntax {
    definitions: &[
        // A module contains methods like a class.
        Definition::new("module", "module", Kinds::new(ChunkKind::Type, SymbolKind::Module)),
        Definition::a_type("class", "class", SymbolKind::Class),
        Definition::new("singleton_class", "class << self", Kinds::without_name(ChunkKind::Type)).named_by(singleton),
        Definition::function("method", "def"),
        Definition::function("singleton_method", "def").named_by(singleton_method),
        Definition::constant("assignment", "").named_by(constant),
    ],
    blocks: &["program", "body_statement", "block_body", "do_block", "block", "then", "array", "hash", "case"],
    calls: &[call("call", "method"), call("superclass", "")],
    builtins: &[
        "attr_accessor",
        "attr_reader",
        "attr_writer",
        "extend",
        "include",
        "lambda",
        "module_function",
        "prepend",
        "private",
        "private_constant",
        "proc",
        "protected",
        "public",
        "puts",
        "raise",
    ],
    import_calls: &["require", "require_relative", "load", "autoload"],
    types: &["scope_resolution"],
    hazard: Hazard::Heredocs,
    ..Syntax::bare("ruby", || tree_sitter_ruby::LANGUAGE.into())
};

/// Only constants are definitions; other assignments are statements.
fn constant(node: Node<'_>, _text: &str) -> Option<Named> {
    node.child_by_field_name("left").filter(|left| left.kind() == "constant").map(Named::from_node)
}

fn singleton(node: Node<'_>, _text: &str) -> Option<Named> {
    let value = node.child_by_field_name("value")?;
    Some(Named::from_node(value).with_label("class << self"))
}

/// `def self.make`.
fn singleton_method(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?;
    let object = text_of(node.child_by_field_name("object")?, text);
    let label = format!("def {object}.{}", text_of(name, text));
    Some(Named::from_node(name).with_label(label))
}
