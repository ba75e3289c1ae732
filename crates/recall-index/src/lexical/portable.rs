//! Analyses of chunks that can be stored anywhere, and retrieval over the documents that another store returned.
//!
//! A shared store has no tantivy index. It stores each chunk's [`ChunkAnalysis`] as bytes and each term as a number
//! ([`ChunkAnalysis::keys`]), and finds chunks by these numbers. [`PortableQuery`] says which numbers a query needs and how
//! much each counts; given the documents that came back and the statistics of the whole store, it computes the same lists and
//! the same [`Evidence`](crate::lexical::Evidence) as a [`Searcher`](crate::lexical::Searcher) does from its postings.
//!
//! A query that names nothing is asked for in the spellings near to it: [`NearSpellings`].

mod chunk_analysis;
mod read;
mod similar;
mod spelling;

use recall_core::{ChunkRow, DocumentRow, Traits, Understood};
use recall_text::{DocPath, fold_case};
use rustc_hash::FxHashMap;

use crate::lexical::clause::{K1, inverse_document_frequency};
use crate::lexical::evidence::assemble::MAX_TERMS;
use crate::lexical::fields::FieldWeights;
use crate::lexical::names::{self, MAX_COMPONENTS, SCOPE, ends, fold_name};
use crate::lexical::query_terms;
use crate::lexical::searcher::path_of;

pub use chunk_analysis::{ChunkAnalysis, ChunkParts, Lengths, document_keys};
pub use similar::{SimilarQuery, SimilarWords};
pub use spelling::NearSpellings;

use chunk_analysis::{KeyField, field_key, key, term_number};

/// The statistics of a whole store that scores depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The number of chunks.
    pub chunks: u64,
    /// The number of documents.
    pub documents: u64,
    /// The number of terms in each field, over all chunks and documents.
    pub lengths: Lengths,
    /// In how many chunks, or documents for fields of documents, each key occurs. A key that is missing occurs in none.
    pub counts: FxHashMap<u32, u64>,
}

/// A document with its chunks, as a shared store returns it.
#[derive(Clone, Debug)]
pub struct PortableDocument {
    /// A number that is unique among the documents of one query.
    pub row: DocumentRow,
    /// The number of its first chunk. The others follow without gaps.
    pub first_chunk: ChunkRow,
    /// Its path, on which its words and its siblings depend.
    pub path: DocPath,
    /// The tags of the document.
    pub tags: Vec<String>,
    /// What the priors and the kinds of ranking depend on.
    pub traits: Traits,
    /// Its chunks, in order; at least one.
    pub chunks: Vec<ChunkAnalysis>,
}

/// A query over the chunks of a shared store.
#[derive(Clone, Debug)]
pub struct PortableQuery {
    terms: Vec<String>,
    /// As written; see [`query_terms::names`].
    names: Vec<String>,
    phrase: Option<String>,
    /// The query as a path, if it can be one as a whole.
    path: Option<String>,
    /// The paths in the query, folded.
    paths: Vec<String>,
    /// Spelling suggestions, searched if nothing has the query's name.
    suggested: Suggested,
    weights: FieldWeights,
}

/// The spellings near to a query that a store may have.
#[derive(Clone, Debug, Default)]
struct Suggested {
    /// Folded.
    spellings: Vec<String>,
    /// Whether they are ends of paths; else they are names and file names.
    is_path: bool,
}

/// A key that a query looks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedKey {
    /// The number of a term in a field.
    pub key: u32,
    /// What it adds to the score of a chunk or document that has it; more than 0.
    pub weight: f32,
    /// In how many chunks or documents it occurs.
    pub count: u64,
}

/// The part of a term's greatest score that its presence in a text is worth, if nothing else is known of the text.
const PRESENT: f32 = 0.45;

/// What is added if the term is dense.
const DENSE: f32 = 0.35;

impl PortableQuery {
    /// Reads the terms, names and paths of a query. They are weighed when the statistics are known.
    pub fn new(understood: &Understood) -> Self {
        let mut terms = query_terms::terms(&understood.text);
        terms.truncate(MAX_TERMS);
        let is_one_word = !understood.text.contains(char::is_whitespace) && understood.paths.is_empty();
        let alone = is_one_word.then_some(&understood.text);
        Self {
            terms,
            names: query_terms::names(understood),
            phrase: names::phrase_key(understood.wording()),
            path: query_terms::path(understood),
            paths: understood.paths.iter().chain(alone).map(|path| path_of(path)).collect(),
            suggested: Suggested::default(),
            weights: FieldWeights::default(),
        }
    }

