//! HCL: Terraform, Packer, Nomad.
//!
//! What a block defines is named by its address: `aws_s3_bucket.logs`, `module.vpc`, `var.region`.

use recall_core::Edge;
use tree_sitter::Node;

use super::{Definition, Kinds, Named, Syntax, child_of_kind, import, imports, text_of};

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
