//! What was decided about lines: memories that are anchored to them, cite their commits or come from their sessions, and the
//! decision records that these, the commits or the lines name.

use std::collections::BTreeSet;

use recall_core::{DocumentType, Memory, MemoryId, Timestamp};
use recall_index::catalog::{ListQuery, ListSort};
use recall_text::DocPath;

use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::git::{HASH_CHARS, cites};
use crate::inspect::RecordStatus;
use crate::mask;
use crate::memory::about::{weight, words_of};
use crate::memory::recall_for_client;

/// The most memories and the most records that an answer names.
const MOST_MEMORIES: usize = 20;
const MOST_RECORDS: usize = 20;

/// The most records that are read.
const READ_RECORDS: u64 = 1_000;

/// The shortest name of a symbol that a record is looked through for.
const NAME_CHARS: usize = 4;

/// A memory or a decision record that belongs to lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineTie {
    /// The id of the memory, or the path of the record.
    pub id: String,
    /// Its title, with secrets masked.
    pub title: String,
    /// What it is.
    pub document_type: DocumentType,
    /// What ties it to the lines, in words.
    pub how: String,
    /// Whose it is and whether it holds, or the status that the record states; empty if it states none.
    pub state: String,
}

/// What is known about lines, by which memories and records are found.
#[derive(Debug, Default)]
pub(super) struct LineSubject {
    /// The path of the file as the client sees it, and as its store has it.
    pub(super) path: String,
    pub(super) inner: String,
    /// The qualified names of the definitions around the lines.
    pub(super) symbols: BTreeSet<String>,
    /// The text of the lines.
    pub(super) text: String,
    /// The hashes of the commits, with their messages.
    pub(super) commits: Vec<(String, String)>,
    /// The ids of the sessions.
    pub(super) sessions: BTreeSet<String>,
}

/// Finds what belongs to lines, memories first; and the number of memories and records that the answer has no room for.
pub(super) fn find(
    stores: &[MountedStore],
    subject: &LineSubject,
    now: Timestamp,
) -> Result<(Vec<LineTie>, u32), StoreError> {
    let mut ties = Vec::new();
    let mut left_out = 0;
    let mut texts: Vec<(String, String)> = Vec::new();
    for store in stores {
        let mut members: Vec<(Memory, String)> = Vec::new();
        for memory in store.ledger.in_force() {
            if let Some(how) = tie_of(&memory, store, subject) {
                members.push((memory, how));
            }
        }
        members.sort_by_key(|(memory, _)| (weight(memory.id.memory_type), memory.id));
        left_out += members.len().saturating_sub(MOST_MEMORIES);
        members.truncate(MOST_MEMORIES);
        let ids: Vec<MemoryId> = members.iter().map(|(memory, _)| memory.id).collect();
        let views = recall_for_client(store, &ids, now)?;
        for (memory, how) in members {
            let Some(view) = views.iter().find(|view| view.memory.id == memory.id) else { continue };
            let id = memory.id.to_string();
            texts.push((format!("named in {id}"), memory.content.to_string()));
            ties.push(LineTie {
                id,
                title: view.memory.title.to_string(),
                document_type: memory.id.memory_type.into(),
                how,
                state: words_of(view),
            });
        }
    }
    texts.push(("named in these lines".to_owned(), subject.text.clone()));
    let messages =
        subject.commits.iter().map(|(hash, message)| (format!("named by commit {}", short(hash)), message.clone()));
    texts.extend(messages);
    let mut records = Vec::new();
    for store in stores {
        records.extend(records_about(store, subject, &texts)?);
    }
    left_out += records.len().saturating_sub(MOST_RECORDS);
    records.truncate(MOST_RECORDS);
    ties.extend(records);
    Ok((ties, u32::try_from(left_out).unwrap_or(u32::MAX)))
}

/// Returns what ties a memory to the lines.
fn tie_of(memory: &Memory, store: &MountedStore, subject: &LineSubject) -> Option<String> {
    let cites = |hash: &&(String, String)| cites(&memory.title, &hash.0) || cites(&memory.content, &hash.0);
    if let Some((hash, _)) = subject.commits.iter().find(cites) {
        return Some(format!("cites commit {}", short(hash)));
    }
    let is_here = |path: &DocPath| store.mount.outer(path.as_str()) == subject.path;
    let anchors: Vec<_> = memory.anchors.iter().filter(|anchor| is_here(&anchor.path)).collect();
    let mut names = anchors.iter().filter_map(|anchor| anchor.symbol.as_ref());
    if let Some(symbol) = names.find(|symbol| subject.symbols.contains(*symbol)) {
        return Some(format!("anchored to `{symbol}`"));
    }
    if let Some(session) = memory.provenance.session.as_ref().filter(|id| subject.sessions.contains(*id)) {
        return Some(format!("added in session {session}"));
    }
    // One that is about other definitions of the file says nothing about these lines.
    let is_about_others = anchors.iter().any(|anchor| anchor.symbol.is_some());
    let is_about_file = !anchors.is_empty() || memory.related_files.iter().any(is_here);
    (is_about_file && !is_about_others).then(|| "about the file".to_owned())
}

