//! Scripting languages: Python, Ruby, PHP, Lua, and Bash with similar shells.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use crate::guard::Hazard;

use super::{Alias, Definition, Docs, Kinds, Named, Syntax, call, child_of_kind, import, imports, text_of};

pub(super) const PYTHON: Syntax = Syntax {
    definitions: &[
        Definition::function("function_definition", "def"),
        Definition::a_type("class_definition", "class", SymbolKind::Class),
        Definition::a_type("type_alias_statement", "type", SymbolKind::Type).field("left"),
        Definition::variable("assignment", "").named_by(assignment),
    ],
    blocks: &["module", "block", "dictionary", "list", "set", "tuple"],
    wrappers: &["decorated_definition"],
    imports: &[
        import("import_statement", modules),
        import("import_from_statement", module_of_from),
        import("future_import_statement", module_of_from),
    ],
    aliases: Some(aliases),
    calls: &[call("call", "function"), call("decorator", "")],
    types: &["type"],
    docs: Docs::Inside,
    // Two bytes per column, up to 255 for open strings, and two more.
    hazard: Hazard::Columns { max: 300 },
    ..Syntax::bare("python", || tree_sitter_python::LANGUAGE.into())
};

/// `LIMIT = 3` is a constant, `name: T = x` a variable. `a.b = c` and `a, b = c` are not definitions.
fn assignment(node: Node<'_>, text: &str) -> Option<Named> {
    let left = node.child_by_field_name("left").filter(|left| left.kind() == "identifier")?;
    let is_constant = !text_of(left, text).contains(|c: char| c.is_ascii_lowercase());
    Some(Named::from_node(left).with(if is_constant { Kinds::CONSTANT } else { Kinds::VARIABLE }))
}

fn modules(text: &str, targets: &mut Vec<String>) {
    for module in text.trim_start_matches("import").split(',') {
        imports::push(targets, module.split_whitespace().next().unwrap_or_default());
    }
}

/// `c` of `import a.b as c` and of `from a import b as c`. A name imported with `from` may be a module or a member of
/// one.
fn aliases(import: Node<'_>, text: &str, _targets: &[String], aliases: &mut Vec<Alias>) {
    let text = text_of(import, text);
    let (from, names) = match text.strip_prefix("from").and_then(|rest| rest.split_once("import")) {
        Some((from, names)) => (from.trim(), names),
        None => ("", text.trim_start_matches("import")),
    };
    for name in names.split([',', '(', ')']) {
        let mut words = name.split_whitespace();
        let Some(imported) = words.next().filter(|name| *name != "*") else { continue };
        let name = if words.next() == Some("as") { words.next().unwrap_or(imported) } else { imported };
        let separator = if from.is_empty() || from.ends_with('.') { "" } else { "." };
        aliases.push(Alias::new(name, &format!("{from}{separator}{imported}")));
    }
}

/// `from .store import open` and `from . import store` both import `.store`.
fn module_of_from(text: &str, targets: &mut Vec<String>) {
    let rest = text.trim_start_matches("from").trim_start();
    let module = rest.split_whitespace().next().unwrap_or_default();
    if !module.chars().all(|c| c == '.') {
        return imports::push(targets, module);
    }
    let names = rest.split_once("import").map_or("", |(_, names)| names);
    for name in names.split([',', '(', ')', '\n']) {
        let name = name.split_whitespace().next().unwrap_or_default();
        if !name.is_empty() {
            imports::push(targets, &format!("{module}{name}"));
        }
    }
}

