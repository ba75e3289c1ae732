//! Cutting of prose.
//!
//! Cuts at headings, and sections over the limit between paragraphs. A fenced block is kept whole. Headings of
//! Markdown, reStructuredText, `AsciiDoc`, Org and plain text are recognized line by line. The contents of a line are
//! not parsed, except for links.

mod heading;
mod section;

use recall_core::{Chunk, ChunkKind, Edge, EdgeKind, ParseOutcome, ParsedDocument, Symbol, SymbolKind};
use recall_text::{normalize_text, tokens};

use self::heading::Heading;
use self::section::Piece;
use crate::lines::Lines;

/// A markup whose headings are known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markup {
    Markdown,
    RestructuredText,
    AsciiDoc,
    Org,
    Plain,
}

impl Markup {
    /// The markup of a language. `None` if it is not prose.
    pub(crate) fn for_language(language: &str) -> Option<Self> {
        Some(match language {
            "markdown" => Self::Markdown,
            "rst" => Self::RestructuredText,
            "asciidoc" => Self::AsciiDoc,
            "org" => Self::Org,
            "text" => Self::Plain,
            _ => return None,
        })
    }
}

/// The level of division above sections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Division {
    /// None.
    Document,
    /// Cells, separated by two blank lines.
    Cells,
}

/// Cuts a prose text.
pub(crate) fn document(lines: &Lines<'_>, markup: Markup, division: Division, max_tokens: u32) -> ParsedDocument {
    let front = FrontMatter::read(lines, markup);
    let headings = heading::find(lines, markup, front.lines);
    let pieces = section::cut(lines, &headings, division, max_tokens);
    let chunks: Vec<Chunk> =
        pieces.iter().enumerate().map(|(ordinal, piece)| chunk(lines, &headings, ordinal as u32, piece)).collect();
    let symbols = symbols(lines, &headings, &chunks);
    let mut edges = find_links(lines, &chunks);
    edges.extend(front.supersedes.into_iter().map(|target| Edge { kind: EdgeKind::Supersedes, chunk: 0, target }));
    edges.extend(front.related.into_iter().map(|target| Edge { kind: EdgeKind::RelatesTo, chunk: 0, target }));
    if chunks.is_empty() {
        edges.clear();
    }
    edges.sort_unstable();
    edges.dedup();
    let title = front.title.or_else(|| headings.first().map(|heading| heading.title.clone()));
    ParsedDocument { title, tags: front.tags, chunks, symbols, edges, outcome: ParseOutcome::Parsed }
}

fn chunk(lines: &Lines<'_>, headings: &[Heading], ordinal: u32, piece: &Piece) -> Chunk {
    let span = match &piece.bytes {
        Some(bytes) => lines.span_of_bytes(bytes.start, bytes.end),
        None => lines.span(&piece.lines),
    };
    Chunk {
        ordinal,
        kind: piece.kind,
        span,
        symbol: piece.heading.map(|heading| path(headings, heading)),
        signature: None,
        doc_comment: None,
        tokens: tokens::estimate(span.bytes.slice(lines.text()).unwrap_or_default()),
    }
}

/// The titles from the outermost heading to this one: `Storage > Journal`.
fn path(headings: &[Heading], index: usize) -> String {
    let mut titles = vec![headings[index].title.as_str()];
    let mut parent = headings[index].parent;
    while let Some(index) = parent {
        titles.push(&headings[index].title);
        parent = headings[index].parent;
    }
    titles.reverse();
    titles.join(" > ")
}

fn symbols(lines: &Lines<'_>, headings: &[Heading], chunks: &[Chunk]) -> Vec<Symbol> {
    let symbol = |(index, heading): (usize, &Heading)| {
        let end = headings[index + 1..]
            .iter()
            .find(|next| next.level <= heading.level)
            .map_or(lines.len(), |next| next.lines.start);
        let section = lines.trim(heading.lines.start..end);
        Symbol {
            name: heading.title.clone(),
            qualified: path(headings, index).replace(" > ", "::"),
            kind: SymbolKind::Heading,
            span: lines.span(&section),
            chunk: crate::code::chunk_at(chunks, lines.first(heading.lines.start)),
        }
    };
    headings.iter().enumerate().map(symbol).collect()
}

/// The chunk kind of a division's parts.
fn kind_of(division: Division) -> ChunkKind {
    match division {
        Division::Document => ChunkKind::Section,
        Division::Cells => ChunkKind::Cell,
    }
}

