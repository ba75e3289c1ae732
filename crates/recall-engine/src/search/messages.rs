//! Texts that contain what a query has: its literals, and the parts of a message, since a pasted error has other values than
//! its source.
//!
//! A message is written once and filled in: `no price for {item} in {list}`. Each run of a few words is looked up as it is written; the
//! texts with the most words of the message in such runs, in quotation marks, raise it. Words alone find the file and show another passage of it.
//!
//! A phrase in quotation marks is a literal, and so is a single word with punctuation, such as `x-request-id`, whose parts are words of
//! many files; in a short question an option of a command too, such as `--no-cache`, and a path from the root of a server, such as
//! `/users/{id}`, or a media type. Terms say nothing about order and punctuation, so the texts are searched.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use recall_core::{
    Case, ChunkRow, Document, DocumentRow, DocumentType, Filters, QueryClass, RowSet, Understood, understand,
};
use recall_index::lexical::Evidence;
use recall_index::lexical::exact::Pattern;
use recall_text::{FileKind, asked_idiom};

use super::prior::is_in_tests;
use crate::error::StoreError;
use crate::occurrences::{LiteralSearch, chunk_that_quotes_most, documents_with, literal_matches, may_contain};
use crate::store::Store;

/// The words of a run. Two are in many texts by chance; four are seldom left between two values.
const RUN_WORDS: usize = 3;

/// The words of a run if no longer one is anywhere.
const SHORT_RUN_WORDS: usize = 2;

/// The fewest bytes of a run. Shorter ones are words such as *it is a*.
const MIN_RUN_BYTES: usize = 10;

/// The most runs of a message that are looked up.
const MOST_RUNS: usize = 16;

/// The most texts with a run. More say that the run is a common phrase.
const MOST_TEXTS: usize = 8;

/// The most chunks with the words of a message whose texts are looked at. The source of a message is nearly always among them, and looking
/// for each run in all texts would take a quarter of a second in 10,000 files.
const MOST_LIKELY: usize = 200;

/// The most runs that are looked for in all documents: the longest ones, which few texts have.
const MOST_RUNS_ANYWHERE: usize = 4;

/// The most bytes of texts that are read for the runs of a message at a time.
const MOST_READ_BYTES: usize = 4 << 20;

/// The share of a message's words that its source has in runs. The others are values.
const MIN_SHARE: f64 = 0.4;

const MOST_SOURCES: usize = 4;

/// Finds the texts that hold most of a message, each with the chunk with the most runs of it. Empty if none holds enough in
/// quotation marks.
///
/// # Errors
/// The catalog cannot be read.
pub(super) fn find_sources(store: &Store, message: &str) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let words: Vec<&str> = message.split_whitespace().collect();
    let mut runs = runs(&words, RUN_WORDS);
    let likely = with_words(store, message)?;
    let mut sources = sources(store, &runs, &likely)?;
    if sources.is_empty() {
        // The values of the message may outweigh its own words.
        let mut longest = texts(&runs);
        longest.sort_by_key(|run| Reverse(run.len()));
        longest.truncate(MOST_RUNS_ANYWHERE);
        sources = self::sources(store, &runs, &may_contain(store, &longest)?)?;
    }
    if sources.is_empty() {
        runs = self::runs(&words, SHORT_RUN_WORDS);
        sources = self::sources(store, &runs, &likely)?;
    }
    let best = sources.values().map(BTreeSet::len).max().unwrap_or_default();
    if (best as f64) < MIN_SHARE * words.len() as f64 {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for document in sources.into_iter().filter(|(_, words)| words.len() == best).map(|(row, _)| DocumentRow(row)) {
        found.extend(chunk_that_quotes_most(store, document, &texts(&runs))?.map(|chunk| (document, chunk)));
    }
    found.truncate(MOST_SOURCES);
    Ok(found)
}

