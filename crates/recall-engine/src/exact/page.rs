//! The lines of a page.

use std::collections::BTreeSet;
use std::ops::Range;

use recall_core::{ByteSpan, Chunk, ChunkKind, DocumentKey, ExactRequest, Span, StoreScope};
use recall_index::lexical::exact::MatchedLine;
use recall_text::{error_chain, tokens};

use super::scan::{Matching, PublishedText, Scan, TextSource, visible_lines};
use crate::error::StoreError;
use crate::indexing::refresh_documents;
use crate::mask::{Masked, Whole};
use crate::mount::Mount;
use crate::occurrences::chunk_at;
use crate::search::{Hit, changed_documents};

/// The most bytes of a line that is shown. Of a longer one, such as a minified file, the part around its first match is shown.
const MOST_LINE_BYTES: usize = 400;

/// How many of these are before the match.
const BEFORE_MATCH_BYTES: usize = 100;

/// The lines of a page.
pub(super) struct Page {
    pub(super) hits: Vec<Hit>,
    /// Files that changed and could not be indexed in time.
    pub(super) left_out: BTreeSet<String>,
    /// Files with masked secrets.
    pub(super) masked: BTreeSet<String>,
}

/// Reads the lines that a request asks for. `None` if a file had changed and was indexed, or a document is gone: the documents must
/// be found again.
///
/// # Errors
/// A store cannot be read.
pub(super) fn read(
    scan: &Scan<'_>,
    matching: &[Matching],
    request: &ExactRequest,
    is_last: bool,
) -> Result<Option<Page>, StoreError> {
    let (wanted, mut skipped) = on_page(matching, request);
    let mut page = Page { hits: Vec::new(), left_out: BTreeSet::new(), masked: BTreeSet::new() };
    let Some(changed) = documents_that_changed(scan, &wanted, is_last) else { return Ok(None) };
    for (keys, store) in changed.iter().zip(scan.stores) {
        page.left_out.extend(keys.iter().map(|key| store.mount.outer(key.to_path().as_str())));
    }
    let limit = request.limit as usize;
    for one in wanted {
        let range = std::mem::take(&mut skipped);
        let range = range..range + limit - page.hits.len();
        let hits = match &one.source {
            TextSource::Published(published) => {
                let PublishedText { text, chunks, .. } = &**published;
                let place = HitPlace { store: one.store, scope: StoreScope::Domain, mount: &Mount::default() };
                place.hits(scan, one, text.clone(), chunks, range)
            }
            TextSource::Indexed(_) if changed[one.store].contains(&one.document.key()) => continue,
            TextSource::Indexed(row) => {
                let store = &scan.stores[one.store];
                let read = |source| store.index.read_error(source);
                let snapshot = store.index.snapshot()?;
                let Some(text) = snapshot.text(*row).map_err(read)? else {
                    if is_last {
                        continue;
                    }
                    return Ok(None);
                };
                let chunks = snapshot.chunks_of(*row).map_err(read)?;
                let place = HitPlace { store: one.store, scope: store.scope, mount: &store.mount };
                place.hits(scan, one, text, &chunks, range)
            }
        };
        for (hit, is_masked) in hits {
            if is_masked == Masked::Yes {
                page.masked.insert(hit.document.path.as_str().to_owned());
            }
            page.hits.push(hit);
        }
    }
    Ok(Some(page))
}

/// Returns which of the documents differ from their indexed state, by store. `None` if they were indexed again: they must be found
/// again. The last attempt does not index.
pub(super) fn documents_that_changed(
    scan: &Scan<'_>,
    wanted: &[&Matching],
    is_last: bool,
) -> Option<Vec<BTreeSet<DocumentKey>>> {
    let mut changed = Vec::with_capacity(scan.stores.len());
    for (number, store) in scan.stores.iter().enumerate() {
        let here = wanted.iter().filter(|one| one.store == number).map(|one| &one.document);
        let differing = changed_documents(store, here);
        if !differing.is_empty() && !is_last {
            let (now, patience) = (scan.engine.clock.now(), scan.engine.settings.few_files_wait);
            match refresh_documents(store, &differing, now, patience) {
                Ok(()) => return None,
                Err(error) => {
                    let reason = error_chain(&error);
                    tracing::warn!(root = %store.root.display(), reason, "changed files are not indexed");
                }
            }
        }
        changed.push(differing);
    }
    Some(changed)
}

