//! What stands around a chunk?

use recall_core::{Chunk, ChunkKind, ChunkRow, Enclosing, Span, Symbol, SymbolKind};

use super::{Snapshot, StoredChunk};
use crate::ReadError;
use crate::rows::{chunks, symbols};

/// What stands between the parts of a chunk's symbol path.
const SEPARATOR: &str = " > ";

impl Snapshot<'_> {
    /// The definitions or headings around a chunk, outermost first; none at the top level.
    ///
    /// Of prose, the headings of the sections that it lies in. Of code, what its symbol path names before its own
    /// definition; a chunk that is a part of a definition or stands between the members of one has that too.
    ///
    /// # Errors
    /// Fails as a whole.
    pub fn enclosing(&self, stored: &StoredChunk) -> Result<Vec<Enclosing>, ReadError> {
        let StoredChunk { row, document, chunk, .. } = stored;
        let Some(path) = chunk.symbol.as_deref() else { return Ok(Vec::new()) };
        let is_part = matches!(chunk.kind, ChunkKind::Group | ChunkKind::Part | ChunkKind::Section);
        if !is_part && !path.contains(SEPARATOR) {
            return Ok(Vec::new());
        }
        let mut around = symbols::around(self.connection(), document.row, chunk.span.bytes)?;
        around.retain(|symbol| lies_in(&chunk.span, &symbol.span));
        if chunk.kind == ChunkKind::Section {
            around.retain(|symbol| symbol.chunk != chunk.ordinal && symbol.kind == SymbolKind::Heading);
            return Ok(around.into_iter().map(|heading| of_symbol(heading, None)).collect());
        }
        let outermost = path.split_once(SEPARATOR).map_or(path, |(first, _)| first);
        let first = ChunkRow(row.0 - i64::from(chunk.ordinal));
        let members = chunks::below(self.connection(), first, document.chunk_count, outermost)?;
        let mut enclosing = Vec::new();
        for (prefix, label) in prefixes(path, is_part) {
            let place = around.iter().position(|symbol| names(label, &symbol.name));
            let symbol = place.map(|place| around.remove(place));
            let begins_here = symbol.as_ref().is_some_and(|symbol| symbol.chunk == chunk.ordinal);
            if prefix.len() == path.len() && begins_here {
                continue;
            }
            let signature = members.iter().find(|member| member.symbol.as_deref() == Some(prefix));
            let signature = signature.and_then(|member| member.signature.clone()).unwrap_or_else(|| label.to_owned());
            enclosing.push(match symbol {
                Some(symbol) => of_symbol(symbol, Some(signature)),
                None => without_symbol(label, signature, &members, prefix, chunk),
            });
        }
        Ok(enclosing)
    }
}

fn lies_in(inner: &Span, outer: &Span) -> bool {
    outer.start_line <= inner.start_line && inner.end_line <= outer.end_line
}

/// The paths of what encloses a definition, outermost first, each with its last part; the definition's own at the end where
/// that is asked for.
fn prefixes(path: &str, with_own: bool) -> impl Iterator<Item = (&str, &str)> {
    let ends = path.match_indices(SEPARATOR).map(|(end, _)| end).chain(with_own.then_some(path.len()));
    ends.scan(0, move |start, end| {
        let label = &path[*start..end];
        *start = (end + SEPARATOR.len()).min(path.len());
        Some((&path[..end], label))
    })
}

/// Whether a label is that of a name: `class Store` of `Store`.
fn names(label: &str, name: &str) -> bool {
    label.strip_suffix(name).is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn of_symbol(symbol: Symbol, signature: Option<String>) -> Enclosing {
    let Symbol { name, kind, span, .. } = symbol;
    Enclosing { name, kind, signature, start_line: span.start_line, end_line: span.end_line }
}

/// What only encloses or extends something that is named elsewhere, an `impl` block: as far as its members stand together.
fn without_symbol(label: &str, signature: String, members: &[Chunk], prefix: &str, chunk: &Chunk) -> Enclosing {
    let is_member = |member: &&Chunk| {
        let path = member.symbol.as_deref().unwrap_or_default();
        path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(SEPARATOR))
    };
    let (mut lines, mut ordinals) = ((chunk.span.start_line, chunk.span.end_line), (chunk.ordinal, chunk.ordinal));
    for member in members.iter().filter(is_member) {
        if member.ordinal == ordinals.1 + 1 {
            (ordinals.1, lines.1) = (member.ordinal, member.span.end_line);
        }
    }
    for member in members.iter().rev().filter(is_member) {
        if member.ordinal + 1 == ordinals.0 {
            (ordinals.0, lines.0) = (member.ordinal, member.span.start_line);
        }
    }
    Enclosing {
        name: label.to_owned(),
        kind: SymbolKind::Type,
        signature: Some(signature),
        start_line: lines.0,
        end_line: lines.1,
    }
}
