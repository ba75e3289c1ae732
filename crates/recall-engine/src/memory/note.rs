//! What is told beside the outcome of remembering something?

use recall_core::DocPath;

use crate::mask::Masking;

/// What whoever remembers something should know beside its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryNote {
    /// Secrets were found in it and are not kept.
    Masked {
        /// By which rules, in order.
        rules: Vec<&'static str>,
    },
    /// It is not tied to a file that it is about.
    NotAnchored {
        /// The file.
        path: DocPath,
        /// Why.
        reason: String,
    },
}

/// The notes on what was masked.
pub(crate) fn of_masking(masking: &Masking) -> Option<MemoryNote> {
    let rules: Vec<_> = masking.rules.iter().copied().collect();
    (!rules.is_empty()).then_some(MemoryNote::Masked { rules })
}
