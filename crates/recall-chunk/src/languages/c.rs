//! C, C++ and C#.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use crate::guard::Hazard;

use super::{
    Definition, Kinds, Named, Syntax, call, child_of_kind, each_declarator, import, imports, is_of_record, text_of,
    words_before,
};

const PREPROCESSOR_BLOCKS: &[&str] = &[
    "translation_unit",
    "declaration_list",
    "compound_statement",
    "field_declaration_list",
    "enumerator_list",
    "initializer_list",
    "preproc_if",
    "preproc_ifdef",
    "preproc_else",
    "preproc_elif",
    "linkage_specification",
];

pub(super) const C: Syntax = Syntax {
    definitions: &[
        Definition::function("function_definition", "").named_by(function),
        Definition::function("declaration", "").each_named_by(declarations).outside_functions(),
        Definition::a_type("struct_specifier", "struct", SymbolKind::Struct).named_by(with_body),
        Definition::a_type("union_specifier", "union", SymbolKind::Struct).named_by(with_body),
        Definition::a_type("enum_specifier", "enum", SymbolKind::Enum).named_by(with_body),
        Definition::a_type("type_definition", "typedef", SymbolKind::Type).named_by(typedef),
        Definition::constant("enumerator", ""),
        Definition::function("field_declaration", "").each_named_by(fields),
        Definition::new("preproc_function_def", "#define", Kinds::new(ChunkKind::Group, SymbolKind::Macro)),
        Definition::new("preproc_def", "#define", Kinds::new(ChunkKind::Group, SymbolKind::Macro))
            .named_by(valued_macro),
    ],
    blocks: PREPROCESSOR_BLOCKS,
    imports: &[import("preproc_include", imports::include)],
    calls: &[call("call_expression", "function")],
    types: &["type_identifier"],
    has_macros: true,
    hazard: Hazard::Angles,
    ..Syntax::bare("c", || tree_sitter_c::LANGUAGE.into())
};

pub(super) const CPP: Syntax = Syntax {
    definitions: &[
        Definition::function("function_definition", "").named_by(function),
        Definition::function("declaration", "").each_named_by(declarations).outside_functions(),
        Definition::function("field_declaration", "").each_named_by(fields),
        Definition::a_type("class_specifier", "class", SymbolKind::Class).named_by(with_body),
        Definition::a_type("struct_specifier", "struct", SymbolKind::Struct).named_by(with_body),
        Definition::a_type("union_specifier", "union", SymbolKind::Struct).named_by(with_body),
        Definition::a_type("enum_specifier", "enum", SymbolKind::Enum).named_by(with_body),
        Definition::a_type("type_definition", "typedef", SymbolKind::Type).named_by(typedef),
        Definition::a_type("alias_declaration", "using", SymbolKind::Type),
        Definition::a_type("concept_definition", "concept", SymbolKind::Interface),
        Definition::module("namespace_definition", "namespace"),
        Definition::constant("enumerator", ""),
        Definition::new("preproc_function_def", "#define", Kinds::new(ChunkKind::Group, SymbolKind::Macro)),
        Definition::new("preproc_def", "#define", Kinds::new(ChunkKind::Group, SymbolKind::Macro))
            .named_by(valued_macro),
    ],
    wrappers: &["template_declaration"],
    imports: &[import("preproc_include", imports::include)],
    calls: &[call("call_expression", "function"), call("new_expression", "type")],
    ..C
}
.with_name("cpp", || tree_sitter_cpp::LANGUAGE.into());

/// `int n::Store::open(…)` defines `open` of `n::Store`.
fn function(node: Node<'_>, text: &str) -> Option<Named> {
    named_declarator(node.child_by_field_name("declarator")?, text)
}

/// Prototypes, or variables of the file. Prototypes count because headers document a C interface.
fn declarations(node: Node<'_>, text: &str) -> Vec<Named> {
    let is_constant = child_of_kind(node, &["type_qualifier"])
        .is_some_and(|qualifier| matches!(text_of(qualifier, text), "const" | "constexpr"));
    each_declared(node, text, if is_constant { Kinds::CONSTANT } else { Kinds::VARIABLE })
}

/// The fields of a class, and its methods that have no body there. A field that every object has a value of is a variable.
fn fields(node: Node<'_>, text: &str) -> Vec<Named> {
    let first = node.child_by_field_name("declarator").map_or(node.start_byte(), |first| first.start_byte());
    let head = text.get(node.start_byte()..first).unwrap_or_default();
    let has = |word: &str| head.split_whitespace().any(|found| found == word);
    let is_constant = has("static") && (has("const") || has("constexpr"));
    each_declared(node, text, if is_constant { Kinds::CONSTANT } else { Kinds::VARIABLE })
}

