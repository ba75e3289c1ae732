//! JavaScript, TypeScript and TSX.

use recall_core::SymbolKind;
use tree_sitter::Node;

use crate::guard::Hazard;

use super::{Alias, Call, Definition, Kinds, Named, Syntax, call, component, import, imports, text_of, words_before};

pub(super) const JAVASCRIPT: Syntax = Syntax {
    definitions: &[
        Definition::function("function_declaration", "function"),
        Definition::function("generator_function_declaration", "function*"),
        Definition::a_type("class_declaration", "class", SymbolKind::Class),
        Definition::function("method_definition", ""),
        Definition::function("field_definition", "").named_by(field),
        Definition::constant("variable_declarator", "const").named_by(declarator),
        Definition::function("assignment_expression", "").named_by(assignment),
        Definition::function("pair", "").named_by(pair),
    ],
    blocks: &["program", "statement_block", "class_body", "object", "array", "switch_body", "jsx_element"],
    wrappers: &["export_statement", "lexical_declaration", "variable_declaration", "expression_statement"],
    calls: JSX_CALLS,
    types: &[],
    ..TYPESCRIPT
}
.with_name("javascript", || tree_sitter_javascript::LANGUAGE.into());

pub(super) const TSX: Syntax = Syntax {
    blocks: &[
        "program",
        "statement_block",
        "class_body",
        "interface_body",
        "enum_body",
        "object_type",
        "object",
        "array",
        "switch_body",
        "jsx_element",
    ],
    calls: JSX_CALLS,
    ..TYPESCRIPT
}
.with_name("tsx", || tree_sitter_typescript::LANGUAGE_TSX.into());

const JSX_CALLS: &[Call] = &[
    call("call_expression", "function"),
    call("new_expression", "constructor"),
    component("jsx_opening_element"),
    component("jsx_self_closing_element"),
];

pub(super) const TYPESCRIPT: Syntax = Syntax {
    definitions: &[
        Definition::function("function_declaration", "function"),
        Definition::function("generator_function_declaration", "function*"),
        Definition::function("function_signature", "function"),
        Definition::a_type("class_declaration", "class", SymbolKind::Class),
        Definition::a_type("abstract_class_declaration", "abstract class", SymbolKind::Class),
        Definition::a_type("interface_declaration", "interface", SymbolKind::Interface),
        Definition::a_type("type_alias_declaration", "type", SymbolKind::Type),
        Definition::a_type("enum_declaration", "enum", SymbolKind::Enum),
        Definition::module("internal_module", "namespace"),
        Definition::module("module", "module"),
        Definition::function("method_definition", ""),
        Definition::function("method_signature", ""),
        Definition::function("abstract_method_signature", ""),
        Definition::function("public_field_definition", "").named_by(field),
        Definition::variable("property_signature", "").in_types(),
        Definition::variable("required_parameter", "").named_by(property_of_constructor).parameter(),
        Definition::constant("enum_body", "").each_named_by(members),
        Definition::constant("variable_declarator", "const").named_by(declarator),
        Definition::function("assignment_expression", "").named_by(assignment),
        Definition::function("pair", "").named_by(pair),
    ],
    blocks: &[
        "program",
        "statement_block",
        "class_body",
        "interface_body",
        "enum_body",
        "object_type",
        "object",
        "array",
        "switch_body",
    ],
    comments: &["comment"],
    attributes: &["decorator"],
    wrappers: &[
        "export_statement",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
        "ambient_declaration",
    ],
    imports: &[import("import_statement", imports::push_last_quoted), import("export_statement", re_export)],
    calls: &[call("call_expression", "function"), call("new_expression", "constructor")],
    types: &["type_identifier"],
    aliases: Some(bindings),
    import_calls: &["require", "import"],
    hazard: Hazard::Angles,
    ..Syntax::bare("typescript", || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into())
};

/// `const open = (path) => …` is a function and `const LIMIT = 3` a constant. `const {a, b} = c` is not a definition.
fn declarator(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
    let written = text_of(name, text);
    if let Some(kinds) = node.child_by_field_name("value").and_then(|value| kinds_of_value(value, text)) {
        return Some(Named::from_node(name).with(kinds).with_label(written));
    }
    let is_const = text.get(..node.start_byte()).is_some_and(|before| before.trim_end().ends_with("const"));
    Some(if is_const {
        Named::from_node(name).with(Kinds::CONSTANT)
    } else {
        Named::from_node(name).with(Kinds::VARIABLE).with_label(written)
    })
}

