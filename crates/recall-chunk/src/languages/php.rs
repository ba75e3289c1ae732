//! PHP.

use recall_core::SymbolKind;

use super::{Definition, Syntax, call, import, imports};

pub(super) const PHP: Syntax = Syntax {
    definitions: &[
        Definition::module("namespace_definition", "namespace"),
        Definition::a_type("class_declaration", "class", SymbolKind::Class),
        Definition::a_type("interface_declaration", "interface", SymbolKind::Interface),
        Definition::a_type("trait_declaration", "trait", SymbolKind::Interface),
        Definition::a_type("enum_declaration", "enum", SymbolKind::Enum),
        Definition::function("function_definition", "function"),
        Definition::function("method_declaration", "function"),
        Definition::constant("const_element", "const").child(&["name"]),
    ],
    blocks: &[
        "program",
        "declaration_list",
        "enum_declaration_list",
        "compound_statement",
        "switch_block",
        "array_creation_expression",
        "match_block",
    ],
    imports: &[
        import("namespace_use_declaration", uses),
        import("require_expression", imports::push_last_quoted),
        import("require_once_expression", imports::push_last_quoted),
        import("include_expression", imports::push_last_quoted),
        import("include_once_expression", imports::push_last_quoted),
    ],
    calls: &[
        call("function_call_expression", "function"),
        call("member_call_expression", "name"),
        call("nullsafe_member_call_expression", "name"),
        call("scoped_call_expression", "name"),
        call("object_creation_expression", ""),
        call("attribute", ""),
        call("base_clause", ""),
        call("class_interface_clause", ""),
    ],
    types: &["named_type"],
    ..Syntax::bare("php", || tree_sitter_php::LANGUAGE_PHP.into())
};

fn uses(text: &str, targets: &mut Vec<String>) {
    let rest = text.trim_start_matches("use").trim_start();
    let rest = rest.strip_prefix("function ").or_else(|| rest.strip_prefix("const ")).unwrap_or(rest);
    imports::push_braced(rest, "\\", targets);
}
