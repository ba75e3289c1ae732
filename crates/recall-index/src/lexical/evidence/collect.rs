//! Collection of the evidence from the postings of the candidates' documents.
//!
//! The entries of a document are adjacent. So the candidates of a segment are a few short ranges, and each posting list of the query
//! is read once, from range to range. Nothing of the candidates' texts is read.

use std::rc::Rc;

use recall_text::{fold_case, normalized_path};
use tantivy::postings::TermInfo;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, TantivyError};

use super::assemble::{
    ChunkStats, DocumentStats, FieldStats, MAX_TERMS, NAMED_EQUAL, NAMED_FOLDED, ReadDocument, named_unit,
    saturated_frequency,
};
use super::rare::TellingWords;
use super::{DocumentEvidence, DocumentRange, Evidence, QueryStats, document_ranges, each_within};
use crate::lexical::chunk_document::{SiblingKeys, unpack};
use crate::lexical::clause::{K1, inverse_document_frequency};
use crate::lexical::fields::FieldWeights;
use crate::lexical::filter::DocFilter;
use crate::lexical::names::{MAX_COMPONENTS, SCOPE, ends, fold_name};
use crate::lexical::query_terms::{SpellingSuggestions, TermCache, spanning};
use crate::lexical::snapshot::{LexicalSnapshot, Segment, TermPostings};

/// How telling the name of a file is in relation to the next more telling one.
const TELLING_STEP: f32 = 0.9;

/// The most names considered that begin with a name of the query.
const MAX_PREFIX_MATCHES: usize = 64;

