//! Retrieval and evidence over documents that a shared store returned.

use recall_core::{Candidate, ChunkRow, Neighbour};
use recall_text::{fold_case, normalized_path};

use super::chunk_analysis::{CHUNK_FIELDS, ChunkAnalysis, KeyField, field_key, key, path_terms, round, term_number};
use super::{PortableDocument, PortableQuery, Statistics};
use crate::lexical::analysis::Analysis;
use crate::lexical::chunk_document::SiblingKeys;
use crate::lexical::clause::{K1, inverse_document_frequency};
use crate::lexical::evidence::assemble::{
    ChunkStats, DocumentStats, FieldStats, NAMED_EQUAL, NAMED_FOLDED, ReadDocument, named_unit, saturated_frequency,
};
use crate::lexical::evidence::{Evidence, QueryStats};
use crate::lexical::names::{MIN_PREFIX_BYTES, SCOPE, each_end, ends, fold_name, folded_ends, is_cut_at_a_word};
use crate::lexical::query_terms::spanning;
use crate::lexical::searcher::{Depths, Retrieved};

/// The statistics of the query's terms.
struct Weighed {
    stats: QueryStats,
    /// The inverse document frequency of each term in texts.
    weights: Vec<f32>,
    /// By term: the same in each field of chunks, then in each field of documents.
    by_field: Vec<([f32; 3], [f32; 3])>,
    /// For each name without a scope: whether a document defines it as it is written.
    defined: Vec<bool>,
    rarest: usize,
    /// The mean length of each field of chunks, in chunks and in documents.
    means: [(f32, f32); 3],
    /// The mean length of each field of documents.
    document_means: [f32; 3],
}

/// A document with what was read of it.
struct Read<'a> {
    document: &'a PortableDocument,
    chunks: Vec<ChunkStats>,
    stats: DocumentStats,
    /// Per chunk: the scores of the lexical and the symbol retriever.
    scores: Vec<(f32, f32)>,
    path_score: f32,
    stem_length: u32,
    folder_length: u32,
}

