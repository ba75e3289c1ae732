//! Which chunks are the candidates of a query, in one state of the index?

mod alike;
mod exact;
mod facets;
mod lexical;
mod near;
mod paths;
mod rarest;
mod symbols;

use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use recall_core::{Candidate, Filters, Generation, Neighbour, RowSet, Understood};
use tantivy::TantivyError;

use crate::clause::Clauses;
use crate::evidence::{Evidence, gather};
use crate::filter::{filtered, gates};
use crate::index::Shared;
use crate::look_ups::LookUps;
use crate::open::{cause, corruption, guarded};
use crate::snapshot::Snapshot;
use crate::union::{Scored, Ties, best, keep_best};
use crate::weights::FieldWeights;

pub use facets::Facets;
pub use near::NearSpellings;

/// One committed state of a lexical index, to search in.
///
/// Every list of candidates is best first, has no chunk twice, and is the same for the same state and question; ties are
/// broken by chunk row, where nothing else is said. A query that matches nothing, whatever is in it, gives an empty list.
#[derive(Clone)]
pub struct Searcher {
    shared: Arc<Shared>,
    snapshot: Arc<Snapshot>,
    weights: FieldWeights,
}

impl Searcher {
    pub(crate) fn new(shared: Arc<Shared>, snapshot: Arc<Snapshot>, weights: FieldWeights) -> Self {
        Self { shared, snapshot, weights }
    }

    /// The generation of the state.
    pub fn generation(&self) -> Generation {
        self.snapshot.generation
    }

    /// How many chunks the state holds.
    pub fn chunk_count(&self) -> u64 {
        self.snapshot.chunks
    }

