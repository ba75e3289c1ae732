//! Names of a question that no indexed file has any more.
//!
//! An agent remembers names from an earlier version of a project, and from what it learnt about it. Hits for the parts of such a name
//! answer another question, so the answer says which commit removed it.

use std::time::Instant;

use recall_core::{Case, Understood};
use recall_index::lexical::exact::Pattern;

use super::Search;
use crate::error::StoreError;
use crate::git::RemovalLookup;
use crate::mask;
use crate::occurrences::chunks_with;
use crate::warning::Warning;

/// The most names of a question that are looked up.
const MOST_NAMES: usize = 2;

/// The fewest characters of a name. Shorter names occur in most histories.
const MIN_CHARS: usize = 6;

/// The most words of a question. A longer text is about more than a name.
const MOST_WORDS: usize = 20;

/// The most bytes of texts that are read to prove that a name is nowhere.
const MOST_READ_BYTES: usize = 16 << 20;

/// Returns what is known about the names of a query that no store of this machine has: the commits that removed them. Waits for git as long
/// as the settings say, however many names and stores there are.
///
/// # Errors
/// An index cannot be read.
pub(super) fn warnings(search: &Search<'_>) -> Result<Vec<Warning>, StoreError> {
    let settings = &search.engine.settings.why;
    let mut warnings = Vec::new();
    if settings.removed_wait.is_zero() {
        return Ok(warnings);
    }
    let deadline = Instant::now() + settings.removed_wait;
    for name in names(search.understood) {
        if is_anywhere(search, name)? {
            continue;
        }
        let removals = &search.engine.removals;
        let mut lookups = search.stores.iter().map(|store| removals.find(&store.root, name, deadline, settings.wait));
        let name = name.to_owned();
        match lookups.find(|found| *found != RemovalLookup::NotRemoved) {
            Some(RemovalLookup::Removed(mut commit)) => {
                mask::text(&mut commit.subject);
                warnings.push(Warning::NameRemoved { name, commit });
            }
            Some(RemovalLookup::Running) => warnings.push(Warning::NameHistoryUnread { name, is_running: true }),
            Some(RemovalLookup::OutOfTime) => warnings.push(Warning::NameHistoryUnread { name, is_running: false }),
            Some(RemovalLookup::NotRemoved) | None => {}
        }
    }
    Ok(warnings)
}

/// Returns whether an indexed text of a store has a name, or a file or definition is called so. The words of the index tell nearly always;
/// that there is none is proven by the texts. What cannot be proven counts as being there.
fn is_anywhere(search: &Search<'_>, name: &str) -> Result<bool, StoreError> {
    for store in search.stores {
        if store.index.searcher().knows(name).map_err(|source| store.index.search_error(source))? {
            return Ok(true);
        }
    }
    let Ok(pattern) = Pattern::word(name, Case::Insensitive) else { return Ok(true) };
    for store in search.stores {
        if chunks_with(store, &pattern, 0, MOST_READ_BYTES)?.is_none_or(|chunks| !chunks.is_empty()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the names of a query that may have been removed: of a name with scopes, the last part.
fn names<'q>(understood: &'q Understood) -> Vec<&'q str> {
    if understood.report.is_some() || understood.text.split_whitespace().count() > MOST_WORDS {
        return Vec::new();
    }
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let last = |name: &'q String| name.rsplit(|c| !is_of_name(c)).next().unwrap_or(name);
    let names = understood.identifiers.iter().map(last);
    names.filter(|name| name.chars().count() >= MIN_CHARS).take(MOST_NAMES).collect()
}

#[cfg(test)]
mod tests {
    use recall_core::understand;

    use super::*;

    #[test]
    fn the_last_part_of_a_long_name_is_looked_up() {
        let check = |query: &str, expected: &[&str]| assert_eq!(names(&understand(query)), expected, "{query}");
        check("what happened to parse_frame", &["parse_frame"]);
        check("where is Store::open_index and readAll", &["open_index", "readAll"]);
        check("how are requests read", &[]);
        check("Store::open", &[]);
    }
}
