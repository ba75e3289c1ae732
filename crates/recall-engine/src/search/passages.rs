//! The passage that is shown of a file with code and its own tests, as in Rust: a chunk of the code.
//!
//! The names and comments of tests are whole sentences, so a test often has the most words of a question, although the code answers it.
//! The order of the documents does not change.

use std::mem;

use recall_text::FileKind;

use super::context::Search;
use super::order::MAX_RELEVANCE;
use super::prior::{asked_for, is_in_tests};
use super::ranked::Ranked;
use crate::error::StoreError;

/// The number of first candidates that are checked: those of a usual answer. Each costs a read of a row.
const FIRST: usize = 10;

/// The share of the test's fused score that a chunk of the code needs.
const SHARE: f64 = 0.5;

/// Exchanges the chunk of a document, if it is a test, with its best further candidate that is not one.
///
/// Exact matches stay: who asks for a test by its name, or for the place of a trace, gets it.
///
/// # Errors
/// A store cannot be read.
pub(super) fn prefer_code(search: &Search<'_>, ranked: &mut [Ranked<'_>]) -> Result<(), StoreError> {
    if asked_for(search.understood).contains(&FileKind::Test) {
        return Ok(());
    }
    for place in 0..ranked.len().min(FIRST) {
        if ranked[place].learned.is_none() || ranked[place].score > MAX_RELEVANCE || !is_test(search, &ranked[place])? {
            continue;
        }
        let (store, document) = (ranked[place].store, ranked[place].document);
        let least = ranked[place].fused.map_or(0.0, |chunk| chunk.score) * SHARE;
        for further in place + 1..ranked.len() {
            let other = &ranked[further];
            let is_near = other.fused.is_some_and(|chunk| chunk.score >= least);
            if (other.store, other.document) != (store, document) || !is_near || is_test(search, other)? {
                continue;
            }
            let (before, after) = ranked.split_at_mut(further);
            let (test, code) = (&mut before[place], &mut after[0]);
            mem::swap(&mut test.chunk, &mut code.chunk);
            mem::swap(&mut test.fused, &mut code.fused);
            break;
        }
    }
    Ok(())
}

/// Returns whether a chunk is a test within a file of code. Chunks of other people's stores are not looked at.
fn is_test(search: &Search<'_>, one: &Ranked<'_>) -> Result<bool, StoreError> {
    let Some(store) = search.stores.get(one.store) else { return Ok(false) };
    let symbol = store.index.read(|snapshot| snapshot.chunk_symbol(one.chunk))?;
    Ok(symbol.as_deref().is_some_and(is_in_tests))
}
