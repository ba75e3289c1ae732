//! Collection of the evidence from the postings of the candidates' documents.

use std::rc::Rc;

use tantivy::postings::TermInfo;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocId, TantivyError};

use super::slots::{Slot, around, each_within};
use super::tally::{ChunkTally, DocumentTally, FieldTally, MAX_TERMS};
use super::{DocumentEvidence, Evidence, Question};
use crate::chunk_document::unpack;
use crate::clause::{B, K1, inverse_document_frequency};
use crate::kinship;
use crate::look_ups::LookUps;
use crate::names::{MAX_COMPONENTS, MIN_PREFIX_BYTES, SCOPE, ends};
use crate::searcher::NearSpellings;
use crate::snapshot::{Found, Segment, Snapshot};
use crate::weights::FieldWeights;

/// The most names considered that begin with a name of the query.
const MAX_CONTINUATIONS: usize = 64;

/// The weight of a chunk that defines a name of the query, when the chunk that represents its document is chosen. In
/// units of the whole query, so that a definition outranks any match of words.
const NAMED_EQUAL: f32 = 2.0;
const NAMED_FOLDED: f32 = 1.5;

/// Collects the evidence of the documents that contain the given entries, which are grouped by segment.
pub(crate) fn gather(
    look_ups: &LookUps<'_>,
    entries: Vec<Vec<DocId>>,
    weights: &FieldWeights,
) -> Result<Option<Evidence>, TantivyError> {
    let snapshot = look_ups.snapshot;
    let asked = Asked::of(look_ups)?;
    let mut documents = Vec::new();
    for (number, (segment, entries)) in snapshot.segments.iter().zip(entries).enumerate() {
        if entries.is_empty() {
            continue;
        }
        let mut reading = Reading::new(snapshot, segment, number, entries);
        reading.read(&asked)?;
        for place in 0..reading.slots.len() {
            let Some(evidence) = reading.evidence(place, &asked, weights) else { return Ok(None) };
            documents.push(evidence);
        }
    }
    documents.sort_unstable_by_key(|evidence| evidence.document);
    Ok(Some(Evidence { question: asked.question, documents }))
}

/// The query's terms and names, with their postings.
struct Asked {
    terms: Vec<AskedTerm>,
    names: Vec<AskedName>,
    whole: AskedWhole,
    /// The inverse document frequency of each term.
    weights: Vec<f32>,
    question: Question,
    rarest: usize,
}

struct AskedTerm {
    body: Rc<Found>,
    symbol: Rc<Found>,
    comment: Rc<Found>,
    path: Rc<Found>,
    stem: Rc<Found>,
    folder: Rc<Found>,
}

struct AskedName {
    equal: Rc<Found>,
    folded: Rc<Found>,
    stem: Rc<Found>,
    begun: Vec<Rc<Found>>,
}

/// The query as a whole: as a phrase, as a path, and its near spellings.
#[derive(Default)]
struct AskedWhole {
    phrase: Option<Rc<Found>>,
    /// The query as a path, and each of its ends without leading components.
    paths: Vec<Rc<Found>>,
    /// The query as the end of a path.
    path_end: Option<Rc<Found>>,
    /// Near spellings of the query: definitions, and ends of paths.
    near_names: Vec<Rc<Found>>,
    near_stems: Vec<Rc<Found>>,
    near_paths: Vec<Rc<Found>>,
}

