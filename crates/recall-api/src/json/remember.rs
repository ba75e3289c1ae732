//! Results of adding, changing and rating memories.

use crate::v1;
use serde::Serialize;

use crate::json::adopted::AdoptedCheck;
use crate::json::memory::{ItemStats, Memory, Verification};
use crate::json::{Warning, answer, store_scope, warnings};

#[derive(Debug, Serialize)]
pub(crate) struct Added<'a> {
    id: &'a str,
    title: &'a str,
    status: &'static str,
    similar: Vec<Similar<'a>>,
    warnings: Vec<Warning<'a>>,
}

#[derive(Debug, Serialize)]
struct Similar<'a> {
    id: &'a str,
    title: &'a str,
    similarity: f64,
}

impl<'a> From<&'a v1::SimilarMemory> for Similar<'a> {
    fn from(message: &'a v1::SimilarMemory) -> Self {
        let v1::SimilarMemory { id, title, similarity } = message;
        Self { id, title, similarity: *similarity }
    }
}

/// The result of adding a memory: `added`, `duplicate` or `superseded`.
pub fn add_answer(message: &v1::AddResponse) -> impl Serialize {
    answer(Added::from(message))
}

impl<'a> From<&'a v1::AddResponse> for Added<'a> {
    fn from(message: &'a v1::AddResponse) -> Self {
        let v1::AddResponse { id, title, status, similar, warnings: messages } = message;
        let status = match v1::AddStatus::try_from(*status) {
            Ok(v1::AddStatus::Duplicate) => "duplicate",
            Ok(v1::AddStatus::Superseded) => "superseded",
            Ok(v1::AddStatus::Added | v1::AddStatus::Unspecified) | Err(_) => "added",
        };
        Self { id, title, status, similar: similar.iter().map(Similar::from).collect(), warnings: warnings(messages) }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Updated<'a> {
    memory: Option<Memory<'a>>,
    warnings: Vec<Warning<'a>>,
}

/// The answer of `update`: the memory as it is now.
pub fn update_answer(message: &v1::UpdateResponse) -> impl Serialize {
    let v1::UpdateResponse { memory, warnings: messages } = message;
    answer(Updated { memory: memory.as_ref().map(Memory::from), warnings: warnings(messages) })
}

#[derive(Debug, Serialize)]
pub(crate) struct Rated {
    acknowledged: bool,
    item_stats: Option<RatedStats>,
}

/// The feedback about an item. The fields that end in `_count`, and `usefulness_rate`, have the names that clients of EDI's Codex
/// expect.
#[derive(Debug, Serialize)]
struct RatedStats {
    retrieval_count: u64,
    useful_count: u64,
    not_useful_count: u64,
    usefulness_rate: Option<f64>,
    #[serde(flatten)]
    stats: ItemStats,
}

impl From<v1::ItemStats> for RatedStats {
    fn from(message: v1::ItemStats) -> Self {
        Self {
            retrieval_count: message.retrievals,
            useful_count: message.useful,
            not_useful_count: message.not_useful,
            usefulness_rate: message.usefulness,
            stats: ItemStats::from(message),
        }
    }
}

/// The feedback about an item, including the new rating.
pub fn feedback_answer(message: &v1::FeedbackResponse) -> impl Serialize {
    let v1::FeedbackResponse { acknowledged, item_stats } = message;
    answer(Rated { acknowledged: *acknowledged, item_stats: item_stats.map(RatedStats::from) })
}

#[derive(Debug, Serialize)]
pub(crate) struct VerifiedAll<'a> {
    results: Vec<VerifiedOne<'a>>,
    broken: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    adopted: Option<AdoptedCheck<'a>>,
}

#[derive(Debug, Serialize)]
struct VerifiedOne<'a> {
    id: &'a str,
    title: &'a str,
    verification: Option<Verification<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<AnchorChange<'a>>,
}

/// What changed in a file or symbol since a memory was anchored to it.
#[derive(Debug, Serialize)]
struct AnchorChange<'a> {
    path: &'a str,
    symbol: &'a str,
    commit: &'a str,
    exact: bool,
    diff: &'a str,
    is_cut: bool,
}

impl<'a> From<&'a v1::AnchorChange> for AnchorChange<'a> {
    fn from(message: &'a v1::AnchorChange) -> Self {
        let v1::AnchorChange { path, symbol, commit, exact, diff, is_cut } = message;
        Self { path, symbol, commit, exact: *exact, diff, is_cut: *is_cut }
    }
}

impl<'a> From<&'a v1::VerifiedMemory> for VerifiedOne<'a> {
    fn from(message: &'a v1::VerifiedMemory) -> Self {
        let v1::VerifiedMemory { id, title, verification, changes } = message;
        let changes = changes.iter().map(AnchorChange::from).collect();
        Self { id, title, verification: verification.as_ref().map(Verification::from), changes }
    }
}

/// The validity of memories.
pub fn verify_answer(message: &v1::VerifyResponse) -> impl Serialize {
    let v1::VerifyResponse { results, broken, adopted } = message;
    let adopted = adopted.as_ref().map(AdoptedCheck::from);
    answer(VerifiedAll { results: results.iter().map(VerifiedOne::from).collect(), broken: *broken, adopted })
}

#[derive(Debug, Serialize)]
pub(crate) struct Promoted<'a> {
    id: &'a str,
    scope: Option<&'static str>,
}

/// The store of a promoted memory.
pub fn promote_answer(message: &v1::PromoteResponse) -> impl Serialize {
    let v1::PromoteResponse { id, scope } = message;
    answer(Promoted { id, scope: store_scope(*scope) })
}