/// Returns the documents with lines on the page, and how many lines of the first are before it.
fn on_page<'m>(matching: &'m [Matching], request: &ExactRequest) -> (Vec<&'m Matching>, usize) {
    let (mut before, mut lines) = (u64::from(request.offset), 0);
    let mut wanted: Vec<&Matching> = Vec::new();
    for one in matching {
        if wanted.is_empty() && one.lines <= before {
            before -= one.lines;
            continue;
        }
        if lines >= before + u64::from(request.limit) {
            break;
        }
        lines += one.lines;
        wanted.push(one);
    }
    (wanted, before as usize)
}

/// The store of a hit, and where its paths are in the client's project.
struct HitPlace<'a> {
    store: usize,
    scope: StoreScope,
    mount: &'a Mount,
}

impl HitPlace<'_> {
    /// Returns some lines of a document.
    fn hits(
        &self,
        scan: &Scan<'_>,
        one: &Matching,
        text: String,
        chunks: &[Chunk],
        range: Range<usize>,
    ) -> Vec<(Hit, Masked)> {
        let mut lines = visible_lines(scan.pattern, &one.document, &text);
        let defines = |line: &MatchedLine| one.definitions.iter().any(|place| line.bytes.contains(place));
        // The sort is stable: each group stays in the order of lines.
        lines.sort_by_key(|line| !defines(line));
        let whole = Whole::new(&one.document.path, text);
        let shown = lines.into_iter().skip(range.start).take(range.len());
        shown.map(|line| self.hit(scan, one, chunks, &whole, &line)).collect()
    }

    fn hit(
        &self,
        scan: &Scan<'_>,
        one: &Matching,
        chunks: &[Chunk],
        whole: &Whole,
        line: &MatchedLine,
    ) -> (Hit, Masked) {
        let first = line.matches.first().map_or(line.bytes.start, |first| first.start);
        let around = chunk_at(chunks, first).and_then(|ordinal| chunks.get(ordinal as usize));
        let ordinal = around.map_or(0, |chunk| chunk.ordinal);
        let bytes = ByteSpan { start: line.bytes.start as u32, end: line.bytes.end as u32 };
        let masked = whole.mask_range(line.bytes.clone());
        let (text, highlights) = window(&masked, scan.pattern.matches(&masked).collect());
        let chunk = Chunk {
            ordinal,
            kind: around.map_or(ChunkKind::Window, |chunk| chunk.kind),
            span: Span { bytes, start_line: line.number, end_line: line.last_number },
            symbol: around.and_then(|chunk| chunk.symbol.clone()),
            signature: None,
            doc_comment: None,
            tokens: tokens::estimate(&text),
        };
        let mut hit = Hit {
            store: self.store,
            created: one.created,
            highlights,
            score: one.score,
            ..Hit::new(self.scope, one.document.clone(), chunk, text)
        };
        hit.show(self.mount);
        let is_changed = if whole.text()[line.bytes.clone()] == masked { Masked::No } else { Masked::Yes };
        // The text is masked already, in the context of its file.
        let text = std::mem::take(&mut hit.text);
        let title = if whole.has_secrets() { whole.mask_label(&mut hit.document.title) } else { Masked::No };
        let is_masked = hit.mask(None).or(is_changed).or(title);
        hit.text = text;
        (hit, is_masked)
    }
}

/// Returns a line, or the part of a long one around its first match, with the matches in it.
fn window(line: &str, matches: Vec<Range<usize>>) -> (String, Vec<Range<usize>>) {
    if line.len() <= MOST_LINE_BYTES {
        return (line.to_owned(), matches);
    }
    let first = matches.first().map_or(0, |first| first.start);
    let start = line.floor_char_boundary(first.saturating_sub(BEFORE_MATCH_BYTES));
    let end = line.floor_char_boundary((start + MOST_LINE_BYTES).min(line.len()));
    let within = |range: Range<usize>| {
        let range = range.start.max(start)..range.end.min(end);
        (range.start < range.end).then(|| range.start - start..range.end - start)
    };
    (line[start..end].to_owned(), matches.into_iter().filter_map(within).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one match is one range")]
    fn a_long_line_is_shown_around_its_first_match() {
        let line = format!("{}é{}needle{}", "a".repeat(1000), "b".repeat(BEFORE_MATCH_BYTES - 1), "c".repeat(1000));
        let at = line.find("needle").expect("it is there");
        let (text, matches) = window(&line, vec![at..at + 6, 1900..1906]);
        assert!(text.len() <= MOST_LINE_BYTES && text.starts_with('é'), "{text}");
        assert_eq!(matches.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), ["needle"]);
        assert_eq!(window("short needle", vec![6..12]), ("short needle".to_owned(), vec![6..12]));
    }
}