/// The names in the declarators of a declaration. A function has the kinds of functions, anything else these kinds.
fn each_declared(node: Node<'_>, text: &str, kinds: Kinds) -> Vec<Named> {
    let mut cursor = node.walk();
    let named = |declarator: Node<'_>| {
        let named = named_declarator(declarator, text)?.in_part(declarator);
        Some(if innermost_is_function(declarator) { named } else { named.with(kinds) })
    };
    node.children_by_field_name("declarator", &mut cursor).filter_map(named).collect()
}

/// The name in a declarator, below any pointers, references, arrays and parameters.
fn named_declarator(mut declarator: Node<'_>, text: &str) -> Option<Named> {
    /// Real declarators have far fewer layers of pointers and functions.
    const MAX_LAYERS: usize = 16;
    for _ in 0..MAX_LAYERS {
        let inner = declarator.child_by_field_name("declarator").or_else(|| match declarator.kind() {
            "reference_declarator" | "parenthesized_declarator" | "attributed_declarator" => declarator.named_child(0),
            _ => None,
        });
        match inner {
            Some(inner) => declarator = inner,
            None => break,
        }
    }
    let written = text_of(declarator, text);
    if written.is_empty()
        || written.len() > 200
        || !written.starts_with(|c: char| c.is_alphabetic() || "_~:".contains(c))
    {
        return None;
    }
    let Some((scope, name)) = written.rsplit_once("::").filter(|_| declarator.kind() == "qualified_identifier") else {
        return Some(Named::from_node(declarator));
    };
    let start = declarator.end_byte() - name.len();
    let named = Named::plain(start..declarator.end_byte()).with_label(written);
    Some(Named { scope: Some(without_arguments(scope)).filter(|scope| !scope.is_empty()), ..named })
}

/// A scope without template arguments: `n::Store` of `n::Store<T>`.
fn without_arguments(scope: &str) -> String {
    let mut depth = 0_usize;
    let mut bare = String::with_capacity(scope.len());
    for c in scope.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 && !c.is_whitespace() => bare.push(c),
            _ => {}
        }
    }
    bare
}

fn innermost_is_function(mut declarator: Node<'_>) -> bool {
    for _ in 0..16 {
        if declarator.kind() == "function_declarator" {
            // `int (*f)(int)` is a variable.
            return declarator.child_by_field_name("declarator").is_none_or(|d| d.kind() != "parenthesized_declarator");
        }
        let inner = declarator.child_by_field_name("declarator").or_else(|| declarator.named_child(0));
        match inner {
            Some(inner) if declarator.kind().ends_with("_declarator") => declarator = inner,
            _ => return false,
        }
    }
    false
}

/// Only a specifier with a body is a definition; `struct stat s` uses a type.
fn with_body(node: Node<'_>, _text: &str) -> Option<Named> {
    node.child_by_field_name("body")?;
    node.child_by_field_name("name").map(Named::from_node)
}

fn typedef(node: Node<'_>, text: &str) -> Option<Named> {
    named_declarator(node.child_by_field_name("declarator")?, text)
}

/// `#define LIMIT 3`. A guard without a value is not a definition.
fn valued_macro(node: Node<'_>, _text: &str) -> Option<Named> {
    node.child_by_field_name("value")?;
    node.child_by_field_name("name").map(Named::from_node)
}

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
        Definition::variable("event_field_declaration", "event").each_named_by(csharp_fields),
        Definition::variable("field_declaration", "").each_named_by(csharp_fields),
        Definition::constant("enum_member_declaration", ""),
        Definition::variable("parameter", "").named_by(component).outside_functions(),
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

/// The fields of one declaration.
fn csharp_fields(node: Node<'_>, text: &str) -> Vec<Named> {
    let Some(list) = child_of_kind(node, &["variable_declaration"]) else { return Vec::new() };
    let has = |word: &str| words_before(node, list, text).any(|found| found == word);
    let is_constant = has("const") || has("static") && has("readonly");
    each_declarator(list, if is_constant { Kinds::CONSTANT } else { Kinds::VARIABLE })
}

/// A component of a record.
fn component(node: Node<'_>, _text: &str) -> Option<Named> {
    if is_of_record(node) { node.child_by_field_name("name").map(Named::from_node) } else { None }
}
