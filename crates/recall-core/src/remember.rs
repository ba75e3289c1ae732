//! Requests about memories.
//!
//! They are validated when they are built: no text is blank or exceeds its limit.

use crate::{
    Cue, Feedback, ItemId, MemoryId, MemoryOrigin, MemoryType, Provenance, Scope, StoreScope, Timestamp, WordedTime,
};

/// The largest content of one memory. Longer text belongs in a document.
pub const MEMORY_BYTES: usize = 1024 * 1024;

/// The longest title of a memory, and the longest of its other short texts: tags, source, notes.
pub const SHORT_TEXT_BYTES: usize = 1024;

/// The maximum number of tags, and of related files, of one memory. Each related file is checked whenever the memory is
/// returned.
pub const MEMORY_ENTRIES: usize = 64;

/// A memory to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddMemory {
    /// The type, which decides the letter of its id.
    pub memory_type: MemoryType,
    /// The title, at most [`SHORT_TEXT_BYTES`].
    pub title: String,
    /// The text in Markdown, at most [`MEMORY_BYTES`].
    pub content: String,
    /// The store to add it to.
    pub scope: Scope,
    /// Labels, at most [`MEMORY_ENTRIES`].
    pub tags: Vec<String>,
    /// The files that it concerns, as the client names them: absolute, below its directory, or below the root.
    pub related_files: Vec<String>,
    /// When it is shown unasked; if empty, that follows from its text. At most [`MEMORY_ENTRIES`].
    pub cues: Vec<Cue>,
    /// The memory that is retired by this one; `None` for none.
    pub supersedes: Option<MemoryId>,
    /// What to do if a near-duplicate exists.
    pub repeats: Repeats,
    /// Its source, as stated when it was added.
    pub source: Option<String>,
    /// Its origin; `None` if the client does not state it.
    pub origin: Option<MemoryOrigin>,
    /// When it holds, if that is not from now on.
    pub valid: WordedTime,
    /// An idempotency key chosen by the client: two requests with the same key add one memory.
    pub key: Option<String>,
    /// The caller's provenance.
    pub provenance: Provenance,
}

/// What to do with a near-duplicate of a known memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// Reject it, and return the known ones.
    #[default]
    Refuse,
    /// Add it, and report the known ones.
    Accept,
}

/// Amends a memory. Fields that are `None` stay as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateMemory {
    /// The memory to amend.
    pub id: MemoryId,
    /// The new title.
    pub title: Option<String>,
    /// The new text.
    pub content: Option<String>,
    /// The labels that replace all others.
    pub tags: Option<Vec<String>>,
    /// The files that it concerns, as the client names them.
    pub related_files: Option<Vec<String>>,
    /// The cues that replace all others; if empty, it is not shown unasked.
    pub cues: Option<Vec<Cue>>,
    /// When it holds.
    pub valid: WordedTime,
    /// When the memory must have been amended last; `None` if that does not matter.
    pub expected: Option<Timestamp>,
    /// The caller's provenance.
    pub provenance: Provenance,
}

/// Records feedback about an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateItem {
    /// The memory, document or chunk that is rated.
    pub item: ItemId,
    /// The verdict, with a note.
    pub feedback: Feedback,
    /// The caller's provenance.
    pub provenance: Provenance,
}

/// Checks memories against the files, or confirms them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyMemories {
    /// The memories; if empty, all of the scope.
    pub ids: Vec<MemoryId>,
    /// The stores whose memories are meant.
    pub scope: Scope,
    /// Whether to check or to confirm.
    pub mode: VerifyMode,
    /// Whether to show what changed for memories that no longer hold.
    pub with_changes: bool,
    /// The caller's provenance.
    pub provenance: Provenance,
}

/// Whether a verification checks or confirms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VerifyMode {
    /// Reports the validity of the memories, and writes nothing.
    #[default]
    Check,
    /// Confirms the memories, and anchors them to the current files.
    Confirm,
    /// Confirms every memory that came with the repository and is unconfirmed. Allows no ids.
    ConfirmAll,
    /// Confirms the project's profile in its current state. Allows no ids.
    ConfirmProfile,
}

/// Promotes a memory to a wider store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromoteMemory {
    /// The memory to promote.
    pub id: MemoryId,
    /// The scope of the wider store.
    pub to: StoreScope,
    /// The caller's provenance.
    pub provenance: Provenance,
}

/// A longer line is a paragraph.
const TITLE_CHARS: usize = 80;
const _: () = assert!(TITLE_CHARS * 4 < SHORT_TEXT_BYTES, "a title is within the limit of short texts in any script");

/// Returns the first line that is not blank, without the marks of a heading. A line of more than 80 characters is cut
/// and ends in `…`.
///
/// Empty if every line is blank.
///
/// ```
/// use recall_core::title_of;
/// assert_eq!(title_of("\n  \n## Short\nmore"), "Short");
/// assert_eq!(title_of(&"ä".repeat(100)).chars().count(), 81);
/// ```
pub fn title_of(text: &str) -> String {
    let line = text.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
    let line = line.unwrap_or_default();
    match line.char_indices().nth(TITLE_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}
