//! Chunks, symbols and edges from an outline and its pieces.

use std::collections::HashSet;
use std::ops::Range;

use recall_core::{ByteSpan, Chunk, ChunkKind, Edge, EdgeKind, ParseOutcome, ParsedDocument, Span, Symbol, SymbolKind};
use recall_text::tokens;

use crate::cut::{self, Piece};
use crate::lines::Lines;
use crate::outline::{DefinitionNode, Outline, Reference};

/// References kept per chunk. Beyond this they are the vocabulary of a large table and no longer distinguish chunks.
const MAX_REFERENCES: usize = 64;

/// Enclosing definitions that are named. Deeper nesting is data or an attack, and symbol paths must not grow with it.
const MAX_ENCLOSING: usize = 12;

/// The longest signature or label: two lines of a terminal.
const MAX_SIGNATURE_BYTES: usize = 240;

/// Builds the document that an outline describes.
pub(crate) fn document(lines: &Lines<'_>, outline: &Outline, max_tokens: u32) -> ParsedDocument {
    let document = Document { lines, outline };
    let pieces = cut::cut(lines, outline, max_tokens);
    let chunks: Vec<Chunk> =
        pieces.iter().enumerate().map(|(ordinal, piece)| document.chunk(ordinal as u32, piece)).collect();
    let symbols = document.symbols(&chunks);
    let edges = document.edges(&chunks, &symbols);
    ParsedDocument { title: None, tags: Vec::new(), chunks, symbols, edges, outcome: ParseOutcome::Parsed }
}

/// Adds the symbols and edges of an outline to a document that was cut without it.
pub(crate) fn add_names(lines: &Lines<'_>, outline: &Outline, document: &mut ParsedDocument) {
    let names = Document { lines, outline };
    let symbols = names.symbols(&document.chunks);
    document.edges.extend(names.edges(&document.chunks, &symbols));
    document.edges.sort_unstable();
    document.edges.dedup();
    document.symbols.extend(symbols);
    document.symbols.sort_by_key(|symbol| symbol.span.bytes.start);
}

struct Document<'a> {
    lines: &'a Lines<'a>,
    outline: &'a Outline,
}