/// Collects the evidence of the documents that contain the given entries, which are grouped by segment, as are the filters. A chunk
/// that passes them represents its document.
pub(crate) fn collect(
    term_cache: &TermCache<'_>,
    entries: Vec<Vec<DocId>>,
    doc_filters: &[DocFilter<'_>],
    telling: &TellingWords,
    weights: &FieldWeights,
) -> Result<Option<Evidence>, TantivyError> {
    let snapshot = term_cache.snapshot;
    let mut query = QueryPostings::open(term_cache)?;
    if let Some(word) = &telling.rare {
        (query.stats.rare, query.stats.rare_together) = (word.share, word.share_together);
    }
    let mut documents = Vec::new();
    for (number, (segment, entries)) in snapshot.segments.iter().zip(entries).enumerate() {
        if entries.is_empty() {
            continue;
        }
        let mut reader = SegmentEvidence::new(snapshot, segment, number, entries);
        reader.read(&query)?;
        if let Some(rare) = &telling.rare {
            reader.each_of(&rare.entries[number], |document, _| document.is_rare = true);
        }
        if let Some(subject) = &telling.subject {
            reader.each_of(&subject[number], |_, chunk| chunk.has_subject = true);
        }
        for place in 0..reader.ranges.len() {
            let Some(evidence) = reader.evidence(place, &query, &doc_filters[number], weights) else { return Ok(None) };
            documents.push(evidence);
        }
    }
    documents.sort_unstable_by_key(|evidence| evidence.document);
    Ok(Some(Evidence { query: query.stats, documents }))
}

/// The query's terms and names, with their postings.
struct QueryPostings {
    terms: Vec<QueryTerm>,
    names: Vec<QueryName>,
    whole: WholeQuery,
    /// The inverse document frequency of each term.
    weights: Vec<f32>,
    stats: QueryStats,
    rarest: usize,
}

struct QueryTerm {
    body: Rc<TermPostings>,
    symbol: Rc<TermPostings>,
    comment: Rc<TermPostings>,
    path: Rc<TermPostings>,
    stem: Rc<TermPostings>,
    folder: Rc<TermPostings>,
}

struct QueryName {
    equal: Rc<TermPostings>,
    /// The names that are equal however they are written, and the field that they are in. Only those that are written alike if there are such.
    folded: (Field, Rc<TermPostings>),
    stem: Rc<TermPostings>,
    /// The names that begin with it, and the field that they are in.
    begun: (Field, Vec<Rc<TermPostings>>),
}

/// The query as a whole: as a phrase, as a path, and its spelling suggestions.
#[derive(Default)]
struct WholeQuery {
    phrase: Option<Rc<TermPostings>>,
    /// The query as a path, and each of its ends without leading components.
    paths: Vec<Rc<TermPostings>>,
    /// The query as the end of a path.
    path_end: Option<Rc<TermPostings>>,
    /// Spelling suggestions: definitions, and ends of paths.
    suggested_names: Vec<Rc<TermPostings>>,
    suggested_stems: Vec<Rc<TermPostings>>,
    suggested_paths: Vec<Rc<TermPostings>>,
    /// The files that answer by their name, the most telling first.
    telling_paths: Vec<Rc<TermPostings>>,
}

impl QueryPostings {
    fn open(term_cache: &TermCache<'_>) -> Result<Self, TantivyError> {
        let snapshot = term_cache.snapshot;
        let fields = &snapshot.fields;
        let mut query = Self {
            terms: Vec::new(),
            names: Vec::new(),
            whole: WholeQuery::open(term_cache)?,
            weights: Vec::new(),
            stats: QueryStats::default(),
            rarest: 0,
        };
        let mut unknown = 0.0;
        for term in term_cache.terms.iter().take(MAX_TERMS) {
            let look_up = |field| term_cache.look_up(field, term.as_bytes());
            let term = QueryTerm {
                body: look_up(fields.body)?,
                symbol: look_up(fields.symbol)?,
                comment: look_up(fields.comment)?,
                path: look_up(fields.path_words)?,
                stem: look_up(fields.stem_words)?,
                folder: look_up(fields.folder_words)?,
            };
            query.weights.push(inverse_document_frequency(term.body.chunks, snapshot.chunks));
            query.terms.push(term);
        }
        for (place, spans) in spanning(&term_cache.terms, |place| query.occurs(place)).into_iter().enumerate() {
            if spans {
                query.weights[place] = 0.0;
            } else if place < query.terms.len() && !query.occurs(place) {
                unknown += query.weights[place];
            }
        }
        for name in &term_cache.names {
            let last = name.rsplit_once(SCOPE).map_or(name.as_str(), |(_, last)| last);
            let begun = match term_cache.prefix_of_names(name) {
                Some((field, prefix)) => (field, term_cache.look_up_prefix(field, &prefix, MAX_PREFIX_MATCHES)?),
                None => (fields.folded_name, Vec::new()),
            };
            let equal = term_cache.look_up(fields.name, name.as_bytes())?;
            // `MAX_SIZE` is not `MaxSize` if both are defined.
            let folded = if equal.chunks > 0 && last == name {
                (fields.name, Rc::clone(&equal))
            } else {
                (fields.folded_name, term_cache.look_up(fields.folded_name, fold_name(last).as_bytes())?)
            };
            query.names.push(QueryName {
                equal,
                folded,
                stem: term_cache.look_up(fields.stem, fold_case(last).as_bytes())?,
                begun,
            });
        }
        let weight: f32 = query.weights.iter().sum();
        query.rarest = (0..query.weights.len())
            .max_by(|&a, &b| query.weights[a].total_cmp(&query.weights[b]).then(b.cmp(&a)))
            .unwrap_or_default();
        query.stats = QueryStats {
            terms: query.terms.len() as f32,
            names: query.names.len() as f32,
            weight,
            rarest: query.weights.get(query.rarest).copied().unwrap_or_default(),
            unknown: if weight > 0.0 { unknown / weight } else { 0.0 },
            chunks: snapshot.chunks as f32,
            rare: 0.0,
            rare_together: 0.0,
        };
        Ok(query)
    }
}

impl QueryPostings {
    /// Whether a term is in a text, a name or a path.
    fn occurs(&self, place: usize) -> bool {
        self.terms.get(place).is_some_and(|term| term.body.chunks > 0 || term.symbol.chunks > 0 || term.path.chunks > 0)
    }
}

impl WholeQuery {
    fn open(term_cache: &TermCache<'_>) -> Result<Self, TantivyError> {
        let fields = &term_cache.snapshot.fields;
        let phrase = term_cache.phrase.as_ref();
        let mut whole = Self {
            phrase: phrase.map(|key| term_cache.look_up(fields.phrase, key.as_bytes())).transpose()?,
            ..Self::default()
        };
        if let Some(path) = &term_cache.path {
            for end in ends(path, "/").take(MAX_COMPONENTS) {
                whole.paths.push(term_cache.look_up(fields.path_raw, end.as_bytes())?);
            }
            whole.path_end = Some(term_cache.look_up(fields.path_end, fold_case(path).as_bytes())?);
        }
        let SpellingSuggestions { names, paths } = &term_cache.suggestions;
        for name in names {
            whole.suggested_names.push(term_cache.look_up(fields.name, name.as_bytes())?);
            whole.suggested_stems.push(term_cache.look_up(fields.stem, fold_case(name).as_bytes())?);
        }
        for path in paths {
            whole.suggested_paths.push(term_cache.look_up(fields.path_end, path.as_bytes())?);
        }
        for path in &term_cache.telling_paths {
            whole.telling_paths.push(term_cache.look_up(fields.path_raw, normalized_path(path).as_bytes())?);
        }
        Ok(whole)
    }
}

/// The state while the candidates' documents of one segment are read.
struct SegmentEvidence<'a> {
    snapshot: &'a LexicalSnapshot,
    segment: &'a Segment,
    number: usize,
    ranges: Vec<DocumentRange>,
    chunks: Vec<ChunkStats>,
    documents: Vec<DocumentStats>,
    /// The number of terms in the text, the names and the comments of each document.
    lengths: Vec<[u32; 3]>,
}