pub(super) const RUBY: Syntax = Syntax {
    definitions: &[
        // A module contains methods like a class.
        Definition::new("module", "module", Kinds::new(ChunkKind::Type, SymbolKind::Module)),
        Definition::a_type("class", "class", SymbolKind::Class),
        Definition::new("singleton_class", "class << self", Kinds::without_name(ChunkKind::Type)).named_by(singleton),
        Definition::function("method", "def"),
        Definition::function("singleton_method", "def").named_by(singleton_method),
        Definition::constant("assignment", "").named_by(constant),
        Definition::variable("call", "").each_named_by(accessors).outside_functions(),
    ],
    blocks: &["program", "body_statement", "block_body", "do_block", "block", "then", "array", "hash", "case"],
    calls: &[call("call", "method"), call("superclass", "")],
    builtins: &[
        "attr_accessor",
        "attr_reader",
        "attr_writer",
        "extend",
        "include",
        "lambda",
        "module_function",
        "prepend",
        "private",
        "private_constant",
        "proc",
        "protected",
        "public",
        "puts",
        "raise",
    ],
    import_calls: &["require", "require_relative", "load", "autoload"],
    types: &["scope_resolution"],
    hazard: Hazard::Heredocs,
    ..Syntax::bare("ruby", || tree_sitter_ruby::LANGUAGE.into())
};

/// Only constants are definitions; other assignments are statements.
fn constant(node: Node<'_>, _text: &str) -> Option<Named> {
    node.child_by_field_name("left").filter(|left| left.kind() == "constant").map(Named::from_node)
}

/// `attr_reader :a, :b`, `set :limit, 3` and the members of `Struct.new(:x, :y)`. A setting counts only as a statement of
/// a class or a file; elsewhere another object may be set.
fn accessors(node: Node<'_>, text: &str) -> Vec<Named> {
    let method = node.child_by_field_name("method").map_or("", |method| text_of(method, text));
    let receiver = node.child_by_field_name("receiver").map_or("", |receiver| text_of(receiver, text));
    let most = match (receiver, method) {
        ("", "attr_accessor" | "attr_reader" | "attr_writer") | ("Struct", "new") | ("Data", "define") => usize::MAX,
        ("", "set") if is_of_class_or_file(node) => 1,
        _ => return Vec::new(),
    };
    let Some(arguments) = node.child_by_field_name("arguments") else { return Vec::new() };
    let mut cursor = arguments.walk();
    let symbols = arguments.named_children(&mut cursor).take(most).filter(|child| child.kind() == "simple_symbol");
    let named = |symbol: Node<'_>| Named::plain(symbol.start_byte() + 1..symbol.end_byte()).in_part(symbol);
    symbols.map(named).collect()
}

/// Whether a statement is one of a class, a module or the file.
fn is_of_class_or_file(statement: Node<'_>) -> bool {
    let Some(list) = statement.parent() else { return false };
    let of = || list.parent().is_some_and(|of| matches!(of.kind(), "class" | "module" | "singleton_class"));
    list.kind() == "program" || list.kind() == "body_statement" && of()
}

fn singleton(node: Node<'_>, _text: &str) -> Option<Named> {
    let value = node.child_by_field_name("value")?;
    Some(Named::from_node(value).with_label("class << self"))
}

/// `def self.make`.
fn singleton_method(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?;
    let object = text_of(node.child_by_field_name("object")?, text);
    let label = format!("def {object}.{}", text_of(name, text));
    Some(Named::from_node(name).with_label(label))
}

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
        Definition::constant("enum_case", "case"),
        Definition::variable("property_declaration", "").each_named_by(properties),
        Definition::variable("property_promotion_parameter", "").named_by(php_variable).parameter(),
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

/// `a` and `b` of `private $a = 1, $b;`.
fn properties(node: Node<'_>, text: &str) -> Vec<Named> {
    let mut cursor = node.walk();
    let elements = node.named_children(&mut cursor).filter(|child| child.kind() == "property_element");
    elements.filter_map(|element| Some(php_variable(element, text)?.in_part(element))).collect()
}

/// The name of a variable without its sign.
fn php_variable(node: Node<'_>, _text: &str) -> Option<Named> {
    child_of_kind(node.child_by_field_name("name")?, &["name"]).map(Named::from_node)
}

fn uses(text: &str, targets: &mut Vec<String>) {
    let rest = text.trim_start_matches("use").trim_start();
    let rest = rest.strip_prefix("function ").or_else(|| rest.strip_prefix("const ")).unwrap_or(rest);
    imports::push_braced(rest, "\\", targets);
}

