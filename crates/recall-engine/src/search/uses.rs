//! The places that use a name, for questions such as "who calls `open`" and "what implements `Reader`".
//!
//! The answer is known exactly: the texts that have the name. Words rank the definition and whatever resembles it first, and a caller is
//! one line of a long function that is about something else.

use std::collections::BTreeMap;

use recall_core::{Candidate, Case, ChunkRow, DocumentRow, Understood, UseKind, UsedName};
use recall_index::lexical::Searcher;
use recall_index::lexical::exact::{Pattern, PatternError};

use super::prior::is_in_tests;
use super::test_files::{TestFiles, find_test_files};
use crate::error::StoreError;
use crate::occurrences::{chunks_of_code_with, chunks_with, first_chunk};
use crate::store::Store;

/// The most documents with a name. A name that more have is used everywhere, and a list of places answers nothing.
const MOST_DOCUMENTS: usize = 100;

/// The most bytes of texts that are read for a name.
const MOST_READ_BYTES: usize = 16 << 20;

/// The most test files that are called like a name.
const MOST_TESTS: usize = 5;

/// The most definitions of a name that are put first.
const MOST_DEFINITIONS: usize = 5;

/// A document with the name whose users a query asks for.
#[derive(Debug)]
pub(super) struct User {
    pub(super) document: DocumentRow,
    /// The chunks with the name, the definition first.
    pub(super) chunks: Vec<ChunkRow>,
    pub(super) role: Role,
}

/// What a document does with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Defines,
    Uses,
    /// It is a test of the name, by its own name or by a module of tests in it.
    Tests,
}

/// Returns the documents with the name whose users a query asks for: those with a definition first, or last if the query asks for what throws
/// it; the others by path. If the query asks for tests, those that are called like the name come before all. Empty if the query
/// asks for something else, if the name is not in the project, and if more than [`MOST_DOCUMENTS`] have it.
///
/// # Errors
/// An index cannot be read.
pub(super) fn find_users(store: &Store, searcher: &Searcher, understood: &Understood) -> Result<Vec<User>, StoreError> {
    let Some(name) = understood.used_name.as_ref().filter(|_| understood.report.is_none()) else {
        return Ok(Vec::new());
    };
    let defined = searcher.defining(&name.name, MOST_DEFINITIONS).map_err(|source| store.index.search_error(source))?;
    let tests = match name.kind {
        UseKind::Tests => find_test_files(store, searcher, &name.name, &defined)?,
        _ => TestFiles::default(),
    };
    if name.is_plain_word && name.kind != UseKind::Subtypes && defined.is_empty() {
        return tests_of_name(store, &tests.of_name, &mut BTreeMap::new());
    }
    let places = find_places(store, name)?;
    let is_everywhere = places.is_none();
    let mut places = places.unwrap_or_default();
    // A test that is called like the file of the definition may be about something else in it.
    let of_file = tests.of_file.into_iter().filter(|row| places.contains_key(&row.0) && !tests.of_name.contains(row));
    let called_like_it: Vec<DocumentRow> = of_file.collect();
    let mut users = tests_of_name(store, &[tests.of_name, called_like_it].concat(), &mut places)?;
    if !is_everywhere {
        let defined =
            defined.into_iter().filter(|one| users.iter().all(|user| user.document != one.document)).collect();
        users.extend(in_order(store, name, defined, places)?);
    }
    let asks_for_imports = understood.in_english().to_lowercase().contains("import");
    for user in &mut users {
        if name.kind == UseKind::Tests {
            put_tests_first(store, user)?;
        }
        if !asks_for_imports {
            put_imports_last(store, user)?;
        }
    }
    Ok(users)
}

/// Returns tests that are called like a name, each with its places, or with its first chunk if it never has the name. Removes them from `places`.
fn tests_of_name(
    store: &Store,
    tests: &[DocumentRow],
    places: &mut BTreeMap<i64, Vec<ChunkRow>>,
) -> Result<Vec<User>, StoreError> {
    let mut users = Vec::new();
    for &document in tests.iter().take(MOST_TESTS) {
        let chunks = match places.remove(&document.0) {
            Some(chunks) => chunks,
            None => first_chunk(store, document)?.into_iter().collect(),
        };
        users.push(User { document, chunks, role: Role::Tests });
    }
    Ok(users)
}

/// Returns the documents with a name in their order: see [`find_users`].
fn in_order(
    store: &Store,
    name: &UsedName,
    defined: Vec<Candidate>,
    mut places: BTreeMap<i64, Vec<ChunkRow>>,
) -> Result<Vec<User>, StoreError> {
    let throws = name.kind == UseKind::Throws;
    // Documents with a definition: those that throw it too, and the others.
    let (mut throwing, mut users): (Vec<User>, Vec<User>) = (Vec::new(), Vec::new());
    for definition in defined {
        match throwing.iter_mut().chain(&mut users).find(|user| user.document == definition.document) {
            // Another definition in the file. Its text lacks the name if only its scope has it.
            // Constructors are no subtypes.
            Some(user) if name.kind != UseKind::Subtypes && !user.chunks.contains(&definition.chunk) => {
                user.chunks.push(definition.chunk);
            }
            Some(_) => {}
            None => {
                let mut chunks = places.remove(&definition.document.0).unwrap_or_default();
                let document = definition.document;
                if throws && !chunks.is_empty() {
                    throwing.push(User { document, chunks, role: Role::Uses });
                } else {
                    chunks.retain(|chunk| *chunk != definition.chunk);
                    chunks.insert(0, definition.chunk);
                    let role = if throws { Role::Uses } else { Role::Defines };
                    users.push(User { document, chunks, role });
                }
            }
        }
    }
    let mut others = Vec::with_capacity(places.len());
    for (row, chunks) in places {
        let stored = store.index.read(|snapshot| snapshot.document_with_run(DocumentRow(row)))?;
        let path = stored.map(|(stored, _)| stored.document.path);
        others.push((path, User { document: DocumentRow(row), chunks, role: Role::Uses }));
    }
    others.sort_by(|a, b| a.0.cmp(&b.0));
    let others = others.into_iter().map(|(_, user)| user);
    if throws {
        users.splice(0..0, throwing.into_iter().chain(others));
    } else {
        users.extend(others);
    }
    Ok(users)
}