impl Asked {
    fn of(look_ups: &LookUps<'_>) -> Result<Self, TantivyError> {
        let snapshot = look_ups.snapshot;
        let fields = &snapshot.fields;
        let mut asked = Self {
            terms: Vec::new(),
            names: Vec::new(),
            whole: AskedWhole::of(look_ups)?,
            weights: Vec::new(),
            question: Question::default(),
            rarest: 0,
        };
        let mut unknown = 0.0;
        for term in look_ups.terms.iter().take(MAX_TERMS) {
            let look_up = |field| look_ups.look_up(field, term.as_bytes());
            let term = AskedTerm {
                body: look_up(fields.body)?,
                symbol: look_up(fields.symbol)?,
                comment: look_up(fields.comment)?,
                path: look_up(fields.path_words)?,
                stem: look_up(fields.stem_words)?,
                folder: look_up(fields.folder_words)?,
            };
            let weight = inverse_document_frequency(term.body.chunks, snapshot.chunks);
            if term.body.chunks == 0 && term.symbol.chunks == 0 && term.path.chunks == 0 {
                unknown += weight;
            }
            asked.weights.push(weight);
            asked.terms.push(term);
        }
        for name in &look_ups.names {
            let folded = name.to_lowercase();
            let last = folded.rsplit_once(SCOPE).map_or(folded.as_str(), |(_, last)| last);
            let begun = if folded.len() >= MIN_PREFIX_BYTES {
                look_ups.look_up_from(fields.folded_name, &folded, MAX_CONTINUATIONS)?
            } else {
                Vec::new()
            };
            asked.names.push(AskedName {
                equal: look_ups.look_up(fields.name, name.as_bytes())?,
                folded: look_ups.look_up(fields.folded_name, last.as_bytes())?,
                stem: look_ups.look_up(fields.stem, last.as_bytes())?,
                begun,
            });
        }
        let weight: f32 = asked.weights.iter().sum();
        asked.rarest = (0..asked.weights.len())
            .max_by(|&a, &b| asked.weights[a].total_cmp(&asked.weights[b]).then(b.cmp(&a)))
            .unwrap_or_default();
        asked.question = Question {
            terms: asked.terms.len() as f32,
            names: asked.names.len() as f32,
            weight,
            rarest: asked.weights.get(asked.rarest).copied().unwrap_or_default(),
            unknown: if weight > 0.0 { unknown / weight } else { 0.0 },
            chunks: snapshot.chunks as f32,
        };
        Ok(asked)
    }
}

impl AskedWhole {
    fn of(look_ups: &LookUps<'_>) -> Result<Self, TantivyError> {
        let fields = &look_ups.snapshot.fields;
        let phrase = look_ups.phrase.as_ref();
        let mut whole = Self {
            phrase: phrase.map(|key| look_ups.look_up(fields.phrase, key.as_bytes())).transpose()?,
            ..Self::default()
        };
        if let Some(path) = &look_ups.path {
            for end in ends(path, "/").take(MAX_COMPONENTS) {
                whole.paths.push(look_ups.look_up(fields.path_raw, end.as_bytes())?);
            }
            whole.path_end = Some(look_ups.look_up(fields.path_end, path.to_lowercase().as_bytes())?);
        }
        let NearSpellings { names, paths } = &look_ups.near;
        for name in names {
            whole.near_names.push(look_ups.look_up(fields.name, name.as_bytes())?);
            whole.near_stems.push(look_ups.look_up(fields.stem, name.to_lowercase().as_bytes())?);
        }
        for path in paths {
            whole.near_paths.push(look_ups.look_up(fields.path_end, path.as_bytes())?);
        }
        Ok(whole)
    }
}

/// The state while the candidates' documents of one segment are read.
struct Reading<'a> {
    snapshot: &'a Snapshot,
    segment: &'a Segment,
    number: usize,
    slots: Vec<Slot>,
    chunks: Vec<ChunkTally>,
    documents: Vec<DocumentTally>,
    /// The number of terms in the text, the names and the comments of each document.
    lengths: Vec<[u32; 3]>,
}

/// A field that every chunk has.
#[derive(Clone, Copy)]
struct ChunkField {
    field: Field,
    of_chunk: fn(&mut ChunkTally) -> &mut FieldTally,
    of_document: fn(&mut DocumentTally) -> &mut FieldTally,
}

