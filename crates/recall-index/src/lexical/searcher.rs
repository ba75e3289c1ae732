//! Retrieval of candidates from one state of the index.
//!
//! A searcher is bound to the state that was published when it was made: all lists of a search come from it, and a commit in between
//! changes nothing. A damaged file fails the call, not the process: tantivy panics on some of them, and the panic is caught.

mod extras;
mod queries;

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use recall_core::{Candidate, ChunkRow, DocumentRow, Filters, Generation, Neighbour, RowSet, Understood};
use recall_text::fold_case;
use tantivy::TantivyError;

use crate::lexical::clause::DisjunctionQuery;
use crate::lexical::evidence::rare::{self, JoinedWord};
use crate::lexical::evidence::{Evidence, collect};
use crate::lexical::fields::FieldWeights;
use crate::lexical::filter::{allowed_rows, doc_filters};
use crate::lexical::names::{fold_name, prefix_as_symbol};
use crate::lexical::open::{catch_panics, cause, corruption};
use crate::lexical::query_terms::{SpellingSuggestions, TermCache, terms};
use crate::lexical::shared_index::SharedIndex;
use crate::lexical::snapshot::LexicalSnapshot;
use crate::lexical::top_k::{Scored, TieBreaker, keep_top_k, top_k};
pub use extras::Facets;
pub(crate) use extras::{MAX_SUGGESTIONS, one_word, path_of};
pub(crate) use queries::{SIGNIFICANT_TERMS, frequent_terms};

/// One committed state of a lexical index, for searching.
///
/// Every list of candidates is best first, without duplicate chunks, and the same for the same state and query. Ties
/// are broken by chunk row unless documented otherwise. A query without matches gives an empty list, whatever it
/// contains.
#[derive(Clone)]
pub struct Searcher {
    shared: Arc<SharedIndex>,
    snapshot: Arc<LexicalSnapshot>,
    weights: FieldWeights,
    /// The chunks that may be candidates; `None` for all.
    only: Option<Arc<RowSet>>,
}

impl Searcher {
    pub(crate) fn new(shared: Arc<SharedIndex>, snapshot: Arc<LexicalSnapshot>, weights: FieldWeights) -> Self {
        Self { shared, snapshot, weights, only: None }
    }

    /// Restricts the candidates to these chunks, in addition to the filters of each call.
    #[must_use]
    pub fn among(self, only: Option<Arc<RowSet>>) -> Self {
        Self { only, ..self }
    }

    /// The generation of the state.
    pub fn generation(&self) -> Generation {
        self.snapshot.generation
    }

    /// The number of chunks in the state.
    pub fn chunk_count(&self) -> u64 {
        self.snapshot.chunks
    }

