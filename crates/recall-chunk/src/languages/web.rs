//! HTML and CSS.

use tree_sitter::Node;

use super::{Call, Definition, Named, Syntax, child_of_kind, import, imports, text_of};

pub(super) const HTML: Syntax = Syntax {
    definitions: &[
        Definition::key("element", element),
        Definition::key("script_element", element),
        Definition::key("style_element", element),
    ],
    blocks: &["document", "element"],
    imports: &[import("attribute", push_linked)],
    calls: &[] as &[Call],
    ..Syntax::bare("html", || tree_sitter_html::LANGUAGE.into())
};

pub(super) const CSS: Syntax = Syntax {
    definitions: &[
        Definition::key("rule_set", rule),
        Definition::key("media_statement", at_rule),
        Definition::key("supports_statement", at_rule),
        Definition::key("keyframes_statement", at_rule),
        Definition::key("at_rule", at_rule),
    ],
    blocks: &["stylesheet", "block", "keyframe_block_list"],
    comments: &["comment", "js_comment"],
    imports: &[import("import_statement", imports::push_quoted)],
    ..Syntax::bare("css", || tree_sitter_css::LANGUAGE.into())
};

/// Elements with an id, and the usual divisions of a page: `section#about`, `head`.
fn element(node: Node<'_>, text: &str) -> Option<Named> {
    const DIVISIONS: &[&str] = &[
        "head", "body", "header", "footer", "main", "nav", "section", "article", "aside", "form", "table", "template",
    ];
    let tag = child_of_kind(node, &["start_tag"])?;
    let tag_name = child_of_kind(tag, &["tag_name"])?;
    let written = text_of(tag_name, text);
    let mut cursor = tag.walk();
    let id = tag.named_children(&mut cursor).filter(|child| child.kind() == "attribute").find_map(|attribute| {
        let name = child_of_kind(attribute, &["attribute_name"])?;
        (text_of(name, text) == "id").then(|| attribute.named_child(1))?
    });
    let Some(id) = id.map(|value| child_of_kind(value, &["attribute_value"]).unwrap_or(value)) else {
        return DIVISIONS.contains(&written).then(|| Named::from_node(tag_name));
    };
    let name = text_of(id, text);
    (!name.is_empty() && name.len() <= 120).then(|| Named::from_node(id).with_label(format!("{written}#{name}")))
}

fn rule(node: Node<'_>, text: &str) -> Option<Named> {
    selector(child_of_kind(node, &["selectors"])?, text)
}

/// `@media (min-width: 40em)`: everything before the block.
fn at_rule(node: Node<'_>, text: &str) -> Option<Named> {
    let end =
        child_of_kind(node, &["block", "keyframe_block_list"]).map_or(node.end_byte(), |block| block.start_byte());
    let head = text.get(node.start_byte()..end)?.trim_end();
    let end = node.start_byte() + head.len();
    (!head.is_empty() && head.len() <= 200).then(|| Named::plain(node.start_byte()..end).with_label(one_line(head)))
}

/// A list of selectors, named by the first and shown whole.
fn selector(selectors: Node<'_>, text: &str) -> Option<Named> {
    let written = text_of(selectors, text);
    let first = written.split([',', '\n']).next()?.trim_end();
    let start = selectors.start_byte();
    (!first.is_empty() && written.len() <= 200)
        .then(|| Named::plain(start..start + first.len()).with_label(one_line(written)))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `src` and stylesheet `href` attributes import other files of the site. Links for readers do not.
fn push_linked(text: &str, targets: &mut Vec<String>) {
    let Some((name, _)) = text.split_once('=') else { return };
    let mut found = Vec::new();
    imports::push_quoted(text, &mut found);
    let is_asset = |target: &str| {
        let path = target.split(['?', '#']).next().unwrap_or(target);
        [".js", ".mjs", ".ts", ".css"].iter().any(|ending| path.ends_with(ending))
    };
    if matches!(name.trim(), "src" | "href") {
        targets.extend(found.into_iter().filter(|target| is_asset(target)));
    }
}
