//! Scala.

use recall_core::SymbolKind;

use super::{Definition, Syntax, call, import, imports};

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