/// Puts the chunks in modules of tests before the others of a document, which is then a test.
fn put_tests_first(store: &Store, user: &mut User) -> Result<(), StoreError> {
    let mut placed = Vec::with_capacity(user.chunks.len());
    for chunk in user.chunks.drain(..) {
        let symbol = store.index.read(|snapshot| snapshot.chunk_symbol(chunk))?;
        placed.push((!symbol.as_deref().is_some_and(is_in_tests), chunk));
    }
    placed.sort_by_key(|(is_other, _)| *is_other);
    if placed.first().is_some_and(|(is_other, _)| !is_other) {
        user.role = Role::Tests;
    }
    user.chunks.extend(placed.into_iter().map(|(_, chunk)| chunk));
    Ok(())
}

/// Puts the chunks that are in no function or type, which import the name, after the others of a document. The definition stays first.
fn put_imports_last(store: &Store, user: &mut User) -> Result<(), StoreError> {
    if user.chunks.len() < 2 {
        return Ok(());
    }
    let first = usize::from(user.role == Role::Defines);
    let mut placed = Vec::with_capacity(user.chunks.len());
    for (place, chunk) in user.chunks.drain(..).enumerate() {
        let symbol = store.index.read(|snapshot| snapshot.chunk_symbol(chunk))?;
        placed.push((place >= first && symbol.is_none(), chunk));
    }
    placed.sort_by_key(|(is_import, _)| *is_import);
    user.chunks.extend(placed.into_iter().map(|(_, chunk)| chunk));
    Ok(())
}

/// Returns the chunks with a name by the first of its [`patterns`] that is anywhere, by document: of code alone if too many documents have it.
/// `None` if too much code has it too.
fn find_places(store: &Store, used: &UsedName) -> Result<Option<BTreeMap<i64, Vec<ChunkRow>>>, StoreError> {
    for pattern in patterns(used).into_iter().flatten() {
        let anywhere = chunks_with(store, &pattern, MOST_DOCUMENTS, MOST_READ_BYTES)?;
        let found = match anywhere {
            Some(_) => anywhere,
            None => chunks_of_code_with(store, &pattern, MOST_DOCUMENTS, MOST_READ_BYTES)?,
        };
        if found.as_ref().is_none_or(|places| !places.is_empty()) {
            return Ok(found);
        }
    }
    Ok(Some(BTreeMap::new()))
}

/// Returns the patterns of a name, the strictest first: where it is a supertype or thrown, if the question asks for that; with its scopes, and
/// without.
///
/// An ordinary word in lower case counts only where it is called.
fn patterns(used: &UsedName) -> Vec<Result<Pattern, PatternError>> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let without_scopes = used.name.rsplit(|c| !is_of_name(c)).next().unwrap_or(&used.name);
    let mut patterns = Vec::new();
    if !without_scopes.is_empty() {
        let pattern = match used.kind {
            UseKind::Any | UseKind::Tests => None,
            UseKind::Subtypes => Some(SUBTYPE),
            UseKind::Throws => Some(THROW),
        };
        patterns
            .extend(pattern.map(|pattern| Pattern::regex(&pattern.replace("NAME", without_scopes), Case::Sensitive)));
    }
    if used.is_plain_word && used.name.chars().all(char::is_lowercase) {
        patterns.push(Pattern::regex(&format!(r"\b{}!?\s?\(", used.name), Case::Sensitive));
    } else if !used.is_plain_word || used.name.chars().all(char::is_alphanumeric) {
        patterns.push(Pattern::word(&used.name, Case::Sensitive));
        if without_scopes != used.name {
            patterns.push(Pattern::word(without_scopes, Case::Sensitive));
        }
    }
    patterns
}

/// The regular expression of a line that makes something a subtype of `NAME`, in the languages that say so: `impl NAME for`, `class A(NAME)`,
/// `class A : NAME`, `class A < NAME`, `extends NAME`, `implements NAME`.
const SUBTYPE: &str = r"\bimpl\b[^\n{]*\bNAME\b[^\n{]*\bfor\b|\b(?:class|struct|interface|trait|protocol|object|record|enum)\s+\w[^\n{]*[\s(<:,.]NAME\b|\b(?:extends|implements|with)\s[^\n{]*\bNAME\b";

/// The regular expression of a line that throws `NAME`, in the languages that say so, with what constructs it: `throw new NAME(`,
/// `raise NAME`, `return Err(NAME`, `panic(NAME`, `raise(scope.NAME`.
const THROW: &str = r"\b(?:throw|raise|panic|reject|fail(?:ure)?|Err|bail)\b[^\n]*\bNAME\b";