impl PortableQuery {
    /// Ranks the chunks of the documents by each retriever, and computes the evidence of every document that one of them ranks or
    /// that contains one of the neighbours. Documents are ascending by row.
    ///
    /// A retriever with a depth of 0 ranks nothing.
    pub fn retrieve(
        &self,
        statistics: &Statistics,
        documents: &[PortableDocument],
        depths: Depths,
        neighbours: &[Neighbour],
    ) -> Retrieved {
        let weighed = Weighed { defined: self.defined_names(documents), ..self.weigh(statistics) };
        let all: Vec<Read<'_>> = documents.iter().map(|document| self.read(document, &weighed)).collect();
        let list = |depth: usize, of_document: &dyn Fn(&Read<'_>) -> Vec<(usize, f32)>| {
            let mut scored: Vec<Candidate> = Vec::new();
            for one in &all {
                scored.extend(of_document(one).into_iter().map(|(chunk, score)| candidate(one.document, chunk, score)));
            }
            scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)));
            scored.truncate(depth);
            scored
        };
        let positive = |scores: &[(f32, f32)], of: fn(&(f32, f32)) -> f32| -> Vec<(usize, f32)> {
            scores.iter().map(of).enumerate().filter(|(_, score)| *score > 0.0).collect()
        };
        let lexical = list(depths.lexical, &|one| positive(&one.scores, |scores| scores.0));
        let symbol = list(depths.symbol, &|one| positive(&one.scores, |scores| scores.1));
        let path = list(depths.path, &|one| {
            if one.path_score > 0.0 { vec![(0, one.path_score)] } else { Vec::new() }
        });
        let place_of = |row: ChunkRow| {
            let place = documents.partition_point(|document| document.first_chunk <= row).checked_sub(1)?;
            let chunk = usize::try_from(row.0 - documents[place].first_chunk.0).ok()?;
            (chunk < documents[place].chunks.len()).then_some((place, chunk))
        };
        let nearest = neighbours.iter().filter_map(|neighbour| {
            let (place, chunk) = place_of(neighbour.row)?;
            Some(candidate(&documents[place], chunk, neighbour.cosine))
        });
        let mut semantic: Vec<Candidate> = nearest.collect();
        semantic.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.chunk.cmp(&b.chunk)));
        let mut kept: Vec<i64> = Vec::new();
        kept.extend([&lexical, &symbol, &path, &semantic].into_iter().flatten().map(|one| one.document.0));
        kept.sort_unstable();
        kept.dedup();
        let suggestions = self.suggestions_in(documents);
        let all = all.iter().filter(|one| kept.binary_search(&one.document.row.0).is_ok());
        let documents = all.map(|one| one.evidence(self, &weighed)).collect();
        Retrieved {
            lexical,
            symbol,
            path,
            semantic,
            evidence: Evidence { query: weighed.stats, documents },
            suggestions,
        }
    }

    /// Returns for each name without a scope whether a document defines it as it is written.
    fn defined_names(&self, documents: &[PortableDocument]) -> Vec<bool> {
        let defined = documents.iter().flat_map(|document| &document.chunks).flat_map(|chunk| &chunk.names);
        let defined: Vec<&String> = defined.collect();
        self.names
            .iter()
            .map(|name| !name.contains(SCOPE) && defined.iter().any(|known| ends_with(known, name)))
            .collect()
    }

    fn weigh(&self, statistics: &Statistics) -> Weighed {
        let (chunks, documents) = (statistics.chunks.max(1) as f32, statistics.documents.max(1) as f32);
        let lengths = statistics.lengths.to_array().map(|length| (length as f32 / chunks).max(1.0));
        let mut weighed = Weighed {
            stats: QueryStats::default(),
            weights: Vec::new(),
            by_field: Vec::new(),
            defined: Vec::new(),
            rarest: 0,
            means: [0, 1, 2].map(|field| (lengths[field], (lengths[field] * chunks / documents).max(1.0))),
            document_means: [3, 4, 5].map(|field| (lengths[field] * chunks / documents).max(1.0)),
        };
        let mut occurs = Vec::new();
        for term in &self.terms {
            let counts = CHUNK_FIELDS.map(|field| statistics.count(field_key(field, term_number(term))));
            let of_path =
                [KeyField::Path, KeyField::Stem, KeyField::Folder].map(|field| statistics.count(key(field, term)));
            weighed.weights.push(inverse_document_frequency(counts[0], statistics.chunks));
            occurs.push(counts[0] > 0 || counts[1] > 0 || of_path[0] > 0);
            weighed.by_field.push((
                counts.map(|count| inverse_document_frequency(count, statistics.chunks) * (K1 + 1.0)),
                of_path.map(|count| inverse_document_frequency(count, statistics.documents) * (K1 + 1.0)),
            ));
        }
        let mut unknown = 0.0;
        for (place, spans) in spanning(&self.terms, |place| occurs[place]).into_iter().enumerate() {
            if spans {
                weighed.weights[place] = 0.0;
            } else if !occurs[place] {
                unknown += weighed.weights[place];
            }
        }
        let weight: f32 = weighed.weights.iter().sum();
        weighed.rarest = (0..weighed.weights.len())
            .max_by(|&a, &b| weighed.weights[a].total_cmp(&weighed.weights[b]).then(b.cmp(&a)))
            .unwrap_or_default();
        weighed.stats = QueryStats {
            terms: self.terms.len() as f32,
            names: self.names.len() as f32,
            weight,
            rarest: weighed.weights.get(weighed.rarest).copied().unwrap_or_default(),
            unknown: if weight > 0.0 { unknown / weight } else { 0.0 },
            chunks: statistics.chunks as f32,
            // A shared store counts terms, not written forms.
            rare: 0.0,
            rare_together: 0.0,
        };
        weighed
    }

    fn read<'a>(&self, document: &'a PortableDocument, weighed: &Weighed) -> Read<'a> {
        let [path, stem, folder] = path_terms(&document.path);
        let count = document.chunks.len();
        let mut read = Read {
            document,
            chunks: vec![ChunkStats::default(); count],
            stats: DocumentStats::default(),
            scores: vec![(0.0, 0.0); count],
            path_score: 0.0,
            stem_length: round(stem.len() as u32),
            folder_length: round(folder.len() as u32),
        };
        let lengths: Vec<[u32; 3]> = document.chunks.iter().map(ChunkAnalysis::rounded_lengths).collect();
        let whole: [u32; 3] = std::array::from_fn(|field| lengths.iter().map(|lengths| lengths[field]).sum());
        for (place, term) in self.terms.iter().enumerate() {
            let number = term_number(term);
            let (weights, _) = weighed.by_field[place];
            let mut sums = [0_u32; 3];
            for (number_of_chunk, chunk) in document.chunks.iter().enumerate() {
                let Some(frequencies) = chunk.frequencies(number) else { continue };
                let stats = &mut read.chunks[number_of_chunk];
                let fields = [&mut stats.body, &mut stats.symbol, &mut stats.comment];
                for (field, stats) in fields.into_iter().enumerate() {
                    let length = lengths[number_of_chunk][field] as f32 / weighed.means[field].0;
                    add(stats, place, frequencies[field], weights[field], length);
                    sums[field] += frequencies[field];
                }
            }
            let fields = [&mut read.stats.body, &mut read.stats.symbol, &mut read.stats.comment];
            for (field, stats) in fields.into_iter().enumerate() {
                let length = whole[field] as f32 / weighed.means[field].1;
                add(stats, place, sums[field], weights[field], length);
            }
        }
        let parts = [(&path, &mut read.stats.path), (&stem, &mut read.stats.stem), (&folder, &mut read.stats.folder)];
        for (field, (terms, stats)) in parts.into_iter().enumerate() {
            let length = round(terms.len() as u32) as f32 / weighed.document_means[field];
            for (place, term) in self.terms.iter().enumerate() {
                let frequency = terms.iter().filter(|known| *known == term).count() as u32;
                add(stats, place, frequency, weighed.by_field[place].1[field], length);
            }
        }
        self.read_names(&mut read, weighed);
        self.score(&mut read);
        read
    }

    /// Reads what the query names: definitions, phrases, and the path.
    fn read_names(&self, read: &mut Read<'_>, weighed: &Weighed) {
        let unit = named_unit(&weighed.stats);
        let path = normalized_path(read.document.path.as_str());
        let (folded_path, stem) = (fold_case(&path), fold_case(read.document.path.stem()));
        let folded_names: Vec<String> = self.names.iter().map(|name| fold_name(name)).collect();
        for (chunk, stats) in read.document.chunks.iter().zip(&mut read.chunks) {
            for defined in &chunk.names {
                if let Some(place) = self.find_suggestion(defined) {
                    stats.named = stats.named.max(NAMED_FOLDED * unit);
                    read.stats.names_near.insert(place);
                }
                let folded = folded_ends(defined);
                for (place, (name, folded_name)) in self.names.iter().zip(&folded_names).enumerate() {
                    let last = folded_name.rsplit_once(SCOPE).map_or(folded_name.as_str(), |(_, last)| last);
                    let is_equal = ends_with(defined, name);
                    let mut is_begun = false;
                    let is_cut = is_cut_at_a_word(name);
                    each_end(defined, |end| {
                        is_begun |= is_cut && end.len() > name.len() && end.starts_with(name.as_str());
                    });
                    if is_equal {
                        stats.named = stats.named.max(NAMED_EQUAL * unit);
                        read.stats.names_equal.insert(place);
                    }
                    // `MAX_SIZE` is not `MaxSize` if both are defined.
                    let is_folded = !weighed.defined[place] && folded.iter().any(|end| end == last);
                    if is_folded || (is_equal && weighed.defined[place]) {
                        stats.named = stats.named.max(NAMED_FOLDED * unit);
                        read.stats.names_folded.insert(place);
                    }
                    let begins = |end: &String| end.len() > folded_name.len() && end.starts_with(folded_name.as_str());
                    is_begun |= !is_cut && folded.iter().any(begins);
                    if folded_name.len() >= MIN_PREFIX_BYTES && is_begun {
                        read.stats.names_begun.insert(place);
                    }
                }
            }
            if self.phrase.as_ref().is_some_and(|phrase| chunk.phrases.contains(phrase)) {
                stats.named = stats.named.max(NAMED_EQUAL * unit);
                read.stats.phrase_equal = true;
            }
        }
        for (place, name) in self.names.iter().enumerate() {
            let last = name.rsplit_once(SCOPE).map_or(name.as_str(), |(_, last)| last);
            if stem == fold_case(last) {
                read.stats.names_stem.insert(place);
            }
        }
        if let Some(place) = self.find_path_suggestion(read.document) {
            read.stats.names_near.insert(place);
        }
        if let Some(asked) = &self.path {
            read.stats.path_equal = ends(asked, "/").any(|end| *end == *path);
            let asked = fold_case(asked);
            read.stats.path_ends = ends(&folded_path, "/").any(|end| end == asked);
        }
    }

    /// Computes the scores of the retrievers.
    fn score(&self, read: &mut Read<'_>) {
        let weights = &self.weights;
        let mut words = Analysis::for_queries();
        let mut tag_terms: Vec<String> = Vec::new();
        for tag in &read.document.tags {
            words.each(tag, |term| tag_terms.push(term.indexed.to_owned()));
        }
        let tags = self.terms.iter().filter(|term| tag_terms.contains(term)).count() as f32;
        let names_of = |chunk: &ChunkAnalysis| {
            let defines = |name: &String| {
                let name = fold_name(name);
                chunk.names.iter().any(|defined| folded_ends(defined).contains(&name))
            };
            let phrase = self.phrase.as_ref().is_some_and(|phrase| chunk.phrases.contains(phrase));
            let is_near = chunk.names.iter().any(|defined| self.find_suggestion(defined).is_some());
            let own = self.names.iter().filter(|name| defines(name)).count() as f32 * 2.0;
            own + f32::from(u8::from(is_near)) + if phrase { 3.0 } else { 0.0 }
        };
        let unit = self.terms.len() as f32 * 64.0;
        for (place, stats) in read.chunks.iter().enumerate() {
            let own = weights.body * stats.body.score
                + weights.symbol * stats.symbol.score
                + weights.comment * stats.comment.score;
            let lexical = own + weights.path * read.stats.path.score + weights.tag * tags;
            let named = names_of(&read.document.chunks[place]);
            let equal =
                if stats.named > 0.0 { named + f32::from(u8::from(read.stats.names_equal.len() > 0)) } else { named };
            read.scores[place] = (lexical, stats.symbol.score + equal * unit);
        }
        let folded = fold_case(read.document.path.as_str());
        let shared = |path: &String| {
            let ends_of_path: Vec<&str> = ends(path, "/").collect();
            ends(&folded, "/").filter(|end| ends_of_path.contains(end)).count() as f32
        };
        let ends_shared: f32 = self.paths.iter().map(shared).sum();
        let near = f32::from(u8::from(self.find_path_suggestion(read.document).is_some()));
        let stems = read.stats.names_stem.len() as f32 + near;
        read.path_score = read.stats.path.score + (2.0 * ends_shared + stems) * unit;
    }
}