/// A field that every chunk has.
#[derive(Clone, Copy)]
struct ChunkField {
    field: Field,
    of_chunk: fn(&mut ChunkStats) -> &mut FieldStats,
    of_document: fn(&mut DocumentStats) -> &mut FieldStats,
}

impl<'a> SegmentEvidence<'a> {
    fn new(snapshot: &'a LexicalSnapshot, segment: &'a Segment, number: usize, entries: Vec<DocId>) -> Self {
        let ranges = document_ranges(segment, entries);
        let chunks = vec![ChunkStats::default(); ranges.last().map_or(0, |range| range.locals().end)];
        let documents = vec![DocumentStats::default(); ranges.len()];
        let fields = [snapshot.fields.body, snapshot.fields.symbol, snapshot.fields.comment];
        let lengths = fields.map(|field| segment.lengths(field));
        let length = |range: &DocumentRange, field: usize| -> u32 {
            let lengths = lengths[field].as_ref();
            lengths.map_or(0, |lengths| range.entries.clone().map(|entry| lengths.fieldnorm(entry)).sum())
        };
        let lengths = ranges.iter().map(|range| std::array::from_fn(|field| length(range, field))).collect();
        Self { snapshot, segment, number, ranges, chunks, documents, lengths }
    }

    fn read(&mut self, query: &QueryPostings) -> Result<(), TantivyError> {
        let fields = self.snapshot.fields;
        let body = ChunkField { field: fields.body, of_chunk: |c| &mut c.body, of_document: |d| &mut d.body };
        let symbol = ChunkField { field: fields.symbol, of_chunk: |c| &mut c.symbol, of_document: |d| &mut d.symbol };
        let comment =
            ChunkField { field: fields.comment, of_chunk: |c| &mut c.comment, of_document: |d| &mut d.comment };
        let all = [
            (body, (|term: &QueryTerm| &term.body) as fn(&QueryTerm) -> &TermPostings),
            (symbol, |term| &term.symbol),
            (comment, |term| &term.comment),
        ];
        for (number, (chunk_field, found)) in all.into_iter().enumerate() {
            let lengths = self.relative_lengths(chunk_field.field, number);
            for (place, term) in query.terms.iter().enumerate() {
                self.read_chunks(chunk_field, found(term), place, &lengths)?;
            }
        }
        for (place, term) in query.terms.iter().enumerate() {
            self.read_documents(fields.path_words, &term.path, place, |document| &mut document.path)?;
            self.read_documents(fields.stem_words, &term.stem, place, |document| &mut document.stem)?;
            self.read_documents(fields.folder_words, &term.folder, place, |document| &mut document.folder)?;
        }
        let unit = named_unit(&query.stats);
        for (place, name) in query.names.iter().enumerate() {
            self.each_match(fields.name, &name.equal, |chunk, document| {
                chunk.named = chunk.named.max(NAMED_EQUAL * unit);
                document.names_equal.insert(place);
            })?;
            let (field, folded) = &name.folded;
            self.each_match(*field, folded, |chunk, document| {
                chunk.named = chunk.named.max(NAMED_FOLDED * unit);
                document.names_folded.insert(place);
            })?;
            let (field, begun) = &name.begun;
            for begun in begun {
                self.each_match(*field, begun, |_, document| document.names_begun.insert(place))?;
            }
            self.each_match(fields.stem, &name.stem, |_, document| document.names_stem.insert(place))?;
        }
        self.read_whole_query(&query.whole, unit)
    }

