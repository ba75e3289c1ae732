//! What does a search give back?

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use recall_core::{
    Ablation, Chunk, ChunkId, Document, DocumentType, Enclosing, QueryClass, Recalled, Retriever, Scope, StoreScope,
    Timestamp,
};

use crate::coverage::Coverage;

/// The answer to a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What the query was taken to look for.
    pub class: QueryClass,
    /// Which stores were asked for.
    pub scope: Scope,
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
    pub memory: Option<Box<Recalled>>,
}

impl Hit {
    /// `path:start-end@hash`: enough to find the text again, and to notice that it has changed.
    pub fn citation(&self) -> String {
        let Chunk { span, .. } = &self.chunk;
        format!("{}:{}-{}@{}", self.document.path, span.start_line, span.end_line, self.document.hash.short())
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

/// A named factor that a prior multiplied a score with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// The prior.
    pub name: &'static str,
    /// The factor.
    pub value: f64,
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

/// What the reader of an answer should know beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Nobody had indexed the project: this request did.
    IndexedOnTheWay {
        /// How many files were indexed.
        files: u64,
        /// How long it took.
        took: Duration,
    },
    /// The store is still being indexed: the answer is of what is there.
    Indexing {
        /// Files read.
        files_done: u64,
        /// Files to read in all.
        files: u64,
    },
    /// The store waits for its turn to be indexed: the answer is of what is there.
    IndexingWaits,
    /// The freshness scan was not done in time: files that are new since the last one may be missing.
    ScanRunning,
    /// The links between the documents are still being read: the next answer may have another order.
    LinksBehind,
    /// Changes are not watched, and the files were last compared so long ago: what changed since may be missing.
    NotCompared {
        /// How long.
        ago: Duration,
    },
    /// A file changed while the query ran and could not be indexed in time: its hits are left out.
    LeftOut {
        /// The file.
        path: String,
    },
    /// Secrets stand in a file; what is told of it has masks in their places.
    SecretsMasked {
        /// The file.
        path: String,
    },
    /// A damaged index was set aside and made anew.
    Repaired {
        /// What was damaged.
        what: String,
    },
    /// The index could not be brought up to the files: the answer is of what was indexed before.
    NotRefreshed {
        /// Why.
        reason: String,
    },
    /// One of the stores could not be searched.
    StoreUnavailable {
        /// Which.
        scope: StoreScope,
        /// Why.
        reason: String,
    },
    /// Several symbols have the name that was asked for.
    SeveralDefinitions {
        /// The name.
        name: String,
        /// How many there are.
        definitions: u64,
        /// How many of them the answer starts at.
        shown: u64,
    },
    /// Words alone decided, since not every text has an embedding yet.
    EmbeddingsToCome,
    /// The embeddings by a model could not be asked.
    EmbeddingsPassedOver {
        /// Why.
        reason: String,
        /// The model that told the meaning instead; `None` where words alone decided.
        instead: Option<String>,
    },
    /// The cross-encoder that is used could not be asked: the order is the one without it.
    NotReranked {
        /// Why.
        reason: String,
    },
    /// The ranker that was learnt from the project's history cannot be used: the built-in ones decided.
    RankerPassedOver {
        /// Why.
        reason: String,
    },
    /// A word of the query has the form of a filter and is none: it is looked for as a word.
    UnknownFilter {
        /// The word.
        word: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Weights of the retrievers are given, so their fusion decides on the order and the learned rankers do not.
    WeightsDecide,
    /// Memories that were acknowledged are not in the index yet.
    MemoriesBehind,
    /// The journals could not be read: the answer is of what they said before.
    JournalsUnread {
        /// Why.
        reason: String,
    },
    /// Lines of the journals cannot be read: what they say is missing.
    JournalLinesUnread(UnreadLines),
    /// Lines of the selection cannot be read: what they decide does not hold.
    SelectionLinesUnread(UnreadLines),
    /// Something in the configuration is wrong and was passed over.
    Configuration {
        /// What and where.
        message: String,
    },
}

/// Lines of a store's files that cannot be read. They stay where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadLines {
    /// The file of the first one, absolute.
    pub file: PathBuf,
    /// The first one, counted from 1; 0 if the file as a whole cannot be read.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
    /// How many there are, in all files.
    pub count: u64,
}
