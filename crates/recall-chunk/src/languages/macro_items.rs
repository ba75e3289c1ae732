//! The items that a macro of Rust declares in its own braces: `bitflags! { struct A; const B = 1; }`, `lazy_static! { static ref C: D; }`.
//!
//! A parser sees only tokens there. A keyword and a name behind it are an item, as in Rust itself.

use recall_core::{ChunkKind, SymbolKind};
use tree_sitter::Node;

use super::{Kinds, Named, child_of_kind, text_of};

/// The deepest braces in which items are read: those of a module in `cfg_if!`.
const MAX_DEPTH: usize = 3;

/// The tokens before a keyword that is not one of an item: `*const u8`, `<const N: usize>`.
const NOT_BEFORE_ITEMS: &[&str] = &["*", "<", ",", "&", ":", "->"];

/// An item in a macro.
struct Item {
    named: Named,
    /// The first byte of its keyword.
    start: usize,
}

/// Returns the items that a macro at the place of an item declares, each from its keyword to the next item.
pub(super) fn macro_items(node: Node<'_>, text: &str) -> Vec<Named> {
    let is_item =
        |parent: Node<'_>| matches!(parent.kind(), "source_file" | "declaration_list" | "expression_statement");
    let mut items = Vec::new();
    if node.parent().is_some_and(is_item)
        && let Some(tokens) = child_of_kind(node, &["token_tree"])
    {
        add_items(tokens, text, None, 0, &mut items);
    }
    let ends: Vec<usize> = items.iter().skip(1).map(|item| item.start).chain([node.end_byte()]).collect();
    let with_bytes = |(item, end): (Item, usize)| Named { bytes: Some(item.start..end), ..item.named };
    items.into_iter().zip(ends).map(with_bytes).collect()
}

fn add_items(tokens: Node<'_>, text: &str, owner: Option<&str>, depth: usize, items: &mut Vec<Item>) {
    let mut cursor = tokens.walk();
    let children: Vec<Node<'_>> = tokens.children(&mut cursor).collect();
    let mut before = "";
    let mut head: Option<(&str, &str)> = None;
    for (place, child) in children.iter().enumerate() {
        let token = text_of(*child, text);
        if child.kind() == "token_tree" {
            let is_body = token.starts_with('{') && depth < MAX_DEPTH;
            // The body of a function has no items that are known outside.
            if is_body && head.is_none_or(|(keyword, _)| keyword != "fn") {
                add_items(*child, text, head.map(|(_, name)| name).or(owner), depth + 1, items);
            }
            head = if is_body { None } else { head };
        } else if token == ";" {
            head = None;
        } else if let Some(kinds) = kinds_of(token).filter(|_| !NOT_BEFORE_ITEMS.contains(&before)) {
            let mut after = children[place + 1..].iter().filter(|next| !matches!(text_of(**next, text), "ref" | "mut"));
            if let Some(name) = after.next().filter(|next| next.kind() == "identifier") {
                let written = text_of(*name, text);
                let named = Named::from_node(*name).with(kinds).with_label(format!("{token} {written}"));
                items.push(Item {
                    named: Named { scope: owner.map(str::to_owned), ..named },
                    start: child.start_byte(),
                });
                head = Some((token, written));
            }
        }
        before = token;
    }
}

/// Returns the kinds of what a keyword declares. An item in a macro has a chunk of its own only if it is large.
fn kinds_of(keyword: &str) -> Option<Kinds> {
    let symbol = match keyword {
        "const" => SymbolKind::Constant,
        "static" => SymbolKind::Variable,
        "fn" => SymbolKind::Function,
        "struct" => SymbolKind::Struct,
        "enum" => SymbolKind::Enum,
        "trait" => SymbolKind::Interface,
        "type" => SymbolKind::Type,
        _ => return None,
    };
    Some(Kinds::new(ChunkKind::Group, symbol))
}