    /// Calls `mark` with the document and the chunk of each entry. The entries are ascending.
    fn each_of(&mut self, entries: &[DocId], mark: impl Fn(&mut DocumentStats, &mut ChunkStats)) {
        for (place, range) in self.ranges.iter().enumerate() {
            let first = entries.partition_point(|&entry| entry < range.entries.start);
            for &entry in entries[first..].iter().take_while(|&&entry| entry < range.entries.end) {
                mark(&mut self.documents[place], &mut self.chunks[range.local(entry)]);
            }
        }
    }

    /// Reads the matches of the query as a whole.
    fn read_whole_query(&mut self, whole: &WholeQuery, unit: f32) -> Result<(), TantivyError> {
        let fields = self.snapshot.fields;
        if let Some(phrase) = &whole.phrase {
            self.each_match(fields.phrase, phrase, |chunk, document| {
                chunk.named = chunk.named.max(NAMED_EQUAL * unit);
                document.phrase_equal = true;
            })?;
        }
        for path in &whole.paths {
            self.each_match(fields.path_raw, path, |_, document| document.path_equal = true)?;
        }
        if let Some(end) = &whole.path_end {
            self.each_match(fields.path_end, end, |_, document| document.path_ends = true)?;
        }
        for (place, name) in whole.suggested_names.iter().enumerate() {
            self.each_match(fields.name, name, |chunk, document| {
                chunk.named = chunk.named.max(NAMED_FOLDED * unit);
                document.names_near.insert(place);
            })?;
        }
        for (place, stem) in whole.suggested_stems.iter().enumerate() {
            self.each_match(fields.stem, stem, |_, document| document.names_near.insert(place))?;
        }
        for (place, path) in whole.suggested_paths.iter().enumerate() {
            self.each_match(fields.path_end, path, |_, document| document.names_near.insert(place))?;
        }
        for (place, path) in whole.telling_paths.iter().enumerate() {
            let telling = TELLING_STEP.powi(place as i32);
            self.each_match(fields.path_raw, path, |_, document| document.telling = document.telling.max(telling))?;
        }
        Ok(())
    }

    /// The length of each document in a field, relative to the mean. `number` is the field's index in `lengths`.
    fn relative_lengths(&self, field: Field, number: usize) -> Vec<f32> {
        let mean = self.snapshot.mean_length(field) * self.snapshot.chunks as f32 / self.snapshot.documents as f32;
        if self.segment.lengths(field).is_none() {
            return vec![1.0; self.ranges.len()];
        }
        self.lengths.iter().map(|lengths| lengths[number] as f32 / mean.max(1.0)).collect()
    }

