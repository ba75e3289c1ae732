//! The answer of a search: hits, facets, explanations and timings.

use std::ops::Range;
use std::time::Duration;

use recall_core::{
    Ablation, Chunk, ChunkId, Document, DocumentType, Enclosing, Filters, MemoryView, QueryClass, Retriever, Scope,
    StoreScope, Timestamp,
};

use crate::doubt::AdoptedHit;
use crate::mask::{self, Masked, Whole};
use crate::mount::Mount;
use crate::ranking::Factor;
use crate::search::retriever_weights::RetrieverWeights;
use crate::warning::{Coverage, Warning};

/// The answer to a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The class of the query, as it was understood.
    pub class: QueryClass,
    /// The language that the query was translated from, in English, and the words that were searched; `None` if it was searched as it
    /// is.
    pub translated: Option<(&'static str, String)>,
    /// The scope that was searched.
    pub scope: Scope,
    /// The filters in effect: those of the request and those in the query. Languages have their canonical names.
    pub filters: Filters,
    /// The weight of each retriever: the weight of the query's class, or the one that the request or the store sets.
    pub weights: RetrieverWeights,
    /// How likely it is that any hit answers the query: the greatest support of the hits, 0 to 1. `None` if no ranker decided.
    pub confidence: Option<f64>,
    /// Whether the confidence is below the configured threshold, so that probably no hit answers the question.
    pub is_doubtful: bool,
    /// Names and paths with a spelling near to the query, if nothing has exactly that name. Their definitions and files are
    /// among the hits.
    pub did_you_mean: Vec<String>,
    /// The hits, best first; equal scores in the order of path, span and id.
    pub hits: Vec<Hit>,
    /// The number of candidates before selection.
    pub candidates: u64,
    /// The number of candidates of each retriever, summed over the stores.
    pub retrieved: Vec<(Retriever, u64)>,
    /// The score of the best hit over all pages; `None` if there are no hits.
    pub best_score: Option<f64>,
    /// The offset of the next page; `None` on the last page.
    pub next_offset: Option<u32>,
    /// The state of each store as this answer saw it.
    pub coverage: Vec<Coverage>,
    /// The number of new or changed files that the answer does not reflect yet.
    pub stale_files: u64,
    /// How long each stage took, in the order of the pipeline.
    pub stages: StageTimes,
    /// Counts of all documents that contain a word of the query, by type, language, directory and tag. Empty if not requested.
    pub facets: Vec<Facet>,
    /// The name of the embedding model that was used; `None` if the search was lexical only.
    pub model: Option<String>,
    /// The name of the small cross-encoder that rescored many candidates; `None` if none did.
    pub preranker: Option<String>,
    /// The name of the cross-encoder that rescored the first candidates; `None` if none did.
    pub reranker: Option<String>,
    /// The name of the language model that rescored the first chunks; `None` if none did.
    pub judge: Option<String>,
    /// Stages that were switched on but did not contribute, because their data is not ready. A request for the next page leaves
    /// them out, so that both pages have one order.
    pub silent: Vec<Ablation>,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

impl Answer {
    /// Returns the modification time of the newest document that was searched.
    pub fn snapshot(&self) -> Option<Timestamp> {
        self.coverage.iter().filter_map(|coverage| coverage.newest).max()
    }

    /// Returns whether there is no hit, and the texts were not compared in meaning although they can be.
    pub(super) fn lacks_nearness(&self) -> bool {
        self.hits.is_empty() && self.silent.contains(&Ablation::Semantic)
    }

    /// Returns the number of documents that were searched.
    pub fn documents(&self) -> u64 {
        self.coverage.iter().map(|coverage| coverage.documents).sum()
    }

    /// Returns the number of hits of each type, in the order of types.
    pub fn breakdown(&self) -> Vec<(DocumentType, u64)> {
        let count = |kind| self.hits.iter().filter(|hit| hit.document.document_type == kind).count() as u64;
        DocumentType::ALL.into_iter().map(|kind| (kind, count(kind))).filter(|&(_, count)| count > 0).collect()
    }
}

/// A chunk that answers the query.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The chunk's id.
    pub id: ChunkId,
    /// The store's scope.
    pub scope: StoreScope,
    /// The index of the hit's store in the answer's coverage.
    pub store: usize,
    /// The document of the chunk.
    pub document: Document,
    /// When its path was first indexed; `None` if that is not known, as in a shared store.
    pub created: Option<Timestamp>,
    /// The lines, the symbol and the signature of the chunk.
    pub chunk: Chunk,
    /// The text of the chunk, with secrets masked.
    pub text: String,
    /// The words of the query in `text`: byte ranges, ascending, not overlapping.
    pub highlights: Vec<Range<usize>>,
    /// The score that the hit was ranked by; comparable within one answer.
    pub score: f64,
    /// How likely this hit is relevant, 0 to 1; `None` if no ranker decided.
    pub confidence: Option<f64>,
    /// How strongly this hit supports that the query has an answer at all, 0 to 1; `None` if no ranker decided.
    pub support: Option<f64>,
    /// Citations of near-duplicates of the text, in rank order, as far as the page was read.
    pub also_at: Vec<String>,
    /// The definitions or headings around the chunk, outermost first.
    pub parents: Vec<Enclosing>,
    /// The explanation of the rank, if requested.
    pub explanation: Option<Explanation>,
    /// The memory and its validity; `None` if the hit is part of a file.
    pub memory: Option<Box<MemoryView>>,
    /// Whose file it is, if it is one with instructions or memories of agents.
    pub adopted: Option<Box<AdoptedHit>>,
}