/// Returns the line that raises a message, with its document: of the lines with a quotation mark in the program's own code, tests left
/// out, the one with the longest run of the message's words. `None` if none has [`RUN_WORDS`], or if several documents hold as much of
/// the message.
///
/// # Errors
/// The catalog cannot be read.
pub(crate) fn raising_line(store: &Store, message: &str) -> Result<Option<(DocumentRow, u32)>, StoreError> {
    let words: Vec<&str> = message.split_whitespace().collect();
    if words.len() < RUN_WORDS {
        return Ok(None);
    }
    let mut lines = Vec::new();
    for (row, chunk) in find_sources(store, message)? {
        let found = store.index.read(|snapshot| {
            let Some((stored, run)) = snapshot.document_with_run(row)? else { return Ok(None) };
            let Document { document_type, file_kind, .. } = stored.document;
            if document_type != DocumentType::Code || file_kind != FileKind::Main {
                return Ok(None);
            }
            let chunks = snapshot.chunks_of(row)?;
            let ordinal = chunk.0 - run.first.0;
            let Some(chunk) = chunks.iter().find(|chunk| i64::from(chunk.ordinal) == ordinal) else { return Ok(None) };
            if chunk.symbol.as_deref().is_some_and(is_in_tests) {
                return Ok(None);
            }
            let text = snapshot.text_in(row, chunk.span.bytes)?.unwrap_or_default();
            Ok(line_with_most(&text, &words).map(|line| (row, chunk.span.start_line + line)))
        })?;
        lines.extend(found);
    }
    Ok(if lines.len() == 1 { lines.pop() } else { None })
}

/// Returns the number, from 0, of the first line with a quotation mark and the longest run of words; `None` if none has [`RUN_WORDS`].
fn line_with_most(text: &str, words: &[&str]) -> Option<u32> {
    for count in (RUN_WORDS..=words.len()).rev() {
        let runs: Vec<String> = runs(words, count).into_iter().map(|run| run.text.to_lowercase()).collect();
        let line = (0..).zip(text.lines()).find(|(_, line)| {
            let quoting = line.contains(['"', '\'', '`']).then(|| line.to_lowercase());
            quoting.is_some_and(|line| runs.iter().any(|run| line.contains(run.as_str())))
        });
        if let Some((number, _)) = line {
            return Some(number);
        }
    }
    None
}

/// Consecutive words of a message.
struct WordRun {
    text: String,
    /// The place of the first word.
    place: usize,
    words: usize,
}

/// Returns those of the documents that have a run, each with the places of the words in its runs.
fn sources(
    store: &Store,
    runs: &[WordRun],
    documents: &[DocumentRow],
) -> Result<BTreeMap<i64, BTreeSet<usize>>, StoreError> {
    let literals = texts(runs);
    let search = LiteralSearch { literals: &literals, most_documents: MOST_TEXTS, most_read_bytes: MOST_READ_BYTES };
    let found = documents_with(store, &search, documents)?;
    let mut sources: BTreeMap<i64, BTreeSet<usize>> = BTreeMap::new();
    for (run, texts) in runs.iter().zip(found).filter(|(_, texts)| texts.len() < MOST_TEXTS) {
        for text in texts {
            sources.entry(text.0).or_default().extend(run.place..run.place + run.words);
        }
    }
    Ok(sources)
}

fn texts(runs: &[WordRun]) -> Vec<&str> {
    runs.iter().map(|run| run.text.as_str()).collect()
}

/// Returns the documents with the words of a message, the best first.
fn with_words(store: &Store, message: &str) -> Result<Vec<DocumentRow>, StoreError> {
    let candidates = store.index.searcher().lexical(&understand(message), &Filters::default(), MOST_LIKELY);
    let candidates = candidates.map_err(|source| store.index.search_error(source))?;
    let mut known = BTreeSet::new();
    Ok(candidates.into_iter().map(|one| one.document).filter(|document| known.insert(document.0)).collect())
}

/// Returns the runs of that many words, evenly spread if there are many.
fn runs(words: &[&str], count: usize) -> Vec<WordRun> {
    let run = |(place, words): (usize, &[&str])| {
        let text = words.join(" ").trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        WordRun { text, place, words: words.len() }
    };
    let all: Vec<WordRun> =
        words.windows(count).enumerate().map(run).filter(|run| run.text.len() >= MIN_RUN_BYTES).collect();
    let step = all.len().div_ceil(MOST_RUNS).max(1);
    all.into_iter().step_by(step).collect()
}

/// The most documents with a literal that become candidates. More say that the literal is common, and words rank it well.
const MOST_DOCUMENTS: usize = 200;

/// The most literals of a query that are searched.
const MOST_LITERALS: usize = 4;

/// The fewest characters of a literal. Two letters are in nearly every text.
const MIN_CHARS: usize = 3;

/// The documents of a store that contain literals of a query.
#[derive(Debug, Default)]
pub(super) struct Literals {
    /// By row: the number of literals that the document contains, and the first chunk with one.
    documents: BTreeMap<i64, (u32, ChunkRow)>,
    count: u32,
    /// Whether each is one word, which may be the name of a definition.
    are_words: bool,
}

