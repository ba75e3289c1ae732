//! Languages of data, configuration and documents: JSON, YAML, TOML, SQL, HCL (Terraform, Packer, Nomad), HTML and CSS.
//!
//! What a block of HCL defines is named by its address: `aws_s3_bucket.logs`, `module.vpc`, `var.region`.

use recall_core::{ChunkKind, Edge, SymbolKind};
use tree_sitter::Node;

use crate::guard::Hazard;

use super::{Call, Definition, Kinds, Named, Syntax, call, child_of_kind, import, imports, kubernetes, text_of};

pub(super) const JSON: Syntax = Syntax {
    definitions: &[Definition::key("pair", json_key)],
    blocks: &["document", "object", "array"],
    ..Syntax::bare("json", || tree_sitter_json::LANGUAGE.into())
};

pub(super) const YAML: Syntax = Syntax {
    definitions: &[
        Definition::module("document", "").named_by(kubernetes::object),
        Definition::key("block_mapping_pair", yaml_key),
    ],
    blocks: &["stream", "document", "block_mapping", "block_sequence", "flow_mapping", "flow_sequence"],
    addresses: Some(kubernetes::uses),
    // A mapping and a sequence may begin at the same column; each takes four bytes.
    hazard: Hazard::Columns { max: 100 },
    ..Syntax::bare("yaml", || tree_sitter_yaml::LANGUAGE.into())
};

pub(super) const TOML: Syntax = Syntax {
    definitions: &[
        Definition::key("table", toml_table),
        Definition::key("table_array_element", toml_table),
        Definition::key("pair", toml_key),
    ],
    blocks: &["document", "table", "table_array_element", "array", "inline_table"],
    ..Syntax::bare("toml", || tree_sitter_toml_ng::LANGUAGE.into())
};

fn json_key(node: Node<'_>, text: &str) -> Option<Named> {
    unquoted_name(node.child_by_field_name("key")?, text)
}

fn yaml_key(node: Node<'_>, text: &str) -> Option<Named> {
    unquoted_name(node.child_by_field_name("key")?, text)
}

fn toml_table(node: Node<'_>, text: &str) -> Option<Named> {
    unquoted_name(child_of_kind(node, &["bare_key", "dotted_key", "quoted_key"])?, text)
}

fn toml_key(node: Node<'_>, text: &str) -> Option<Named> {
    unquoted_name(child_of_kind(node, &["bare_key", "dotted_key", "quoted_key"])?, text)
}

/// A key without its quotes. A key that spans lines or is as long as prose is ignored.
fn unquoted_name(node: Node<'_>, text: &str) -> Option<Named> {
    const MAX_BYTES: usize = 120;
    let written = text_of(node, text);
    let name = written.trim_matches(['"', '\'']);
    if name.is_empty() || name.len() > MAX_BYTES || name.contains('\n') {
        return None;
    }
    let start = node.start_byte() + (written.len() - written.trim_start_matches(['"', '\'']).len());
    Some(Named::plain(start..start + name.len()))
}

const fn creates(node: &'static str, keyword: &'static str, chunk: ChunkKind, symbol: SymbolKind) -> Definition {
    Definition::new(node, keyword, Kinds::new(chunk, symbol)).named_by(object)
}

pub(super) const SQL: Syntax = Syntax {
    definitions: &[
        creates("create_table", "table", ChunkKind::Type, SymbolKind::Table),
        creates("create_view", "view", ChunkKind::Type, SymbolKind::Table),
        creates("create_materialized_view", "materialized view", ChunkKind::Type, SymbolKind::Table),
        creates("create_type", "type", ChunkKind::Type, SymbolKind::Type),
        creates("create_function", "function", ChunkKind::Function, SymbolKind::Function),
        creates("create_trigger", "trigger", ChunkKind::Group, SymbolKind::Table),
        creates("create_sequence", "sequence", ChunkKind::Group, SymbolKind::Table),
        creates("create_schema", "schema", ChunkKind::Group, SymbolKind::Module),
        creates("create_index", "index", ChunkKind::Group, SymbolKind::Table).named_by(index),
    ],
    blocks: &["program", "column_definitions", "block", "transaction", "function_body", "list"],
    comments: &["comment", "marginalia"],
    wrappers: &["statement"],
    calls: &[call("invocation", ""), call("relation", "")],
    ..Syntax::bare("sql", || tree_sitter_sequel::LANGUAGE.into())
};

/// `create table app.users` creates `users`.
fn object(node: Node<'_>, _text: &str) -> Option<Named> {
    let object = child_of_kind(node, &["object_reference", "identifier"])?;
    Some(Named::from_node(object.child_by_field_name("name").unwrap_or(object)))
}

fn index(node: Node<'_>, _text: &str) -> Option<Named> {
    node.child_by_field_name("column").or_else(|| child_of_kind(node, &["identifier"])).map(Named::from_node)
}

