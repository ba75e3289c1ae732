//! Limits of requests.

use recall_core::{Limits, MEMORY_BYTES};

use crate::{InvalidRequest, Problem, v1};

/// The default number of hits.
pub const DEFAULT_HITS: u32 = 10;

/// The default number of entries of a listing.
pub const DEFAULT_LIST_ENTRIES: u32 = 20;

/// The default and the maximum number of lines of an exact search.
const EXACT_LINES: (u32, u32) = (50, 1_000);

/// The default and the maximum number of related documents.
const RELATED_ENTRIES: (u32, u32) = (10, 50);

/// The default and the maximum number of commits.
const COMMITS: (u32, u32) = (20, 200);

/// The default and the maximum number of nodes of a graph.
const GRAPH_NODES: (u32, u32) = (50, 200);

/// The default and the maximum number of folders and of hot files of a layout.
const LAYOUT_FOLDERS: (u32, u32) = (32, 100);
const LAYOUT_FILES: (u32, u32) = (20, 100);

/// The default and the maximum depth of a graph.
const GRAPH_DEPTH: (u32, u32) = (1, 5);

/// The default and the maximum number of tokens of a context window; the maximum is half of a usual context window.
const CONTEXT_TOKENS: (u32, u32) = (4_000, 100_000);

/// The default and the maximum number of tokens of reminders; the default is that of the answer to a prompt, the maximum that of the
/// settings of hooks.
const REMINDER_TOKENS: (u32, u32) = (600, 20_000);

/// The maximum number of parts of a document in a context window.
const CONTEXT_PARTS: u32 = 20;

/// Reads the number of hits: 1 to the limit, 10 by default.
///
/// # Errors
/// The number is 0 or above the limit.
pub fn hits(limit: Option<u32>, limits: &Limits) -> Result<u32, InvalidRequest> {
    within(limit, DEFAULT_HITS, limits.hits, "limits.hits")
}

/// Reads the number of lines of an exact search: 1 to 1,000, 50 by default.
///
/// # Errors
/// The number is 0 or above 1,000.
pub fn exact_lines(limit: Option<u32>) -> Result<u32, InvalidRequest> {
    shorten("limit", limit, EXACT_LINES)
}

/// Reads the number of entries of a listing: 1 to the limit, 20 by default.
///
/// # Errors
/// The number is 0 or above the limit.
pub fn list_entries(limit: Option<u32>, limits: &Limits) -> Result<u32, InvalidRequest> {
    within(limit, DEFAULT_LIST_ENTRIES, limits.list_entries, "limits.list_entries")
}

/// Reads the cursor of a listing: the number of entries on the previous pages, or nothing for the first page.
///
/// # Errors
/// The cursor is not a number.
pub fn offset(cursor: &str) -> Result<u32, InvalidRequest> {
    if cursor.is_empty() {
        return Ok(0);
    }
    cursor.parse().map_err(|_| {
        let problem = Problem::Malformed { value: cursor.to_owned(), expected: "`next_cursor` of the previous page" };
        InvalidRequest::new("cursor", problem)
    })
}

/// Reads the number of related documents: 1 to 50, 10 by default.
///
/// # Errors
/// The number is 0 or above 50.
pub fn related_entries(limit: Option<u32>) -> Result<u32, InvalidRequest> {
    shorten("limit", limit, RELATED_ENTRIES)
}

/// Reads the number of commits: 1 to 200, 20 by default.
///
/// # Errors
/// The number is 0 or above 200.
pub fn commits(limit: Option<u32>) -> Result<u32, InvalidRequest> {
    shorten("limit", limit, COMMITS)
}

/// Reads the number of names: 1 to 200, 50 by default.
///
/// # Errors
/// The number is 0 or above 200.
pub fn names(limit: Option<u32>) -> Result<u32, InvalidRequest> {
    shorten("limit", limit, GRAPH_NODES)
}

/// Reads the number of nodes of a graph: 1 to 200, 50 by default.
///
/// # Errors
/// The number is 0 or above 200.
pub fn graph_nodes(limit: Option<u32>) -> Result<u32, InvalidRequest> {
    shorten("limit", limit, GRAPH_NODES)
}

/// Reads the number of folders of a layout: 1 to 100, 32 by default.
///
/// # Errors
/// The number is 0 or above 100.
pub fn layout_folders(limit: Option<u32>) -> Result<u32, InvalidRequest> {
    shorten("folders", limit, LAYOUT_FOLDERS)
}

