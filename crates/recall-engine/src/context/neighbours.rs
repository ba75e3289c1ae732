//! The neighbours of a context window's chunks in the graph: definitions that they use, and tests that use theirs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use recall_core::{ByteSpan, ChunkId, DocumentRow, Edge, EdgeKind, Span, Symbol};
use recall_index::catalog::{Snapshot, StoredChunk};
use recall_text::{DocPath, FileKind, clean};

use crate::context::draft::Entry;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::graph::definitions::{Definition, NameResolver};
use crate::mask;
use crate::mount::Mount;
use recall_text::quote::inline;

/// The most definitions and tests that are listed.
const MOST_DEFINITIONS: usize = 24;
const MOST_TESTS: usize = 12;

/// The most chunks whose references and users are followed, the best first. Following one takes about a tenth of a millisecond.
const MOST_FOLLOWED: usize = 6;

/// The most names of a chunk that are resolved, and the most chunks that are read for the users of one name.
const MOST_NAMES: usize = 24;
const MOST_USES: usize = 16;

/// The most definitions of a chunk whose users are looked for.
const MOST_SYMBOLS: usize = 6;

/// A name that may mean more definitions than this says nothing.
const MOST_MEANINGS: usize = 3;

/// The most bytes of the beginning of a definition that are read for its signature.
const DEFINITION_BYTES: u32 = 2048;

/// The most characters of a signature and of the sentence about it.
const SIGNATURE_CHARS: usize = 160;

/// A chunk of the window whose neighbours in the graph are listed.
pub(crate) struct Followed {
    pub(crate) chunk: ChunkId,
    /// The path of its document.
    pub(crate) path: DocPath,
    /// The lines of its document that the window may show.
    pub(crate) lines: (u32, u32),
}

/// The neighbours of a window's chunks in the graph of one store.
#[derive(Default)]
pub(crate) struct Neighbours {
    /// The definitions that the chunks use, the most used first.
    pub(crate) signatures: Vec<Entry>,
    /// The tests that use what the chunks define, or import their files.
    pub(crate) tests: Vec<Entry>,
}

impl Neighbours {
    /// Reads the neighbours of chunks of a store, the best chunks first.
    pub(crate) fn read(store: &MountedStore, chunks: &[Followed]) -> Result<Self, StoreError> {
        let snapshot = store.index.snapshot()?;
        let stated = store.index.stated_links(&snapshot)?;
        let mut names = NameResolver::new(store, &snapshot, &stated);
        let known = store.index.known_documents();
        let mut used: BTreeMap<NeighbourPlace, (f64, Symbol)> = BTreeMap::new();
        let mut tests: BTreeMap<NeighbourPlace, f64> = BTreeMap::new();
        let mut shown: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        for followed in chunks {
            let inner = store.mount.inner_path(&followed.path);
            if let Some(document) = inner.and_then(|path| stated.paths.at(path.as_str())) {
                shown.entry(document).or_default().push(followed.lines);
            }
        }
        for (rank, followed) in chunks.iter().take(MOST_FOLLOWED).enumerate() {
            let Some(document) = store.mount.inner_id(followed.chunk.document, &known) else { continue };
            let chunk = ChunkId { document, ordinal: followed.chunk.ordinal };
            let Some(stored) = names.read(|snapshot| snapshot.chunk(chunk))? else { continue };
            let Some(document) = stated.paths.in_row(stored.document.row) else { continue };
            let share = 1.0 / (rank + 1) as f64;
            add_used(&mut names, document, stored.chunk.ordinal, share, &mut used)?;
            add_tests(&mut names, document, &stored, share, &mut tests)?;
        }
        let is_shown = |place: &NeighbourPlace| {
            shown
                .get(&place.document)
                .is_some_and(|lines| lines.iter().any(|&(from, to)| from <= place.start && place.end <= to))
        };
        used.retain(|place, _| !is_shown(place));
        tests.retain(|place, _| !is_shown(place));
        let mut used: Vec<(NeighbourPlace, (f64, Symbol))> = used.into_iter().collect();
        used.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
        let mut tests: Vec<(NeighbourPlace, f64)> = tests.into_iter().collect();
        tests.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut neighbours = Self::default();
        for (place, (_, symbol)) in used.into_iter().take(MOST_DEFINITIONS) {
            neighbours.signatures.extend(signature(&names, &store.mount, &place, &symbol)?);
        }
        for (place, _) in tests.into_iter().take(MOST_TESTS) {
            neighbours.tests.push(test(&names, &store.mount, &place)?);
        }
        Ok(neighbours)
    }
}

/// Lines of a document, by its index among the store's paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NeighbourPlace {
    document: u32,
    start: u32,
    end: u32,
}

impl NeighbourPlace {
    fn new(document: u32, span: &Span) -> Self {
        Self { document, start: span.start_line, end: span.end_line }
    }

    fn citation(self, names: &NameResolver<'_>, mount: &Mount) -> String {
        mask::shown_path(inline(&format!("{}:{}-{}", mount.outer(names.path(self.document)), self.start, self.end)))
    }
}