/// The relative links of each chunk, `](target)`, without anchors and titles.
fn find_links(lines: &Lines<'_>, chunks: &[Chunk]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for chunk in chunks {
        let text = chunk.span.bytes.slice(lines.text()).unwrap_or_default();
        let mut rest = text;
        while let Some(open) = rest.find("](") {
            rest = &rest[open + 2..];
            let Some(close) = rest.find([')', '\n']) else { break };
            if let Some(target) = link_target(&rest[..close]) {
                edges.push(Edge { kind: EdgeKind::RelatesTo, chunk: chunk.ordinal, target: target.to_owned() });
            }
        }
    }
    edges
}

/// The path of a link, if it leads to a file of the same tree.
fn link_target(link: &str) -> Option<&str> {
    const MAX_BYTES: usize = 300;
    let path = link.trim().trim_start_matches('<').split([' ', '>', '#', '?']).next()?;
    let is_elsewhere = path.contains("://") || path.starts_with("mailto:") || path.starts_with("//");
    (!path.is_empty() && path.len() <= MAX_BYTES && !is_elsewhere).then_some(path)
}

/// The declarations in a document's front matter.
#[derive(Debug, Default, PartialEq, Eq)]
struct FrontMatter {
    /// The number of lines it takes. 0 if there is none.
    lines: usize,
    title: Option<String>,
    tags: Vec<String>,
    supersedes: Vec<String>,
    related: Vec<String>,
}

impl FrontMatter {
    /// Reads YAML between `---` or TOML between `+++` at the top of a Markdown text.
    ///
    /// Reads scalars and lists of scalars at the top level, and ignores everything else.
    fn read(lines: &Lines<'_>, markup: Markup) -> Self {
        if markup != Markup::Markdown || lines.len() == 0 {
            return Self::default();
        }
        let fence = lines.get(0).trim_end();
        let separator = match fence {
            "---" => ':',
            "+++" => '=',
            _ => return Self::default(),
        };
        let Some(end) = (1..lines.len()).find(|&line| lines.get(line).trim_end() == fence) else {
            return Self::default();
        };
        let mut front = Self { lines: end + 1, ..Self::default() };
        let mut key = String::new();
        for line in (1..end).map(|line| lines.get(line)) {
            if let Some(item) = line.trim_start().strip_prefix("- ") {
                front.add(&key, item);
                continue;
            }
            if line.starts_with([' ', '\t']) {
                continue;
            }
            if let Some((name, value)) = line.split_once(separator) {
                key = name.trim().trim_matches('"').to_ascii_lowercase();
                match value.trim().strip_prefix('[') {
                    Some(list) => {
                        list.trim_end_matches(']').split(',').for_each(|item| front.add(&key, item));
                    }
                    None => front.add(&key, value),
                }
            }
        }
        front.tags.sort_unstable();
        front.tags.dedup();
        front
    }

    fn add(&mut self, key: &str, value: &str) {
        let value = value.trim().trim_matches(['"', '\'']).trim();
        if value.is_empty() {
            return;
        }
        match key {
            "title" => self.title = Some(value.to_owned()),
            "tags" | "tag" | "keywords" | "categories" => self.tags.push(normalize_text(value).into_owned()),
            "supersedes" | "replaces" => self.supersedes.push(value.to_owned()),
            "related" | "related_files" | "relates_to" | "see_also" => self.related.push(value.to_owned()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(link_target(link), expected, "{link}");
        }
    }

    fn read(text: &str) -> FrontMatter {
        FrontMatter::read(&Lines::new(text), Markup::Markdown)
    }

    #[test]
    fn front_matter_is_read_from_both_notations() {
        let yaml =
            "---\ntitle: \"A: B\"\ntags:\n  - zeta\n  - alpha\nsupersedes: 0001-a.md\nnested:\n  title: no\n---\n# x\n";
        let front = read(yaml);
        assert_eq!(
            (front.lines, front.title.as_deref(), front.tags, front.supersedes),
            (9, Some("A: B"), vec!["alpha".to_owned(), "zeta".to_owned()], vec!["0001-a.md".to_owned()])
        );
        let toml = read("+++\ntitle = 'T'\ntags = [\"a\", 'b']\n+++\n");
        assert_eq!((toml.title.as_deref(), toml.tags.len()), (Some("T"), 2));
    }

    #[test]
    fn a_rule_at_the_top_is_not_front_matter() {
        assert_eq!(read("---\nno end\n"), FrontMatter::default());
        assert_eq!(read(""), FrontMatter::default());
    }
}
