//! The values that features are computed from, and the kinds of text that are ranked, with their sets of features.
//!
//! `search::features` fills them in, and the table in `ranking::features` reads them.

use recall_core::{DocumentType, QueryClass, Traits};
use recall_index::lexical::{Closeness, DocumentEvidence, QueryStats};
use recall_text::FileKind;

/// What is known of a query and one of its candidate documents.
pub(crate) struct Inputs<'a> {
    pub(crate) class: QueryClass,
    /// Whether the query asks for tests.
    pub(crate) asks_tests: bool,
    pub(crate) question: &'a QueryStats,
    pub(crate) document: &'a DocumentEvidence,
    /// The file kind; `None` if the request leaves its features out.
    pub(crate) file_kind: Option<FileKind>,
    /// Whether the query asks for files of the document's kind, which is demoted otherwise.
    pub(crate) is_asked_for: bool,
    /// The proximity of the query's words; `None` if the text was not read.
    pub(crate) closeness: Option<Closeness>,
    pub(crate) neighbours: NeighbourScores,
    /// `None` if the document is newer than the graph, or the graph is left out.
    pub(crate) graph: Option<GraphScores>,
    /// The reciprocal rank in the list of each retriever.
    pub(crate) ranks: RetrieverRanks,
    /// The fused score of the best chunk, divided by the best of the answer.
    pub(crate) fused: f32,
    /// The reciprocal rank by the fused score.
    pub(crate) fused_rank: f32,
    /// `None` if the document has no embeddings.
    pub(crate) cosines: Option<CosineScores>,
}

/// Scores of the other candidates in the document's directory and with its stem.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NeighbourScores {
    /// The damped sum of the scores of the other candidates in its directory, divided by the best chunk score of all.
    pub(crate) folder: f32,
    /// The best score of another candidate with the same file stem, divided by the best chunk score of all.
    pub(crate) stem: f32,
}

/// Scores of a document in the link graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphScores {
    pub(crate) rank: f32,
    pub(crate) used: f32,
    pub(crate) uses: f32,
    /// The share of the walks that end at the document, divided by the best of the answer.
    pub(crate) walked: f32,
    /// The same without the walks that stayed where they began.
    pub(crate) walked_over_links: f32,
    /// The reciprocal rank by `walked_over_links`.
    pub(crate) walked_rank: f32,
}

/// The reciprocal rank of a document in each retriever's list; 0 if the list does not contain it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RetrieverRanks {
    pub(crate) lexical: f32,
    pub(crate) symbol: f32,
    pub(crate) path: f32,
    pub(crate) semantic: f32,
}

/// The cosines of a document to the query, in relation to all candidates of its kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CosineScores {
    /// That of its nearest chunk among the candidates.
    pub(crate) best: f32,
    /// That of the chunk that represents the document.
    pub(crate) chunk: f32,
    /// By how many standard deviations `best` exceeds the mean of the candidates.
    pub(crate) relative: f32,
    /// The reciprocal rank by `best`.
    pub(crate) rank: f32,
    /// The greatest cosine of all candidates.
    pub(crate) nearest: f32,
}

/// The result of the kind's ranker for a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KindRank {
    pub(crate) score: f32,
    /// The distance to the next score if the document is first, otherwise to the best score, which is negative.
    pub(crate) lead: f32,
    /// Counted from 0.
    pub(crate) rank: usize,
}

/// The features that are available for ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FeatureSet {
    /// Words, names, paths and the graph.
    Words,
    /// Those, and the similarity of embeddings.
    Semantic,
    /// The same, if the similarity is blended from an encoder and the built-in model.
    Blended,
}

/// The kinds of text that are ranked separately before they are merged into one list: features that make a code file relevant
/// say little about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentKind {
    /// Source code, configuration and data.
    Code,
    /// Documentation, decision records, playbooks, sessions.
    Prose,
    /// Memories. They are ranked by the rankers of prose.
    Memory,
}

impl ContentKind {
    /// All kinds, in a fixed order.
    pub const ALL: [Self; 3] = [Self::Code, Self::Prose, Self::Memory];

    /// Whether a document is code of the program itself: no test, example, page or memory.
    pub(crate) fn is_main_code(traits: Traits) -> bool {
        Self::from_traits(traits) == Self::Code && traits.file_kind == FileKind::Main
    }

    /// Returns the kind of a document.
    pub fn from_traits(traits: Traits) -> Self {
        match traits.document_type {
            DocumentType::Code => Self::Code,
            memory if memory.is_memory() => Self::Memory,
            _ => Self::Prose,
        }
    }

    /// Returns the kind's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Prose => "prose",
            Self::Memory => "memory",
        }
    }
}
