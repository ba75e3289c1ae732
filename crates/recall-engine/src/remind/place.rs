//! The lines of the project that the output of a failed command names, and the line that raises its message.
//!
//! A trace was written on this machine a moment ago, so a place counts if its file is at the path as written. Paths of a container or
//! of another folder count if nothing else has their end and the line confirms them. What only has the same name is left out: a
//! wrong line costs more than a missing one.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use recall_core::{ContentHash, Document, DocumentRow, OtherProjects, Scope};
use recall_text::quote::{inline, quote};
use recall_text::{DocPath, Frame, Report};

use super::request::{Reminder, ReminderSubject};
use crate::Engine;
use crate::engine::{MountedStore, MountedStores};
use crate::error::{SearchError, StoreError};
use crate::indexing::refresh_documents;
use crate::mask::{self, Whole};
use crate::origin::{self, Origin};
use crate::search::{certain_file, changed_documents, raising_line};

/// The most places of a report that are looked up. The first ones failed; the last ones called them.
const MOST_LOOKED_UP: usize = 30;

/// The lines before and after a place that are shown with it.
const LINES_AROUND: u32 = 2;

/// The most characters of a line that are shown.
const LINE_CHARS: usize = 120;

/// Why a place is shown.
const NAMED: &str = "the output names this line";
const RAISES: &str = "this line has the words of the message";

/// Returns the places of the project's own files that a report names, at most `most`, the place that failed first. If it names none,
/// returns the line that raises its message.
pub(super) fn places(
    engine: &Engine,
    origin: &Origin,
    scope: Scope,
    report: &Report,
    most: usize,
) -> Result<Vec<Reminder>, SearchError> {
    let MountedStores { stores, .. } =
        engine.prepared_stores(origin, scope, &OtherProjects::None, |store| engine.prepare(store, None))?;
    let mut places = PlaceList { engine, most, known: BTreeSet::new(), reminders: Vec::new() };
    for frame in report.frames.iter().take(MOST_LOOKED_UP) {
        let Some(line) = frame.line else { continue };
        for store in &stores {
            if let Some(row) = file_of(engine, origin, store, frame)? {
                places.add(store, row, line, NAMED)?;
                break;
            }
        }
    }
    if !places.reminders.is_empty() {
        return Ok(places.reminders);
    }
    let Some(message) = report.errors.first() else { return Ok(Vec::new()) };
    for store in &stores {
        if let Some((row, line)) = raising_line(store, message)? {
            places.add(store, row, line, RAISES)?;
            break;
        }
    }
    Ok(places.reminders)
}

/// Returns the file of a store that a place is certainly in.
fn file_of(
    engine: &Engine,
    origin: &Origin,
    store: &MountedStore,
    frame: &Frame,
) -> Result<Option<DocumentRow>, StoreError> {
    let root = origin.root(&engine.registry.places).ok().filter(|_| !frame.is_library);
    let paths = root.map(|root| origin::paths_below(&root, origin, &frame.path)).unwrap_or_default();
    let inner: Vec<DocPath> = paths.iter().filter_map(|path| store.mount.inner_path(path)).collect();
    for path in inner {
        if let Some(stored) = store.index.read(|snapshot| snapshot.document_at(&path))? {
            return Ok(Some(stored.row));
        }
    }
    certain_file(store, frame)
}

/// The places that are collected.
struct PlaceList<'e> {
    engine: &'e Engine,
    most: usize,
    known: BTreeSet<(DocPath, u32)>,
    reminders: Vec<Reminder>,
}

impl PlaceList<'_> {
    /// Adds a line of a file, unless there are enough, or the file has no such line.
    fn add(&mut self, store: &MountedStore, row: DocumentRow, line: u32, reason: &str) -> Result<(), StoreError> {
        if self.reminders.len() >= self.most {
            return Ok(());
        }
        let Some((document, text)) = self.current_text(store, row)? else { return Ok(()) };
        if document.memory.is_some() || !self.known.insert((document.path.clone(), line)) {
            return Ok(());
        }
        let Some(lines) = lines_around(&text, line) else { return Ok(()) };
        let path = mask::shown_path(store.mount.outer_path(&document.path).as_str().to_owned());
        let text = format!("- {}:{line} ({reason})\n{}", inline(&path), quote(&lines, usize::MAX));
        // The code is the fact, wherever it moves to in its file.
        let code: String = lines.lines().map(code_of).collect();
        let key = format!("line {path} {}", ContentHash::hash(code.as_bytes()).short());
        self.reminders.push(Reminder { key, subject: ReminderSubject::Place(path), reason: reason.to_owned(), text });
        Ok(())
    }

    /// Returns a document with its text as the file has it, with secrets masked; `None` if it is gone, or changed and not indexed in time.
    fn current_text(&self, store: &MountedStore, row: DocumentRow) -> Result<Option<(Document, String)>, StoreError> {
        let Some((stored, _)) = store.index.read(|snapshot| snapshot.document_with_run(row))? else { return Ok(None) };
        let document = stored.document;
        let changed = changed_documents(store, std::iter::once(&document));
        if !changed.is_empty() {
            let (now, patience) = (self.engine.clock.now(), self.engine.settings.few_files_wait);
            match refresh_documents(store, &changed, now, patience) {
                Err(StoreError::Writing { .. }) => return Ok(None),
                indexed => indexed?,
            }
        }
        let read = store.index.read(|snapshot| {
            let Some(stored) = snapshot.document_at(&document.path)? else { return Ok(None) };
            Ok(snapshot.text(stored.row)?.map(|text| (stored.document, text)))
        })?;
        let Some((document, text)) = read else { return Ok(None) };
        let whole = Whole::new(&document.path, text);
        let masked = whole.mask_range(0..whole.text().len());
        Ok(Some((document, masked)))
    }
}

/// Returns a line with those around it that are not blank, each after its number; `None` if the text has no such line, or it is blank.
fn lines_around(text: &str, line: u32) -> Option<String> {
    let (first, last) = (line.saturating_sub(LINES_AROUND).max(1), line.saturating_add(LINES_AROUND));
    let numbered = (1..).zip(text.lines()).skip(first as usize - 1).take((last - first) as usize + 1);
    let mut lines = String::new();
    let mut has_line = false;
    for (number, code) in numbered.filter(|(_, code)| !code.trim().is_empty()) {
        has_line |= number == line;
        let end = code.char_indices().nth(LINE_CHARS).map(|(at, _)| at);
        let (code, mark) = end.map_or((code, ""), |end| (&code[..end], "…"));
        let _ = writeln!(lines, "{number}: {code}{mark}");
    }
    has_line.then_some(lines)
}

/// Returns a numbered line without its number.
fn code_of(numbered: &str) -> &str {
    numbered.split_once(": ").map_or("", |(_, code)| code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_with_those_around_it() {
        let text = format!("one\n  two\n\nfour\nfive\n{}", "x".repeat(10_000));
        let check = |line: u32, expected: Option<&str>| assert_eq!(lines_around(&text, line).as_deref(), expected);
        check(1, Some("1: one\n2:   two\n"));
        check(2, Some("1: one\n2:   two\n4: four\n"));
        check(3, None);
        let cut = format!("4: four\n5: five\n6: {}…\n", "x".repeat(LINE_CHARS));
        check(6, Some(&cut));
        check(7, None);
        check(u32::MAX, None);
    }
}
