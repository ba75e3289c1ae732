//! What does a search give back?

use std::ops::Range;
use std::time::Duration;

use recall_core::{
    Ablation, Chunk, ChunkId, Document, DocumentType, Enclosing, Filters, MemoryView, QueryClass, Retriever, Scope,
    StoreScope, Timestamp,
};

use crate::coverage::Coverage;
use crate::mask::{self, Masked, Whole};
use crate::ranking::Factor;
use crate::warning::Warning;

/// The answer to a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What the query was taken to look for.
    pub class: QueryClass,
    /// Which stores were asked for.
    pub scope: Scope,
    /// The filters of the request and those inside the query, which held together; languages by the names that documents have.
    pub filters: Filters,
    /// The weight of each retriever, by its class or as the request gave it.
    pub weights: Vec<(Retriever, f64)>,
    /// How much speaks for it that anything here answers: the greatest support of the hits, 0 to 1; `None` where no ranker decided.
    pub confidence: Option<f64>,
    /// Whether the confidence is below the setting: probably nothing answers the question.
    pub is_doubtful: bool,
    /// Names and paths that are spelled nearly like a query that nothing is called by; their definitions and files are among the
    /// hits.
    pub did_you_mean: Vec<String>,
    /// The hits, best first; ties in the order of path, span, id.
    pub hits: Vec<Hit>,
    /// How many candidates there were before selection.
    pub candidates: u64,
    /// How many candidates each retriever brought, of all stores together.
    pub retrieved: Vec<(Retriever, u64)>,
    /// The score of the best hit of all, on whichever page it is; `None` where there is none.
    pub best_score: Option<f64>,
    /// Where the next page begins, when there may be one.
    pub next_offset: Option<u32>,
    /// What the answer saw of each store.
    pub coverage: Vec<Coverage>,
    /// How many files are known to have changed or come that the answer does not reflect yet.
    pub stale_files: u64,
    /// How long each stage took, in the order of the pipeline.
    pub stages: StageTimes,
    /// Counts of all documents that hold a word of the query, by type, language, directory and tag; empty unless asked for.
    pub facets: Vec<Facet>,
    /// The model that told the meaning, by its name; `None` where words alone decided.
    pub model: Option<String>,
    /// The cross-encoder that rescored the first candidates, by its name; `None` where none did.
    pub reranker: Option<String>,
    /// Stages that would have had a say, and had none since what they need is not there yet. A page that is to continue this
    /// one leaves them out.
    pub silent: Vec<Ablation>,
    /// What the reader should know beside the hits.
    pub warnings: Vec<Warning>,
}

impl Answer {
    /// The modification time of the newest document that was searched.
    pub fn snapshot(&self) -> Option<Timestamp> {
        self.coverage.iter().filter_map(|coverage| coverage.newest).max()
    }

    /// How many documents were searched.
    pub fn documents(&self) -> u64 {
        self.coverage.iter().map(|coverage| coverage.documents).sum()
    }

    /// How many hits there are of each type, in the order of types.
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
    /// Which of the answer's stores it is in: the place of its coverage.
    pub store: usize,
    /// The document that it is a part of.
    pub document: Document,
    /// The chunk.
    pub chunk: Chunk,
    /// Its text.
    pub text: String,
    /// Where words of the query stand in `text`: byte ranges, in order, apart from each other.
    pub highlights: Vec<Range<usize>>,
    /// The score that ranked it; comparable within one answer.
    pub score: f64,
    /// How likely it is that it answers, 0 to 1; `None` where no ranker decided.
    pub confidence: Option<f64>,
    /// How much speaks for it that anything here answers, 0 to 1; `None` where no ranker decided.
    pub support: Option<f64>,
    /// Where nearly the same text stands too, as citations in the order of rank, as far as the page was read for.
    pub also_at: Vec<String>,
    /// The definitions or headings around the chunk, outermost first.
    pub parents: Vec<Enclosing>,
    /// Why it ranks where it does, when asked for.
    pub explanation: Option<Explanation>,
    /// The memory that it is a part of, and how that stands; `None` where it is a part of a file.
    pub memory: Option<Box<MemoryView>>,
}

impl Hit {
    /// `path:start-end@hash`: enough to find the text again, and to notice that it has changed.
    pub fn citation(&self) -> String {
        let Chunk { span, .. } = &self.chunk;
        format!("{}:{}-{}@{}", self.document.path, span.start_line, span.end_line, self.document.hash.short())
    }
}

impl Hit {
    /// Masks all of it that comes out of its file. Highlights have to be looked for after it.
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
    /// Where each retriever ranked it, counted from 1, with that retriever's own score.
    pub ranks: Vec<(Retriever, u32, f32)>,
    /// The score after fusion, before priors.
    pub fused: f64,
    /// The factors of the priors that are not 1.
    pub priors: Vec<Factor>,
    /// What each feature added to the learned ranker's score, by name; empty where no ranker decided.
    pub contributions: Vec<(&'static str, f64)>,
    /// What the cross-encoder said of it; `None` where it was not asked.
    pub reranked: Option<Reranked>,
}

/// What a cross-encoder said of a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reranked {
    /// How well the chunk answers, on the model's own scale.
    pub score: f32,
    /// Its rank before, counted from 1.
    pub rank_before: u32,
}

/// How many documents have each value of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// The property: `type`, `language`, `directory`, `tag`.
    pub name: &'static str,
    /// The most frequent values, the most frequent first, equally frequent ones by name.
    pub counts: Vec<(String, u64)>,
    /// How many further values there are.
    pub left_out: u64,
}

impl Facet {
    /// Masks its values.
    pub(crate) fn mask(&mut self) {
        for (value, _) in &mut self.counts {
            mask::path_text(value);
        }
    }
}

/// A stage of the pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Making sure that the index is not behind the files.
    Freshness,
    /// Reading the query.
    Understand,
    /// Finding candidates.
    Retrieve,
    /// Merging them and applying the priors.
    Fuse,
    /// Putting them in order by what the ranker has learned.
    Rank,
    /// Rescoring the first of them by a cross-encoder.
    Rerank,
    /// Keeping few.
    Select,
    /// Reading what was kept.
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
            Self::Rerank => "rerank",
            Self::Select => "select",
            Self::Expand => "expand",
        }
    }
}

/// How long each stage took, in the order of the pipeline.
pub type StageTimes = Vec<(Stage, Duration)>;
