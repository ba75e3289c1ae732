//! The memories of Serena: Markdown files in `.serena/memories`.

use std::path::Path;

use recall_core::{ForeignKind, MEMORY_BYTES};

use crate::foreign::database::expected_tables;
use crate::foreign::front_matter::Note;
use crate::foreign::item::{ForeignMemory, ForeignOrigin};
use crate::foreign::text_file::{self, files_below};
use crate::foreign::{Item, LeftOut, LeftOutReason, ReadError, Sink};

pub(super) fn read(path: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    check_folder(path, ForeignKind::Serena)?;
    // A project's root or its `.serena` folder stand for the memories in it.
    let inside = [path.join("memories"), path.join(".serena/memories")].into_iter().find(|inside| inside.is_dir());
    for found in files_below(inside.as_deref().unwrap_or(path), "md")? {
        let item = match text_file::read(&found.path, MEMORY_BYTES as u64 * 2) {
            Ok(text) => Item::Memory(Box::new(ForeignMemory {
                id: found.below.clone(),
                title: title(Note::split(&text).text, &found.below),
                content: Note::split(&text).text.trim().to_owned(),
                tags: vec!["serena".to_owned()],
                created: found.modified,
                origin: ForeignOrigin { agent: Some("serena".to_owned()), ..ForeignOrigin::default() },
                ..ForeignMemory::default()
            })),
            Err(error) => Item::LeftOut(unreadable(&found.below, &error)),
        };
        if sink(item).is_break() {
            break;
        }
    }
    Ok(())
}

pub(super) fn check_folder(path: &Path, kind: ForeignKind) -> Result<(), ReadError> {
    if text_file::metadata(path)?.is_dir() {
        return Ok(());
    }
    Err(ReadError::Unexpected {
        path: path.to_owned(),
        expected: expected_tables(kind),
        found: "it is a file".to_owned(),
    })
}

/// Returns the first heading of a note, or its file name in words.
pub(super) fn title(text: &str, below: &str) -> String {
    let heading = text.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim).filter(|it| !it.is_empty());
    let stem = || {
        let name = below.rsplit('/').next().unwrap_or(below);
        name.trim_end_matches(".md").replace(['_', '-'], " ")
    };
    heading.map_or_else(stem, str::to_owned)
}

/// Returns an item that cannot be read, as left out.
pub(super) fn unreadable(item: &str, error: &ReadError) -> LeftOut {
    LeftOut::one(item, LeftOutReason::Unreadable { why: recall_text::error_chain(error) })
}
