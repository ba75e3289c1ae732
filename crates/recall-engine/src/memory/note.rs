//! Notes on a stored memory.

use recall_core::MemoryId;
use recall_text::DocPath;

use crate::mask::Masking;

/// A note for the caller that stored a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryNote {
    /// Secrets in it were masked.
    Masked {
        /// The names of the rules that matched, in order.
        rules: Vec<&'static str>,
    },
    /// It could not be anchored to a related file.
    NotAnchored {
        /// The related file, below the root.
        path: DocPath,
        /// The reason, as a clause.
        reason: String,
    },
    /// Another memory says something else in nearly the same words, such as the opposite. Both are kept.
    MayContradict {
        /// The memory that says something else.
        id: MemoryId,
        /// Its title, with secrets masked.
        title: String,
    },
}

/// Returns the note on masked secrets, if there were any.
pub(crate) fn for_masking(masking: &Masking) -> Option<MemoryNote> {
    let rules: Vec<_> = masking.rules.iter().copied().collect();
    (!rules.is_empty()).then_some(MemoryNote::Masked { rules })
}