impl<'a> Reading<'a> {
    fn new(snapshot: &'a Snapshot, segment: &'a Segment, number: usize, entries: Vec<DocId>) -> Self {
        let slots = around(segment, entries);
        let chunks = vec![ChunkTally::default(); slots.last().map_or(0, |slot| slot.locals().end)];
        let documents = vec![DocumentTally::default(); slots.len()];
        let fields = [snapshot.fields.body, snapshot.fields.symbol, snapshot.fields.comment];
        let lengths = fields.map(|field| segment.lengths(field));
        let length = |slot: &Slot, field: usize| -> u32 {
            let lengths = lengths[field].as_ref();
            lengths.map_or(0, |lengths| slot.entries.clone().map(|entry| lengths.fieldnorm(entry)).sum())
        };
        let lengths = slots.iter().map(|slot| std::array::from_fn(|field| length(slot, field))).collect();
        Self { snapshot, segment, number, slots, chunks, documents, lengths }
    }

    fn read(&mut self, asked: &Asked) -> Result<(), TantivyError> {
        let fields = self.snapshot.fields;
        let body = ChunkField { field: fields.body, of_chunk: |c| &mut c.body, of_document: |d| &mut d.body };
        let symbol = ChunkField { field: fields.symbol, of_chunk: |c| &mut c.symbol, of_document: |d| &mut d.symbol };
        let comment =
            ChunkField { field: fields.comment, of_chunk: |c| &mut c.comment, of_document: |d| &mut d.comment };
        let all = [
            (body, (|term: &AskedTerm| &term.body) as fn(&AskedTerm) -> &Found),
            (symbol, |term| &term.symbol),
            (comment, |term| &term.comment),
        ];
        for (number, (chunk_field, found)) in all.into_iter().enumerate() {
            let lengths = self.relative_lengths(chunk_field.field, number);
            for (place, term) in asked.terms.iter().enumerate() {
                self.read_chunks(chunk_field, found(term), place, &lengths)?;
            }
        }
        for (place, term) in asked.terms.iter().enumerate() {
            self.read_documents(fields.path_words, &term.path, place, |document| &mut document.path)?;
            self.read_documents(fields.stem_words, &term.stem, place, |document| &mut document.stem)?;
            self.read_documents(fields.folder_words, &term.folder, place, |document| &mut document.folder)?;
        }
        let unit = asked.question.weight * (K1 + 1.0) * 4.0;
        for (place, name) in asked.names.iter().enumerate() {
            self.each_match(fields.name, &name.equal, |chunk, document| {
                chunk.named = chunk.named.max(NAMED_EQUAL * unit);
                document.names_equal.insert(place);
            })?;
            self.each_match(fields.folded_name, &name.folded, |chunk, document| {
                chunk.named = chunk.named.max(NAMED_FOLDED * unit);
                document.names_folded.insert(place);
            })?;
            for begun in &name.begun {
                self.each_match(fields.folded_name, begun, |_, document| document.names_begun.insert(place))?;
            }
            self.each_match(fields.stem, &name.stem, |_, document| document.names_stem.insert(place))?;
        }
        self.read_whole(&asked.whole, unit)
    }

    /// Reads the matches of the query as a whole.
    fn read_whole(&mut self, whole: &AskedWhole, unit: f32) -> Result<(), TantivyError> {
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
        for (place, name) in whole.near_names.iter().enumerate() {
            self.each_match(fields.name, name, |chunk, document| {
                chunk.named = chunk.named.max(NAMED_FOLDED * unit);
                document.names_near.insert(place);
            })?;
        }
        for (place, stem) in whole.near_stems.iter().enumerate() {
            self.each_match(fields.stem, stem, |_, document| document.names_near.insert(place))?;
        }
        for (place, path) in whole.near_paths.iter().enumerate() {
            self.each_match(fields.path_end, path, |_, document| document.names_near.insert(place))?;
        }
        Ok(())
    }

    /// The length of each document in a field, relative to the mean. `number` is the field's index in `lengths`.
    fn relative_lengths(&self, field: Field, number: usize) -> Vec<f32> {
        let mean = self.snapshot.mean_length(field) * self.snapshot.chunks as f32 / self.snapshot.documents as f32;
        if self.segment.lengths(field).is_none() {
            return vec![1.0; self.slots.len()];
        }
        self.lengths.iter().map(|lengths| lengths[number] as f32 / mean.max(1.0)).collect()
    }

