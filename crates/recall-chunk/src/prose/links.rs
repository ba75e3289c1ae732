//! Links from a text to other documents.

use recall_core::{Chunk, Edge, EdgeKind};

use crate::lines::Lines;

/// The relative links of each chunk, `](target)`, without anchors and titles.
pub(super) fn find(lines: &Lines<'_>, chunks: &[Chunk]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for chunk in chunks {
        let text = chunk.span.bytes.slice(lines.text()).unwrap_or_default();
        let mut rest = text;
        while let Some(open) = rest.find("](") {
            rest = &rest[open + 2..];
            let Some(close) = rest.find([')', '\n']) else { break };
            if let Some(target) = relative(&rest[..close]) {
                edges.push(Edge { kind: EdgeKind::RelatesTo, chunk: chunk.ordinal, target: target.to_owned() });
            }
        }
    }
    edges
}

/// The path of a link, if it leads to a file of the same tree.
fn relative(link: &str) -> Option<&str> {
    const MAX_BYTES: usize = 300;
    let path = link.trim().trim_start_matches('<').split([' ', '>', '#', '?']).next()?;
    let is_elsewhere = path.contains("://") || path.starts_with("mailto:") || path.starts_with("//");
    (!path.is_empty() && path.len() <= MAX_BYTES && !is_elsewhere).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn only_links_to_files_relate() {
        for (link, expected) in [
            ("adr/0001.md#context", Some("adr/0001.md")),
            ("<a b.md> \"title\"", Some("a")),
            ("https://example.org", None),
            ("mailto:a@b", None),
            ("#anchor", None),
            ("", None),
        ] {
            assert_eq!(relative(link), expected, "{link}");
        }
    }
}
