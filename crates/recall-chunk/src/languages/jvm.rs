//! The languages of the Java virtual machine: Java, Kotlin and Scala.

use recall_core::SymbolKind;
use tree_sitter::Node;

use crate::guard::Hazard;

use super::{
    Definition, Kinds, Named, Syntax, call, child_of_kind, each_declarator, import, imports, is_of_record, text_of,
    words_before,
};

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
        Definition::variable("field_declaration", "").each_named_by(java_fields),
        Definition::constant("constant_declaration", "").each_named_by(java_fields),
        Definition::constant("enum_constant", ""),
        Definition::variable("formal_parameter", "").named_by(component).outside_functions(),
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

/// The fields of one declaration. Those of an interface are constants without saying so.
fn java_fields(node: Node<'_>, text: &str) -> Vec<Named> {
    let modifiers = child_of_kind(node, &["modifiers"]).map_or("", |modifiers| text_of(modifiers, text));
    let has = |word: &str| modifiers.split_whitespace().any(|found| found == word);
    let is_constant = node.kind() == "constant_declaration" || has("static") && has("final");
    each_declarator(node, if is_constant { Kinds::CONSTANT } else { Kinds::VARIABLE })
}

/// A component of a record.
fn component(node: Node<'_>, _text: &str) -> Option<Named> {
    if is_of_record(node) { node.child_by_field_name("name").map(Named::from_node) } else { None }
}

pub(super) const KOTLIN: Syntax = Syntax {
    definitions: &[
        Definition::a_type("class_declaration", "class", SymbolKind::Class).named_by(class),
        Definition::a_type("object_declaration", "object", SymbolKind::Module),
        Definition::a_type("companion_object", "companion object", SymbolKind::Module).named_by(companion),
        Definition::function("function_declaration", "fun"),
        Definition::function("secondary_constructor", "").named_by(constructor),
        Definition::a_type("type_alias", "typealias", SymbolKind::Type).field("type"),
        Definition::variable("property_declaration", "val").named_by(property),
        Definition::constant("enum_entry", "").child(&["identifier"]),
        Definition::variable("class_parameter", "").named_by(property_of_constructor),
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

/// `val limit: Int` in the parameters of a class. A parameter without the word is not a property.
fn property_of_constructor(node: Node<'_>, text: &str) -> Option<Named> {
    let name = child_of_kind(node, &["identifier"])?;
    words_before(node, name, text).any(|word| matches!(word, "val" | "var")).then(|| Named::from_node(name))
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
        Definition::variable("val_declaration", "val"),
        Definition::variable("var_declaration", "var"),
        Definition::constant("simple_enum_case", "case"),
        Definition::constant("full_enum_case", "case"),
        Definition::variable("class_parameter", "").named_by(scala_member),
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

/// A parameter of a class that is a member: one with `val`, or any of a case class.
fn scala_member(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?;
    let of_case = || {
        let class = node.parent().and_then(|list| list.parent()).filter(|class| class.kind() == "class_definition")?;
        Some(words_before(class, class.child_by_field_name("name")?, text).any(|word| word == "case"))
    };
    let is_member = words_before(node, name, text).any(|word| matches!(word, "val" | "var"));
    (is_member || of_case().unwrap_or(false)).then(|| Named::from_node(name))
}

fn dotted_list(text: &str, targets: &mut Vec<String>) {
    imports::push_braced(text.trim_start_matches("import"), ".", targets);
}
