//! The places that a trace or a compiler names, those that raise its message, those that use a name, definitions that a query names
//! in its own way, and texts that it copies, as candidates.
//!
//! A place belongs to the indexed file whose path shares the longest end with it, since a trace is written on another machine, in a
//! container or from an installed copy. It is represented by the chunk with the line, or by the definition of the function if that
//! is elsewhere: the trace may be of another version. These chunks come before all others, in the order of the report.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use recall_core::{Chunk, ChunkRow, DocumentRow, Filters, RowSet, Span, Symbol, SymbolKind, Understood, UseKind};
use recall_index::lexical::{Evidence, Searcher};
use recall_text::{FileKind, Frame, Report};

use super::definitions::find_definitions;
use super::messages;
use super::named::{Named, find_named};
use super::named_files::{imports, named_files};
use super::overloads::find_overloads;
use super::prior::asked_for;
use super::uses::{self, Role};
use crate::error::StoreError;
use crate::ranking::ContentKind;
use crate::store::Store;

/// The most files that a report puts first. Further callers say little about a fault, and are found by their words.
const MOST_FILES: usize = 5;

/// The most places of a report that are looked up.
const MOST_FRAMES: usize = 60;

/// The most chunks of a file that are put first.
const MOST_CHUNKS: usize = 3;

/// The most files with the same end of a path that are all meant.
const MOST_NAMESAKES: usize = 2;

/// The most definitions of a name that a query imports. With more, the name does not tell which one is meant.
const MOST_IMPORTED: usize = 5;

/// The most files with the same end of a path that are compared by the function.
const MOST_COMPARED: usize = 12;

/// The most chunks of a file that uses the name of a question.
const MOST_USES: usize = 100;

/// The factor on the value of a test or a page with the message or the copied text, which repeats what the code says, or with the name of a
/// question about its users.
const REPEATED: f32 = 0.5;

/// The value of a file's place in relation to the one before it.
const STEP: f32 = 0.9;

/// The indexed places that a query names.
#[derive(Debug, Default)]
pub(super) struct Framed {
    /// By row: the value of the document, 1 for the place that failed, and its chunks, the most telling first.
    documents: BTreeMap<i64, (f32, Vec<ChunkRow>)>,
    /// The rows of the documents that are named by their text or their names, and not as places of a report.
    sources: BTreeSet<i64>,
    /// The rows of the documents that use the name of a question about its users.
    users: BTreeMap<i64, Role>,
    /// The kind of those users that come first.
    first_users: FirstUsers,
    /// By row: the passage of a document, if it is an answer.
    passages: BTreeMap<i64, ChunkRow>,
}

/// Which users of a name come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FirstUsers {
    #[default]
    Code,
    /// The question asks for tests.
    Tests,
}

