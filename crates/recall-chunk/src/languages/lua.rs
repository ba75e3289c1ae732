//! Lua.

use tree_sitter::Node;

use super::{Definition, Kinds, Named, Syntax, call, text_of};

pub(super) const LUA: Syntax = Syntax {
    definitions: &[
        Definition::function("function_declaration", "function").named_by(function),
        Definition::function("assignment_statement", "").named_by(assignment),
        Definition::function("field", "").named_by(field),
    ],
    blocks: &["chunk", "block", "table_constructor"],
    wrappers: &["variable_declaration"],
    calls: &[call("function_call", "name")],
    import_calls: &["require", "dofile", "loadfile"],
    ..Syntax::bare("lua", || tree_sitter_lua::LANGUAGE.into())
};

fn function(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.child_by_field_name("name")?;
    Some(path(name, text, "function "))
}

/// `M.open = function …` and `local open = function …` are functions. `local LIMIT = 3` at file level is a variable.
fn assignment(node: Node<'_>, text: &str) -> Option<Named> {
    let name = node.named_child(0).and_then(|names| names.named_child(0))?;
    let value = node.named_child(1).and_then(|values| values.named_child(0))?;
    let named = path(name, text, "");
    match value.kind() {
        "function_definition" => Some(named),
        _ if name.kind() == "identifier" => Some(named.with(Kinds::VARIABLE)),
        _ => None,
    }
}

/// `{ open = function … }`.
fn field(node: Node<'_>, _text: &str) -> Option<Named> {
    node.child_by_field_name("value").filter(|value| value.kind() == "function_definition")?;
    node.child_by_field_name("name").filter(|name| name.kind() == "identifier").map(Named::from_node)
}

/// `M.open` and `M:open` are `open` in the scope `M`.
fn path(name: Node<'_>, text: &str, keyword: &str) -> Named {
    let written = text_of(name, text);
    let Some(dot) = written.rfind(['.', ':']) else {
        return Named::from_node(name).with_label(format!("{keyword}{written}"));
    };
    let scope = Some(written[..dot].replace(['.', ':'], "::"));
    let start = name.start_byte() + dot + 1;
    Named { scope, ..Named::plain(start..name.end_byte()).with_label(format!("{keyword}{written}")) }
}