impl Literals {
    /// Finds the documents with the literals of a query.
    ///
    /// # Errors
    /// The catalog cannot be read.
    pub(super) fn find(store: &Store, understood: &Understood) -> Result<Self, StoreError> {
        let is_word = |phrase: &String| !phrase.contains(char::is_whitespace);
        let mut found = Self { are_words: understood.phrases.iter().all(is_word), ..Self::default() };
        for pattern in patterns(understood) {
            found.count += 1;
            for document in literal_matches(store, &pattern, MOST_DOCUMENTS)? {
                found.documents.entry(document.row.0).or_insert((0, document.chunk)).0 += 1;
            }
        }
        Ok(found)
    }

    /// Returns a chunk of each document.
    pub(super) fn chunks(&self) -> Vec<ChunkRow> {
        self.documents.values().map(|&(_, chunk)| chunk).collect()
    }

    /// Marks the documents among the candidates. Each is represented by the chunk with the literal, unless the literal is a name that it defines,
    /// or that chunk is not one of `only`.
    pub(super) fn mark(&self, evidence: &mut Evidence, only: Option<&RowSet>) {
        for document in &mut evidence.documents {
            if let Some(&(count, chunk)) = self.documents.get(&document.document.0) {
                document.literal = count as f32 / self.count as f32;
                // A definition of the literal represents its file better than a use.
                let is_defined = self.are_words && document.names_equal > 0.0;
                if !is_defined && only.is_none_or(|only| only.contains(chunk)) {
                    document.chunk = chunk;
                }
            }
        }
    }
}

/// The most words of a question whose options and routes are literals. A longer one mentions them in passing.
const MOST_QUESTION_WORDS: usize = 12;

/// Returns the patterns of the literals of a query, in order.
fn patterns(understood: &Understood) -> Vec<Pattern> {
    let literals = literals(understood).into_iter().map(|literal| Pattern::literal(literal, Case::Insensitive));
    let words = options_and_routes(understood).into_iter().map(|word| Pattern::word(word, Case::Insensitive));
    let marks = work_marks(understood).into_iter().map(|mark| Pattern::word(mark, Case::Sensitive));
    let idiom = asked_idiom(understood.in_english()).filter(|_| understood.report.is_none());
    let idiom = idiom.map(|texts| Pattern::any_of(texts, Case::Sensitive));
    literals.chain(words).chain(marks).chain(idiom).filter_map(Result::ok).take(MOST_LITERALS).collect()
}

/// Returns the literals of a query: phrases, or the word with punctuation that it is.
fn literals(understood: &Understood) -> Vec<&str> {
    let text = understood.text.trim();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // The path of a file is found by the index of paths. Words with a slash and no dot may be no path.
    let may_be_text = match understood.class {
        QueryClass::Symbol => true,
        QueryClass::Path => !text.contains('.'),
        _ => false,
    };
    let is_alone = may_be_text && !text.contains(char::is_whitespace);
    let has_punctuation =
        !text.trim_matches(|c| !is_word(c)).chars().all(is_word) || text.starts_with(['-', '@', '#', '$', '.']);
    let alone = (understood.phrases.is_empty() && is_alone && has_punctuation).then_some(text);
    let phrases = understood.phrases.iter().map(String::as_str);
    phrases.chain(alone).filter(|literal| literal.chars().count() >= MIN_CHARS).collect()
}

/// Returns the options of commands, the routes and the media types in a short question.
fn options_and_routes(understood: &Understood) -> Vec<&str> {
    let words: Vec<&str> = understood.in_english().split_whitespace().collect();
    if words.len() > MOST_QUESTION_WORDS || understood.report.is_some() {
        return Vec::new();
    }
    let is_question = words.len() > 1;
    words
        .into_iter()
        .filter_map(|word| media_type(word).or_else(|| option_or_route(word).filter(|_| is_question)))
        .collect()
}

/// The words with which comments mark work that is left to do.
const WORK_MARKS: [&str; 4] = ["TODO", "FIXME", "HACK", "XXX"];

/// Returns the marks of work left to do that a short question asks for: in capitals, or before *comments*. In other letters they are words of
/// many languages, and the names of what some programs are about.
fn work_marks(understood: &Understood) -> Vec<&'static str> {
    let words: Vec<&str> = understood
        .in_english()
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    if words.len() > MOST_QUESTION_WORDS || understood.report.is_some() {
        return Vec::new();
    }
    let mut marks = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let single = word.strip_suffix('s').unwrap_or(word);
        let next = words.get(place + 1).map(|next| next.to_lowercase());
        let is_of_comments = next.is_some_and(|next| next == "comment" || next == "comments");
        let known = WORK_MARKS.into_iter().find(|mark| single.eq_ignore_ascii_case(mark));
        marks.extend(known.filter(|mark| single == *mark || is_of_comments));
    }
    marks
}

