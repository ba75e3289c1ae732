//! Compiled languages for systems: Go, Rust, Swift and Zig.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use super::macro_items::macro_items;
use super::{
    Alias, Definition, Kinds, Named, Syntax, bare_type, call, child_of_kind, each_name, import, imports, text_of,
};
use crate::guard::Hazard;

pub(super) const GO: Syntax = Syntax {
    definitions: &[
        Definition::function("function_declaration", "func"),
        Definition::new("method_declaration", "func", Kinds::new(ChunkKind::Method, SymbolKind::Method))
            .named_by(method),
        Definition::a_type("type_spec", "type", SymbolKind::Type).named_by(type_spec),
        Definition::a_type("type_alias", "type", SymbolKind::Type),
        Definition::constant("const_spec", "const").each_named_by(each_name),
        Definition::variable("var_spec", "var").each_named_by(each_name),
        Definition::variable("field_declaration", "").each_named_by(each_name),
        Definition::new("method_elem", "", Kinds::new(ChunkKind::Group, SymbolKind::Method)),
    ],
    blocks: &[
        "source_file",
        "block",
        "statement_list",
        "field_declaration_list",
        "interface_type",
        "const_declaration",
        "var_declaration",
        "var_spec_list",
        "type_declaration",
        "literal_value",
        "expression_switch_statement",
        "type_switch_statement",
        "select_statement",
    ],
    wrappers: &["type_declaration", "const_declaration", "var_declaration"],
    imports: &[import("import_declaration", imports::push_quoted)],
    aliases: Some(packages),
    calls: &[call("call_expression", "function")],
    types: &["type_identifier"],
    ..Syntax::bare("go", || tree_sitter_go::LANGUAGE.into())
};

/// `json` of `import "encoding/json"`, `a` of `import a "example.org/b"`. The default name of a package is the last
/// part of its path.
fn packages(import: Node<'_>, text: &str, _targets: &[String], aliases: &mut Vec<Alias>) {
    let declared = text_of(import, text).trim_start_matches("import");
    for spec in declared.split(['\n', ';', '(', ')']) {
        let Some((before, rest)) = spec.split_once(['"', '`']) else { continue };
        let Some((path, _)) = rest.split_once(['"', '`']) else { continue };
        let is_version = |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
        let own = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path);
        let name = if before.trim().is_empty() { own } else { before.trim() };
        aliases.push(Alias::new(name, path));
    }
}

/// `func (s *Store[T]) Open()` belongs to `Store`.
fn method(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?;
    let receiver = text_of(node.child_by_field_name("receiver")?, text);
    let of = receiver.trim_matches(['(', ')', ' ']).rsplit(' ').find(|word| !word.is_empty()).map(bare_type)?;
    Some(Named { scope: Some(of.to_owned()), ..Named::from_node(name) })
}

fn type_spec(node: Node<'_>, _text: &str) -> Option<Named> {
    let symbol = match node.child_by_field_name("type")?.kind() {
        "struct_type" => SymbolKind::Struct,
        "interface_type" => SymbolKind::Interface,
        _ => SymbolKind::Type,
    };
    Some(Named::from_node(node.child_by_field_name("name")?).with(Kinds::a_type(symbol)))
}

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
        Definition::constant("enum_variant", ""),
        Definition::variable("field_declaration", ""),
        Definition::constant("macro_invocation", "").each_named_by(macro_items).outside_functions(),
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

pub(super) const SWIFT: Syntax = Syntax {
    definitions: &[
        Definition::a_type("class_declaration", "class", SymbolKind::Class).named_by(class),
        Definition::a_type("protocol_declaration", "protocol", SymbolKind::Interface),
        Definition::a_type("typealias_declaration", "typealias", SymbolKind::Type),
        Definition::function("function_declaration", "func"),
        Definition::function("protocol_function_declaration", "func"),
        Definition::function("init_declaration", "").named_by(initializer),
        Definition::variable("property_declaration", "").each_named_by(properties),
        Definition::variable("protocol_property_declaration", "").each_named_by(properties),
        Definition::constant("enum_entry", "case").each_named_by(each_name),
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

/// The names of `var x, y: Int`. `static let` is a constant.
fn properties(node: Node<'_>, text: &str) -> Vec<Named> {
    let mut cursor = node.walk();
    let patterns = node.children_by_field_name("name", &mut cursor);
    patterns.filter_map(|pattern| property(node, pattern, text)).collect()
}

/// One of the names of a declaration.
fn property(declaration: Node<'_>, pattern: Node<'_>, text: &str) -> Option<Named> {
    let name = pattern.child_by_field_name("bound_identifier")?;
    let head = text.get(declaration.start_byte()..name.start_byte())?;
    let is_constant = head.contains("let ") && head.contains("static ");
    let kinds = if is_constant { Kinds::CONSTANT } else { Kinds::VARIABLE };
    Some(Named::from_node(name).with(kinds).in_part(pattern))
}

pub(super) const ZIG: Syntax = Syntax {
    definitions: &[
        Definition::function("function_declaration", "fn"),
        Definition::constant("variable_declaration", "const").named_by(variable),
        Definition::new("test_declaration", "test", Kinds::without_name(ChunkKind::Function))
            .child(&["string", "identifier"]),
        Definition::variable("container_field", "").named_by(container_field).outside_functions(),
        Definition::constant("error_set_declaration", "").each_named_by(errors),
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

/// A field of a structure, or a member of an enumeration.
fn container_field(node: Node<'_>, _text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?;
    let is_member = node.parent().is_some_and(|of| of.kind() == "enum_declaration");
    Some(Named::from_node(name).with(if is_member { Kinds::CONSTANT } else { Kinds::VARIABLE }))
}

/// The names of a set of errors.
fn errors(set: Node<'_>, _text: &str) -> Vec<Named> {
    let mut cursor = set.walk();
    let names = set.named_children(&mut cursor).filter(|child| child.kind() == "identifier");
    names.map(|name| Named::from_node(name).in_part(name)).collect()
}

/// `@import("std")` and `@embedFile("x")`. Other builtin functions import nothing.
fn push_imported(text: &str, targets: &mut Vec<String>) {
    if text.starts_with("@import") || text.starts_with("@embedFile") {
        imports::push_quoted(text, targets);
    }
}
