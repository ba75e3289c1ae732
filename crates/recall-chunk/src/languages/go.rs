//! Go.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use super::{Alias, Definition, Kinds, Named, Syntax, bare_type, call, import, imports, text_of};

pub(super) const GO: Syntax = Syntax {
    definitions: &[
        Definition::function("function_declaration", "func"),
        Definition::new("method_declaration", "func", Kinds::new(ChunkKind::Method, SymbolKind::Method))
            .named_by(method),
        Definition::a_type("type_spec", "type", SymbolKind::Type).named_by(type_spec),
        Definition::a_type("type_alias", "type", SymbolKind::Type),
        Definition::constant("const_spec", "const"),
        Definition::variable("var_spec", "var"),
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