/// Adds the definitions elsewhere that a chunk uses by name.
fn add_used(
    names: &mut NameResolver<'_>,
    document: u32,
    ordinal: u32,
    share: f64,
    used: &mut BTreeMap<NeighbourPlace, (f64, Symbol)>,
) -> Result<(), StoreError> {
    let row = names.row(document);
    let edges = names.read(|snapshot| snapshot.edges_of(row))?;
    let mut targets: BTreeMap<&str, u32> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::References && edge.chunk == ordinal) {
        *targets.entry(&edge.target).or_default() += 1;
    }
    let mut targets: Vec<(&str, u32)> = targets.into_iter().collect();
    targets.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    for (target, _) in targets.into_iter().take(MOST_NAMES) {
        let (module, name) = Edge::split_qualifier(target);
        let meant = names.meant_by(document, module, name)?;
        let all = meant.iter().map(|definitions| definitions.len()).sum::<usize>();
        if all == 0 || all > MOST_MEANINGS {
            continue;
        }
        for Definition { document, symbol } in meant.iter().flat_map(|definitions| definitions.iter()) {
            let place = NeighbourPlace::new(*document, &symbol.span);
            used.entry(place).or_insert_with(|| (0.0, symbol.clone())).0 += share / all as f64;
        }
    }
    Ok(())
}

/// Adds the tests that use what a chunk defines, and those that import its document.
fn add_tests(
    names: &mut NameResolver<'_>,
    document: u32,
    stored: &StoredChunk,
    share: f64,
    tests: &mut BTreeMap<NeighbourPlace, f64>,
) -> Result<(), StoreError> {
    let is_test = |names: &NameResolver<'_>, other: u32| {
        other != document && names.stated.paths.place(other).file_kind == FileKind::Test
    };
    if names.stated.paths.place(document).file_kind == FileKind::Test {
        return Ok(());
    }
    let row = names.row(document);
    for symbol in names.read(|snapshot| snapshot.symbols_in(row, stored.row))?.into_iter().take(MOST_SYMBOLS) {
        let mentions = names.mentions(&symbol.name, MOST_USES)?;
        for mention in &mentions.found {
            if !is_test(names, mention.document) {
                continue;
            }
            let meant = names.meant_by(mention.document, mention.module.as_deref(), &symbol.name)?;
            if !meant.iter().any(|definitions| definitions[0].document == document) {
                continue;
            }
            if let Some(span) = names.read(|snapshot| snapshot.chunk_span(mention.chunk))? {
                *tests.entry(NeighbourPlace::new(mention.document, &span)).or_default() += share / meant.len() as f64;
            }
        }
    }
    Ok(())
}

/// Returns the entry of a definition: its place, its signature, and the first sentence of its comment.
fn signature(
    names: &NameResolver<'_>,
    mount: &Mount,
    place: &NeighbourPlace,
    symbol: &Symbol,
) -> Result<Option<Entry>, StoreError> {
    let row = names.row(place.document);
    let mut span = symbol.span.bytes;
    span.end = span.end.min(span.start + DEFINITION_BYTES);
    let Some(text) = text_before(names, row, span)? else { return Ok(None) };
    let (signature, comment) = split(&text, &symbol.name);
    let comment = if comment.is_empty() { String::new() } else { format!(" — {comment}") };
    Ok(Some(Entry::line(&format!("{} {signature}{comment}", place.citation(names, mount)))))
}

/// Returns a part of a document's text; its end is moved back to the end of a character.
fn text_before(names: &NameResolver<'_>, row: DocumentRow, mut span: ByteSpan) -> Result<Option<String>, StoreError> {
    // A character has four bytes at most.
    for _ in 0..4 {
        let read = |snapshot: &Snapshot<'_>| snapshot.text_in(row, span);
        if let Some(text) = names.read(read)? {
            return Ok(Some(text));
        }
        span.end = span.end.saturating_sub(1).max(span.start);
    }
    Ok(None)
}

/// Splits the beginning of a definition into its signature and the first sentence of its comment, each on one line.
fn split(text: &str, name: &str) -> (String, String) {
    const MARKS: [&str; 9] = ["///", "//!", "//", "/**", "*/", "*", "--", "#", "\"\"\""];
    let text = clean(text);
    let mut comment = String::new();
    let mut signature = String::new();
    for line in text.lines().map(str::trim) {
        let mark = MARKS.iter().find(|mark| line.starts_with(**mark)).filter(|_| !line.starts_with("#["));
        if let Some(mark) = mark.filter(|_| signature.is_empty()) {
            if !comment.contains(". ") {
                let said = line.trim_start_matches(mark).trim_end_matches("*/").trim();
                let _ = write!(comment, "{said} ");
            }
            continue;
        }
        if line.is_empty() || (signature.is_empty() && !line.contains(name)) {
            continue;
        }
        let _ = write!(signature, "{line} ");
        let open = signature.matches('(').count();
        if open <= signature.matches(')').count() || signature.len() > SIGNATURE_CHARS {
            break;
        }
    }
    let sentence = comment.split_once(". ").map_or(comment.trim(), |(first, _)| first);
    let signature = signature.trim().trim_end_matches(['{', ':']).trim();
    (short(signature), short(sentence.trim_end_matches('.')))
}

fn short(text: &str) -> String {
    let line = inline(text);
    match line.char_indices().nth(SIGNATURE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn test(names: &NameResolver<'_>, mount: &Mount, place: &NeighbourPlace) -> Result<Entry, StoreError> {
    let row = names.row(place.document);
    let symbols = names.read(|snapshot| snapshot.symbols_of(row))?;
    let inside =
        symbols.iter().filter(|symbol| place.start <= symbol.span.start_line && symbol.span.end_line <= place.end);
    let defined: Vec<&str> = inside.map(|symbol| symbol.qualified.as_str()).take(3).collect();
    Ok(Entry::line(&format!("{} {}", place.citation(names, mount), inline(&defined.join(", ")))))
}
