//! Swift.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use crate::guard::Hazard;

use super::{Definition, Kinds, Named, Syntax, bare_type, call, import, imports, text_of};

pub(super) const SWIFT: Syntax = Syntax {
    definitions: &[
        Definition::a_type("class_declaration", "class", SymbolKind::Class).named_by(class),
        Definition::a_type("protocol_declaration", "protocol", SymbolKind::Interface),
        Definition::a_type("typealias_declaration", "typealias", SymbolKind::Type),
        Definition::function("function_declaration", "func"),
        Definition::function("protocol_function_declaration", "func"),
        Definition::function("init_declaration", "").named_by(initializer),
        Definition::variable("property_declaration", "").named_by(property),
    ],
    blocks: &[
        "source_file",
        "class_body",
        "protocol_body",
        "enum_class_body",
        "statements",
        "switch_statement",
        "computed_property",
        "array_literal",
        "dictionary_literal",
    ],
    comments: &["comment", "multiline_comment"],
    imports: &[import("import_declaration", imports::push_dotted)],
    calls: &[call("call_expression", ""), call("attribute", "")],
    types: &["type_identifier"],
    hazard: Hazard::Angles,
    ..Syntax::bare("swift", || tree_sitter_swift::LANGUAGE.into())
};

/// Classes, structures, enumerations, actors and extensions, which share one node kind.
fn class(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?;
    let written = text_of(name, text);
    let head = text.get(node.start_byte()..name.start_byte())?;
    let keyword = head.split_whitespace().next_back()?;
    let kinds = match keyword {
        "struct" => Kinds::a_type(SymbolKind::Struct),
        "enum" => Kinds::a_type(SymbolKind::Enum),
        "extension" => Kinds::without_name(ChunkKind::Type),
        _ => Kinds::a_type(SymbolKind::Class),
    };
    let bare = bare_type(written);
    let start = name.start_byte() + written.find(bare)?;
    Some(Named::plain(start..start + bare.len()).with(kinds).with_label(format!("{keyword} {written}")))
}

fn initializer(node: Node<'_>, text: &str) -> Option<Named> {
    let start = node.start_byte() + text_of(node, text).find("init")?;
    Some(Named::plain(start..start + "init".len()))
}

fn property(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?.child_by_field_name("bound_identifier")?;
    let head = text.get(node.start_byte()..name.start_byte())?;
    let is_constant = head.contains("let ") && head.contains("static ");
    Some(Named::from_node(name).with(if is_constant { Kinds::CONSTANT } else { Kinds::VARIABLE }))
}
