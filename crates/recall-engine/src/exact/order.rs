//! The order of the documents that match.
//!
//! Three factors, so that the order can be explained: what kind of file it is, whether a matched name is defined there, and how
//! often it matches. Every document that matches has an order; none is left out by it.

use std::collections::HashSet;

use recall_core::{DocumentRow, Needle, SymbolKind};
use recall_index::catalog::{ReadError, Snapshot};

use super::scan::{Matching, Scan, visible_lines};
use crate::error::StoreError;
use crate::search::kind_factor;

/// The factor of a document that defines a matched name.
const DEFINES: f64 = 4.0;

/// The factor of a document in which a match is in the name of a definition, or in a heading or a key.
const NAMES: f64 = 2.0;

/// What a match more adds to the logarithm: eight matches count like two thirds of a match more.
const MATCHES_WEIGHT: f64 = 0.3;

/// In how many documents definitions are looked for: those first by the other factors, and those that the index of names has for
/// the literal. Reading them takes about as long as the rest of an answer.
const MOST_WITH_DEFINITIONS: usize = 100;

/// Scores the documents and sorts them, best first; equal scores by path and store.
pub(super) fn sort(scan: &Scan<'_>, matching: &mut [Matching], needle: &Needle) -> Result<(), StoreError> {
    for one in matching.iter_mut() {
        one.score = kind_factor(one.document.file_kind) * (1.0 + MATCHES_WEIGHT * (one.matches as f64).ln());
    }
    sort_by_score(matching);
    let named = if matching.len() > MOST_WITH_DEFINITIONS { documents_by_name(scan, needle)? } else { HashSet::new() };
    for (number, store) in scan.stores.iter().enumerate() {
        let snapshot = store.index.snapshot()?;
        for (place, one) in matching.iter_mut().enumerate() {
            let is_looked_at = place < MOST_WITH_DEFINITIONS || named.contains(&(number, one.row));
            if one.store == number && is_looked_at {
                let definitions = definitions(&snapshot, scan, one).map_err(|source| store.index.read_error(source))?;
                one.score *= definitions.iter().map(|(_, factor)| *factor).fold(1.0, f64::max);
                one.definitions = definitions.into_iter().map(|(place, _)| place).collect();
            }
        }
    }
    sort_by_score(matching);
    Ok(())
}

fn sort_by_score(matching: &mut [Matching]) {
    matching.sort_by(|a, b| {
        let by_path = || (&a.document.path, a.store).cmp(&(&b.document.path, b.store));
        b.score.total_cmp(&a.score).then_with(by_path)
    });
}

/// Returns the documents with a definition of the literal, by the index of names.
fn documents_by_name(scan: &Scan<'_>, needle: &Needle) -> Result<HashSet<(usize, DocumentRow)>, StoreError> {
    let mut all = HashSet::new();
    if let Needle::Literal(name) = needle {
        for (number, store) in scan.stores.iter().enumerate() {
            let found = store.index.searcher().defining(name, MOST_WITH_DEFINITIONS);
            let found = found.map_err(|source| store.index.search_error(source))?;
            all.extend(found.into_iter().map(|candidate| (number, candidate.document)));
        }
    }
    Ok(all)
}

/// Returns the places of the names that are defined in a document and touched by a match, with the factor of each.
fn definitions(snapshot: &Snapshot<'_>, scan: &Scan<'_>, one: &Matching) -> Result<Vec<(usize, f64)>, ReadError> {
    let symbols = snapshot.symbols_of(one.row)?;
    if symbols.is_empty() {
        return Ok(Vec::new());
    }
    let Some(text) = snapshot.text(one.row)? else { return Ok(Vec::new()) };
    let chunks = snapshot.chunks_of(one.row)?;
    let lines = visible_lines(scan.pattern, &one.document, &text);
    let mut found = Vec::new();
    for symbol in &symbols {
        // The name may be in the comment before the definition too. A comment in its body, as in Python, is after the name.
        let bytes = symbol.span.bytes;
        let comment = chunks.get(symbol.chunk as usize).and_then(|chunk| chunk.doc_comment);
        let before = comment.filter(|comment| comment.start <= bytes.start && comment.end > bytes.start);
        let start = before.map_or(bytes.start, |comment| comment.end) as usize;
        let Some(body) = text.get(start..bytes.end as usize) else { continue };
        let Some(at) = body.find(&symbol.name).map(|at| start + at) else { continue };
        let end = at + symbol.name.len();
        let line = lines.partition_point(|line| line.bytes.end < at);
        let touching = lines[line..].iter().take_while(|line| line.bytes.start < end);
        let matches = touching.flat_map(|line| &line.matches).filter(|one| one.start < end && at < one.end);
        let is_prose = matches!(symbol.kind, SymbolKind::Heading | SymbolKind::Key);
        let factor = |one: &std::ops::Range<usize>| {
            if one.start <= at && end <= one.end && !is_prose { DEFINES } else { NAMES }
        };
        if let Some(factor) = matches.map(factor).reduce(f64::max) {
            found.push((at, factor));
        }
    }
    Ok(found)
}