impl Framed {
    /// Finds the files of the places that a query names, of those that pass its filters, and of their chunks those in `only`.
    ///
    /// # Errors
    /// An index cannot be read.
    pub(super) fn find(
        store: &Store,
        searcher: &Searcher,
        understood: &Understood,
        only: Option<&RowSet>,
    ) -> Result<Self, StoreError> {
        let mut framed = Self::default();
        let named_files = named_files(understood);
        let places = understood.report.iter().flat_map(|report| &report.frames);
        for frame in places.chain(&named_files).take(MOST_FRAMES) {
            for (document, chunk) in find_files(store, searcher, frame, &understood.filters)? {
                let count = framed.documents.len();
                if count >= MOST_FILES && !framed.documents.contains_key(&document.0) {
                    continue;
                }
                let (_, chunks) = framed.documents.entry(document.0).or_insert((STEP.powi(count as i32), Vec::new()));
                let allowed = chunk.filter(|chunk| is_in(only, *chunk));
                if let Some(chunk) = allowed.filter(|chunk| chunks.len() < MOST_CHUNKS && !chunks.contains(chunk)) {
                    chunks.push(chunk);
                }
            }
        }
        if framed.is_empty() {
            framed.add_allowed(find_imported_names(store, searcher, understood)?, only);
        }
        if let Some(message) = &understood.message {
            let sources = messages::find_sources(store, message)?;
            framed.add_allowed(sources, only);
        }
        let asks_for_tests = understood.used_name.as_ref().is_some_and(|name| name.kind == UseKind::Tests);
        if asks_for_tests || asked_for(understood).contains(&FileKind::Test) {
            framed.first_users = FirstUsers::Tests;
        }
        // "import shop.cart" has the form of a question about the users of a name.
        let is_import = !framed.is_empty() && imports(understood).is_some();
        let users = if is_import { Vec::new() } else { uses::find_users(store, searcher, understood)? };
        for user in users {
            let allowed = user.chunks.into_iter().filter(|chunk| is_in(only, *chunk));
            let chunks: Vec<ChunkRow> = allowed.take(MOST_USES).collect();
            if !chunks.is_empty() {
                let value = STEP.powi(framed.users.len() as i32);
                framed.documents.insert(user.document.0, (value, chunks));
                framed.users.insert(user.document.0, user.role);
            }
        }
        if framed.is_empty() {
            framed.add_allowed(find_overloads(store, searcher, understood)?, only);
        }
        if framed.is_empty() {
            framed.add_equal(find_definitions(store, searcher, understood)?, only);
        }
        if framed.is_empty() {
            let Named { first, passages } = find_named(store, searcher, understood)?;
            framed.add_allowed(first, only);
            let allowed = passages.into_iter().filter(|(_, chunk)| is_in(only, *chunk));
            allowed.for_each(|(document, chunk)| {
                framed.passages.entry(document.0).or_insert(chunk);
            });
        }
        Ok(framed)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Adds files in their order, each with a chunk, of those in `only`.
    pub(super) fn add_files(&mut self, files: Vec<(DocumentRow, ChunkRow)>, only: Option<&RowSet>) {
        for (document, chunk) in files.into_iter().filter(|(_, chunk)| is_in(only, *chunk)) {
            let value = STEP.powi(self.documents.len() as i32);
            self.documents.entry(document.0).or_insert((value, vec![chunk]));
        }
    }

    /// Adds chunks of those in `only`, the first ones first: see [`Self::add`].
    pub(super) fn add_allowed(&mut self, places: Vec<(DocumentRow, ChunkRow)>, only: Option<&RowSet>) {
        self.add(places.into_iter().filter(|(_, chunk)| is_in(only, *chunk)), STEP);
    }

    /// Adds chunks of those in `only` that answer the query as well as each other: see [`Self::add`].
    pub(super) fn add_equal(&mut self, places: Vec<(DocumentRow, ChunkRow)>, only: Option<&RowSet>) {
        self.add(places.into_iter().filter(|(_, chunk)| is_in(only, *chunk)), 1.0);
    }

    /// Adds chunks that the query names by a message, their names or their text, each document with `step` times the value of the one before it,
    /// but tests and pages last.
    fn add(&mut self, places: impl IntoIterator<Item = (DocumentRow, ChunkRow)>, step: f32) {
        for (document, chunk) in places {
            let value = step.powi(self.documents.len() as i32);
            match self.documents.entry(document.0) {
                Entry::Vacant(entry) => {
                    entry.insert((value, vec![chunk]));
                    self.sources.insert(document.0);
                }
                Entry::Occupied(mut entry) if self.sources.contains(&document.0) => entry.get_mut().1.push(chunk),
                // A place of the report in this document says more.
                Entry::Occupied(_) => {}
            }
        }
    }

    /// Whether the query asks for the users of a name, and they were found.
    pub(super) fn has_users(&self) -> bool {
        !self.users.is_empty()
    }

    /// Returns the chunks of all places.
    pub(super) fn chunks(&self) -> impl Iterator<Item = ChunkRow> {
        self.documents.values().flat_map(|(_, chunks)| chunks.iter().copied())
    }

    /// Returns the chunks of a document after the first, with the value of each.
    pub(super) fn further_chunks(&self) -> impl Iterator<Item = (DocumentRow, ChunkRow, f32)> {
        self.documents.iter().flat_map(|(&document, (value, chunks))| {
            let further = chunks.iter().zip(0_u8..).skip(1);
            further
                .map(move |(&chunk, place)| (DocumentRow(document), chunk, value * STEP.powf(0.1 * f32::from(place))))
        })
    }

    /// Marks the documents among the candidates. Each is represented by the chunk of its most telling place.
    pub(super) fn mark(&mut self, evidence: &mut Evidence) {
        for document in &mut evidence.documents {
            let row = document.document.0;
            if let Some((value, chunks)) = self.documents.get_mut(&row) {
                let is_main = ContentKind::is_main_code(document.traits);
                if let Some(role) = self.users.get(&row) {
                    // The definition and all code before all tests and pages, or the tests that are asked for before all others.
                    let is_first = match self.first_users {
                        FirstUsers::Code => is_main || *role == Role::Defines,
                        FirstUsers::Tests => *role == Role::Tests || document.traits.file_kind == FileKind::Test,
                    };
                    *value = *value * REPEATED + if is_first { 1.0 - REPEATED } else { 0.0 };
                } else if self.sources.contains(&row) && !is_main {
                    *value *= REPEATED;
                }
                document.framed = *value;
                document.chunk = chunks.first().copied().unwrap_or(document.chunk);
            } else if let Some(passage) = self.passages.get(&row) {
                document.chunk = *passage;
            }
        }
    }
}

/// Whether a chunk passes a filter on chunks.
fn is_in(only: Option<&RowSet>, chunk: ChunkRow) -> bool {
    only.is_none_or(|only| only.contains(chunk))
}

/// Returns the file of a store that a place is certainly in: the only one that shares the whole path as written and has the line, or
/// the only one that has the line in the function and shares more of the path than the name. `None` if no file is certain.
///
/// # Errors
/// An index cannot be read.
pub(crate) fn certain_file(store: &Store, frame: &Frame) -> Result<Option<DocumentRow>, StoreError> {
    let searcher = store.index.searcher();
    let failed = |source| store.index.search_error(source);
    for path in Report::candidate_paths(frame) {
        let components = components(&path);
        for at in 0..components.len().saturating_sub(1) {
            let found = searcher.files_ending_with(&components[at..].join("/"), &Filters::default(), MOST_NAMESAKES);
            let &[document] = &found.map_err(failed)?[..] else { continue };
            let is_whole = at == 0 && !frame.is_library;
            let certainty = locate(store, document, frame)?.certainty;
            let is_certain = certainty == Certainty::LineOfFunction || (is_whole && certainty == Certainty::Line);
            return Ok(is_certain.then_some(document));
        }
    }
    Ok(None)
}

fn components(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect()
}

/// Returns the files that a place may be in, each with the chunk of the place: those that share the longest end of its path, and of
/// several those with its function. None if too many do, or if only the name of a file of a library is shared.
fn find_files(
    store: &Store,
    searcher: &Searcher,
    frame: &Frame,
    filters: &Filters,
) -> Result<Vec<(DocumentRow, Option<ChunkRow>)>, StoreError> {
    for path in Report::candidate_paths(frame) {
        let components = components(&path);
        for at in 0..components.len() {
            let end = components[at..].join("/");
            let found = searcher.files_ending_with(&end, filters, MOST_COMPARED);
            let found = found.map_err(|source| store.index.search_error(source))?;
            if found.is_empty() {
                continue;
            }
            let mut located: Vec<Located> = Vec::with_capacity(found.len());
            for document in &found {
                located.push(locate(store, *document, frame)?);
            }
            let best = located.iter().map(|one| one.certainty).max().unwrap_or(Certainty::File);
            let is_only_a_name = at + 1 == components.len() && frame.is_library && components.len() > 1;
            if best < Certainty::Function && (found.len() > MOST_NAMESAKES || is_only_a_name) {
                return Ok(Vec::new());
            }
            let certain = found.into_iter().zip(located).filter(|(_, one)| one.certainty == best).take(MOST_NAMESAKES);
            // The line as written is shown too if the function is elsewhere.
            let places = |(document, one): (DocumentRow, Located)| {
                std::iter::once((document, one.chunk)).chain(one.at_line.map(|chunk| (document, Some(chunk))))
            };
            return Ok(certain.flat_map(places).collect());
        }
    }
    Ok(Vec::new())
}

/// Returns the definitions of the names that a query imports if it is a line that does. A package passes on what other files define.
fn find_imported_names(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let mut places = Vec::new();
    for name in imports(understood).into_iter().flat_map(|line| line.names) {
        let defined = searcher.defining(&name, MOST_IMPORTED + 1);
        let defined = defined.map_err(|source| store.index.search_error(source))?;
        if defined.len() <= MOST_IMPORTED {
            places.extend(defined.into_iter().map(|one| (one.document, one.chunk)));
        }
    }
    Ok(places)
}

/// What of a place a file confirms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    /// The end of its path.
    File,
    Line,
    /// It defines the function, elsewhere.
    Function,
    LineOfFunction,
}