    /// The chunks that contain the query's words, by BM25 over all fields with their weights.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn lexical(
        &self,
        understood: &Understood,
        filters: &Filters,
        depth: usize,
    ) -> Result<Vec<Candidate>, SearchError> {
        self.run_query(understood, filters, depth, |clauses, term_cache| {
            queries::words(clauses, &self.snapshot.fields, &self.weights, term_cache)
        })
    }

    /// The chunks that define the names in the query.
    ///
    /// The order is: a definition whose name equals an identifier of the query, one that is equal in another case,
    /// names that begin with it, names that share parts with it. Among equals, BM25 over the names decides.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn symbols(
        &self,
        understood: &Understood,
        filters: &Filters,
        depth: usize,
    ) -> Result<Vec<Candidate>, SearchError> {
        self.run_query(understood, filters, depth, |clauses, term_cache| {
            queries::names(clauses, &self.snapshot.fields, term_cache)
        })
    }

    /// The names of definitions that begin with a text, with or without their scopes, in order, at most `most`. Scopes may be
    /// separated as any language does, and cases differ.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn names(&self, prefix: &str, most: usize) -> Result<Vec<String>, SearchError> {
        let (snapshot, field) = (&*self.snapshot, self.snapshot.fields.name);
        let prefix = prefix_as_symbol(prefix);
        self.guard(|| {
            let mut names = BTreeSet::new();
            for segment in &snapshot.segments {
                names.extend(segment.keys_with_prefix(field, &prefix, most)?);
            }
            Ok(names.into_iter().take(most).collect())
        })
    }

    /// The documents whose path is in the query, each as its first chunk.
    ///
    /// The order is: paths that end like a path of the query, files whose name without extension is a name of the
    /// query, paths with words of the query. Among equals, BM25 over the words of paths decides.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn paths(
        &self,
        understood: &Understood,
        filters: &Filters,
        depth: usize,
    ) -> Result<Vec<Candidate>, SearchError> {
        self.run_query(understood, filters, depth, |clauses, term_cache| {
            queries::paths(clauses, &self.snapshot.fields, term_cache, understood)
        })
    }

    /// The chunks that may be candidates and pass the filters. `None` for all.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn allowed_rows(&self, filters: &Filters) -> Result<Option<Arc<RowSet>>, SearchError> {
        if filters.is_empty() {
            return Ok(self.only.clone());
        }
        let snapshot = &*self.snapshot;
        let allowed = self.guard(|| allowed_rows(snapshot, filters))?;
        Ok(Some(match &self.only {
            Some(only) => Arc::new(allowed.iter().filter(|row| only.contains(*row)).collect()),
            None => allowed,
        }))
    }

    /// Runs the three lexical retrievers and collects the evidence of every document that one of them returned or that
    /// contains one of the nearest chunks by embedding, a rare word of the query, or one of the chunks of `looked_up`.
    ///
    /// A retriever with a depth of 0 does not run. `neighbours` is called after the retrievers, so that the vector search can
    /// run concurrently. It must not panic: a panic would be reported as damage. Chunks from it that do not pass the
    /// filters, or are not in this state, are skipped. Ties are broken by the number that `tie_breaker` gives to the document,
    /// then by chunk row.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn retrieve(
        &self,
        understood: &Understood,
        filters: &Filters,
        depths: Depths,
        neighbours: impl FnOnce() -> Vec<Neighbour>,
        looked_up: LookedUp<'_>,
        tie_breaker: Option<TieBreaker<'_>>,
    ) -> Result<Retrieved, SearchError> {
        let snapshot = &*self.snapshot;
        self.guard(|| {
            let doc_filters = doc_filters(snapshot, filters, self.only.as_deref())?;
            let fields = &snapshot.fields;
            let mut term_cache = TermCache::for_query(snapshot, understood);
            term_cache.suggestions = extras::suggest(&term_cache, understood)?;
            let term_cache = term_cache;
            let ask = |depth, add_clauses: &dyn Fn(&mut DisjunctionQuery<'_>) -> Result<(), TantivyError>| {
                let mut clauses = DisjunctionQuery::new(&term_cache);
                if depth > 0 {
                    add_clauses(&mut clauses)?;
                }
                top_k(&snapshot.segments, clauses, &doc_filters, depth, &self.shared.scratch, tie_breaker)
            };
            let words = ask(depths.lexical, &|clauses| queries::words(clauses, fields, &self.weights, &term_cache))?;
            let names = ask(depths.symbol, &|clauses| queries::names(clauses, fields, &term_cache))?;
            let files = ask(depths.path, &|clauses| queries::paths(clauses, fields, &term_cache, understood))?;
            let in_snapshot = |neighbour: &Neighbour| {
                let address = snapshot.address_of(neighbour.row)?;
                let passes = doc_filters[address.segment].passes(address.entry);
                let segment = &snapshot.segments[address.segment];
                let document = segment.document_row(address.entry);
                passes.then_some(Scored { address, document, row: neighbour.row, score: neighbour.cosine })
            };
            let mut nearest: Vec<Scored> = neighbours().iter().filter_map(in_snapshot).collect();
            keep_top_k(&mut nearest, usize::MAX, tie_breaker);
            let mut entries = vec![Vec::new(); snapshot.segments.len()];
            let telling = rare::find(&term_cache, &understood.text, depths.rare_words, looked_up.joined, &doc_filters)?;
            for of_word in telling.rare.iter().map(|word| &word.entries).chain(&telling.subject) {
                for (entries, more) in entries.iter_mut().zip(of_word) {
                    entries.extend(more);
                }
            }
            for address in looked_up.literal.iter().filter_map(|row| snapshot.address_of(*row)) {
                if doc_filters[address.segment].passes(address.entry) {
                    entries[address.segment].push(address.entry);
                }
            }
            for scored in words.iter().chain(&names).chain(&files).chain(&nearest) {
                entries[scored.address.segment].push(scored.address.entry);
            }
            let evidence =
                collect(&term_cache, entries, &doc_filters, &telling, &self.weights)?.ok_or_else(unknown_traits)?;
            Ok(Retrieved {
                lexical: self.as_candidates(words)?,
                symbol: self.as_candidates(names)?,
                path: self.as_candidates(files)?,
                semantic: self.as_candidates(nearest)?,
                evidence,
                suggestions: term_cache.suggestions,
            })
        })
    }

    /// Counts the documents that contain a word of the query in their text, names, comments, path or tags, by type,
    /// language, directory and tag.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn facets(&self, understood: &Understood, filters: &Filters) -> Result<Facets, SearchError> {
        let snapshot = &*self.snapshot;
        self.guard(|| {
            extras::count_facets(snapshot, &doc_filters(snapshot, filters, self.only.as_deref())?, understood)
        })
    }

    /// Whether a file has this path, a path that ends with it, or is in a directory with this path, in any case.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn has_path(&self, path: &str) -> Result<bool, SearchError> {
        let (snapshot, path) = (&*self.snapshot, path_of(path));
        let path = path.trim_end_matches('/');
        self.guard(|| {
            let is_file = snapshot.look_up(snapshot.fields.path_end, path.as_bytes())?.chunks > 0;
            let is_directory = || {
                snapshot.keys_with_prefix(snapshot.fields.path_end, &format!("{path}/"), 1).map(|keys| !keys.is_empty())
            };
            Ok(is_file || is_directory()?)
        })
    }

    /// Whether a text or a path contains a word, in any of its forms, or all words of an identifier.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn contains(&self, word: &str) -> Result<bool, SearchError> {
        let snapshot = &*self.snapshot;
        let terms = terms(word);
        self.guard(|| {
            for term in &terms {
                let counts =
                    [snapshot.fields.body, snapshot.fields.path].map(|field| snapshot.look_up(field, term.as_bytes()));
                let [body, path] = counts;
                if body?.chunks == 0 && path?.chunks == 0 {
                    return Ok(false);
                }
            }
            Ok(!terms.is_empty())
        })
    }

    /// The words of texts that begin with a prefix, in the form that the index has them in, in order, at most `most`.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn words_with_prefix(&self, prefix: &str, most: usize) -> Result<Vec<String>, SearchError> {
        let snapshot = &*self.snapshot;
        let keys = self.guard(|| snapshot.keys_with_prefix(snapshot.fields.body, prefix, most))?;
        Ok(keys.into_iter().filter_map(|key| String::from_utf8(key).ok()).collect())
    }

    /// The files whose name without its ending is this word, in any case, at most `most`: the rows of their first chunks.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn files_with_stem(&self, stem: &str, most: usize) -> Result<Vec<Candidate>, SearchError> {
        let stem = fold_case(stem);
        self.candidates(&Filters::default(), most, |clauses| clauses.key(self.snapshot.fields.stem, &stem, 1.0))
    }

    /// The files whose path is this one or ends with it, in any case, at most `most`.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn files_ending_with(
        &self,
        path: &str,
        filters: &Filters,
        most: usize,
    ) -> Result<Vec<DocumentRow>, SearchError> {
        let path = path_of(path);
        let candidates =
            self.candidates(filters, most, |clauses| clauses.key(self.snapshot.fields.path_end, &path, 1.0))?;
        Ok(candidates.into_iter().map(|candidate| candidate.document).collect())
    }

    /// The chunks that define exactly this name, by chunk row.
    ///
    /// `Store::open` and `open` both find `open` of `Store`. Scopes may also be written with `.` or `#`.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn defining(&self, name: &str, depth: usize) -> Result<Vec<Candidate>, SearchError> {
        self.candidates(&Filters::default(), depth, |clauses| {
            queries::definitions(clauses, &self.snapshot.fields, name)
        })
    }

    /// The chunks that define exactly this name, however its words are joined, by chunk row.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn defining_however_written(&self, name: &str, depth: usize) -> Result<Vec<Candidate>, SearchError> {
        self.candidates(&Filters::default(), depth, |clauses| {
            clauses.key(self.snapshot.fields.folded_name, &fold_name(name), 1.0)
        })
    }

    /// The chunks that define a longer name that begins with this one, however its words are joined. Empty if it is short.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn defining_beginning_with(&self, prefix: &str, depth: usize) -> Result<Vec<Candidate>, SearchError> {
        let prefix = TermCache::without_query(&self.snapshot).prefix_of_names(prefix);
        let Some((field, prefix)) = prefix else { return Ok(Vec::new()) };
        self.candidates(&Filters::default(), depth, |clauses| clauses.keys_with_prefix(field, &prefix, depth, 1.0))
    }

    /// Returns whether something is defined by this name or is a file of this name, or a text contains it as a word, in any case.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn knows(&self, name: &str) -> Result<bool, SearchError> {
        self.guard(|| extras::is_known(&TermCache::without_query(&self.snapshot), name, false))
    }

    /// The chunks whose text contains this name as a word, by BM25. They may refer to the name; other forms of a plain
    /// word match too (`opened` for `open`).
    ///
    /// # Errors
    /// The index is damaged.
    pub fn mentioning(&self, name: &str, depth: usize) -> Result<Vec<Candidate>, SearchError> {
        self.candidates(&Filters::default(), depth, |clauses| queries::mentions(clauses, &self.snapshot.fields, name))
    }

    /// The chunks that are similar to a text: BM25 over its most significant words. A chunk that the text was taken
    /// from is included.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn more_like_this(&self, text: &str, filters: &Filters, depth: usize) -> Result<Vec<Candidate>, SearchError> {
        let snapshot = &*self.snapshot;
        self.candidates(filters, depth, |clauses| queries::add_similar(clauses, snapshot, &snapshot.fields, text))
    }

    /// The chunks that share the rarest words of a text, in their text or their names, by BM25. The text itself is not
    /// in the index.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn sharing_rare_terms(
        &self,
        text: &str,
        filters: &Filters,
        depth: usize,
    ) -> Result<Vec<Candidate>, SearchError> {
        let term_cache = TermCache::without_query(&self.snapshot);
        self.guard(|| {
            self.run(&term_cache, filters, depth, |clauses| {
                queries::rarest_terms(clauses, &self.snapshot.fields, &self.weights, &term_cache, text)
            })
        })
    }

    fn candidates(
        &self,
        filters: &Filters,
        depth: usize,
        add_clauses: impl FnOnce(&mut DisjunctionQuery<'_>) -> Result<(), TantivyError>,
    ) -> Result<Vec<Candidate>, SearchError> {
        self.guard(|| self.run(&TermCache::without_query(&self.snapshot), filters, depth, add_clauses))
    }

    fn run_query(
        &self,
        understood: &Understood,
        filters: &Filters,
        depth: usize,
        add_clauses: impl FnOnce(&mut DisjunctionQuery<'_>, &TermCache<'_>) -> Result<(), TantivyError>,
    ) -> Result<Vec<Candidate>, SearchError> {
        let term_cache = TermCache::for_query(&self.snapshot, understood);
        self.guard(|| self.run(&term_cache, filters, depth, |clauses| add_clauses(clauses, &term_cache)))
    }

    fn run(
        &self,
        term_cache: &TermCache<'_>,
        filters: &Filters,
        depth: usize,
        add_clauses: impl FnOnce(&mut DisjunctionQuery<'_>) -> Result<(), TantivyError>,
    ) -> Result<Vec<Candidate>, TantivyError> {
        let snapshot = term_cache.snapshot;
        let mut clauses = DisjunctionQuery::new(term_cache);
        add_clauses(&mut clauses)?;
        let doc_filters = doc_filters(snapshot, filters, self.only.as_deref())?;
        self.as_candidates(top_k(&snapshot.segments, clauses, &doc_filters, depth, &self.shared.scratch, None)?)
    }

    fn as_candidates(&self, scored: Vec<Scored>) -> Result<Vec<Candidate>, TantivyError> {
        let candidates = scored.into_iter().map(|scored| self.snapshot.candidate(scored.address, scored.score));
        candidates.collect::<Option<Vec<_>>>().ok_or_else(unknown_traits)
    }

    fn guard<T>(&self, read: impl FnOnce() -> Result<T, TantivyError>) -> Result<T, SearchError> {
        catch_panics(read).map_err(|error| SearchError::Damaged { path: self.shared.dir.clone(), source: cause(error) })
    }
}

fn unknown_traits() -> TantivyError {
    corruption("the traits of a chunk are invalid")
}

/// The most candidates per retriever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depths {
    /// Chunks by their words.
    pub lexical: usize,
    /// Chunks by the names that they define.
    pub symbol: usize,
    /// Documents by their paths.
    pub path: usize,
    /// Words of the query that are looked up as they are written, to find one that hardly any document contains.
    pub rare_words: usize,
}