    /// The keys whose counts [`Statistics`] must have.
    pub fn keys(&self) -> Vec<u32> {
        let fields = [KeyField::Body, KeyField::Dense, KeyField::Symbol, KeyField::Comment];
        let of_documents = [KeyField::Path, KeyField::Stem, KeyField::Folder];
        let mut keys = Vec::new();
        for term in &self.terms {
            keys.extend(fields.map(|field| field_key(field, term_number(term))));
            keys.extend(of_documents.map(|field| key(field, term)));
        }
        keys.extend(self.name_keys().into_iter().chain(self.path_keys()).map(|(key, _)| key));
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// The keys of chunks that contain the words, with their parts of the score.
    pub fn words(&self, statistics: &Statistics) -> Vec<WeightedKey> {
        let FieldWeights { body, symbol, path: _, comment, tag: _ } = self.weights;
        let parts = [
            (KeyField::Body, body * PRESENT),
            (KeyField::Dense, body * DENSE),
            (KeyField::Symbol, symbol * PRESENT),
            (KeyField::Comment, comment * PRESENT),
        ];
        let mut words = Vec::new();
        for term in &self.terms {
            let number = term_number(term);
            let of_body = statistics.count(field_key(KeyField::Body, number));
            for (field, part) in parts {
                let key = field_key(field, number);
                let count = statistics.count(key);
                // A dense term is weighted by how rare the term is, not by how rare its density is.
                let with = if field == KeyField::Dense { of_body } else { count };
                if count > 0 {
                    let idf = inverse_document_frequency(with, statistics.chunks);
                    words.push(WeightedKey { key, weight: part * idf * (K1 + 1.0), count });
                }
            }
        }
        words
    }

    /// The keys of chunks and those of documents by which a document counts as one with a word of the query.
    pub fn facets(&self) -> (Vec<u32>, Vec<u32>) {
        let fields = [KeyField::Body, KeyField::Symbol, KeyField::Comment];
        let numbers = self.terms.iter().map(|term| term_number(term));
        let of_chunks = numbers.flat_map(|number| fields.map(|field| field_key(field, number))).collect();
        (of_chunks, self.terms.iter().map(|term| key(KeyField::Path, term)).collect())
    }

    /// The keys of chunks that define the names, with their parts of the score.
    pub fn definitions(&self, statistics: &Statistics) -> Vec<WeightedKey> {
        let keys = self.name_keys().into_iter().chain(self.suggested_names());
        weigh(keys.collect(), statistics)
    }

    /// The keys of documents that the query names, with their parts of the score.
    pub fn files(&self, statistics: &Statistics) -> Vec<WeightedKey> {
        let words = self.terms.iter().map(|term| key(KeyField::Path, term));
        let words = words.map(|key| {
            let count = statistics.count(key);
            WeightedKey { key, weight: inverse_document_frequency(count, statistics.documents) * (K1 + 1.0), count }
        });
        let mut files: Vec<WeightedKey> = words.filter(|word| word.count > 0).collect();
        let unit = files.iter().map(|word| word.weight).sum::<f32>() + 1.0;
        let paths = self.path_keys().into_iter().chain(self.suggested_paths());
        files.extend(weigh(paths.collect(), statistics).into_iter().map(|mut one| {
            one.weight *= unit;
            one
        }));
        files
    }

    fn name_keys(&self) -> Vec<(u32, f32)> {
        let mut keys = Vec::new();
        for name in &self.names {
            let folded = fold_name(name);
            for (place, end) in ends(&folded, SCOPE).enumerate() {
                keys.push((key(KeyField::Name, end), if place == 0 { 3.0 } else { 1.0 }));
            }
        }
        keys.extend(self.phrase.iter().map(|phrase| (key(KeyField::Phrase, phrase), 3.0)));
        keys
    }

    fn path_keys(&self) -> Vec<(u32, f32)> {
        let mut keys = Vec::new();
        for path in &self.paths {
            keys.extend(ends(path, "/").take(MAX_COMPONENTS).map(|end| (key(KeyField::PathEnd, end), 2.0)));
        }
        for name in &self.names {
            let folded = fold_case(name);
            let last = folded.rsplit_once(SCOPE).map_or(&*folded, |(_, last)| last);
            keys.push((key(KeyField::FileName, last), 1.0));
        }
        keys
    }
}

impl Statistics {
    /// In how many chunks or documents a key occurs.
    pub fn count(&self, key: u32) -> u64 {
        self.counts.get(&key).copied().unwrap_or_default()
    }
}

fn weigh(keys: Vec<(u32, f32)>, statistics: &Statistics) -> Vec<WeightedKey> {
    let known = keys.into_iter().map(|(key, weight)| WeightedKey { key, weight, count: statistics.count(key) });
    known.filter(|one| one.count > 0).collect()
}