    /// The chunks that hold the query's words: BM25 over every field, each with its weight.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn lexical(
        &self,
        understood: &Understood,
        filters: &Filters,
        depth: usize,
    ) -> Result<Vec<Candidate>, SearchError> {
        self.of_query(understood, filters, depth, |clauses, look_ups| {
            lexical::look_for(clauses, &self.snapshot.fields, &self.weights, look_ups)
        })
    }

    /// The chunks that define what the query names.
    ///
    /// A definition whose name equals an identifier of the query comes first, one written alike in other case next, then
    /// those whose name starts with it, then those whose name has parts of it; among equals, BM25 over the names decides.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn symbols(
        &self,
        understood: &Understood,
        filters: &Filters,
        depth: usize,
    ) -> Result<Vec<Candidate>, SearchError> {
        self.of_query(understood, filters, depth, |clauses, look_ups| {
            symbols::look_for(clauses, &self.snapshot.fields, look_ups)
        })
    }

    /// The documents whose path the query names, each by its first chunk.
    ///
    /// A path that ends like a path of the query comes before a file whose name without extension is a name of the query,
    /// and that before paths with words of the query; among equals, BM25 over the words of paths decides.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn paths(
        &self,
        understood: &Understood,
        filters: &Filters,
        depth: usize,
    ) -> Result<Vec<Candidate>, SearchError> {
        self.of_query(understood, filters, depth, |clauses, look_ups| {
            paths::look_for(clauses, &self.snapshot.fields, look_ups, understood)
        })
    }

    /// The chunks that the filters let through; `None` where they let everything through.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn allowed(&self, filters: &Filters) -> Result<Option<Arc<RowSet>>, SearchError> {
        if filters.is_empty() {
            return Ok(None);
        }
        let snapshot = &*self.snapshot;
        self.guard(|| Ok(Some(filtered(snapshot, filters)?.rows(&snapshot.segments))))
    }

    /// What the three retrievers find, and what speaks for the documents that any of them named, or that hold one of the
    /// chunks that lie near the query in meaning.
    ///
    /// A retriever with a depth of 0 is not asked. What lies near is asked for when the retrievers have answered, so that it may
    /// be found meanwhile; that must not panic, which would be taken for damage. Of it, chunks that the filters do not let
    /// through, or that this state does not hold, are passed over. Of equally good chunks those of documents with a lesser
    /// number in `ties` come first, then those with a lesser row.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn retrieve(
        &self,
        understood: &Understood,
        filters: &Filters,
        depths: Depths,
        near: impl FnOnce() -> Vec<Neighbour>,
        ties: Ties<'_>,
    ) -> Result<Retrieved, SearchError> {
        let snapshot = &*self.snapshot;
        self.guard(|| {
            let gates = gates(snapshot, filters)?;
            let fields = &snapshot.fields;
            let mut look_ups = LookUps::of_query(snapshot, understood);
            look_ups.near = near::find(&look_ups, &understood.text)?;
            let look_ups = look_ups;
            let ask = |depth, look_for: &dyn Fn(&mut Clauses<'_>) -> Result<(), TantivyError>| {
                let mut clauses = Clauses::new(&look_ups);
                if depth > 0 {
                    look_for(&mut clauses)?;
                }
                best(&snapshot.segments, clauses, &gates, depth, &self.shared.scratch, ties)
            };
            let words = ask(depths.lexical, &|clauses| lexical::look_for(clauses, fields, &self.weights, &look_ups))?;
            let names = ask(depths.symbol, &|clauses| symbols::look_for(clauses, fields, &look_ups))?;
            let files = ask(depths.path, &|clauses| paths::look_for(clauses, fields, &look_ups, understood))?;
            let of_meaning = |near: &Neighbour| {
                let address = snapshot.address_of(near.row)?;
                let lets_through = gates[address.segment].lets_through(address.entry);
                let segment = &snapshot.segments[address.segment];
                let document = segment.document_row(address.entry);
                lets_through.then_some(Scored { address, document, row: near.row, score: near.cosine })
            };
            let mut meanings: Vec<Scored> = near().iter().filter_map(of_meaning).collect();
            keep_best(&mut meanings, usize::MAX, ties);
            let mut entries = vec![Vec::new(); snapshot.segments.len()];
            for scored in words.iter().chain(&names).chain(&files).chain(&meanings) {
                entries[scored.address.segment].push(scored.address.entry);
            }
            let evidence = gather(&look_ups, entries, &self.weights)?.ok_or_else(unknown_traits)?;
            Ok(Retrieved {
                lexical: self.as_candidates(words)?,
                symbol: self.as_candidates(names)?,
                path: self.as_candidates(files)?,
                semantic: self.as_candidates(meanings)?,
                evidence,
                near: look_ups.near,
            })
        })
    }

    /// Counts the documents that hold a word of the query in their text, names, comments, path or tags, by what they are.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn facets(&self, understood: &Understood, filters: &Filters) -> Result<Facets, SearchError> {
        let snapshot = &*self.snapshot;
        self.guard(|| facets::count(snapshot, &gates(snapshot, filters)?, understood))
    }

    /// The chunks that define exactly this name, ties by chunk row.
    ///
    /// `Store::open` and `open` both find `open` of `Store`; scopes may also be written with `.` or `#`.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn defining(&self, name: &str, depth: usize) -> Result<Vec<Candidate>, SearchError> {
        self.candidates(&Filters::default(), depth, |clauses| {
            exact::look_for_definitions(clauses, &self.snapshot.fields, name)
        })
    }

    /// The chunks whose text holds this name as a word, by BM25: those that may refer to it. Other forms of a plain word
    /// are among them (`opened` for `open`).
    ///
    /// # Errors
    /// The index is damaged.
    pub fn mentioning(&self, name: &str, depth: usize) -> Result<Vec<Candidate>, SearchError> {
        self.candidates(&Filters::default(), depth, |clauses| {
            exact::look_for_mentions(clauses, &self.snapshot.fields, name)
        })
    }

    /// The chunks that are about the same as a text: BM25 over the text's most telling words. A chunk that the text was
    /// taken from is among them.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn alike(&self, text: &str, filters: &Filters, depth: usize) -> Result<Vec<Candidate>, SearchError> {
        let snapshot = &*self.snapshot;
        self.candidates(filters, depth, |clauses| alike::look_for(clauses, snapshot, &snapshot.fields, text))
    }

    /// The chunks that share the rarest words of a text that is in no chunk itself, in their text or their names, by BM25.
    ///
    /// # Errors
    /// The index is damaged.
    pub fn sharing(&self, text: &str, filters: &Filters, depth: usize) -> Result<Vec<Candidate>, SearchError> {
        let look_ups = LookUps::free(&self.snapshot);
        self.guard(|| {
            self.answer(&look_ups, filters, depth, |clauses| {
                rarest::look_for(clauses, &self.snapshot.fields, &self.weights, &look_ups, text)
            })
        })
    }

    fn candidates(
        &self,
        filters: &Filters,
        depth: usize,
        look_for: impl FnOnce(&mut Clauses<'_>) -> Result<(), TantivyError>,
    ) -> Result<Vec<Candidate>, SearchError> {
        self.guard(|| self.answer(&LookUps::free(&self.snapshot), filters, depth, look_for))
    }

    fn of_query(
        &self,
        understood: &Understood,
        filters: &Filters,
        depth: usize,
        look_for: impl FnOnce(&mut Clauses<'_>, &LookUps<'_>) -> Result<(), TantivyError>,
    ) -> Result<Vec<Candidate>, SearchError> {
        let look_ups = LookUps::of_query(&self.snapshot, understood);
        self.guard(|| self.answer(&look_ups, filters, depth, |clauses| look_for(clauses, &look_ups)))
    }

    fn answer(
        &self,
        look_ups: &LookUps<'_>,
        filters: &Filters,
        depth: usize,
        look_for: impl FnOnce(&mut Clauses<'_>) -> Result<(), TantivyError>,
    ) -> Result<Vec<Candidate>, TantivyError> {
        let snapshot = look_ups.snapshot;
        let mut clauses = Clauses::new(look_ups);
        look_for(&mut clauses)?;
        let gates = gates(snapshot, filters)?;
        self.as_candidates(best(&snapshot.segments, clauses, &gates, depth, &self.shared.scratch, None)?)
    }

    fn as_candidates(&self, scored: Vec<Scored>) -> Result<Vec<Candidate>, TantivyError> {
        let candidates = scored.into_iter().map(|scored| self.snapshot.candidate(scored.address, scored.score));
        candidates.collect::<Option<Vec<_>>>().ok_or_else(unknown_traits)
    }

    fn guard<T>(&self, read: impl FnOnce() -> Result<T, TantivyError>) -> Result<T, SearchError> {
        guarded(read).map_err(|error| SearchError::Damaged { path: self.shared.dir.clone(), source: cause(error) })
    }
}

fn unknown_traits() -> TantivyError {
    corruption("a chunk's traits are none that were written")
}

/// How many candidates each retriever brings at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Depths {
    /// Of chunks by their words.
    pub lexical: usize,
    /// Of chunks by the names that they define.
    pub symbol: usize,
    /// Of documents by their paths.
    pub path: usize,
}

/// What the retrievers found.
#[derive(Clone, Debug, PartialEq)]
pub struct Retrieved {
    /// The chunks that hold the query's words; see [`Searcher::lexical`].
    pub lexical: Vec<Candidate>,
    /// The chunks that define what the query names; see [`Searcher::symbols`].
    pub symbol: Vec<Candidate>,
    /// The documents whose path the query names; see [`Searcher::paths`].
    pub path: Vec<Candidate>,
    /// The chunks that lie near the query in meaning, scored by their cosines.
    pub semantic: Vec<Candidate>,
    /// What speaks for the documents of all of them.
    pub evidence: Evidence,
    /// What is spelled nearly like a query that nothing is called by; its definitions and files are among the candidates.
    pub near: NearSpellings,
}

impl fmt::Debug for Searcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Searcher")
            .field("dir", &self.shared.dir)
            .field("generation", &self.generation())
            .finish_non_exhaustive()
    }
}

/// The index was not searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// Its files are not what was written. It can be set aside and written again.
    #[error("the lexical index in `{}` is damaged", path.display())]
    Damaged {
        /// The index's folder.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
}
