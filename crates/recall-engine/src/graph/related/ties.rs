//! The document or the part of it that a query is about, and the computation of its ties and their strengths.

use std::collections::{BTreeMap, HashMap};

use recall_core::{
    ByteSpan, Chunk, ChunkId, ChunkRow, Document, DocumentType, Edge, EdgeKind, Filters, Lines, Symbol, SymbolKind,
};

use crate::error::{GraphError, StoreError};
use crate::graph::answer::{RelatedDocument, RelatedRequest, Tie};
use crate::graph::definitions::{Definition, NameResolver};
use crate::graph::start::{Name, by_id, by_path};
use crate::links::meaning::is_used_by_name;

/// The most names of a part that are followed to their definitions, the most used first.
const MOST_USED: usize = 48;

/// The most definitions of a part that are followed to their users, the largest first, and the most chunks that each may read.
/// Reading a chunk takes about 20 µs, so together they take a few milliseconds at most.
const MOST_DEFINED: usize = 8;
const MOST_USES: usize = 24;

/// The most similar chunks that are considered.
pub(super) const MOST_ALIKE: usize = 100;

/// The most bytes of a text that are compared with others.
pub(super) const COMPARED_BYTES: usize = 16 * 1024;

/// The sum of name weights that gives half a tie's strength: one name that may mean two documents.
const HALF_STRENGTH: f64 = 0.5;

/// The factor on an edge that the document states outside the requested part.
const OUTSIDE_PART: f64 = 0.5;

/// The ties of documents to a part, by the index of the document among the store's paths.
#[derive(Default)]
pub(crate) struct Ties {
    by_document: BTreeMap<u32, BTreeMap<Tie, Strength>>,
}

/// The strength of a tie, and its location.
#[derive(Clone, Copy, Default)]
struct Strength {
    /// Above 0; bounded to at most 1 at the end.
    sum: f64,
    spot: Option<Spot>,
}

/// A location in the related document.
#[derive(Clone, Copy)]
enum Spot {
    /// Lines, from 1.
    Lines(u32, u32),
    /// A chunk by its ordinal in the document.
    Ordinal(u32),
    Row(ChunkRow),
}

/// A tie with its contribution to the score.
type Weighed = (f64, Tie, Strength);

impl Ties {
    pub(crate) fn find(names: &mut NameResolver<'_>, part: &Part, types: &[DocumentType]) -> Result<Self, StoreError> {
        let mut ties = Self::default();
        ties.add_stated(names, part);
        ties.add_used(names, part)?;
        ties.add_users(names, part)?;
        ties.add_alike(names, part, types)?;
        ties.by_document.remove(&part.document);
        Ok(ties)
    }

    fn add(&mut self, document: u32, tie: Tie, strength: f64, spot: Option<Spot>) {
        let known = self.by_document.entry(document).or_default().entry(tie).or_default();
        known.sum += strength;
        known.spot = known.spot.or(spot);
    }

    /// Adds imports, links and declared relations, in both directions.
    fn add_stated(&mut self, names: &NameResolver<'_>, part: &Part) {
        let aside = |is_in_part: bool| if is_in_part { 1.0 } else { OUTSIDE_PART };
        for edge in names.stated.from(part.document) {
            let strength = aside(part.chunks.contains(&edge.chunk)) / f64::from(edge.meant);
            self.add(edge.to, tie_of(edge.kind, Tie::Imports), strength, None);
        }
        for edge in names.stated.to(part.document) {
            let strength = aside(part.extent == Extent::Whole) / f64::from(edge.meant);
            self.add(edge.from, tie_of(edge.kind, Tie::ImportedBy), strength, Some(Spot::Ordinal(edge.chunk)));
        }
    }

    /// Adds definitions elsewhere that the part uses by name.
    fn add_used(&mut self, names: &mut NameResolver<'_>, part: &Part) -> Result<(), StoreError> {
        let row = names.row(part.document);
        let edges = names.read(|snapshot| snapshot.edges_of(row))?;
        let is_in_part = |edge: &&Edge| {
            edge.kind == EdgeKind::References
                && part.chunks.contains(&edge.chunk)
                && (part.extent == Extent::Whole || part.text.contains(Edge::split_qualifier(&edge.target).1))
        };
        let mut used: HashMap<&str, u32> = HashMap::new();
        for edge in edges.iter().filter(is_in_part) {
            *used.entry(&edge.target).or_default() += 1;
        }
        let mut used: Vec<(&str, u32)> = used.into_iter().collect();
        used.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        for (name, _) in used.into_iter().take(MOST_USED) {
            let (module, name) = Edge::split_qualifier(name);
            let meant = names.meant_by(part.document, module, name)?;
            let share = 1.0 / meant.iter().map(|definitions| definitions.len()).sum::<usize>().max(1) as f64;
            for Definition { document, symbol } in meant.iter().flat_map(|definitions| definitions.iter()) {
                let spot = Spot::Lines(symbol.span.start_line, symbol.span.end_line);
                self.add(*document, Tie::References, share, Some(spot));
            }
        }
        Ok(())
    }