/// A place in an indexed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Located {
    certainty: Certainty,
    chunk: Option<ChunkRow>,
    /// The chunk with the line, if the function is in another one.
    at_line: Option<ChunkRow>,
}

fn locate(store: &Store, document: DocumentRow, frame: &Frame) -> Result<Located, StoreError> {
    store.index.read(|snapshot| {
        let Some((_, run)) = snapshot.document_with_run(document)? else {
            return Ok(Located { certainty: Certainty::File, chunk: None, at_line: None });
        };
        let chunks = snapshot.chunks_of(document)?;
        let (certainty, ordinal) = choose_chunk(&chunks, &snapshot.symbols_of(document)?, frame);
        let row = |ordinal: u32| ChunkRow(run.first.0 + i64::from(ordinal));
        let at_line = chunk_at_line(&chunks, frame).filter(|_| certainty == Certainty::Function);
        Ok(Located { certainty, chunk: ordinal.map(row), at_line: at_line.map(row) })
    })
}

/// Returns the ordinal of the chunk with the line, unless the function is elsewhere; of a line between two chunks, or behind the last
/// one, that of the nearest chunk, since the text may have moved.
fn choose_chunk(chunks: &[Chunk], symbols: &[Symbol], frame: &Frame) -> (Certainty, Option<u32>) {
    let at_line = chunk_at_line(chunks, frame);
    let name = frame.function.as_deref().map(plain_name).filter(|name| !name.is_empty());
    // A trace names functions; a field or a setting of the name is not what failed.
    let may_fail = |symbol: &Symbol| !matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Constant);
    let is_named = |symbol: &&Symbol| Some(symbol.name.as_str()) == name && (frame.line.is_none() || may_fail(symbol));
    let mut functions = symbols.iter().filter(is_named).peekable();
    let first = functions.peek().map(|symbol| symbol.chunk);
    if at_line.is_some() && functions.any(|symbol| has_line(&symbol.span, frame)) {
        return (Certainty::LineOfFunction, at_line);
    }
    match (first, at_line) {
        (Some(chunk), _) => (Certainty::Function, Some(chunk)),
        (None, Some(chunk)) => (Certainty::Line, Some(chunk)),
        (None, None) => (Certainty::File, frame.line.and_then(|line| nearest_chunk(chunks, line))),
    }
}

