//! Counts of what the stores hold, and the estimate of what answers saved.

use std::collections::BTreeMap;

use crate::v1;
use serde::Serialize;

use crate::json::{answer, non_empty, store_scope, timestamp_text};

/// The method of the estimate, in words.
pub const SAVINGS_METHOD: &str = "tokens of the hits that sessions recorded, beside the tokens of the whole files that these hits are \
    from, as the files are now, each file once per answer; tokens are estimated from the characters. Without an answer, its reader might \
    have read fewer files or only parts of them, and may have read the files anyway";

#[derive(Debug, Serialize)]
struct UsageStats<'a> {
    stores: Vec<StoreStats<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    savings: Option<Savings>,
}

#[derive(Debug, Serialize)]
struct StoreStats<'a> {
    scope: Option<&'static str>,
    root: Option<&'a str>,
    documents: u64,
    chunks: u64,
    symbols: u64,
    edges: u64,
    text_bytes: u64,
    types: BTreeMap<&'a str, u64>,
    languages: BTreeMap<&'a str, u64>,
    memories: u64,
    sessions: u64,
}

#[derive(Debug, Serialize)]
struct Savings {
    is_estimate: bool,
    method: &'static str,
    since: Option<String>,
    sessions: u64,
    answers: u64,
    hits: u64,
    unknown_hits: u64,
    files: u64,
    answer_tokens: u64,
    file_tokens: u64,
    saved_tokens: i64,
}

/// Returns the difference between the tokens of the files and those of the answers; negative if the answers have more.
pub fn saved_tokens(savings: &v1::Savings) -> i64 {
    let signed = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
    signed(savings.file_tokens).saturating_sub(signed(savings.answer_tokens))
}

/// What the stores hold.
pub fn stats(message: &v1::StatsResponse) -> impl Serialize {
    let v1::StatsResponse { stores, savings } = message;
    answer(UsageStats {
        stores: stores.iter().map(StoreStats::from).collect(),
        savings: savings.as_ref().map(Savings::from),
    })
}

impl<'a> From<&'a v1::StoreStats> for StoreStats<'a> {
    fn from(message: &'a v1::StoreStats) -> Self {
        let v1::StoreStats {
            scope,
            root,
            documents,
            chunks,
            symbols,
            edges,
            text_bytes,
            types,
            languages,
            memories,
            sessions,
        } = message;
        Self {
            scope: store_scope(*scope),
            root: non_empty(root),
            documents: *documents,
            chunks: *chunks,
            symbols: *symbols,
            edges: *edges,
            text_bytes: *text_bytes,
            types: types.iter().map(|(name, number)| (&**name, *number)).collect(),
            languages: languages.iter().map(|(name, number)| (&**name, *number)).collect(),
            memories: *memories,
            sessions: *sessions,
        }
    }
}

impl From<&v1::Savings> for Savings {
    fn from(message: &v1::Savings) -> Self {
        let v1::Savings { since, sessions, answers, hits, unknown_hits, files, answer_tokens, file_tokens } = message;
        Self {
            is_estimate: true,
            method: SAVINGS_METHOD,
            since: timestamp_text(since.as_ref()),
            sessions: *sessions,
            answers: *answers,
            hits: *hits,
            unknown_hits: *unknown_hits,
            files: *files,
            answer_tokens: *answer_tokens,
            file_tokens: *file_tokens,
            saved_tokens: saved_tokens(message),
        }
    }
}