    /// Adds documents that use definitions of the part by name.
    fn add_users(&mut self, names: &mut NameResolver<'_>, part: &Part) -> Result<(), StoreError> {
        let row = names.row(part.document);
        let symbols = names.read(|snapshot| snapshot.symbols_of(row))?;
        for symbol in likely_named(symbols, part) {
            let mentions = names.mentions(&symbol.name, MOST_USES)?;
            for mention in &mentions.found {
                let means = names.meant_by(mention.document, mention.module.as_deref(), &symbol.name)?;
                if means.iter().any(|meant| meant[0].document == part.document) {
                    let share = 1.0 / means.iter().map(|meant| meant.len()).sum::<usize>() as f64;
                    self.add(mention.document, Tie::ReferencedBy, share, Some(Spot::Row(mention.chunk)));
                }
            }
        }
        Ok(())
    }

    /// Adds documents that share distinctive words. The strength is the score of their best chunk, divided by the score of the
    /// part itself.
    fn add_alike(&mut self, names: &NameResolver<'_>, part: &Part, types: &[DocumentType]) -> Result<(), StoreError> {
        let compared = &part.text[..part.text.floor_char_boundary(COMPARED_BYTES)];
        let alike = |filters: &Filters, depth: usize| {
            names.searcher.more_like_this(compared, filters, depth).map_err(|source| names.search_error(source))
        };
        // The best score is that of the chunk that the text was taken from. A type filter may leave that chunk out, so
        // it is searched without one.
        let everything = alike(&Filters::default(), if types.is_empty() { MOST_ALIKE } else { 1 })?;
        let Some(best) = everything.first().map(|candidate| candidate.score) else { return Ok(()) };
        let alike = if types.is_empty() {
            everything
        } else {
            alike(&Filters { types: types.to_vec(), ..Filters::default() }, MOST_ALIKE)?
        };
        let mut chunks: Vec<(u32, ChunkRow, f64)> = Vec::new();
        for candidate in alike {
            let Some(document) = names.stated.paths.in_row(candidate.document) else { continue };
            if document == part.document || chunks.iter().any(|(known, ..)| *known == document) {
                continue;
            }
            chunks.push((document, candidate.chunk, f64::from(candidate.score / best)));
        }
        for (document, chunk, strength) in chunks {
            self.add(document, Tie::Similar, strength, Some(Spot::Row(chunk)));
        }
        Ok(())
    }

    /// Returns the related documents, the greatest score first.
    pub(crate) fn into_documents(
        self,
        names: &NameResolver<'_>,
        request: &RelatedRequest,
    ) -> Result<Vec<RelatedDocument>, StoreError> {
        let mut ranked: Vec<(f64, u32, Vec<Weighed>)> = Vec::new();
        for (document, ties) in self.by_document {
            let worth = |(tie, strength): (Tie, Strength)| (tie.weight() * tie.with_bound(strength.sum), tie, strength);
            let mut ties: Vec<Weighed> = ties.into_iter().map(worth).collect();
            ties.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            ranked.push((ties.iter().map(|(worth, ..)| worth).sum(), document, ties));
        }
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| names.path(a.1).cmp(names.path(b.1))));
        let mut documents = Vec::new();
        for (score, number, ties) in ranked {
            if documents.len() == request.limit as usize {
                break;
            }
            let row = names.row(number);
            let Some(stored) = names.read(|snapshot| snapshot.document_in(row))? else { continue };
            let document = stored.document;
            if !request.types.is_empty() && !request.types.contains(&document.document_type) {
                continue;
            }
            let spot = ties.iter().find_map(|(_, _, strength)| strength.spot);
            documents.push(RelatedDocument {
                citation: spot.map(|spot| citation(names, &document, spot)).transpose()?.flatten(),
                ties: ties.into_iter().map(|(_, tie, _)| tie).collect(),
                document,
                score,
            });
        }
        Ok(documents)
    }
}

impl Tie {
    /// Bounds a strength to 0 to 1. Each further name adds less.
    fn with_bound(self, sum: f64) -> f64 {
        match self {
            Self::References | Self::ReferencedBy => sum / (HALF_STRENGTH + sum),
            Self::RelatesTo | Self::Supersedes | Self::Imports | Self::ImportedBy | Self::Similar => sum.min(1.0),
        }
    }
}

/// Returns the definitions of a part that users are likely to name: types first, then the largest.
fn likely_named(symbols: Vec<Symbol>, part: &Part) -> Vec<Symbol> {
    let size = |symbol: &Symbol| symbol.span.bytes.end - symbol.span.bytes.start;
    let is_type = |symbol: &Symbol| {
        matches!(
            symbol.kind,
            SymbolKind::Class | SymbolKind::Struct | SymbolKind::Enum | SymbolKind::Interface | SymbolKind::Type
        )
    };
    let is_within =
        |symbol: &Symbol| symbol.span.bytes.start < part.span.end && part.span.start < symbol.span.bytes.end;
    let mut likely_named: Vec<Symbol> =
        symbols.into_iter().filter(|symbol| is_used_by_name(symbol.kind) && is_within(symbol)).collect();
    likely_named.sort_by(|a, b| {
        let key = |symbol: &Symbol| (!is_type(symbol), std::cmp::Reverse(size(symbol)), symbol.span.bytes.start);
        key(a).cmp(&key(b))
    });
    let mut seen = std::collections::HashSet::new();
    likely_named.retain(|symbol| seen.insert(symbol.name.clone()));
    likely_named.truncate(MOST_DEFINED);
    likely_named
}

