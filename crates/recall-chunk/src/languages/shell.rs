//! Bash and similar shells.

use tree_sitter::Node;

use super::{Definition, Kinds, Named, Syntax, call, import, text_of};
use crate::guard::Hazard;

pub(super) const BASH: Syntax = Syntax {
    definitions: &[
        Definition::function("function_definition", "function"),
        Definition::variable("variable_assignment", "").named_by(assignment),
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
fn assignment(node: Node<'_>, text: &str) -> Option<Named> {
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
