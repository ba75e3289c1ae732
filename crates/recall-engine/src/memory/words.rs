//! How a memory is introduced to a reader: whose it is, and whether it holds.

use recall_core::{AnchorState, MemoryType, MemoryView, Ownership};

use recall_text::quote::inline;

/// Describes the origin of a memory and whether it holds.
pub(crate) fn words_of(recalled: &MemoryView) -> String {
    let state = state_of(recalled);
    match recalled.ownership {
        Ownership::Own => format!("own, {state}"),
        Ownership::Confirmed => format!("confirmed by you, {state}"),
        Ownership::Repository => {
            let by = recalled.added_by.as_ref();
            let added = by.map(|by| format!(", added by {} in {}", inline(&by.author), inline(&by.commit)));
            // An author who knows the files can make any text match them, so a match proves nothing here.
            let state = if recalled.verification.state.is_broken() { format!(", {state}") } else { String::new() };
            format!("from the repository{}, unconfirmed{state}", added.unwrap_or_default())
        }
    }
}

/// Describes whether a memory holds.
pub(crate) fn state_of(recalled: &MemoryView) -> &'static str {
    match recalled.verification.state {
        AnchorState::Verified if !recalled.verification.moved.is_empty() => "its files were moved and are as they were",
        AnchorState::Verified => "its files are as they were",
        AnchorState::Changed => "its files changed since: check it",
        AnchorState::Gone => "its files are gone: check it",
        AnchorState::Unchecked => "not checked",
        AnchorState::Unanchored => "tied to no file",
    }
}

/// Returns the sort weight of a memory type for someone who changes a file; the most relevant type first.
pub(crate) fn weight(memory_type: MemoryType) -> u8 {
    match memory_type {
        MemoryType::Decision => 0,
        MemoryType::Failure => 1,
        MemoryType::Lesson => 2,
        MemoryType::Pattern => 3,
        MemoryType::Context => 4,
        MemoryType::Note => 5,
    }
}
