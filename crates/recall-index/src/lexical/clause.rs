//! Weighted clauses of a query and their posting lists.
//!
//! Every retriever of words is a disjunction of clauses: a term with BM25, or a key with a constant score. Each clause has an upper
//! bound, by which the evaluation skips entries that cannot be among the best.

use std::rc::Rc;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, TantivyError};

use crate::lexical::query_terms::TermCache;
use crate::lexical::snapshot::{Segment, TermPostings};

/// Saturation of the term frequency in BM25 (Robertson, Walker, TREC-3).
pub(crate) const K1: f32 = 1.2;
/// Strength of the length normalisation in BM25.
pub(crate) const B: f32 = 0.75;

/// A disjunction of clauses. The score of an entry is the sum of the scores of the clauses that match it.
pub(crate) struct DisjunctionQuery<'a> {
    term_cache: &'a TermCache<'a>,
    list: Vec<Clause>,
    /// For each field, the part of BM25 that depends on the length alone, by stored length.
    norms: Vec<(Field, Norms)>,
}

type Norms = Rc<[f32; 256]>;

/// One clause: a set of matches and their score.
pub(crate) struct Clause {
    matches: Matches,
    scorer: TermScorer,
}

enum Matches {
    /// The entries that contain a term, with its postings in each segment.
    Term(Field, Rc<TermPostings>),
    /// The entries of each segment, ascending.
    Entries(Vec<Vec<DocId>>),
}

#[derive(Clone)]
pub(crate) enum TermScorer {
    /// `weight × frequency / (frequency + norm)`, which is less than the weight.
    Bm25 { weight: f32, norms: Norms },
    /// The same score for every match.
    Constant(f32),
}

impl TermScorer {
    /// The upper bound of the score of a match.
    pub(crate) fn bound(&self) -> f32 {
        match *self {
            Self::Bm25 { weight, .. } => weight,
            Self::Constant(score) => score,
        }
    }
}

impl<'a> DisjunctionQuery<'a> {
    pub(crate) fn new(term_cache: &'a TermCache<'a>) -> Self {
        Self { term_cache, list: Vec::new(), norms: Vec::new() }
    }

    /// Adds a term of a scored field, with BM25 times a positive weight.
    pub(crate) fn term(&mut self, field: Field, term: &str, weight: f32) -> Result<(), TantivyError> {
        let found = self.term_cache.look_up(field, term.as_bytes())?;
        if found.chunks > 0 {
            let idf = inverse_document_frequency(found.chunks, self.term_cache.snapshot.chunks);
            let scorer = TermScorer::Bm25 { weight: weight * idf * (K1 + 1.0), norms: self.norms(field) };
            self.list.push(Clause { matches: Matches::Term(field, found), scorer });
        }
        Ok(())
    }

    /// Adds a key. Every match has the same score.
    pub(crate) fn key(&mut self, field: Field, key: &str, score: f32) -> Result<(), TantivyError> {
        let found = self.term_cache.look_up(field, key.as_bytes())?;
        if found.chunks > 0 {
            self.list.push(Clause { matches: Matches::Term(field, found), scorer: TermScorer::Constant(score) });
        }
        Ok(())
    }

    /// Adds the keys that are longer than a prefix and begin with it, at most `limit` of them in ascending order. The
    /// score of an entry does not depend on how many of them match.
    pub(crate) fn keys_with_prefix(
        &mut self,
        field: Field,
        prefix: &str,
        limit: usize,
        score: f32,
    ) -> Result<(), TantivyError> {
        let keys = self.term_cache.look_up_prefix(field, prefix, limit)?;
        let mut entries: Vec<Vec<DocId>> = vec![Vec::new(); self.term_cache.snapshot.segments.len()];
        for found in &keys {
            for ((segment, info), entries) in
                self.term_cache.snapshot.segments.iter().zip(&found.infos).zip(&mut entries)
            {
                if let Some(info) = info {
                    segment.each_in(field, info, |entry| entries.push(entry))?;
                }
            }
        }
        for entries in &mut entries {
            entries.sort_unstable();
            entries.dedup();
        }
        if entries.iter().any(|entries| !entries.is_empty()) {
            self.list.push(Clause { matches: Matches::Entries(entries), scorer: TermScorer::Constant(score) });
        }
        Ok(())
    }

    /// The upper bound of the score of an entry.
    pub(crate) fn bound(&self) -> f32 {
        self.list.iter().map(|clause| clause.scorer.bound()).sum()
    }

    /// The clauses by descending upper bound. Equal ones keep the order in which they were added.
    pub(crate) fn into_sorted(self) -> Vec<Clause> {
        let mut list = self.list;
        list.sort_by(|a, b| b.scorer.bound().total_cmp(&a.scorer.bound()));
        list
    }

