//! The memories of a context window.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use recall_core::{MemoryId, MemoryView, Timestamp};
use recall_text::DocPath;

use crate::context::draft::Entry;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::memory::memories_about;
use crate::memory::words::words_of;
use recall_text::quote::{inline, quote};

/// The most characters that are quoted of a memory.
const MEMORY_CHARS: usize = 400;

/// The most memories that are considered. Checking the files of one takes some microseconds.
const MOST_MEMORIES: usize = 12;

/// Returns the memories about the files, after those that the search found.
pub(crate) fn list(
    stores: &[MountedStore],
    found: Vec<MemoryView>,
    files: &BTreeSet<DocPath>,
    now: Timestamp,
) -> Result<Vec<Entry>, StoreError> {
    let mut seen: BTreeSet<MemoryId> = found.iter().map(|recalled| recalled.memory.id).collect();
    let mut all = found;
    for store in stores {
        all.extend(memories_about(store, files, &mut seen, MOST_MEMORIES, now)?);
    }
    Ok(all.iter().take(MOST_MEMORIES).map(memory).collect())
}

fn memory(recalled: &MemoryView) -> Entry {
    let memory = &recalled.memory;
    let id = memory.id;
    let mut line = format!("- {id} {} ({}): {}", id.memory_type, words_of(recalled), inline(&memory.title));
    let files: Vec<String> = memory.related_files.iter().take(3).map(|path| inline(path.as_str())).collect();
    if !files.is_empty() {
        let _ = write!(line, " [{}]", files.join(", "));
    }
    Entry::lines(format!("{line}\n{}", quote(&memory.content, MEMORY_CHARS)))
}