    /// Reads one term of a field of chunks.
    fn read_chunks(
        &mut self,
        ChunkField { field, of_chunk, of_document }: ChunkField,
        found: &Found,
        place: usize,
        document_lengths: &[f32],
    ) -> Result<(), TantivyError> {
        let Some(info) = &found.infos[self.number] else { return Ok(()) };
        let Some(lengths) = self.segment.lengths(field) else { return Ok(()) };
        let mean = self.snapshot.mean_length(field);
        let weight = inverse_document_frequency(found.chunks, self.snapshot.chunks) * (K1 + 1.0);
        let Self { segment, slots, chunks, documents, .. } = self;
        each_within(postings(segment, field, info)?, slots, |number, entry, frequency| {
            let tally = of_chunk(&mut chunks[slots[number].local(entry)]);
            tally.score += weight * saturated(frequency, lengths.fieldnorm(entry) as f32 / mean);
            tally.terms.insert(place);
            documents[number].frequency += frequency;
        });
        for (document, &length) in documents.iter_mut().zip(document_lengths) {
            let frequency = std::mem::take(&mut document.frequency);
            if frequency > 0 {
                let tally = of_document(document);
                tally.score += weight * saturated(frequency, length);
                tally.terms.insert(place);
            }
        }
        Ok(())
    }

    /// Reads one term of a field that only the first chunk of a document has.
    fn read_documents(
        &mut self,
        field: Field,
        found: &Found,
        place: usize,
        of_document: fn(&mut DocumentTally) -> &mut FieldTally,
    ) -> Result<(), TantivyError> {
        let Some(info) = &found.infos[self.number] else { return Ok(()) };
        let Some(lengths) = self.segment.lengths(field) else { return Ok(()) };
        let mean = self.snapshot.mean_length(field) * self.snapshot.chunks as f32 / self.snapshot.documents as f32;
        let weight = inverse_document_frequency(found.chunks, self.snapshot.documents) * (K1 + 1.0);
        let Self { segment, slots, documents, .. } = self;
        each_within(postings(segment, field, info)?, slots, |number, entry, frequency| {
            let tally = of_document(&mut documents[number]);
            tally.score += weight * saturated(frequency, lengths.fieldnorm(entry) as f32 / mean.max(1.0));
            tally.terms.insert(place);
        });
        Ok(())
    }

    /// Calls `matched` with each chunk that has a key, and its document.
    fn each_match(
        &mut self,
        field: Field,
        found: &Found,
        mut matched: impl FnMut(&mut ChunkTally, &mut DocumentTally),
    ) -> Result<(), TantivyError> {
        let Some(info) = &found.infos[self.number] else { return Ok(()) };
        let Self { segment, slots, chunks, documents, .. } = self;
        let keys = segment.inverted(field).read_block_postings_from_terminfo(info, IndexRecordOption::Basic)?;
        each_within(keys, slots, |number, entry, _| {
            matched(&mut chunks[slots[number].local(entry)], &mut documents[number]);
        });
        Ok(())
    }