/// A field that holds a function is a method. The name of a private one is written with `#` everywhere, which is not part of it.
fn field(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"))?;
    let hidden = usize::from(text_of(name, text).starts_with('#'));
    let has = |word: &str| words_before(node, name, text).any(|found| found == word);
    let of_value = node.child_by_field_name("value").and_then(|value| kinds_of_value(value, text));
    let kinds =
        of_value.unwrap_or_else(|| if has("static") && has("readonly") { Kinds::CONSTANT } else { Kinds::VARIABLE });
    Some(Named::plain(name.start_byte() + hidden..name.end_byte()).with(kinds))
}

/// `private log: Log` in the parameters of a constructor.
fn property_of_constructor(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("pattern").filter(|pattern| pattern.kind() == "identifier")?;
    let is_property =
        words_before(node, name, text).any(|word| matches!(word, "private" | "protected" | "public" | "readonly"));
    is_property.then(|| Named::from_node(name))
}

/// The members of an enumeration. One without a value is only a name, a kind of node that occurs everywhere.
fn members(body: Node<'_>, text: &str) -> Vec<Named> {
    let mut cursor = body.walk();
    let members = body.named_children(&mut cursor);
    members
        .filter(|member| matches!(member.kind(), "property_identifier" | "string" | "enum_assignment"))
        .map(|member| member_of_enumeration(member, text))
        .collect()
}

fn member_of_enumeration(member: Node<'_>, text: &str) -> Named {
    let name = member.child_by_field_name("name").unwrap_or(member);
    let inner = text_of(name, text).trim_start_matches(['"', '\'']);
    let start = name.end_byte() - inner.len();
    let end = start + inner.trim_end_matches(['"', '\'']).len();
    Named::plain(start..end).in_part(member)
}

/// `exports.open = function …`, `Store.prototype.open = function …`.
fn assignment(node: Node<'_>, text: &str) -> Option<Named> {
    let kinds = kinds_of_value(node.child_by_field_name("right")?, text)?;
    let left = node.child_by_field_name("left")?;
    if left.kind() != "member_expression" {
        return None;
    }
    let name = left.child_by_field_name("property")?;
    let object = text.get(left.start_byte()..name.start_byte())?.trim_end_matches('.').trim_end_matches(".prototype");
    let scope = (!matches!(object, "exports" | "module.exports" | "this" | "window" | "self") && object.len() < 80)
        .then(|| object.replace('.', "::"));
    Some(Named { scope, ..Named::from_node(name).with(kinds) })
}

/// `{ open: function … }`.
fn pair(node: Node<'_>, text: &str) -> Option<Named> {
    let kinds = kinds_of_value(node.child_by_field_name("value")?, text)?;
    let key = node.child_by_field_name("key").filter(|key| key.kind() == "property_identifier")?;
    Some(Named::from_node(key).with(kinds))
}

fn kinds_of_value(value: Node<'_>, text: &str) -> Option<Kinds> {
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => Some(Kinds::FUNCTION),
        "class" => Some(Kinds::a_type(SymbolKind::Class)),
        // `memo(() => …)`, `forwardRef(function …)`: a wrapped function is a function.
        "call_expression" => {
            let arguments = value.child_by_field_name("arguments")?;
            let callee = text_of(value.child_by_field_name("function")?, text);
            let wraps = ["memo", "forwardRef", "useCallback", "React.memo", "React.forwardRef"].contains(&callee);
            let first = arguments.named_child(0)?;
            (wraps && matches!(first.kind(), "arrow_function" | "function_expression")).then_some(Kinds::FUNCTION)
        }
        _ => None,
    }
}

/// `N` of `import * as N from './x'`, `A` and `C` of `import A, {B as C} from './x'`.
fn bindings(import: Node<'_>, text: &str, targets: &[String], aliases: &mut Vec<Alias>) {
    let Some(names) = text_of(import, text).strip_prefix("import").and_then(|rest| rest.split_once(" from")) else {
        return;
    };
    let Some(module) = targets.last() else { return };
    for name in names.0.split([',', '{', '}']) {
        if let Some(name) = name.split_whitespace().last() {
            aliases.push(Alias::new(name, module));
        }
    }
}

/// `export … from 'x'` is an import. Other exports are not.
fn re_export(text: &str, targets: &mut Vec<String>) {
    let head = text.trim_start_matches("export").trim_start().trim_start_matches("type").trim_start();
    if head.starts_with(['{', '*']) && text.contains("from") {
        imports::push_last_quoted(text, targets);
    }
}
