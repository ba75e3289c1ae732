//! Definitions and headings that enclose a chunk.

use std::ops::ControlFlow;

use recall_core::{Chunk, ChunkKind, ChunkRow, Enclosing, Span, Symbol, SymbolKind};

use super::{Snapshot, StoredChunk};
use crate::catalog::ReadError;
use crate::catalog::rows::chunks::{self, Neighbour};
use crate::catalog::rows::symbols;

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
            visit_members(&mut members, &before, Members::visit_before)
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
            let visit = |after: Neighbour<'_>| {
                visit_members(nameless.iter_mut().map(|one| &mut **one), &after, Members::visit_after)
            };
            chunks::forward_from(self.connection(), *row, end, visit)?;
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
    fn visit_before(&mut self, before: &Neighbour<'_>) {
        self.start_line = before.start_line;
        if self.signature.is_none() && before.symbol == self.prefix {
            self.signature = before.signature.map(str::to_owned);
        }
    }

    /// Visits the next chunk after.
    fn visit_after(&mut self, after: &Neighbour<'_>) {
        self.end_line = after.end_line;
    }

    fn holds(&self, neighbour: &Neighbour<'_>) -> bool {
        let rest = neighbour.symbol.strip_prefix(self.prefix);
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
    neighbour: &Neighbour<'_>,
    visit: fn(&mut Members<'a>, &Neighbour<'_>),
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