    fn norms(&mut self, field: Field) -> Norms {
        if let Some((_, norms)) = self.norms.iter().find(|(known, _)| *known == field) {
            return Rc::clone(norms);
        }
        let mean = self.term_cache.snapshot.mean_length(field);
        let mut norms = [0.0; 256];
        for (id, norm) in (0_u8..=255).zip(&mut norms) {
            let length = FieldNormReader::id_to_fieldnorm(id) as f32;
            *norm = K1 * (1.0 - B + B * length / mean);
        }
        let norms = Rc::new(norms);
        self.norms.push((field, Rc::clone(&norms)));
        norms
    }
}

impl Clause {
    pub(crate) fn scorer(&self) -> &TermScorer {
        &self.scorer
    }

    /// Opens the posting list of one segment. `None` if it is empty.
    pub(crate) fn open<'s>(&'s self, number: usize, segment: &'s Segment) -> Result<Option<List<'s>>, TantivyError> {
        match &self.matches {
            Matches::Entries(entries) if entries[number].is_empty() => Ok(None),
            Matches::Entries(entries) => Ok(Some(List::Entries(&entries[number]))),
            Matches::Term(field, found) => {
                let Some(info) = &found.infos[number] else { return Ok(None) };
                let option = match self.scorer {
                    TermScorer::Bm25 { .. } => IndexRecordOption::WithFreqs,
                    TermScorer::Constant(_) => IndexRecordOption::Basic,
                };
                let postings = segment.inverted_index(*field).read_block_postings_from_terminfo(info, option)?;
                Ok(Some(List::Postings { postings, lengths: segment.lengths(*field) }))
            }
        }
    }
}

/// The matches of a clause in one segment.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all lists are postings, and a box for each would be an allocation"
)]
pub(crate) enum List<'s> {
    /// Postings of the index.
    Postings { postings: BlockSegmentPostings, lengths: Option<&'s FieldNormReader> },
    /// Ascending entries.
    Entries(&'s [DocId]),
}

impl List<'_> {
    /// The number of matches, removed entries included.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Postings { postings, .. } => postings.doc_freq() as usize,
            Self::Entries(entries) => entries.len(),
        }
    }

    /// Calls `add` with each match that passes the filter, and its score.
    pub(crate) fn scan(
        &mut self,
        scorer: &TermScorer,
        passes: impl Fn(DocId) -> bool,
        mut add: impl FnMut(DocId, f32),
    ) {
        match (self, scorer) {
            (Self::Postings { postings, lengths: Some(lengths) }, TermScorer::Bm25 { weight, norms }) => {
                while postings.block_len() > 0 {
                    for (&entry, &frequency) in postings.docs().iter().zip(postings.freqs()) {
                        if passes(entry) {
                            add(entry, bm25(*weight, norms, frequency, lengths.fieldnorm_id(entry)));
                        }
                    }
                    postings.advance();
                }
            }
            (Self::Postings { postings, .. }, scorer) => {
                while postings.block_len() > 0 {
                    postings
                        .docs()
                        .iter()
                        .filter(|&&entry| passes(entry))
                        .for_each(|&entry| add(entry, scorer.bound()));
                    postings.advance();
                }
            }
            (Self::Entries(entries), scorer) => {
                entries.iter().filter(|&&entry| passes(entry)).for_each(|&entry| add(entry, scorer.bound()));
            }
        }
    }

    /// Calls `add` with each match among the `wanted` entries, which ascend, and its score.
    pub(crate) fn seek(
        &mut self,
        scorer: &TermScorer,
        wanted: impl Iterator<Item = DocId>,
        mut add: impl FnMut(DocId, f32),
    ) {
        match self {
            Self::Postings { postings, lengths } => {
                for entry in wanted {
                    let at = postings.seek(entry);
                    if postings.doc(at) != entry {
                        continue;
                    }
                    add(
                        entry,
                        match (scorer, &lengths) {
                            (TermScorer::Bm25 { weight, norms }, Some(lengths)) => {
                                bm25(*weight, norms, postings.freq(at), lengths.fieldnorm_id(entry))
                            }
                            (scorer, _) => scorer.bound(),
                        },
                    );
                }
            }
            Self::Entries(entries) => {
                for entry in wanted {
                    if entries.binary_search(&entry).is_ok() {
                        add(entry, scorer.bound());
                    }
                }
            }
        }
    }
}

/// The inverse document frequency of a term that occurs in `with` of `all` texts.
pub(crate) fn inverse_document_frequency(with: u64, all: u64) -> f32 {
    let (with, all) = (with as f32, all.max(with) as f32);
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

fn bm25(weight: f32, norms: &[f32; 256], frequency: u32, length: u8) -> f32 {
    let frequency = frequency as f32;
    weight * (frequency / (frequency + norms[length as usize]))
}