/// Reads the number of hot files of a layout: 1 to 100, 20 by default.
///
/// # Errors
/// The number is 0 or above 100.
pub fn layout_files(limit: Option<u32>) -> Result<u32, InvalidRequest> {
    shorten("files", limit, LAYOUT_FILES)
}

/// Reads the depth of a graph: 1 to 5, 1 by default.
///
/// # Errors
/// The number is 0 or above 5.
pub fn graph_depth(depth: Option<u32>) -> Result<u32, InvalidRequest> {
    shorten("depth", depth, GRAPH_DEPTH)
}

/// Reads the budget of a context window: 1 to 100,000 tokens, 4,000 by default.
///
/// # Errors
/// The number is 0 or above 100,000.
pub fn context_tokens(budget: Option<u32>) -> Result<u32, InvalidRequest> {
    shorten("budget_tokens", budget, CONTEXT_TOKENS)
}

/// Reads the budget of reminders: 1 to 20,000 tokens, 600 by default.
///
/// # Errors
/// The number is 0 or above 20,000.
pub fn reminder_tokens(budget: Option<u32>) -> Result<u32, InvalidRequest> {
    shorten("budget_tokens", budget, REMINDER_TOKENS)
}

/// Reads the number of parts of a document in a context window: 1 to 20.
///
/// # Errors
/// The number is 0 or above 20.
pub fn context_parts(diversity: Option<u32>) -> Result<Option<u32>, InvalidRequest> {
    diversity.map(|parts| shorten("diversity", Some(parts), (parts, CONTEXT_PARTS))).transpose()
}

/// Checks a number against fixed bounds of the protocol.
pub(super) fn shorten(
    field: &'static str,
    value: Option<u32>,
    (default, limit): (u32, u32),
) -> Result<u32, InvalidRequest> {
    let problem = match value {
        None => return Ok(default),
        Some(0) => Problem::Zero,
        Some(value) if value > limit => Problem::TooLarge { value: value.into(), limit: limit.into(), setting: None },
        Some(value) => return Ok(value),
    };
    Err(InvalidRequest::new(field, problem))
}

fn within(value: Option<u32>, default: u32, limit: u32, setting: &'static str) -> Result<u32, InvalidRequest> {
    let problem = match value {
        None => return Ok(default.min(limit)),
        Some(0) => Problem::Zero,
        Some(value) if value > limit => {
            Problem::TooLarge { value: value.into(), limit: limit.into(), setting: Some(setting) }
        }
        Some(value) => return Ok(value),
    };
    Err(InvalidRequest::new("limit", problem))
}

/// Checks that a required text is not blank and within the limit of queries.
///
/// # Errors
/// The text is blank or too long.
pub fn query_text(field: &'static str, text: &str, limits: &Limits) -> Result<(), InvalidRequest> {
    text_within(field, text, limits.query_bytes, "limits.query_bytes")
}

/// Checks that a condition is not blank and within the limit of what is searched for.
///
/// # Errors
/// The text is blank or too long.
pub fn filter_text(field: &'static str, text: &str, limits: &Limits) -> Result<(), InvalidRequest> {
    text_within(field, text, limits.searched_bytes, "limits.searched_bytes")
}

fn text_within(
    field: &'static str,
    text: &str,
    limit_bytes: usize,
    setting: &'static str,
) -> Result<(), InvalidRequest> {
    let problem = if text.len() > limit_bytes {
        Problem::TooLong { length_bytes: text.len(), limit_bytes, setting }
    } else if text.trim().is_empty() {
        Problem::Empty
    } else {
        return Ok(());
    };
    Err(InvalidRequest::new(field, problem))
}

/// Writes the limits that a client can run into.
pub fn to_proto(limits: &Limits) -> v1::Limits {
    let Limits {
        query_bytes,
        hits,
        list_entries,
        file_bytes,
        chunk_tokens,
        parse_time,
        parse_depth,
        // The other limits concern the daemon's own memory and time, and no client can exceed them.
        notebook_bytes: _,
        parse_bytes: _,
        ingest_bytes_in_flight: _,
        filter_time: _,
        scan_wait: _,
        scan_interval: _,
        watch_wait: _,
        watched_directories: _,
        watched_scan_interval: _,
        look_interval: _,
        // A longer query is condensed, not refused.
        searched_bytes: _,
    } = limits;
    v1::Limits {
        query_bytes: *query_bytes as u64,
        hits: *hits,
        list_entries: *list_entries,
        file_bytes: *file_bytes,
        chunk_tokens: *chunk_tokens,
        parse_time_ms: parse_time.as_millis() as u64,
        parse_depth: *parse_depth,
        memory_bytes: MEMORY_BYTES as u64,
    }
}

