//! The places that use a name, for questions such as "who calls `open`" and "what implements `Reader`".
//!
//! The answer is known exactly: the texts that have the name. Words rank the definition and whatever resembles it first, and a caller is
//! one line of a long function that is about something else.

use std::collections::BTreeMap;

use recall_core::{Case, ChunkRow, DocumentRow, Understood, UsedName};
use recall_index::lexical::Searcher;
use recall_index::lexical::exact::{Pattern, PatternError};

use crate::error::StoreError;
use crate::occurrences::chunks_with;
use crate::store::Store;

/// The most documents with a name. A name that more have is used everywhere, and a list of places answers nothing.
const MOST_DOCUMENTS: usize = 100;

/// The most bytes of texts that are read for a name.
const MOST_READ_BYTES: usize = 16 << 20;

/// The most definitions of a name that are put first.
const MOST_DEFINITIONS: usize = 5;

/// Returns the documents with the name whose users a query asks for, with their chunks: those with a definition first, which is their first
/// chunk, the others by path. Empty if the query asks for something else, if the name is not in the project, and if more than
/// [`MOST_DOCUMENTS`] have it.
///
/// # Errors
/// An index cannot be read.
pub(super) fn find_uses(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, Vec<ChunkRow>)>, StoreError> {
    let Some(used) = understood.used_name.as_ref().filter(|_| understood.report.is_none()) else {
        return Ok(Vec::new());
    };
    let defined = searcher.defining(&used.name, MOST_DEFINITIONS).map_err(|source| store.index.search_error(source))?;
    if used.is_plain_word && !used.is_of_subtypes && defined.is_empty() {
        return Ok(Vec::new());
    }
    let mut places = BTreeMap::new();
    for pattern in patterns(used).into_iter().flatten() {
        match chunks_with(store, &pattern, MOST_DOCUMENTS, MOST_READ_BYTES)? {
            Some(found) if found.is_empty() => {}
            Some(found) => {
                places = found;
                break;
            }
            None => return Ok(Vec::new()),
        }
    }
    let mut found: Vec<(DocumentRow, Vec<ChunkRow>)> = Vec::new();
    for definition in defined {
        let mut chunks = places.remove(&definition.document.0).unwrap_or_default();
        chunks.retain(|chunk| *chunk != definition.chunk);
        chunks.insert(0, definition.chunk);
        match found.iter_mut().find(|(document, _)| *document == definition.document) {
            // The other definition is among the chunks already, unless only its scope has the name.
            Some((_, known)) if !known.contains(&definition.chunk) => known.push(definition.chunk),
            Some(_) => {}
            None => found.push((definition.document, chunks)),
        }
    }
    let mut others = Vec::with_capacity(places.len());
    for (row, chunks) in places {
        let document = store.index.read(|snapshot| snapshot.document_with_run(DocumentRow(row)))?;
        others.push((document.map(|(stored, _)| stored.document.path), DocumentRow(row), chunks));
    }
    others.sort_by(|a, b| a.0.cmp(&b.0));
    found.extend(others.into_iter().map(|(_, row, chunks)| (row, chunks)));
    Ok(found)
}

/// Returns the patterns of a name, the strictest first: where it is a supertype, if the question asks for subtypes; with its scopes, and without.
///
/// An ordinary word in lower case counts only where it is called.
fn patterns(used: &UsedName) -> Vec<Result<Pattern, PatternError>> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let without_scopes = used.name.rsplit(|c| !is_of_name(c)).next().unwrap_or(&used.name);
    let mut patterns = Vec::new();
    if used.is_of_subtypes && !without_scopes.is_empty() {
        patterns.push(Pattern::regex(&SUBTYPE.replace("NAME", without_scopes), Case::Sensitive));
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