/// What the caller found in the texts, which the index does not have.
#[derive(Clone, Copy, Debug, Default)]
pub struct LookedUp<'a> {
    /// Chunks that contain a literal of the query.
    pub literal: &'a [ChunkRow],
    /// The words of the query with punctuation in them that not too many documents contain.
    pub joined: &'a [JoinedWord],
}

/// The results of the retrievers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retrieved {
    /// The chunks that contain the query's words; see [`Searcher::lexical`].
    pub lexical: Vec<Candidate>,
    /// The chunks that define names in the query; see [`Searcher::symbols`].
    pub symbol: Vec<Candidate>,
    /// The documents whose path is in the query; see [`Searcher::paths`].
    pub path: Vec<Candidate>,
    /// The chunks nearest to the query by embedding, with their cosines.
    pub semantic: Vec<Candidate>,
    /// The evidence of all documents in these lists.
    pub evidence: Evidence,
    /// Spelling suggestions for a query that names nothing. Their definitions and files are among the candidates.
    pub suggestions: SpellingSuggestions,
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher")
            .field("dir", &self.shared.dir)
            .field("generation", &self.generation())
            .finish_non_exhaustive()
    }
}

/// The reason why the index was not searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// Its files are damaged. It can be moved away and written again.
    #[error("the lexical index in `{}` is damaged", path.display())]
    Damaged {
        /// The index's folder.
        path: PathBuf,
        /// The damage found.
        source: Box<dyn Error + Send + Sync>,
    },
}
