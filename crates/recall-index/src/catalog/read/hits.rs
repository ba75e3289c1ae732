//! Chunks by row, for the results of a search, and the definitions and headings that enclose them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use recall_core::{ByteSpan, Chunk, ChunkId, ChunkKind, ChunkRow, DocumentRow, Enclosing, Span, Symbol, SymbolKind};

use super::{Snapshot, StoredChunk, StoredDocument};
use crate::catalog::ReadError;
use crate::catalog::rows::{chunks, documents, symbols, texts};

struct Requested {
    /// Its index in the request.
    place: usize,
    row: ChunkRow,
    chunk: Chunk,
}

impl Snapshot<'_> {
    /// The chunks in these rows, in the same order. `None` for a row that does not exist.
    ///
    /// Each document is read once, and only the parts of its text that contain the chunks are decompressed.
    ///
    /// # Errors
    /// The catalog is damaged or cannot be read.
    pub fn hits(&self, rows: &[ChunkRow]) -> Result<Vec<Option<StoredChunk>>, ReadError> {
        let mut hits = Vec::new();
        hits.resize_with(rows.len(), || None);
        // Most stores have no tags at all. Checking once is cheaper than reading the tags of every document.
        let has_tags = documents::are_any_tagged(self.connection())?;
        for (row, requested) in self.by_document(rows)? {
            let read = |_: &documents::Entry, stored: &[u8]| spans(stored, &requested);
            let (documents::Entry { mut document, created, chunk_count, first_chunk, .. }, texts) =
                documents::with_text(self.connection(), row, read)?.ok_or_else(|| missing(row))?;
            if has_tags {
                document.tags = documents::read_tags(self.connection(), row)?;
            }
            let shared = StoredDocument { row, document, created, chunk_count };
            for (Requested { place, row, mut chunk }, text) in requested.into_iter().zip(texts) {
                chunk.ordinal = u32::try_from(row.0 - first_chunk.0)
                    .ok()
                    .filter(|&ordinal| ordinal < chunk_count)
                    .ok_or_else(|| corrupt(row))?;
                let id = ChunkId { document: shared.document.id, ordinal: chunk.ordinal };
                hits[place] = Some(StoredChunk { id, row, document: shared.clone(), chunk, text });
            }
        }
        Ok(hits)
    }

    /// The texts of the chunks in these rows, in the same order. `None` for a row that does not exist.
    ///
    /// # Errors
    /// The catalog is damaged or cannot be read.
    pub fn chunk_texts(&self, rows: &[ChunkRow]) -> Result<Vec<Option<String>>, ReadError> {
        let mut found = vec![None; rows.len()];
        for (row, requested) in self.by_document(rows)? {
            let texts = texts::with_compressed(self.connection(), row, |stored| spans(stored, &requested))?
                .ok_or_else(|| missing(row))?;
            for (Requested { place, .. }, text) in requested.into_iter().zip(texts) {
                found[place] = Some(text);
            }
        }
        Ok(found)
    }

    /// The span of the chunk in a row. `None` if there is none.
    pub fn chunk_span(&self, row: ChunkRow) -> Result<Option<Span>, ReadError> {
        Ok(chunks::by_row(self.connection(), row)?.map(|entry| entry.chunk.span))
    }

    /// The path of definitions around the chunk in a row; see [`Chunk::symbol`]. `None` if there is none, or no such chunk.
    pub fn chunk_symbol(&self, row: ChunkRow) -> Result<Option<String>, ReadError> {
        Ok(chunks::by_row(self.connection(), row)?.and_then(|entry| entry.chunk.symbol))
    }

    /// The requested chunks that exist, by document.
    fn by_document(&self, rows: &[ChunkRow]) -> Result<BTreeMap<DocumentRow, Vec<Requested>>, ReadError> {
        let mut documents: BTreeMap<DocumentRow, Vec<Requested>> = BTreeMap::new();
        for (place, &row) in rows.iter().enumerate() {
            if let Some(chunks::Entry { document, chunk }) = chunks::by_row(self.connection(), row)? {
                documents.entry(document).or_default().push(Requested { place, row, chunk });
            }
        }
        Ok(documents)
    }
}

/// The texts of the chunks of one document, from its stored text.
fn spans(stored: &[u8], requested: &[Requested]) -> Result<Vec<String>, ReadError> {
    let span_of = |requested: &Requested| -> Result<String, ReadError> {
        let span: ByteSpan = requested.chunk.span.bytes;
        texts::decompress_span(stored, span).ok_or_else(|| corrupt(requested.row))
    };
    requested.iter().map(span_of).collect()
}

fn missing(row: DocumentRow) -> ReadError {
    ReadError::damaged(format!("document row {} is missing but has chunks", row.0))
}

fn corrupt(row: ChunkRow) -> ReadError {
    ReadError::damaged(format!("chunk row {} does not match its document", row.0))
}

/// The separator in a symbol path.
const SEPARATOR: &str = " > ";