pub(super) const HCL: Syntax = Syntax {
    definitions: &[
        Definition::module("block", "").named_by(block).outermost(),
        Definition::constant("attribute", "").named_by(attribute).outermost(),
    ],
    blocks: &["config_file", "body"],
    imports: &[import("attribute", source)],
    addresses: Some(uses),
    ..Syntax::bare("hcl", || tree_sitter_hcl::LANGUAGE.into())
};

/// `resource "aws_s3_bucket" "logs"`: the last label is the name. A block of local values is none, because its values are.
fn block(node: Node<'_>, text: &str) -> Option<Named> {
    let word = child_of_kind(node, &["identifier"])?;
    let kind = text_of(word, text);
    let mut cursor = node.walk();
    let labels: Vec<Node<'_>> = node
        .named_children(&mut cursor)
        .skip(1)
        .take_while(|child| child.kind() != "block_start")
        .filter_map(|label| match label.kind() {
            "string_lit" => child_of_kind(label, &["template_literal"]),
            "identifier" => Some(label),
            _ => None,
        })
        .collect();
    let Some((name, types)) = labels.split_last() else {
        return (kind != "locals").then(|| Named::from_node(word).with(Kinds::KEY));
    };
    let kind_in_addresses = match kind {
        "resource" => None,
        "variable" => Some("var"),
        kind => Some(kind),
    };
    let scope: Vec<&str> =
        kind_in_addresses.into_iter().chain(types.iter().map(|label| text_of(*label, text))).collect();
    let kinds = if matches!(kind, "variable" | "output") { Kinds::CONSTANT } else { Kinds::MODULE };
    let address: Vec<&str> = scope.iter().copied().chain([text_of(*name, text)]).collect();
    let label = match kind {
        "resource" => format!("resource {}", address.join(".")),
        _ => address.join("."),
    };
    let is_name = address.iter().all(|part| !part.is_empty() && part.len() <= MOST_PART_BYTES && !part.contains('\n'));
    is_name.then(|| {
        Named { scope: (!scope.is_empty()).then(|| scope.join("::")), ..Named::from_node(*name) }
            .with_label(label)
            .with(kinds)
    })
}

/// The longest part of an address.
const MOST_PART_BYTES: usize = 120;

/// A local value, or a value of a file of variables.
fn attribute(node: Node<'_>, text: &str) -> Option<Named> {
    let name = child_of_kind(node, &["identifier"])?;
    let block = node.parent()?.parent()?;
    if block.kind() != "block" {
        return Some(Named::from_node(name).with(Kinds::KEY));
    }
    let is_local = text_of(child_of_kind(block, &["identifier"])?, text) == "locals";
    is_local.then(|| {
        let label = format!("local.{}", text_of(name, text));
        Named { scope: Some("local".to_owned()), ..Named::from_node(name) }.with_label(label)
    })
}

/// `source = "./modules/vpc"`. A module from a registry is not in the project.
fn source(text: &str, targets: &mut Vec<String>) {
    let Some((name, value)) = text.split_once('=') else { return };
    if name.trim() == "source" && value.trim_start().starts_with('"') {
        let mut found = Vec::new();
        imports::push_quoted(value, &mut found);
        targets.extend(found.into_iter().take(1).filter(|target| target.starts_with('.')));
    }
}

/// The addresses in expressions: `aws_s3_bucket.logs.arn`, `data.aws_ami.base.id`.
fn uses(root: Node<'_>, text: &str, found: &mut Vec<(u32, String)>) {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.kind() == "variable_expr"
            && let Some(target) = address(&text[node.start_byte()..])
        {
            found.push((node.start_byte() as u32, target));
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The address that a text begins with, as the target of a reference.
fn address(text: &str) -> Option<String> {
    let is_part_of_it = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let end = text.find(|c| !is_part_of_it(c)).unwrap_or(text.len());
    let mut parts = text[..end].split('.').filter(|part| !part.is_empty());
    let (kind, name) = (parts.next()?, parts.next()?);
    match kind {
        "data" | "source" => parts.next().map(|last| Edge::qualify(&format!("{kind}.{name}"), last)),
        "var" | "local" | "module" => Some(Edge::qualify(kind, name)),
        // The type of a resource begins with its provider. Other variables are bound in the expression.
        _ => kind.contains('_').then(|| Edge::qualify(kind, name)),
    }
}

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

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_end_before_the_attributes() {
        for (text, expected) in [
            ("aws_s3_bucket.logs.arn", Some("aws_s3_bucket.logs")),
            ("data.aws_ami.base.id]", Some("data.aws_ami.base")),
            ("var.region", Some("var.region")),
            ("module.vpc[0].id", Some("module.vpc")),
            ("each.value", None),
            ("var", None),
            ("aws_s3_bucket.logs-2[count.index]", Some("aws_s3_bucket.logs-2")),
        ] {
            assert_eq!(address(text).as_deref(), expected, "{text}");
        }
    }
}
