//! Requests about transcripts.

use recall_core::Limits;

use super::limits;
use crate::InvalidRequest;

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
pub fn search(query: &str, limit: Option<u32>, bounds: &Limits) -> Result<usize, InvalidRequest> {
    limits::query_text("query", query, bounds)?;
    Ok(limits::shorten("limit", limit, TURNS)? as usize)
}

/// Reads the error and the number of cases that are asked for.
///
/// # Errors
/// The error is blank or too long, or the number is out of bounds.
pub fn fix(error: &str, limit: Option<u32>, bounds: &Limits) -> Result<usize, InvalidRequest> {
    limits::query_text("error", error, bounds)?;
    Ok(limits::shorten("limit", limit, FIXES)? as usize)
}

/// Reads the budget of a packet: 1 to 20,000 tokens, 2,000 by default.
///
/// # Errors
/// The number is 0 or above 20,000.
pub fn packet_tokens(budget: Option<u32>) -> Result<u32, InvalidRequest> {
    limits::shorten("budget_tokens", budget, PACKET_TOKENS)
}