    /// The evidence of one document. `None` if its traits are invalid.
    fn evidence(&self, place: usize, asked: &Asked, weights: &FieldWeights) -> Option<DocumentEvidence> {
        let fields = &self.snapshot.fields;
        let (slot, document) = (&self.slots[place], &self.documents[place]);
        let chunks = &self.chunks[slot.locals()];
        let score = |chunk: &ChunkTally| {
            weights.body * chunk.body.score
                + weights.symbol * chunk.symbol.score
                + weights.comment * chunk.comment.score
        };
        // The first chunk that defines a name of the query, since a type precedes its constructors and methods.
        // Otherwise the best.
        let worth = |chunk: &ChunkTally| if chunk.named > 0.0 { chunk.named } else { score(chunk) };
        let chosen = (0..chunks.len())
            .max_by(|&a, &b| worth(&chunks[a]).total_cmp(&worth(&chunks[b])).then(b.cmp(&a)))
            .unwrap_or_default();
        let (first, entry) = (slot.entries.start, slot.entries.start + chosen as DocId);
        let chunk = &chunks[chosen];
        let all = asked.question.weight.max(f32::MIN_POSITIVE);
        let coverage = |tally: &FieldTally| tally.terms.weight(&asked.weights) / all;
        let length = |field, entry| self.segment.lengths(field).map_or(0, |lengths| lengths.fieldnorm(entry));
        let share =
            |tally: &FieldTally, field, entry| (tally.terms.len() as f32 / length(field, entry).max(1) as f32).min(1.0);
        let best = |of: fn(&ChunkTally) -> f32| chunks.iter().map(of).fold(0.0, f32::max);
        let [tokens, symbol_tokens, comment_tokens] = self.lengths[place].map(|length| length as f32);
        let packed = self.segment.traits(entry);
        let kinship = kinship::unpack(packed);
        let matched = chunks.iter().filter(|chunk| chunk.body.score > 0.0).count();
        Some(DocumentEvidence {
            document: self.segment.document_row(entry),
            chunk: self.segment.chunk_row(entry),
            traits: unpack(packed)?,
            folder: kinship.folder,
            stem: kinship.stem,
            chunks: chunks.len() as f32,
            symbol_tokens,
            comment_tokens,
            tokens,
            chunk_tokens: length(fields.body, entry) as f32,
            place: chosen as f32 / (chunks.len() - 1).max(1) as f32,
            matched_chunks: matched as f32 / chunks.len() as f32,
            body_best: best(|chunk| chunk.body.score),
            body_top: sum_of_best(chunks.iter().map(|chunk| chunk.body.score)),
            body_whole: document.body.score,
            symbol_best: best(|chunk| chunk.symbol.score),
            symbol_whole: document.symbol.score,
            comment_best: best(|chunk| chunk.comment.score),
            comment_whole: document.comment.score,
            chunk_score: score(chunk),
            path: document.path.score,
            body_coverage: coverage(&document.body),
            chunk_coverage: coverage(&chunk.body),
            symbol_coverage: coverage(&document.symbol),
            chunk_symbol_coverage: chunks.iter().map(|chunk| coverage(&chunk.symbol)).fold(0.0, f32::max),
            symbol_share: chunks
                .iter()
                .zip(slot.entries.clone())
                .map(|(chunk, entry)| share(&chunk.symbol, fields.symbol, entry))
                .fold(0.0, f32::max),
            comment_coverage: coverage(&document.comment),
            path_coverage: coverage(&document.path),
            stem_coverage: coverage(&document.stem),
            stem_share: share(&document.stem, fields.stem_words, first),
            folder_share: share(&document.folder, fields.folder_words, first),
            names_equal: document.names_equal.len() as f32,
            names_folded: document.names_folded.len() as f32,
            names_begun: document.names_begun.len() as f32,
            names_stem: document.names_stem.len() as f32,
            names_near: document.names_near.len() as f32,
            phrase_equal: f32::from(u8::from(document.phrase_equal)),
            path_equal: match (document.path_equal, document.path_ends) {
                (true, _) => 1.0,
                (false, true) => 0.5,
                (false, false) => 0.0,
            },
            holds_rarest: f32::from(u8::from(document.body.terms.contains(asked.rarest))),
        })
    }
}

/// The saturated term frequency of BM25 for a text of this length relative to the mean. Less than 1.
fn saturated(frequency: u32, relative_length: f32) -> f32 {
    let frequency = frequency as f32;
    frequency / (frequency + K1 * (1.0 - B + B * relative_length))
}

/// The sum of the three largest.
fn sum_of_best(scores: impl Iterator<Item = f32>) -> f32 {
    let mut best = [0.0_f32; 3];
    for score in scores {
        if score > best[2] {
            best[2] = score;
            best.sort_unstable_by(|a, b| b.total_cmp(a));
        }
    }
    best.iter().sum()
}

fn postings(
    segment: &Segment,
    field: Field,
    info: &TermInfo,
) -> Result<tantivy::postings::BlockSegmentPostings, TantivyError> {
    Ok(segment.inverted(field).read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?)
}
