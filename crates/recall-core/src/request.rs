//! Search requests: for words, and for every place of a literal or of a regular expression, with the stages that can be
//! disabled to measure their value, and the default limits of all requests.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::{DocumentType, Scope};
use recall_text::{DocPath, Language, normalized_path};

/// A validated search: the query is not blank and within its limit, and the page size is within its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchRequest {
    /// The query as entered, inline filters included.
    pub query: String,
    /// Which stores are searched.
    pub scope: Scope,
    /// The filters, in addition to the inline ones.
    pub filters: Filters,
    /// The maximum number of hits, at least 1.
    pub limit: u32,
    /// The number of hits to skip.
    pub offset: u32,
    /// Weights that override those of the query's class.
    pub weights: Weights,
    /// Whether each hit explains its rank.
    pub explain: Explain,
    /// Whether to count the matching documents by type, language, directory and tag.
    pub facets: Facets,
    /// The disabled stages, for measuring; empty for a normal search.
    pub without: Vec<Ablation>,
    /// When the language model rescores the first hits.
    pub judge: JudgeUse,
    /// The projects that are searched besides the client's.
    pub others: OtherProjects,
    /// Whether the search is recorded and its hits count as retrieved.
    pub recording: Recording,
}

impl SearchRequest {
    /// A search with defaults: no filter, the first page, the weights of the query's class, no explanation and no
    /// facets.
    pub fn new(query: impl Into<String>, scope: Scope, limit: u32) -> Self {
        Self {
            query: query.into(),
            scope,
            filters: Filters::default(),
            limit,
            offset: 0,
            weights: Weights::default(),
            explain: Explain::Off,
            facets: Facets::Off,
            without: Vec::new(),
            judge: JudgeUse::WhenHard,
            others: OtherProjects::None,
            recording: Recording::On,
        }
    }

    /// Whether the stage with that name is disabled.
    pub fn leaves_out(&self, stage: &str) -> bool {
        self.without.iter().any(|ablation| ablation.as_str() == stage)
    }
}

/// When a language model rescores the first hits, if the user chose one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JudgeUse {
    /// For questions about relationships and reasons, and if the first hits are close.
    #[default]
    WhenHard,
    /// For every question. Names and paths are excepted.
    Always,
}

/// The projects that a search reads besides the client's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OtherProjects {
    /// None: only the client's project, and what its scope sees.
    #[default]
    None,
    /// Those with these roots, absolute.
    Named(Vec<PathBuf>),
    /// Every project of this user that has an index.
    Every,
}

/// Whether a search is recorded and its hits count as retrieved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Recording {
    /// It is: somebody reads the answer.
    #[default]
    On,
    /// It is not: the query is still being typed.
    Off,
}

/// Whether hits are explained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Explain {
    /// Hits without explanations.
    #[default]
    Off,
    /// Ranks, scores and factors of every stage with each hit.
    On,
}

/// Whether to count the matching documents by type, language, directory and tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Facets {
    /// The answer has no counts.
    #[default]
    Off,
    /// Counts in the answer.
    On,
}

/// Conditions on a hit. An empty list is no condition; the entries of `types`, `languages` and `paths` are
/// alternatives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// The document's type is one of these.
    pub types: Vec<DocumentType>,
    /// The document's language is one of these.
    pub languages: Vec<Language>,
    /// The document's path matches one of these.
    pub paths: Vec<PathFilter>,
    /// The document carries every one of these tags.
    pub tags: Vec<String>,
    /// It was made at or after this time; see [`When`](crate::When). Of a file, its last commit.
    pub since: Option<String>,
    /// It was made before this time.
    pub before: Option<String>,
    /// The directory that `paths` take the store's root to be; `None` if they are relative to the root.
    pub mount: Option<DocPath>,
}

impl Filters {
    /// Whether there is no condition but on the time, which no index knows; see [`has_time`](Self::has_time).
    pub fn is_empty(&self) -> bool {
        let Self { types, languages, paths, tags, since: _, before: _, mount: _ } = self;
        types.is_empty() && languages.is_empty() && paths.is_empty() && tags.is_empty()
    }

    /// Whether there is a condition on the time.
    pub fn has_time(&self) -> bool {
        self.since.is_some() || self.before.is_some()
    }
}

/// A path pattern: a glob over the whole path if it contains `*`, `?` or `[`, otherwise a path or a directory above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFilter(pub String);

impl PathFilter {
    /// Reads a pattern. Its Unicode form does not count: see [`normalized_path`].
    pub fn new(pattern: &str) -> Self {
        Self(normalized_path(pattern).into_owned())
    }

    /// Whether the pattern is a glob.
    pub fn is_glob(&self) -> bool {
        self.0.contains(['*', '?', '['])
    }
}

/// Returns a glob that matches only the text.
pub fn escape_glob(text: &str) -> String {
    let mut glob = String::with_capacity(text.len());
    for c in text.chars() {
        if "*?[]{}!\\".contains(c) {
            glob.extend(['[', c, ']']);
        } else {
            glob.push(c);
        }
    }
    glob
}

/// The weights of the retrievers in the fusion; `None` uses that of the query's class.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// The weight of semantic retrieval.
    pub vector: Option<f32>,
    /// The weight of BM25.
    pub bm25: Option<f32>,
}

/// A request for all lines of the indexed texts that match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactRequest {
    /// The literal or the regular expression.
    pub needle: Needle,
    /// Whether the case of letters counts.
    pub case: Case,
    /// Which stores are searched.
    pub scope: Scope,
    /// Which documents are searched.
    pub filters: Filters,
    /// The maximum number of lines, at least 1.
    pub limit: u32,
    /// The number of lines to skip.
    pub offset: u32,
    /// The projects that are searched besides the client's.
    pub others: OtherProjects,
}

