//! Python.

use recall_core::SymbolKind;
use tree_sitter::Node;

use crate::guard::Hazard;

use super::{Alias, Definition, Docs, Kinds, Named, Syntax, call, import, imports, text_of};

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