impl Hit {
    /// Returns a chunk of the first store as a hit, without what ranking and the stages after it add.
    pub(crate) fn new(scope: StoreScope, document: Document, chunk: Chunk, text: String) -> Self {
        Self {
            id: ChunkId { document: document.id, ordinal: chunk.ordinal },
            scope,
            store: 0,
            document,
            created: None,
            chunk,
            text,
            highlights: Vec::new(),
            score: 0.0,
            confidence: None,
            support: None,
            also_at: Vec::new(),
            parents: Vec::new(),
            explanation: None,
            memory: None,
            adopted: None,
        }
    }

    /// Returns the citation, `path:start-end@hash`. The hash shows whether the text has changed since.
    pub fn citation(&self) -> String {
        let Chunk { span, .. } = &self.chunk;
        // The path of a turn names it, and the text of a turn does not change.
        if self.document.document_type == DocumentType::Transcript {
            return self.document.path.to_string();
        }
        format!("{}:{}-{}@{}", self.document.path, span.start_line, span.end_line, self.document.hash.short())
    }
}

impl Hit {
    /// Gives the hit the paths and ids that the client sees.
    pub(crate) fn show(&mut self, mount: &Mount) {
        mount.show_chunk(&mut self.document, &mut self.id);
        if let Some(memory) = &mut self.memory {
            mount.show_memory(memory);
        }
    }

    /// Masks secrets in every field that comes from the file. Compute highlights afterwards, because masking moves text.
    pub(crate) fn mask(&mut self, whole: Option<&Whole>) -> Masked {
        let parents = self
            .parents
            .iter_mut()
            .map(|parent| mask::text(&mut parent.name).or(mask::some_text(&mut parent.signature)));
        let parents = Masked::all(parents);
        let chunk = mask::some_text(&mut self.chunk.symbol).or(mask::some_text(&mut self.chunk.signature));
        let own = match whole {
            Some(whole) => {
                let span = &self.chunk.span.bytes;
                let at = span.start as usize..span.end as usize;
                whole.mask_part(&mut self.text, at).or(whole.mask_label(&mut self.document.title))
            }
            None => mask::text(&mut self.text),
        };
        own.or(mask::document(&mut self.document)).or(chunk).or(parents)
    }
}

/// Why a hit ranks where it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The rank in each retriever's list, counted from 1, with that retriever's own score.
    pub ranks: Vec<(Retriever, u32, f32)>,
    /// The score after fusion, before priors.
    pub fused: f64,
    /// The factors of the priors that are not 1.
    pub priors: Vec<Factor>,
    /// What each feature added to the learned ranker's score, by name; empty if no ranker decided.
    pub contributions: Vec<(&'static str, f64)>,
    /// The score of the last model that read this chunk; `None` if none did.
    pub reranked: Option<Reranked>,
}

/// A model that rescores the first chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rescorer {
    /// The small cross-encoder.
    Preranker,
    /// The cross-encoder, which reads the first chunks.
    Reranker,
    /// The language model, which reads the first few chunks of hard questions.
    Judge,
}

/// The score that the last of these models gave to a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reranked {
    /// Which of the models it was.
    pub by: Rescorer,
    /// How well the chunk answers, on the model's own scale.
    pub score: f32,
    /// The rank before rescoring, counted from 1.
    pub rank_before: u32,
}

/// How many documents have each value of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// The property: `type`, `language`, `directory`, `tag`.
    pub name: &'static str,
    /// The most frequent values: descending by count, then by name.
    pub counts: Vec<(String, u64)>,
    /// The number of values that are not listed.
    pub left_out: u64,
}

impl Facet {
    /// Masks secrets in the values.
    pub(crate) fn mask(&mut self) {
        for (value, _) in &mut self.counts {
            mask::path_text(value);
        }
    }
}

/// A stage of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Updating the index from the files.
    Freshness,
    /// Reading filters, names and the class from the query.
    Understand,
    /// Finding candidates in each store, with their evidence.
    Retrieve,
    /// Merging them and applying the priors.
    Fuse,
    /// Ordering them by the learned ranker.
    Rank,
    /// Rescoring many candidates with a small cross-encoder.
    Prerank,
    /// Rescoring the first candidates with a cross-encoder.
    Rerank,
    /// Rescoring the first candidates with a language model.
    Judge,
    /// Selecting the chunks to show.
    Select,
    /// Reading the selected chunks.
    Expand,
}

impl Stage {
    /// The stage's name, as answers write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Freshness => "freshness",
            Self::Understand => "understand",
            Self::Retrieve => "retrieve",
            Self::Fuse => "fuse",
            Self::Rank => "rank",
            Self::Prerank => "prerank",
            Self::Rerank => "rerank",
            Self::Judge => "judge",
            Self::Select => "select",
            Self::Expand => "expand",
        }
    }
}

/// How long each stage took, in the order of the pipeline.
pub type StageTimes = Vec<(Stage, Duration)>;