pub(super) const LUA: Syntax = Syntax {
    definitions: &[
        Definition::function("function_declaration", "function").named_by(lua_function),
        Definition::function("assignment_statement", "").named_by(lua_assignment),
        Definition::function("field", "").named_by(lua_field),
    ],
    blocks: &["chunk", "block", "table_constructor"],
    wrappers: &["variable_declaration"],
    calls: &[call("function_call", "name")],
    import_calls: &["require", "dofile", "loadfile"],
    ..Syntax::bare("lua", || tree_sitter_lua::LANGUAGE.into())
};

fn lua_function(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?;
    Some(lua_path(name, text, "function "))
}

/// `M.open = function …` and `local open = function …` are functions. `local LIMIT = 3` and `M.LIMIT = 3` at file level are variables.
fn lua_assignment(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.named_child(0).and_then(|names| names.named_child(0))?;
    let value = node.named_child(1).and_then(|values| values.named_child(0))?;
    let named = lua_path(name, text, "");
    match value.kind() {
        "function_definition" => Some(named),
        _ if matches!(name.kind(), "identifier" | "dot_index_expression") => Some(named.with(Kinds::VARIABLE)),
        _ => None,
    }
}

/// `{ open = function … }`.
fn lua_field(node: Node<'_>, _text: &str) -> Option<Named> {
    node.child_by_field_name("value").filter(|value| value.kind() == "function_definition")?;
    node.child_by_field_name("name").filter(|name| name.kind() == "identifier").map(Named::from_node)
}

/// `M.open` and `M:open` are `open` in the scope `M`.
fn lua_path(name: Node<'_>, text: &str, keyword: &str) -> Named {
    let written = text_of(name, text);
    let Some(dot) = written.rfind(['.', ':']) else {
        return Named::from_node(name).with_label(format!("{keyword}{written}"));
    };
    let scope = Some(written[..dot].replace(['.', ':'], "::"));
    let start = name.start_byte() + dot + 1;
    Named { scope, ..Named::plain(start..name.end_byte()).with_label(format!("{keyword}{written}")) }
}

pub(super) const BASH: Syntax = Syntax {
    definitions: &[
        Definition::function("function_definition", "function"),
        Definition::variable("variable_assignment", "").named_by(shell_assignment),
    ],
    blocks: &["program", "compound_statement", "do_group", "if_statement", "case_statement", "case_item", "subshell"],
    imports: &[import("command", push_sourced)],
    calls: &[call("command", "name")],
    builtins: &[
        "break", "continue", "declare", "echo", "exit", "export", "local", "printf", "read", "readonly", "return",
        "set", "shift", "test", "trap", "unset",
    ],
    hazard: Hazard::Digits,
    ..Syntax::bare("bash", || tree_sitter_bash::LANGUAGE.into())
};

/// A name in capitals is a constant by convention. `a[1]=x` is not a definition.
fn shell_assignment(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name").filter(|name| name.kind() == "variable_name")?;
    let is_constant = !text_of(name, text).contains(|c: char| c.is_ascii_lowercase());
    Some(Named::from_node(name).with(if is_constant { Kinds::CONSTANT } else { Kinds::VARIABLE }))
}

/// `source lib.sh`, `. lib.sh`.
fn push_sourced(text: &str, targets: &mut Vec<String>) {
    let mut words = text.split_whitespace();
    if matches!(words.next(), Some("source" | ".")) {
        // `"$(dirname "$0")/lib.sh"`: the computed part is left out.
        let path =
            text.lines().next().unwrap_or_default().trim_start_matches(['s', 'o', 'u', 'r', 'c', 'e', '.']).trim();
        let known = path.rsplit_once([')', '}']).map_or(path, |(_, rest)| rest.trim_start_matches(['"', '/']));
        super::imports::push(targets, known.trim_matches(['"', '\'']));
    }
}