/// What to find in texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needle {
    /// A text that occurs as it is.
    Literal(String),
    /// A regular expression that matches within a line.
    Regex(String),
}

impl Needle {
    /// Returns the text as it was entered.
    pub fn text(&self) -> &str {
        match self {
            Self::Literal(text) | Self::Regex(text) => text,
        }
    }

    /// Returns the name of its kind, as interfaces write it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Literal(_) => "exact",
            Self::Regex(_) => "regex",
        }
    }
}

/// Whether the case of letters counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// `a` does not match `A`.
    #[default]
    Sensitive,
    /// `a` matches `A`, by the simple case folding of Unicode.
    Insensitive,
}

/// A stage of the search that can be disabled.
///
/// Nothing replaces a disabled stage: a retriever returns no candidates, a prior changes no score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ablation {
    /// Retrieval by words.
    Lexical,
    /// Retrieval by names of definitions.
    Symbol,
    /// Retrieval by paths.
    Path,
    /// Retrieval by embeddings, and their features in the rankers.
    Semantic,
    /// The worth of a word that hardly any document contains.
    RareWords,
    /// The prior of the file's role.
    FileKind,
    /// The prior of the graph of imports and references.
    Structure,
    /// The learned ranker; the order is that of weighted fusion.
    Ranker,
    /// The small cross-encoder that rescores many candidates.
    Prerank,
    /// The cross-encoder that rescores the top candidates.
    Rerank,
    /// The language model that rescores the first hits.
    Judge,
    /// The collapse of repeated texts.
    Collapse,
}

impl Ablation {
    /// All stages, in the order in which a search runs them.
    pub const ALL: [Self; 12] = [
        Self::Lexical,
        Self::Symbol,
        Self::Path,
        Self::Semantic,
        Self::RareWords,
        Self::FileKind,
        Self::Structure,
        Self::Ranker,
        Self::Prerank,
        Self::Rerank,
        Self::Judge,
        Self::Collapse,
    ];

    /// The stage's name, as interfaces and explanations write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Symbol => "symbol",
            Self::Path => "path",
            Self::Semantic => "semantic",
            Self::RareWords => "rare_words",
            Self::FileKind => "file_kind",
            Self::Structure => "structure",
            Self::Ranker => "ranker",
            Self::Prerank => "prerank",
            Self::Rerank => "rerank",
            Self::Judge => "judge",
            Self::Collapse => "collapse",
        }
    }

    /// Returns the stage with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.as_str() == name)
    }
}

impl fmt::Display for Ablation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An answer whose confidence is below this is doubtful: its hits are shown with that mark. Of 318 questions about sixteen
/// repositories, two in a hundred fall below it; of the same questions asked of another repository, seven in ten do.
pub const LOW_CONFIDENCE: f64 = 0.33;

/// The limits that keep one request, file or query from starving the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest query. A pasted log may have some hundred kilobytes.
    pub query_bytes: usize,
    /// How much of a query is searched for; a longer one is [condensed](recall_text::condense()). The longest bug reports and traces that
    /// are pasted fit.
    pub searched_bytes: usize,
    /// The maximum number of hits of one search.
    pub hits: u32,
    /// The maximum number of entries of one listing.
    pub list_entries: u32,
    /// The largest file that is indexed. Larger files are in practice data.
    pub file_bytes: u64,
    /// The largest notebook that is read. Its pictures are left out before its size is compared with `file_bytes`.
    pub notebook_bytes: u64,
    /// The largest chunk, in estimated tokens.
    pub chunk_tokens: u32,
    /// The longest that a filter, a statement or an exact search reads a store.
    pub filter_time: Duration,
    /// The largest part of a file that is parsed at once. Its syntax tree takes about thirty times its size.
    pub parse_bytes: u64,
    /// The processor time in which one part of a file may be parsed before it is chunked in windows.
    pub parse_time: Duration,
    /// The deepest nesting that the chunker descends into; deeper nodes stay whole.
    pub parse_depth: u32,
    /// The most bytes of file text in flight between reading and the catalog.
    pub ingest_bytes_in_flight: u64,
    /// The time that a search waits for the freshness scan before it answers without it.
    pub scan_wait: Duration,
    /// The shortest time between two scans of a store that is not watched; zero scans before every search.
    pub scan_interval: Duration,
    /// The time that a search waits for the file watcher's events before it scans instead.
    pub watch_wait: Duration,
    /// The maximum number of watched directories of a store. The kernel needs about a kilobyte for each.
    pub watched_directories: u32,
    /// The time after which a watched store is scanned even if no change was reported.
    pub watched_scan_interval: Duration,
    /// The shortest time between two checks of an index's files and of the journals of memories.
    pub look_interval: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            query_bytes: 1024 * 1024,
            searched_bytes: 64 * 1024,
            hits: 50,
            list_entries: 100,
            file_bytes: 16 * 1024 * 1024,
            notebook_bytes: 256 * 1024 * 1024,
            chunk_tokens: 400,
            filter_time: Duration::from_secs(30),
            parse_bytes: 1024 * 1024,
            parse_time: Duration::from_secs(2),
            parse_depth: 400,
            ingest_bytes_in_flight: 32 * 1024 * 1024,
            scan_wait: Duration::from_millis(150),
            scan_interval: Duration::ZERO,
            watch_wait: Duration::from_millis(50),
            watched_directories: 50_000,
            watched_scan_interval: Duration::from_mins(1),
            look_interval: Duration::from_secs(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_for_a_glob() {
        assert_eq!(escape_glob("a*b[0]"), "a[*]b[[]0[]]");
    }
}