fn has_line(span: &Span, frame: &Frame) -> bool {
    frame.line.is_some_and(|line| (span.start_line..=span.end_line).contains(&line))
}

/// Returns the ordinal of the smallest chunk with the line of a place.
fn chunk_at_line(chunks: &[Chunk], frame: &Frame) -> Option<u32> {
    let at_line = chunks.iter().filter(|chunk| has_line(&chunk.span, frame));
    at_line.min_by_key(|chunk| chunk.span.end_line - chunk.span.start_line).map(|chunk| chunk.ordinal)
}

/// Returns the ordinal of the chunk that begins or ends nearest to a line.
fn nearest_chunk(chunks: &[Chunk], line: u32) -> Option<u32> {
    let nearest =
        chunks.iter().min_by_key(|chunk| line.abs_diff(chunk.span.start_line.max(line.min(chunk.span.end_line))));
    nearest.map(|chunk| chunk.ordinal)
}

/// What traces write in place of a function without a name.
const NAMELESS: [&str; 5] = ["module", "anonymous", "lambda", "closure", "block"];

/// Returns the name of a function without its scopes, arguments and the marks of closures: `total` of `Shop\Cart->total`.
fn plain_name(function: &str) -> &str {
    let without_arguments = function.strip_suffix(')').and_then(|function| function.rsplit_once('('));
    let function = without_arguments.map_or(function, |(name, _)| name);
    let words = function.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let is_closure = |word: &str| word.strip_prefix("func").is_some_and(|number| number.parse::<u32>().is_ok());
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !is_closure(word);
    words.filter(is_name).rfind(|word| !NAMELESS.contains(word)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use recall_core::{ByteSpan, ChunkKind, SymbolKind};

    fn chunk(ordinal: u32, lines: (u32, u32), symbol: &str) -> Chunk {
        Chunk {
            ordinal,
            kind: ChunkKind::Function,
            span: Span { bytes: ByteSpan { start: 0, end: 1 }, start_line: lines.0, end_line: lines.1 },
            symbol: Some(symbol.to_owned()),
            signature: None,
            doc_comment: None,
            tokens: 1,
        }
    }

    fn symbol(name: &str, lines: (u32, u32), chunk: u32) -> Symbol {
        Symbol {
            name: name.to_owned(),
            qualified: name.to_owned(),
            kind: SymbolKind::Function,
            span: Span { bytes: ByteSpan { start: 0, end: 1 }, start_line: lines.0, end_line: lines.1 },
            chunk,
        }
    }

    #[test]
    fn the_function_decides_if_the_line_has_moved() {
        let chunks = [chunk(0, (1, 9), "class Cart > def total"), chunk(1, (10, 20), "class Cart > def add")];
        let symbols = [symbol("total", (1, 9), 0), symbol("add", (10, 15), 1), symbol("add", (16, 20), 1)];
        let check = |line: Option<u32>, function: Option<&str>, expected: (Certainty, Option<u32>)| {
            let function = function.map(str::to_owned);
            let frame = Frame { path: "cart.py".to_owned(), line, function, is_library: false };
            assert_eq!(choose_chunk(&chunks, &symbols, &frame), expected, "{frame:?}");
        };
        check(Some(4), Some("total"), (Certainty::LineOfFunction, Some(0)));
        check(Some(17), Some("add"), (Certainty::LineOfFunction, Some(1)));
        check(Some(14), Some("Cart.total"), (Certainty::Function, Some(0)));
        check(Some(14), Some("<module>"), (Certainty::Line, Some(1)));
        check(Some(14), None, (Certainty::Line, Some(1)));
        check(Some(99), Some("add"), (Certainty::Function, Some(1)));
        check(Some(99), None, (Certainty::File, Some(1)));
        check(None, None, (Certainty::File, None));
    }

    #[test]
    fn a_line_between_chunks_belongs_to_the_nearest_one() {
        let chunks = [chunk(0, (1, 9), "fn a"), chunk(1, (15, 20), "fn b")];
        for (line, expected) in [(10, 0), (11, 0), (13, 1), (14, 1), (21, 1)] {
            assert_eq!(nearest_chunk(&chunks, line), Some(expected), "line {line}");
        }
        assert_eq!(nearest_chunk(&[], 1), None);
    }

    #[test]
    fn functions_are_named_without_their_scopes() {
        for (written, expected) in [
            ("shop::cart::total", "total"),
            ("Shop\\Cart->total", "total"),
            ("main.(*Cart).Total.func1", "Total"),
            ("shop::cart::total::{{closure}}", "total"),
            ("join(self, other)", "join"),
            ("Shop.Cart.total/1", "total"),
            ("Cart.<anonymous>", "Cart"),
            ("<module>", ""),
        ] {
            assert_eq!(plain_name(written), expected, "{written}");
        }
    }
}
