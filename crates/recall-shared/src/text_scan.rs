//! A pass over the whole texts of documents, in steps, for a search that must miss no place of a text.
//!
//! The keys of words cannot answer it: they know neither punctuation nor parts of words. So texts are compared, and a step has a bounded
//! number of them, so that none takes longer than a search may (ADR 78).

use crate::seam::{Filters, StoreError, WholeDocument};

/// A step of a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextScan {
    /// A document is found if its text contains one of these. Without any, every document is.
    pub fragments: Vec<String>,
    /// Conditions on the documents.
    pub filters: Filters,
    /// The repositories that are left out.
    pub without: Vec<String>,
    /// Where the step begins; `None` for the first one.
    pub from: Option<TextPosition>,
}

/// A place in a pass, at which the next step begins. It means something only to the store that returned it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// Differs if something was published since the pass began.
    pub(crate) state: String,
    /// The last document that was compared.
    pub(crate) after: String,
}

/// What a step found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextStep {
    /// The documents with one of the fragments, in no particular order.
    pub documents: Vec<WholeDocument>,
    /// How many documents were compared.
    pub compared: u64,
    /// Where the next step begins; `None` after the last one.
    pub next: Option<TextPosition>,
}

impl TextScan {
    /// Whether a text contains one of the fragments.
    pub(crate) fn finds(&self, text: &str) -> bool {
        self.fragments.is_empty() || self.fragments.iter().any(|fragment| text.contains(fragment.as_str()))
    }

    /// Returns the last document that earlier steps compared; `None` before the first step.
    ///
    /// # Errors
    /// The pass began in another state of the store.
    pub(crate) fn after(&self, state: &str) -> Result<Option<&str>, StoreError> {
        match &self.from {
            Some(from) if from.state != state => Err(StoreError::Busy),
            Some(from) => Ok(Some(&from.after)),
            None => Ok(None),
        }
    }
}
