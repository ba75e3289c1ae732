//! The sections of releases in lists of changes, for questions such as "what changed in version 1.2.3".
//!
//! To the words of a question, a version is three numbers, which other headings have too.

use std::cmp::Reverse;

use recall_core::{Chunk, ChunkRow, DocumentRow, SymbolKind, Understood};
use recall_index::catalog::{ReadError, Snapshot};
use recall_text::{DocPath, asked_release, heading_version, is_list_of_changes, version_likeness};

use crate::error::StoreError;
use crate::known::Known;
use crate::occurrences::chunk_at;
use crate::store::Store;

/// The most lists of changes that are looked at.
const MOST_LISTS: usize = 200;

/// The most chunks of a section that are put first.
const MOST_CHUNKS: usize = 3;

/// The most words before the version on a line that is the heading of a section in a plain text: `* Noteworthy changes in release 1.2.3`.
const MOST_WORDS_BEFORE: usize = 6;

/// The most characters of such a line.
const MOST_HEADING_CHARS: usize = 100;

/// Returns the chunks of the sections about the release that a query asks for, those nearest to the root first. Empty if the query asks for
/// something else, or if no section has a heading with this version.
///
/// # Errors
/// The catalog cannot be read.
pub(super) fn find_sections(
    store: &Store,
    known: &Known,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let is_about_another = understood.report.is_some() || !understood.paths.is_empty();
    let asked = asked_release(understood.wording(), understood.in_english()).filter(|_| !is_about_another);
    let Some(version) = asked else { return Ok(Vec::new()) };
    let list = |(path, row): (&str, DocumentRow)| {
        is_list_of_changes(&DocPath::new(path).ok()?).then(|| (path.matches('/').count(), path.to_owned(), row))
    };
    let documents = known.files.iter().filter_map(|(path, file)| Some((&**path, file.document()?)));
    let mut lists: Vec<(usize, String, DocumentRow)> = documents.filter_map(list).collect();
    lists.sort_unstable();
    let mut sections = Vec::new();
    for (.., row) in lists.into_iter().take(MOST_LISTS) {
        sections.extend(store.index.read(|snapshot| section_of(snapshot, row, version))?);
    }
    sections.sort_by_key(|section| Reverse(section.likeness));
    Ok(sections
        .into_iter()
        .flat_map(|section| section.chunks.into_iter().map(move |chunk| (section.row, chunk)))
        .collect())
}

/// The section of a release in a list of changes.
struct Section {
    row: DocumentRow,
    chunks: Vec<ChunkRow>,
    /// How well its version is the one that is asked for.
    likeness: u8,
}

/// Returns the section of a release in a list of changes; `None` if the list has none.
fn section_of(snapshot: &Snapshot<'_>, row: DocumentRow, version: &str) -> Result<Option<Section>, ReadError> {
    let Some((_, run)) = snapshot.document_with_run(row)? else { return Ok(None) };
    let mut headings = snapshot.symbols_of(row)?;
    headings.retain(|symbol| symbol.kind == SymbolKind::Heading);
    let likeness = |heading: &str| heading_version(heading).and_then(|known| version_likeness(known, version));
    let best = headings.iter().filter_map(|heading| Some((likeness(&heading.name)?, heading)));
    // The first of several, such as one in a list of contents.
    let best = best.min_by_key(|(likeness, _)| Reverse(*likeness));
    let chunk_rows =
        |ordinals: Vec<u32>| ordinals.into_iter().map(|one| ChunkRow(run.first.0 + i64::from(one))).collect();
    if let Some((likeness, heading)) = best {
        let chunks = snapshot.chunks_of(row)?;
        let is_in = |chunk: &&Chunk| chunk.ordinal >= heading.chunk && chunk.span.bytes.start < heading.span.bytes.end;
        let ordinals: Vec<u32> = chunks.iter().filter(is_in).map(|chunk| chunk.ordinal).take(MOST_CHUNKS).collect();
        return Ok(Some(Section { row, chunks: chunk_rows(ordinals), likeness }));
    }
    if headings.iter().any(|heading| heading_version(&heading.name).is_some()) {
        return Ok(None);
    }
    let Some(text) = snapshot.text(row)? else { return Ok(None) };
    let Some((likeness, place)) = heading_line(&text, version) else { return Ok(None) };
    let ordinal = chunk_at(&snapshot.chunks_of(row)?, place);
    Ok(ordinal.map(|ordinal| Section { row, chunks: chunk_rows(vec![ordinal]), likeness }))
}

/// Returns the place of the line in a plain text that is the heading of a release, with the likeness of its version.
fn heading_line(text: &str, version: &str) -> Option<(u8, usize)> {
    let mut place = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        place += line.len();
        (place - line.len(), line.trim_end())
    });
    let headings = lines.filter_map(|(place, line)| Some((likeness_of_line(line, version)?, place)));
    headings.min_by_key(|(likeness, _)| Reverse(*likeness))
}

/// Returns the likeness of the version that a line of a plain text is the heading of; `None` if it is not a heading, or of another version.
fn likeness_of_line(line: &str, version: &str) -> Option<u8> {
    let known = heading_version(line).filter(|_| !line.starts_with(char::is_whitespace))?;
    let before = line[..line.find(known)?].split_whitespace().count();
    let is_heading = before <= MOST_WORDS_BEFORE && line.len() <= MOST_HEADING_CHARS && !line.ends_with('.');
    version_likeness(known, version).filter(|_| is_heading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_plain_text_is_the_heading_of_a_release() {
        let text = "Shop\n\n* Noteworthy changes in release 1.2.30 (2020-01-02)\n\n  needs 1.2.3\n\n1.2.3 (2020-01-01)\n- Carts.\n";
        assert_eq!(heading_line(text, "1.2.3"), Some((2, text.find("1.2.3 (").expect("there"))));
        assert_eq!(heading_line(text, "1.2.30"), Some((2, text.find("* Note").expect("there"))));
        assert_eq!(heading_line(text, "1.2"), None);
    }
}