/// Returns the tie of an edge; `import` if the edge is an import.
fn tie_of(kind: EdgeKind, import: Tie) -> Tie {
    match kind {
        EdgeKind::Imports => import,
        EdgeKind::Supersedes => Tie::Supersedes,
        EdgeKind::RelatesTo | EdgeKind::Defines | EdgeKind::References => Tie::RelatesTo,
    }
}

/// Returns the citation `path:start-end@hash` of a location in a document; `None` if it no longer exists.
fn citation(names: &NameResolver<'_>, document: &Document, spot: Spot) -> Result<Option<String>, StoreError> {
    let span = match spot {
        Spot::Lines(start, end) => return Ok(Some(format_citation(document, start, end))),
        Spot::Ordinal(ordinal) => {
            let id = ChunkId { document: document.id, ordinal };
            names.read(|snapshot| snapshot.chunk(id))?.map(|stored| stored.chunk.span)
        }
        Spot::Row(row) => names.read(|snapshot| snapshot.chunk_span(row))?,
    };
    Ok(span.map(|span| format_citation(document, span.start_line, span.end_line)))
}

pub(super) fn format_citation(document: &Document, start: u32, end: u32) -> String {
    format!("{}:{start}-{end}@{}", document.path, document.hash.short())
}

/// A document or a part of it.
pub(crate) struct Part {
    /// The index of the document among the store's paths.
    pub(crate) document: u32,
    pub(crate) text: String,
    /// Its span in the document's text.
    pub(crate) span: ByteSpan,
    /// The chunks that it overlaps, by their ordinals in the document.
    pub(crate) chunks: Vec<u32>,
    /// Whether it is the whole document.
    pub(crate) extent: Extent,
}

/// How much of a document a part covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    Some,
}

impl Part {
    /// Reads the part that a name and lines denote; `None` if the store does not know the document.
    ///
    /// # Errors
    /// The document does not have the lines, or the store cannot be read.
    pub(crate) fn read(
        names: &NameResolver<'_>,
        name: &Name,
        lines: Option<Lines>,
    ) -> Result<Option<Self>, GraphError> {
        let document = match name {
            Name::Document(id) => by_id(names, *id)?,
            Name::Chunk(id) => by_id(names, id.document)?,
            Name::Paths(paths) => by_path(names, paths),
        };
        let Some(document) = document else { return Ok(None) };
        let row = names.row(document);
        let (text, chunks) =
            names.read(|snapshot| Ok((snapshot.text(row)?.unwrap_or_default(), snapshot.chunks_of(row)?)))?;
        let whole = ByteSpan { start: 0, end: text.len() as u32 };
        let span = match (name, lines) {
            (Name::Chunk(id), _) => match chunks.get(id.ordinal as usize) {
                Some(chunk) => chunk.span.bytes,
                None => return Ok(None),
            },
            (_, Some(lines)) => span_of(&text, lines).ok_or_else(|| GraphError::NoLines {
                path: names.path(document).to_owned(),
                lines: text.lines().count() as u32,
                start: lines.start,
                end: lines.end,
            })?,
            (_, None) => whole,
        };
        let touches = |chunk: &&Chunk| chunk.span.bytes.start < span.end && span.start < chunk.span.bytes.end;
        Ok(Some(Self {
            document,
            chunks: chunks.iter().filter(touches).map(|chunk| chunk.ordinal).collect(),
            extent: if span == whole { Extent::Whole } else { Extent::Some },
            text: span.slice(&text).unwrap_or_default().to_owned(),
            span,
        }))
    }
}

/// Returns the span of lines in a text; `None` if it has none of them.
pub(super) fn span_of(text: &str, lines: Lines) -> Option<ByteSpan> {
    if lines.start == 0 || lines.end < lines.start {
        return None;
    }
    let mut start = None;
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if number == lines.start {
            start = Some(at);
        }
        at += line.len() as u32;
        if number == lines.end {
            break;
        }
    }
    start.map(|start| ByteSpan { start, end: at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bytes_of_the_text() {
        let text = "one\ntwo\nthree";
        let check = |start, end, expected: Option<&str>| {
            let span = span_of(text, Lines { start, end });
            assert_eq!(span.and_then(|span| span.slice(text)), expected, "{start}-{end}");
        };
        check(1, 1, Some("one\n"));
        check(2, 3, Some("two\nthree"));
        check(2, 99, Some("two\nthree"));
        check(4, 4, None);
        check(0, 2, None);
        check(3, 2, None);
    }
}