/// Returns the decision records of a store that belong to the lines.
fn records_about(
    store: &MountedStore,
    subject: &LineSubject,
    texts: &[(String, String)],
) -> Result<Vec<LineTie>, StoreError> {
    let query = ListQuery {
        types: vec![DocumentType::Adr],
        languages: Vec::new(),
        tags: Vec::new(),
        sort: ListSort::Path,
        offset: 0,
        limit: READ_RECORDS,
    };
    let records = store.index.read(|snapshot| {
        let listed = snapshot.list(&query)?.into_iter();
        listed
            .map(|stored| Ok((snapshot.text(stored.row)?.unwrap_or_default(), stored.document)))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let mut ties = Vec::new();
    for (text, mut document) in records {
        let outer = store.mount.outer(document.path.as_str());
        if outer == subject.path {
            continue;
        }
        let number = number_of(&document.path);
        let is_named =
            |text: &str| mentions(text, &outer) || number.is_some_and(|number| record_numbers(text).contains(&number));
        let named = texts.iter().find(|(_, text)| is_named(text)).map(|(how, _)| how.clone());
        let Some(how) = named.or_else(|| words_in(&text, subject)) else { continue };
        let status = RecordStatus::parse(&document.path, &text).map(|status| status.text).unwrap_or_default();
        mask::document(&mut document);
        let (id, title) = (mask::shown_path(outer), document.title);
        ties.push(LineTie { id, title, document_type: DocumentType::Adr, how, state: status });
    }
    Ok(ties)
}

/// Returns what of the lines a record names.
fn words_in(text: &str, subject: &LineSubject) -> Option<String> {
    if let Some((hash, _)) = subject.commits.iter().find(|(hash, _)| cites(text, hash)) {
        return Some(format!("names commit {}", short(hash)));
    }
    if mentions(text, &subject.path) || mentions(text, &subject.inner) {
        return Some(format!("names {}", subject.path));
    }
    subject.symbols.iter().find(|symbol| has_code(text, symbol)).map(|symbol| format!("names `{symbol}`"))
}

/// Returns whether a text has a symbol as code, by its bare or its qualified name.
fn has_code(text: &str, symbol: &str) -> bool {
    let name = symbol.rsplit("::").next().unwrap_or(symbol);
    let forms = [format!("`{name}`"), format!("`{name}("), format!("`{symbol}")];
    name.len() >= NAME_CHARS && forms.iter().any(|form| text.contains(form))
}

/// Returns whether a text has a path that does not go on before or after it.
fn mentions(text: &str, path: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
    let is_free = |(at, _): (usize, &str)| {
        let after = &text[at + path.len()..];
        !text[..at].ends_with(|c: char| goes_on(c) || c == '.') && !after.starts_with(goes_on)
    };
    !path.is_empty() && text.match_indices(path).any(is_free)
}

fn short(hash: &str) -> &str {
    hash.get(..HASH_CHARS).unwrap_or(hash)
}

/// Returns the number with which the name of a record begins.
fn number_of(path: &DocPath) -> Option<u32> {
    let name = path.as_str().rsplit('/').next()?.trim_start_matches(|c: char| !c.is_ascii_digit());
    name.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Returns the numbers of the records that a text names as `ADR 12`, `ADR-0012` or `adr/0012-…`.
fn record_numbers(text: &str) -> BTreeSet<u32> {
    let lower = text.to_ascii_lowercase();
    let numbers = lower.match_indices("adr").filter_map(|(at, _)| {
        let rest = lower[at + 3..].trim_start_matches([' ', '-', '_', '#', '/']);
        let is_word = !lower[..at].ends_with(|c: char| c.is_alphanumeric());
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok().filter(|_| is_word)
    });
    numbers.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_named_by_number() {
        let check = |text: &str, expected: &[u32]| {
            assert_eq!(record_numbers(text).into_iter().collect::<Vec<_>>(), expected, "{text}");
        };
        check("Bound it (ADR 12), see docs/adr/0034-x.md and ADR-7", &[7, 12, 34]);
        check("a quadrant 12, the ADR of 12, adrenaline 5", &[]);
        for (path, expected) in [("docs/adr/0012-a.md", Some(12)), ("adr/adr-007-b.md", Some(7)), ("adr/none.md", None)]
        {
            assert_eq!(number_of(&DocPath::new(path).expect("plain")), expected, "{path}");
        }
    }

    #[test]
    fn a_mention_is_a_whole_path_or_the_beginning_of_a_hash() {
        for (text, expected) in [
            ("see src/a.rs.", true),
            ("`src/a.rs:10`", true),
            ("src/a.rs", true),
            ("crates/src/a.rs", false),
            ("src/a.rs/b", false),
            ("src/a.rst", false),
        ] {
            assert_eq!(mentions(text, "src/a.rs"), expected, "{text}");
        }
        let hash = "0123456789abcdef0123456789abcdef01234567";
        for (text, expected) in [
            ("in 0123456", true),
            ("in 0123456789abc.", true),
            ("x0123456", false),
            ("0123456f", false),
            ("012345", false),
        ] {
            assert_eq!(cites(text, hash), expected, "{text}");
        }
    }
}