impl Document<'_> {
    fn text(&self) -> &str {
        self.lines.text()
    }

    fn definition(&self, index: u32) -> &DefinitionNode {
        &self.outline.definitions[index as usize]
    }

    fn chunk(&self, ordinal: u32, piece: &Piece) -> Chunk {
        let span = match &piece.bytes {
            Some(bytes) => self.lines.span_of_bytes(bytes.start, bytes.end),
            None => self.lines.span(&piece.lines),
        };
        let found = piece.definition.map(|index| self.definition(index));
        Chunk {
            ordinal,
            kind: piece.kind,
            span,
            symbol: piece.definition.map(|index| self.path(index)),
            signature: found.and_then(|found| one_line(&self.text()[found.signature.clone()])),
            doc_comment: found.and_then(|found| found.doc),
            tokens: tokens::estimate(span.bytes.slice(self.text()).unwrap_or_default()),
        }
    }

    /// The definition and its ancestors, innermost first.
    fn enclosing(&self, index: u32) -> impl Iterator<Item = &DefinitionNode> {
        let mut next = Some(index);
        std::iter::from_fn(move || {
            let found = self.definition(next?);
            next = found.parent;
            Some(found)
        })
        .take(MAX_ENCLOSING)
    }

    /// The symbol path of a definition: `impl Store > fn open`.
    fn path(&self, index: u32) -> String {
        let mut labels: Vec<String> = self.enclosing(index).map(|found| self.label(found)).collect();
        labels.reverse();
        labels.join(" > ")
    }

    fn label(&self, found: &DefinitionNode) -> String {
        let name = &self.text()[found.name.clone()];
        let label = match &found.label {
            Some(label) => one_line(label).unwrap_or_default(),
            None if found.keyword.is_empty() => name.to_owned(),
            None => format!("{} {name}", found.keyword),
        };
        match &found.scope {
            // An explicit label already contains the scope, written as in the language.
            Some(scope) if found.label.is_none() => format!("{scope} > {label}"),
            _ => label,
        }
    }

    /// The qualified name of a definition: `Store::open`.
    fn qualified_name(&self, index: u32) -> String {
        let mut names = Vec::new();
        let is_key = |found: &DefinitionNode| found.kinds.symbol == Some(SymbolKind::Key);
        let is_own_key = is_key(self.definition(index));
        for found in self.enclosing(index) {
            // An element of a page is not a scope of the functions in it.
            if is_key(found) && !is_own_key {
                continue;
            }
            let name = &self.text()[found.name.clone()];
            // `class << self` adds no name, but a variable may be named `self`.
            if name != "self" || found.kinds.symbol.is_some() {
                names.push(name);
            }
            names.extend(found.scope.as_deref());
        }
        names.reverse();
        names.join("::")
    }

    fn symbols(&self, chunks: &[Chunk]) -> Vec<Symbol> {
        let all = self.outline.definitions.iter().enumerate();
        let symbols = all.filter_map(|(index, found)| {
            let kind = match found.kinds.symbol? {
                SymbolKind::Function if self.is_method(found) => SymbolKind::Method,
                kind => kind,
            };
            Some(Symbol {
                name: self.text()[found.name.clone()].to_owned(),
                qualified: self.qualified_name(index as u32),
                kind,
                span: span_of(found),
                chunk: chunk_at(chunks, found.name.start),
            })
        });
        let mut symbols: Vec<Symbol> = symbols.collect();
        // A definition starts at its decorators, and definitions inside them were found before it.
        symbols.sort_by_key(|symbol| symbol.span.bytes.start);
        symbols
    }

    /// The locally bound names, each with its outermost definition. Inside that definition they do not refer to
    /// definitions of the same name elsewhere.
    fn bound(&self) -> HashSet<(Option<u32>, &str)> {
        let bound = self.outline.bound.iter();
        bound.filter_map(|span| Some((self.outermost(span.start), span.slice(self.text())?))).collect()
    }

    /// The outermost ancestor of the last definition that starts at or before a byte.
    fn outermost(&self, byte: u32) -> Option<u32> {
        let definitions = &self.outline.definitions;
        let after = definitions.partition_point(|found| found.bytes.start <= byte as usize);
        let mut index = after.checked_sub(1)? as u32;
        while let Some(parent) = self.definition(index).parent {
            index = parent;
        }
        Some(index)
    }

    /// The modules that a qualifier names: those imported under that name. If there are none, the module of that name,
    /// provided that only a module can be written there.
    fn modules<'q>(&'q self, qualifier: &'q str) -> impl Iterator<Item = &'q str> {
        let aliases = self.outline.aliases.iter().filter(move |alias| alias.name == qualifier);
        let mut modules = aliases.map(|alias| alias.module.as_str()).peekable();
        let own = (self.outline.all_qualifiers && modules.peek().is_none()).then_some(qualifier);
        modules.chain(own)
    }

    fn is_method(&self, found: &DefinitionNode) -> bool {
        found.scope.is_some()
            || found.parent.is_some_and(|parent| self.definition(parent).kinds.chunk == ChunkKind::Type)
    }

    fn edges(&self, chunks: &[Chunk], symbols: &[Symbol]) -> Vec<Edge> {
        let mut edges: Vec<Edge> = self
            .outline
            .imports
            .iter()
            .map(|(at, target)| Edge {
                kind: EdgeKind::Imports,
                chunk: chunk_at(chunks, *at as usize),
                target: target.clone(),
            })
            .collect();
        let mut references = self.outline.references.clone();
        references.sort_unstable();
        let mut own: Vec<(u32, &str)> = symbols.iter().map(|symbol| (symbol.chunk, symbol.name.as_str())).collect();
        own.sort_unstable();
        let bound = self.bound();
        let mut seen: HashSet<(Option<&str>, &str)> = HashSet::new();
        let mut chunk = 0;
        for reference in references {
            while chunk + 1 < chunks.len() && chunks[chunk].span.bytes.end <= reference.name.start {
                chunk += 1;
                seen.clear();
            }
            let Reference { name: span, qualifier } = reference;
            let name = span.slice(self.text()).unwrap_or_default();
            // A qualifier may also be a variable.
            let qualifier = qualifier.and_then(|qualifier| qualifier.slice(self.text()));
            let qualifier = qualifier.filter(|qualifier| self.modules(qualifier).next().is_some());
            let is_own = || {
                own.binary_search(&(chunk as u32, name)).is_ok()
                    || !bound.is_empty() && bound.contains(&(self.outermost(span.start), name))
            };
            if seen.len() == MAX_REFERENCES || qualifier.is_none() && is_own() || !seen.insert((qualifier, name)) {
                continue;
            }
            let edge = |target| Edge { kind: EdgeKind::References, chunk: chunk as u32, target };
            match qualifier {
                None => edges.push(edge(name.to_owned())),
                Some(qualifier) => {
                    edges.extend(self.modules(qualifier).map(|module| edge(Edge::qualify(module, name))));
                }
            }
        }
        self.add_addresses(chunks, &mut edges);
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Adds the uses that are not names in the text, as many of each chunk as of names.
    fn add_addresses(&self, chunks: &[Chunk], edges: &mut Vec<Edge>) {
        let chunk_of = |(at, target): &(u32, String)| Edge {
            kind: EdgeKind::References,
            chunk: chunk_at(chunks, *at as usize),
            target: target.clone(),
        };
        let mut addressed: Vec<Edge> = self.outline.addresses.iter().map(chunk_of).collect();
        addressed.sort_unstable();
        addressed.dedup();
        for of_chunk in addressed.chunk_by(|one, next| one.chunk == next.chunk) {
            edges.extend(of_chunk.iter().take(MAX_REFERENCES).cloned());
        }
    }
}

fn span_of(found: &DefinitionNode) -> Span {
    let Range { start, end } = found.bytes;
    Span {
        bytes: ByteSpan { start: start as u32, end: end as u32 },
        start_line: found.lines.start as u32 + 1,
        end_line: found.lines.end as u32,
    }
}

/// The chunk that contains a byte. If the byte lies between chunks, the one before it.
pub(crate) fn chunk_at(chunks: &[Chunk], byte: usize) -> u32 {
    chunks.partition_point(|chunk| chunk.span.bytes.start as usize <= byte).saturating_sub(1) as u32
}

/// Collapses white space to single spaces and truncates at the longest signature. `None` if nothing is left.
fn one_line(text: &str) -> Option<String> {
    let mut line = String::with_capacity(text.len().min(MAX_SIGNATURE_BYTES));
    for word in text.split_whitespace() {
        if line.len() + word.len() >= MAX_SIGNATURE_BYTES {
            let room = MAX_SIGNATURE_BYTES.saturating_sub(line.len() + 1);
            if line.is_empty() {
                line.push_str(&word[..word.floor_char_boundary(room)]);
            }
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let head = line.trim_end_matches(['{', ':', ';', ' ']);
    let head = head.strip_suffix("=>").or_else(|| head.strip_suffix('=')).unwrap_or(head).trim_end();
    (!head.is_empty()).then(|| head.to_owned())
}
