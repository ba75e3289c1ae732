//! Elixir. Its definitions are macro calls.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use super::{Clauses, Definition, Kinds, Named, Syntax, call, child_of_kind, imports, text_of};

pub(super) const ELIXIR: Syntax = Syntax {
    definitions: &[Definition::function("call", "").named_by(definition)],
    blocks: &["source", "do_block", "stab_clause", "body", "list", "map_content", "keywords", "else_block"],
    // Any other module attribute is a statement and does not belong to the definition after it.
    attributes: &["unary_operator"],
    imports: &[super::import("call", directive)],
    aliases: Some(super::last_path_segments),
    calls: &[call("call", "target")],
    types: &["alias"],
    builtins: &[
        "callback",
        "def",
        "defdelegate",
        "defexception",
        "defguard",
        "defimpl",
        "defmacro",
        "defmacrop",
        "defmodule",
        "defp",
        "defprotocol",
        "defstruct",
        "doc",
        "impl",
        "moduledoc",
        "quote",
        "raise",
        "spec",
        "type",
        "typedoc",
        "typep",
        "unquote",
    ],
    clauses: Clauses::Merged,
    ..Syntax::bare("elixir", || tree_sitter_elixir::LANGUAGE.into())
};

fn definition(node: Node<'_>, text: &str) -> Option<Named> {
    let target = node.child_by_field_name("target").filter(|target| target.kind() == "identifier")?;
    let macro_name = text_of(target, text);
    let kinds = match macro_name {
        "defmodule" | "defimpl" => Kinds::MODULE,
        "defprotocol" => Kinds::a_type(SymbolKind::Interface),
        "def" | "defp" | "defdelegate" | "defguard" | "defguardp" => Kinds::FUNCTION,
        "defmacro" | "defmacrop" => Kinds::new(ChunkKind::Function, SymbolKind::Macro),
        "test" | "describe" => Kinds::without_name(ChunkKind::Function),
        _ => return None,
    };
    let first = child_of_kind(node, &["arguments"])?.named_child(0)?;
    let name = head(first)?;
    let label = format!("{macro_name} {}", text_of(name, text));
    Some(Named::from_node(name).with(kinds).with_label(label))
}

/// The name in `open(a) when is_x(a)`, `open(a)`, `open`, `A.B` or `"a test"`.
fn head(mut node: Node<'_>) -> Option<Node<'_>> {
    if node.kind() == "binary_operator" {
        node = node.child_by_field_name("left")?;
    }
    if node.kind() == "call" {
        node = node.child_by_field_name("target")?;
    }
    if node.kind() == "string" {
        node = node.named_child(0)?;
    }
    matches!(node.kind(), "identifier" | "alias" | "operator_identifier" | "quoted_content").then_some(node)
}

/// `alias A.{B, C}`, `use A`, `import A, only: […]`, `require A`.
fn directive(text: &str, targets: &mut Vec<String>) {
    let Some((word, rest)) = text.split_once(char::is_whitespace) else { return };
    if !matches!(word, "alias" | "use" | "import" | "require") {
        return;
    }
    let rest = rest.trim_start();
    let line = rest.split(['\n', '(']).next().unwrap_or_default();
    match rest.split_once('}').filter(|_| line.contains('{')) {
        Some((list, _)) => imports::push_braced(list, ".", targets),
        None => imports::push(targets, line.split([',', ' ']).next().unwrap_or_default()),
    }
}