/// The kinds of media types.
const MEDIA: [&str; 8] = ["application/", "audio/", "font/", "image/", "message/", "multipart/", "text/", "video/"];

/// Returns the word without the marks around it if it is a media type, such as `application/json`.
fn media_type(word: &str) -> Option<&str> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let name = MEDIA.iter().find_map(|kind| word.strip_prefix(kind))?;
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '+' | '-' | '.' | '_'));
    (!name.is_empty() && is_name(name)).then_some(word)
}

/// The fewest characters of an option or a route, with its punctuation.
const MIN_CHARS_OF_WORD: usize = 4;

/// Returns the word without the marks around it if it is an option of a command, such as `--no-cache`, or a path from the root of a
/// server, such as `/users/{id}`.
fn option_or_route(word: &str) -> Option<&str> {
    let word = word.trim_matches(['`', '"', '\'', '“', '”', '(', ')', '?', ',', '.', ';', '!']).trim_end_matches(':');
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('/'))?;
    (name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '{' | '<' | '*'))
        && word.chars().count() >= MIN_CHARS_OF_WORD)
        .then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_with_the_longest_run_raises_the_message() {
        let text = "fn total() {\n    // no price for it\n    fail(\"no price for {item} in the list\")\n}\n";
        let check = |message: &str, expected: Option<u32>| {
            let words: Vec<&str> = message.split_whitespace().collect();
            assert_eq!(line_with_most(text, &words), expected, "{message}");
        };
        check("no price for apples in the list", Some(2));
        check("no price for it in the list", Some(2));
        check("apples in the list of", Some(2));
        check("no total of a list", None);
    }

    #[test]
    fn runs_are_words_as_they_are_written() {
        let texts = |message: &str| -> Vec<String> {
            let words: Vec<&str> = message.split_whitespace().collect();
            runs(&words, RUN_WORDS).into_iter().map(|run| run.text).collect()
        };
        assert_eq!(
            texts("no price for apples, in list!"),
            ["no price for", "price for apples", "for apples, in", "apples, in list"]
        );
        assert_eq!(texts("is it a"), [""; 0]);
        assert!(texts(&"several words ".repeat(100)).len() <= MOST_RUNS);
    }

    #[test]
    fn phrases_and_words_with_punctuation_are_literals() {
        let check = |query: &str, expected: &[&str]| assert_eq!(literals(&understand(query)), expected, "{query}");
        check("\"retry with jitter\" budget", &["retry with jitter"]);
        check("x-request-id", &["x-request-id"]);
        check("--no-cache", &["--no-cache"]);
        check("Store::open", &["Store::open"]);
        check("@Slow", &["@Slow"]);
        check("codecs/pipes", &["codecs/pipes"]);
        check("parseTokens", &[]);
        check("src/net/retry.rs", &[]);
        check("how are x-request-id headers read", &[]);
        check("\"ab\"", &[]);
    }

    #[test]
    fn marks_of_work_left_to_do_are_asked_for_in_capitals_or_as_comments() {
        let check = |text: &str, expected: &[&str]| assert_eq!(work_marks(&understand(text)), expected, "{text}");
        check("TODO", &["TODO"]);
        check("which TODOs and FIXMEs are in the parser?", &["TODO", "FIXME"]);
        check("where are todo comments", &["TODO"]);
        check("how are todos stored", &[]);
        check("TODOLIST", &[]);
    }

    #[test]
    fn options_and_routes_of_a_question_keep_the_punctuation_before_them() {
        let check =
            |text: &str, expected: &[&str]| assert_eq!(options_and_routes(&understand(text)), expected, "{text}");
        check("what does --host do", &["--host"]);
        check("is `--no-cache` read? And --dry-run: why", &["--no-cache", "--dry-run"]);
        check("which function handles /users/{id}", &["/users/{id}"]);
        check("who serves (/orgs/:org/users), and /health?", &["/orgs/:org/users", "/health"]);
        check("application/json", &["application/json"]);
        check("where is `text/vnd.api+json` written?", &["text/vnd.api+json"]);
        check("images in text/ or image/a/b", &[]);
        check("a -- b / c /d /", &[]);
        check("--host", &[]);
    }
}