impl Read<'_> {
    fn evidence(&self, query: &PortableQuery, weighed: &Weighed) -> crate::lexical::DocumentEvidence {
        let lengths: Vec<[u32; 3]> = self.document.chunks.iter().map(ChunkAnalysis::rounded_lengths).collect();
        let read = ReadDocument {
            row: self.document.row,
            first_chunk: self.document.first_chunk,
            traits: self.document.traits,
            keys: SiblingKeys::new(&self.document.path),
            stats: &self.stats,
            chunks: &self.chunks,
            // Published documents have filters of their own.
            passes: &|_| true,
            lengths: std::array::from_fn(|field| lengths.iter().map(|lengths| lengths[field]).sum()),
            chunk_length: &|chunk| lengths[chunk][0],
            symbol_length: &|chunk| lengths[chunk][1],
            stem_length: self.stem_length,
            folder_length: self.folder_length,
        };
        read.evidence(&weighed.stats, &weighed.weights, weighed.rarest, &query.weights)
    }
}

fn add(stats: &mut FieldStats, place: usize, frequency: u32, weight: f32, relative_length: f32) {
    if frequency > 0 {
        stats.score += weight * saturated_frequency(frequency, relative_length);
        stats.terms.insert(place);
    }
}

fn candidate(document: &PortableDocument, chunk: usize, score: f32) -> Candidate {
    Candidate {
        chunk: ChunkRow(document.first_chunk.0 + chunk as i64),
        document: document.row,
        score,
        traits: document.traits,
    }
}

/// Whether a name is a definition's, with or without its scopes.
fn ends_with(defined: &str, name: &str) -> bool {
    let mut is_equal = false;
    each_end(defined, |end| is_equal |= end == name);
    is_equal
}
