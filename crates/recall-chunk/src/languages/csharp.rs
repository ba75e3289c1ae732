//! C#.

use recall_core::SymbolKind;

use crate::guard::Hazard;

use super::{Definition, Syntax, call, import, imports};

pub(super) const CSHARP: Syntax = Syntax {
    definitions: &[
        Definition::module("namespace_declaration", "namespace"),
        Definition::module("file_scoped_namespace_declaration", "namespace"),
        Definition::a_type("class_declaration", "class", SymbolKind::Class),
        Definition::a_type("record_declaration", "record", SymbolKind::Class),
        Definition::a_type("struct_declaration", "struct", SymbolKind::Struct),
        Definition::a_type("interface_declaration", "interface", SymbolKind::Interface),
        Definition::a_type("enum_declaration", "enum", SymbolKind::Enum),
        Definition::a_type("delegate_declaration", "delegate", SymbolKind::Type),
        Definition::function("method_declaration", ""),
        Definition::function("constructor_declaration", ""),
        Definition::function("destructor_declaration", "~"),
        Definition::function("local_function_statement", ""),
        Definition::variable("property_declaration", ""),
        Definition::variable("event_declaration", "event"),
    ],
    blocks: &[
        "compilation_unit",
        "declaration_list",
        "block",
        "enum_member_declaration_list",
        "switch_body",
        "initializer_expression",
        "accessor_list",
    ],
    imports: &[import("using_directive", imports::push_dotted)],
    calls: &[
        call("invocation_expression", "function"),
        call("object_creation_expression", "type"),
        call("attribute", "name"),
        call("base_list", ""),
    ],
    hazard: Hazard::Angles,
    ..Syntax::bare("csharp", || tree_sitter_c_sharp::LANGUAGE.into())
};
