//! Rust.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use crate::guard::Hazard;

use super::{Alias, Definition, Kinds, Named, Syntax, bare_type, call, import, imports, text_of};

pub(super) const RUST: Syntax = Syntax {
    definitions: &[
        Definition::function("function_item", "fn"),
        Definition::function("function_signature_item", "fn"),
        Definition::a_type("struct_item", "struct", SymbolKind::Struct),
        Definition::a_type("union_item", "union", SymbolKind::Struct),
        Definition::a_type("enum_item", "enum", SymbolKind::Enum),
        Definition::a_type("trait_item", "trait", SymbolKind::Interface),
        Definition::a_type("type_item", "type", SymbolKind::Type),
        Definition::new("impl_item", "impl", Kinds::without_name(ChunkKind::Type)).named_by(implementation),
        Definition::module("mod_item", "mod"),
        Definition::constant("const_item", "const"),
        Definition::variable("static_item", "static"),
        Definition::new("macro_definition", "macro_rules!", Kinds::new(ChunkKind::Function, SymbolKind::Macro)),
    ],
    blocks: &[
        "source_file",
        "declaration_list",
        "block",
        "field_declaration_list",
        "enum_variant_list",
        "match_block",
        "field_initializer_list",
        "array_expression",
        "token_tree",
        "macro_definition",
    ],
    comments: &["line_comment", "block_comment"],
    attributes: &["attribute_item"],
    imports: &[import("use_declaration", uses), import("extern_crate_declaration", uses)],
    aliases: Some(modules),
    calls: &[call("call_expression", "function"), call("macro_invocation", "macro")],
    types: &["type_identifier"],
    hazard: Hazard::Angles,
    ..Syntax::bare("rust", || tree_sitter_rust::LANGUAGE.into())
};

/// `impl<T> Display for Store<T>` belongs to `Store` and is shown as `impl Display for Store<T>`.
fn implementation(node: Node<'_>, text: &str) -> Option<Named> {
    let target = node.child_by_field_name("type")?;
    let written = text_of(target, text);
    let name = bare_type(written);
    let start = target.start_byte() + written.find(name)?;
    let label = match node.child_by_field_name("trait") {
        Some(of) => format!("impl {} for {written}", text_of(of, text)),
        None => format!("impl {written}"),
    };
    Some(Named::plain(start..start + name.len()).with_label(label))
}

/// `fs` of `use std::fs;`. A name with an initial capital is a type, whose functions may be defined anywhere.
fn modules(import: Node<'_>, text: &str, targets: &[String], aliases: &mut Vec<Alias>) {
    super::last_path_segments(import, text, targets, aliases);
    aliases.retain(|alias| !alias.name.starts_with(|c: char| c.is_uppercase()));
}

fn uses(text: &str, targets: &mut Vec<String>) {
    let path = text.split_once("use ").or_else(|| text.split_once("crate ")).map_or(text, |(_, path)| path);
    imports::push_braced(path, "::", targets);
}
