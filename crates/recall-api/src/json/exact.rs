//! Answers to exact searches.

use crate::v1;
use serde::Serialize;

use crate::json::search::{Hit, Query, Stats};
use crate::json::{Warning, answer, warnings};

#[derive(Debug, Serialize)]
struct Exact<'a> {
    query: Option<Query<'a>>,
    ignore_case: bool,
    /// As in a search; the chunk of a hit is the line.
    results: Vec<Hit<'a>>,
    total_matches: u64,
    total_lines: u64,
    total_documents: u64,
    complete: bool,
    files_left_out: u64,
    stats: Option<Stats<'a>>,
    warnings: Vec<Warning<'a>>,
    next_offset: Option<u32>,
}

/// An answer to an exact search.
pub fn exact(message: &v1::ExactResponse) -> impl Serialize {
    let v1::ExactResponse {
        query,
        results,
        stats,
        warnings: messages,
        next_offset,
        total_matches,
        total_lines,
        total_documents,
        complete,
        files_left_out,
        ignore_case,
    } = message;
    answer(Exact {
        query: query.as_ref().map(Query::from),
        ignore_case: *ignore_case,
        results: results.iter().map(Hit::from).collect(),
        total_matches: *total_matches,
        total_lines: *total_lines,
        total_documents: *total_documents,
        complete: *complete,
        files_left_out: *files_left_out,
        stats: stats.as_ref().map(Stats::from),
        warnings: warnings(messages),
        next_offset: *next_offset,
    })
}
