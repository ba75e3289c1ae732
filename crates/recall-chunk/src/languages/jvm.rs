//! The languages of the Java virtual machine: Java, Kotlin and Scala.

use recall_core::SymbolKind;
use tree_sitter::Node;

use crate::guard::Hazard;

use super::{Definition, Kinds, Named, Syntax, call, child_of_kind, import, imports, text_of};

pub(super) const JAVA: Syntax = Syntax {
    definitions: &[
        Definition::a_type("class_declaration", "class", SymbolKind::Class),
        Definition::a_type("record_declaration", "record", SymbolKind::Class),
        Definition::a_type("interface_declaration", "interface", SymbolKind::Interface),
        Definition::a_type("annotation_type_declaration", "@interface", SymbolKind::Interface),
        Definition::a_type("enum_declaration", "enum", SymbolKind::Enum),
        Definition::function("method_declaration", ""),
        Definition::function("constructor_declaration", ""),
        Definition::function("compact_constructor_declaration", ""),
        Definition::function("annotation_type_element_declaration", ""),
        Definition::module("module_declaration", "module"),
    ],
    blocks: &[
        "program",
        "class_body",
        "interface_body",
        "enum_body",
        "enum_body_declarations",
        "annotation_type_body",
        "block",
        "constructor_body",
        "switch_block",
        "array_initializer",
    ],
    comments: &["line_comment", "block_comment"],
    imports: &[import("import_declaration", imports::push_dotted)],
    aliases: Some(super::last_path_segments),
    calls: &[call("method_invocation", "name"), call("marker_annotation", "name"), call("annotation", "name")],
    types: &["type_identifier"],
    hazard: Hazard::Angles,
    ..Syntax::bare("java", || tree_sitter_java::LANGUAGE.into())
};

pub(super) const KOTLIN: Syntax = Syntax {
    definitions: &[
        Definition::a_type("class_declaration", "class", SymbolKind::Class).named_by(class),
        Definition::a_type("object_declaration", "object", SymbolKind::Module),
        Definition::a_type("companion_object", "companion object", SymbolKind::Module).named_by(companion),
        Definition::function("function_declaration", "fun"),
        Definition::function("secondary_constructor", "").named_by(constructor),
        Definition::a_type("type_alias", "typealias", SymbolKind::Type).field("type"),
        Definition::variable("property_declaration", "val").named_by(property),
    ],
    blocks: &[
        "source_file",
        "class_body",
        "enum_class_body",
        "block",
        "function_body",
        "when_expression",
        "lambda_literal",
    ],
    comments: &["line_comment", "block_comment"],
    imports: &[import("import", imports::push_dotted)],
    aliases: Some(super::last_path_segments),
    calls: &[call("call_expression", ""), call("constructor_invocation", ""), call("annotation", "")],
    types: &["user_type"],
    hazard: Hazard::Angles,
    ..Syntax::bare("kotlin", || tree_sitter_kotlin_ng::LANGUAGE.into())
};

fn class(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?;
    let head = text.get(node.start_byte()..name.start_byte())?;
    let has = |word: &str| head.split_whitespace().any(|found| found == word);
    let (symbol, keyword) = if has("interface") {
        (SymbolKind::Interface, "interface")
    } else if has("enum") {
        (SymbolKind::Enum, "enum class")
    } else {
        (SymbolKind::Class, "class")
    };
    let label = format!("{keyword} {}", text_of(name, text));
    Some(Named::from_node(name).with(Kinds::a_type(symbol)).with_label(label))
}

fn companion(node: Node<'_>, text: &str) -> Option<Named> {
    if let Some(name) = node.child_by_field_name("name") {
        return Some(Named::from_node(name));
    }
    let start = node.start_byte() + text_of(node, text).find("companion")?;
    Some(Named::plain(start..start + "companion".len()).with_label("companion object"))
}

fn constructor(node: Node<'_>, text: &str) -> Option<Named> {
    let start = node.start_byte() + text_of(node, text).find("constructor")?;
    Some(Named::plain(start..start + "constructor".len()))
}

fn property(node: Node<'_>, text: &str) -> Option<Named> {
    let name = child_of_kind(child_of_kind(node, &["variable_declaration"])?, &["identifier"])?;
    let head = text.get(node.start_byte()..name.start_byte())?;
    let is_constant = head.split_whitespace().any(|word| word == "const");
    Some(Named::from_node(name).with(if is_constant { Kinds::CONSTANT } else { Kinds::VARIABLE }))
}

pub(super) const SCALA: Syntax = Syntax {
    definitions: &[
        Definition::a_type("class_definition", "class", SymbolKind::Class),
        Definition::a_type("object_definition", "object", SymbolKind::Module),
        Definition::a_type("package_object", "package object", SymbolKind::Module),
        Definition::a_type("trait_definition", "trait", SymbolKind::Interface),
        Definition::a_type("enum_definition", "enum", SymbolKind::Enum),
        Definition::a_type("type_definition", "type", SymbolKind::Type),
        Definition::function("function_definition", "def"),
        Definition::function("function_declaration", "def"),
        Definition::function("given_definition", "given"),
        Definition::variable("val_definition", "val").child(&["identifier"]),
        Definition::variable("var_definition", "var").child(&["identifier"]),
    ],
    blocks: &[
        "compilation_unit",
        "template_body",
        "enum_body",
        "block",
        "indented_block",
        "case_block",
        "package_clause",
        "with_template_body",
        "extension_definition",
    ],
    comments: &["comment", "block_comment"],
    imports: &[import("import_declaration", dotted_list)],
    aliases: Some(super::last_path_segments),
    calls: &[call("call_expression", "function"), call("instance_expression", "")],
    types: &["type_identifier"],
    ..Syntax::bare("scala", || tree_sitter_scala::LANGUAGE.into())
};

fn dotted_list(text: &str, targets: &mut Vec<String>) {
    imports::push_braced(text.trim_start_matches("import"), ".", targets);
}