    /// Reads one term of a field of chunks.
    fn read_chunks(
        &mut self,
        ChunkField { field, of_chunk, of_document }: ChunkField,
        found: &TermPostings,
        place: usize,
        document_lengths: &[f32],
    ) -> Result<(), TantivyError> {
        let Some(info) = &found.infos[self.number] else { return Ok(()) };
        let Some(lengths) = self.segment.lengths(field) else { return Ok(()) };
        let mean = self.snapshot.mean_length(field);
        let weight = inverse_document_frequency(found.chunks, self.snapshot.chunks) * (K1 + 1.0);
        let Self { segment, ranges, chunks, documents, .. } = self;
        each_within(postings(segment, field, info)?, ranges, |number, entry, frequency| {
            let stats = of_chunk(&mut chunks[ranges[number].local(entry)]);
            stats.score += weight * saturated_frequency(frequency, lengths.fieldnorm(entry) as f32 / mean);
            stats.terms.insert(place);
            documents[number].frequency += frequency;
        });
        for (document, &length) in documents.iter_mut().zip(document_lengths) {
            let frequency = std::mem::take(&mut document.frequency);
            if frequency > 0 {
                let stats = of_document(document);
                stats.score += weight * saturated_frequency(frequency, length);
                stats.terms.insert(place);
            }
        }
        Ok(())
    }

    /// Reads one term of a field that only the first chunk of a document has.
    fn read_documents(
        &mut self,
        field: Field,
        found: &TermPostings,
        place: usize,
        of_document: fn(&mut DocumentStats) -> &mut FieldStats,
    ) -> Result<(), TantivyError> {
        let Some(info) = &found.infos[self.number] else { return Ok(()) };
        let Some(lengths) = self.segment.lengths(field) else { return Ok(()) };
        let mean = self.snapshot.mean_length(field) * self.snapshot.chunks as f32 / self.snapshot.documents as f32;
        let weight = inverse_document_frequency(found.chunks, self.snapshot.documents) * (K1 + 1.0);
        let Self { segment, ranges, documents, .. } = self;
        each_within(postings(segment, field, info)?, ranges, |number, entry, frequency| {
            let stats = of_document(&mut documents[number]);
            stats.score += weight * saturated_frequency(frequency, lengths.fieldnorm(entry) as f32 / mean.max(1.0));
            stats.terms.insert(place);
        });
        Ok(())
    }

    /// Calls `matched` with each chunk that has a key, and its document.
    fn each_match(
        &mut self,
        field: Field,
        found: &TermPostings,
        mut matched: impl FnMut(&mut ChunkStats, &mut DocumentStats),
    ) -> Result<(), TantivyError> {
        let Some(info) = &found.infos[self.number] else { return Ok(()) };
        let Self { segment, ranges, chunks, documents, .. } = self;
        let keys = segment.inverted_index(field).read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
        each_within(keys, ranges, |number, entry, _| {
            matched(&mut chunks[ranges[number].local(entry)], &mut documents[number]);
        });
        Ok(())
    }

    /// The evidence of one document. `None` if its traits are invalid.
    fn evidence(
        &self,
        place: usize,
        query: &QueryPostings,
        doc_filter: &DocFilter<'_>,
        weights: &FieldWeights,
    ) -> Option<DocumentEvidence> {
        let fields = &self.snapshot.fields;
        let (range, document) = (&self.ranges[place], &self.documents[place]);
        let first = range.entries.start;
        let length = |field, entry| self.segment.lengths(field).map_or(0, |lengths| lengths.fieldnorm(entry));
        let packed = self.segment.traits(first);
        let read = ReadDocument {
            row: self.segment.document_row(first),
            first_chunk: self.segment.chunk_row(first),
            traits: unpack(packed)?,
            keys: SiblingKeys::unpack(packed),
            stats: document,
            chunks: &self.chunks[range.locals()],
            passes: &|chunk| doc_filter.passes(first + chunk as DocId),
            lengths: self.lengths[place],
            chunk_length: &|chunk| length(fields.body, first + chunk as DocId),
            symbol_length: &|chunk| length(fields.symbol, first + chunk as DocId),
            stem_length: length(fields.stem_words, first),
            folder_length: length(fields.folder_words, first),
        };
        Some(read.evidence(&query.stats, &query.weights, query.rarest, weights))
    }
}

fn postings(
    segment: &Segment,
    field: Field,
    info: &TermInfo,
) -> Result<tantivy::postings::BlockSegmentPostings, TantivyError> {
    Ok(segment.inverted_index(field).read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?)
}
