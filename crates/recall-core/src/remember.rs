//! What is asked of memories?
//!
//! Each request is checked: its texts are not blank and within their limits.

use crate::{Feedback, ItemId, MemoryId, MemoryOrigin, MemoryType, Provenance, Scope, StoreScope};

/// The largest content of one memory. What is longer is a document.
pub const MEMORY_BYTES: usize = 1024 * 1024;

/// The longest title of a memory, and the longest of its other short texts: tags, source, notes. Somebody who needs more
/// has more than a title.
pub const SHORT_TEXT_BYTES: usize = 1024;

/// The most tags, and the most related files, of one memory. Each related file is looked at whenever the memory is told.
pub const MEMORY_ENTRIES: usize = 64;

/// Asks to keep a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddMemory {
    /// The type.
    pub memory_type: MemoryType,
    /// What a person would call it.
    pub title: String,
    /// The text.
    pub content: String,
    /// Into which store.
    pub scope: Scope,
    /// Labels.
    pub tags: Vec<String>,
    /// The files that it is about, as the client names them: absolute, below its directory, or below the root.
    pub related_files: Vec<String>,
    /// The memory that it retires.
    pub supersedes: Option<MemoryId>,
    /// What becomes of it where nearly the same is known.
    pub repeats: Repeats,
    /// Where whoever adds it says that it comes from.
    pub source: Option<String>,
    /// How it came about; none where the client does not say.
    pub origin: Option<MemoryOrigin>,
    /// A key that the client chose: the same one twice adds once.
    pub key: Option<String>,
    /// Who asks, and where.
    pub provenance: Provenance,
}

/// What becomes of a memory that nearly repeats one that is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repeats {
    /// It is not added; the known ones are told.
    #[default]
    Refuse,
    /// It is added all the same.
    Accept,
}

/// Asks to amend a memory. What is none stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdateMemory {
    /// Which.
    pub id: MemoryId,
    /// What a person would call it.
    pub title: Option<String>,
    /// The text.
    pub content: Option<String>,
    /// Labels.
    pub tags: Option<Vec<String>>,
    /// The files that it is about, as the client names them.
    pub related_files: Option<Vec<String>>,
    /// Who asks, and where.
    pub provenance: Provenance,
}

/// Says what an item is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateItem {
    /// The item.
    pub item: ItemId,
    /// What is said.
    pub feedback: Feedback,
    /// Who says so, and where.
    pub provenance: Provenance,
}

/// Asks how memories stand, or says that they hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyMemories {
    /// Which; empty for every one of the scope.
    pub ids: Vec<MemoryId>,
    /// In which stores.
    pub scope: Scope,
    /// Whether anything is written.
    pub mode: VerifyMode,
    /// Who asks, and where.
    pub provenance: Provenance,
}

/// Whether a verification writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VerifyMode {
    /// It tells how the memories stand.
    #[default]
    Check,
    /// It says that they hold, and ties them to the files as they are.
    Confirm,
    /// It says so of every memory that came with the repository and that nobody confirmed. Names no ids.
    ConfirmAll,
    /// It says that the project's profile is this user's, as it is. Names no ids.
    ConfirmProfile,
}

/// Asks to move a memory to a wider store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromoteMemory {
    /// Which.
    pub id: MemoryId,
    /// To which store.
    pub to: StoreScope,
    /// Who asks, and where.
    pub provenance: Provenance,
}