impl Snapshot<'_> {
    /// The definitions or headings that enclose a chunk, outermost first. Empty at the top level.
    ///
    /// For prose, the headings of the sections that contain it. For code, the parts of its symbol path before its own
    /// definition. A chunk that is a part of a definition, or lies between the members of one, also has that
    /// definition.
    ///
    /// # Errors
    /// The catalog is damaged or cannot be read.
    pub fn enclosing(&self, stored: &StoredChunk) -> Result<Vec<Enclosing>, ReadError> {
        let StoredChunk { row, document, chunk, .. } = stored;
        let Some(path) = chunk.symbol.as_deref() else { return Ok(Vec::new()) };
        let is_part = matches!(chunk.kind, ChunkKind::Group | ChunkKind::Part | ChunkKind::Section);
        if !is_part && !path.contains(SEPARATOR) {
            return Ok(Vec::new());
        }
        let mut around = symbols::holding(self.connection(), document.row, chunk.span)?;
        if chunk.kind == ChunkKind::Section {
            around.retain(|symbol| symbol.chunk != chunk.ordinal && symbol.kind == SymbolKind::Heading);
            return Ok(around.into_iter().map(|heading| from_symbol(heading, None)).collect());
        }
        let mut members: Vec<Members<'_>> = prefixes(path, is_part).map(|prefix| Members::new(prefix, chunk)).collect();
        let first = ChunkRow(row.0 - i64::from(chunk.ordinal));
        chunks::backward_from(self.connection(), first, *row, |before| {
            visit_members(&mut members, before, Members::visit_before)
        })?;
        let mut found: Vec<(Members<'_>, Option<Symbol>)> = members
            .into_iter()
            .map(|members| {
                let place = around.iter().position(|symbol| names(members.label, &symbol.name));
                (members, place.map(|place| around.remove(place)))
            })
            .collect();
        let mut nameless: Vec<&mut Members<'_>> =
            found.iter_mut().filter(|(_, symbol)| symbol.is_none()).map(|(members, _)| members).collect();
        if !nameless.is_empty() {
            for members in &mut nameless {
                members.is_whole = true;
            }
            let end = ChunkRow(first.0 + i64::from(document.chunk_count));
            chunks::forward_from(self.connection(), *row, end, |after| {
                visit_members(nameless.iter_mut().map(|one| &mut **one), after, Members::visit_after)
            })?;
        }
        let is_own = |(members, symbol): &(Members<'_>, Option<Symbol>)| {
            members.prefix.len() == path.len() && symbol.as_ref().is_some_and(|symbol| symbol.chunk == chunk.ordinal)
        };
        found.retain(|one| !is_own(one));
        Ok(found.into_iter().map(|(members, symbol)| members.enclosing(symbol)).collect())
    }
}

/// The contiguous chunks of an enclosing definition around a chunk, as far as they were visited.
struct Members<'a> {
    /// The definition's symbol path.
    prefix: &'a str,
    /// The last part of the path.
    label: &'a str,
    /// The signature of the nearest chunk before with the definition's own path.
    signature: Option<String>,
    start_line: u32,
    end_line: u32,
    /// Whether all chunks visited so far on this side are members.
    is_whole: bool,
}

impl<'a> Members<'a> {
    fn new((prefix, label): (&'a str, &'a str), chunk: &Chunk) -> Self {
        let Span { start_line, end_line, .. } = chunk.span;
        Self { prefix, label, signature: None, start_line, end_line, is_whole: true }
    }

    /// Visits the next chunk before.
    fn visit_before(&mut self, before: &Chunk) {
        self.start_line = before.span.start_line;
        if self.signature.is_none() && before.symbol.as_deref() == Some(self.prefix) {
            self.signature.clone_from(&before.signature);
        }
    }

    /// Visits the next chunk after.
    fn visit_after(&mut self, after: &Chunk) {
        self.end_line = after.span.end_line;
    }

    fn holds(&self, neighbour: &Chunk) -> bool {
        let rest = neighbour.symbol.as_deref().and_then(|symbol| symbol.strip_prefix(self.prefix));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(SEPARATOR))
    }

    /// Without a symbol, as for an `impl` block, the lines are those of the members.
    fn enclosing(self, symbol: Option<Symbol>) -> Enclosing {
        let signature = self.signature.unwrap_or_else(|| self.label.to_owned());
        match symbol {
            Some(symbol) => from_symbol(symbol, Some(signature)),
            None => Enclosing {
                name: self.label.to_owned(),
                kind: SymbolKind::Type,
                signature: Some(signature),
                start_line: self.start_line,
                end_line: self.end_line,
            },
        }
    }
}

/// Passes a neighbour to the definitions that it is a member of. Returns `Break` if there are none.
fn visit_members<'m, 'a: 'm>(
    all: impl IntoIterator<Item = &'m mut Members<'a>>,
    neighbour: &Chunk,
    visit: fn(&mut Members<'a>, &Chunk),
) -> ControlFlow<()> {
    let mut is_any_whole = false;
    for members in all {
        members.is_whole &= members.holds(neighbour);
        if members.is_whole {
            visit(members, neighbour);
            is_any_whole = true;
        }
    }
    if is_any_whole { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// The symbol paths of the enclosing definitions, outermost first, each with its last part. Includes the definition's
/// own path if `with_own`.
fn prefixes(path: &str, with_own: bool) -> impl Iterator<Item = (&str, &str)> {
    let ends = path.match_indices(SEPARATOR).map(|(end, _)| end).chain(with_own.then_some(path.len()));
    ends.scan(0, move |start, end| {
        let label = &path[*start..end];
        *start = (end + SEPARATOR.len()).min(path.len());
        Some((&path[..end], label))
    })
}

/// Whether a label belongs to a name: `class Store` to `Store`.
fn names(label: &str, name: &str) -> bool {
    label.strip_suffix(name).is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn from_symbol(symbol: Symbol, signature: Option<String>) -> Enclosing {
    let Symbol { name, kind, span, .. } = symbol;
    Enclosing { name, kind, signature, start_line: span.start_line, end_line: span.end_line }
}