/// The default and the maximum number of turns.
const TURNS: (u32, u32) = (10, 50);

/// The default and the maximum number of earlier cases of an error.
const FIXES: (u32, u32) = (5, 50);

/// The default and the maximum number of tokens of a packet for another agent, as of a briefing.
const PACKET_TOKENS: (u32, u32) = (2_000, 20_000);

/// Reads the words and the number of turns of a search.
///
/// # Errors
/// The words are blank or too long, or the number is out of bounds.
pub fn transcript_search(query: &str, limit: Option<u32>, bounds: &Limits) -> Result<usize, InvalidRequest> {
    query_text("query", query, bounds)?;
    Ok(shorten("limit", limit, TURNS)? as usize)
}

/// Reads the error and the number of cases that are asked for.
///
/// # Errors
/// The error is blank or too long, or the number is out of bounds.
pub fn fix(error: &str, limit: Option<u32>, bounds: &Limits) -> Result<usize, InvalidRequest> {
    query_text("error", error, bounds)?;
    Ok(shorten("limit", limit, FIXES)? as usize)
}

/// Reads the budget of a packet: 1 to 20,000 tokens, 2,000 by default.
///
/// # Errors
/// The number is 0 or above 20,000.
pub fn packet_tokens(budget: Option<u32>) -> Result<u32, InvalidRequest> {
    shorten("budget_tokens", budget, PACKET_TOKENS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;

    #[test]
    fn a_limit_is_between_one_and_the_maximum() {
        let limits = Limits::default();
        let check = |limit, expected| assert_eq!(hits(limit, &limits).map_err(|error| error.reason()), expected);
        check(None, Ok(10));
        check(Some(1), Ok(1));
        check(Some(50), Ok(50));
        check(Some(0), Err(Reason::InvalidArgument));
        check(Some(51), Err(Reason::LimitExceeded));
        check(Some(u32::MAX), Err(Reason::LimitExceeded));
        assert_eq!(list_entries(None, &limits), Ok(20));
        assert!(list_entries(Some(101), &limits).is_err());
    }

    #[test]
    fn the_depth_of_a_graph_is_bounded() {
        assert_eq!((graph_depth(None), graph_depth(Some(5)), graph_nodes(None)), (Ok(1), Ok(5), Ok(50)));
        let told = |outcome: Result<u32, InvalidRequest>| outcome.expect_err("out of bounds").to_string();
        assert_eq!(told(graph_depth(Some(0))), "`depth` is 0; it must be at least 1");
        assert_eq!(told(graph_depth(Some(9))), "`depth` is 9; the limit is 5");
        assert_eq!(told(graph_nodes(Some(201))), "`limit` is 201; the limit is 200");
        assert_eq!((related_entries(None), related_entries(Some(51)).is_err()), (Ok(10), true));
        assert_eq!((commits(None), commits(Some(0)).is_err(), commits(Some(201)).is_err()), (Ok(20), true, true));
    }

    #[test]
    fn a_cursor_leads_to_the_next_page() {
        assert_eq!(offset(""), Ok(0));
        assert_eq!(offset("40"), Ok(40));
        assert_eq!(offset("-1").map_err(|error| error.field), Err("cursor"));
    }

    #[test]
    fn a_default_never_exceeds_a_small_setting() {
        assert_eq!(hits(None, &Limits { hits: 3, ..Limits::default() }), Ok(3));
    }

    #[test]
    fn an_error_names_the_limit_and_its_setting() {
        let limits = Limits { query_bytes: 10_240, ..Limits::default() };
        let error = query_text("query", &"x".repeat(10_241), &limits).expect_err("too long");
        assert_eq!(error.to_string(), "`query` has 10241 bytes; the limit is 10240 (setting `limits.query_bytes`)");
        let blank = query_text("query", " \n\t", &Limits::default()).expect_err("blank");
        assert_eq!(blank.to_string(), "`query` is empty");
    }
}
