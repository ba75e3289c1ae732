//! The ages from which items are stale, by their types.

use std::collections::BTreeMap;

use crate::{DocumentType, MemoryType};

/// The age in days from which a memory that was neither amended nor verified is stale. Half a year is the time in which
/// most code changes.
pub const STALE_AFTER_DAYS: u32 = 180;

/// What the age of an item says about it, and whether a search compares memories with the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freshness {
    /// The age in days from which items of a type are stale. `None`: they are not stale by age. For a type that is not listed, memories have
    /// [`STALE_AFTER_DAYS`]. Files are indexed again when they change, so they are only stale if their type is listed.
    pub stale_after_days: BTreeMap<DocumentType, Option<u32>>,
    /// The days between becoming stale by age and being deprecated. `None`: a memory is not deprecated by age.
    pub auto_deprecate_after_days: Option<u32>,
    /// Whether a search compares the anchors of the memories that it finds with the files.
    pub check_on_search: bool,
}

impl Default for Freshness {
    fn default() -> Self {
        Self { stale_after_days: BTreeMap::new(), auto_deprecate_after_days: None, check_on_search: true }
    }
}

impl Freshness {
    /// Returns the ages that matter for a memory.
    pub fn memory_limits(&self, memory_type: MemoryType) -> AgeLimits {
        let set = self.stale_after_days.get(&memory_type.into()).copied();
        let stale_days = set.unwrap_or(Some(STALE_AFTER_DAYS));
        let deprecated_days =
            stale_days.zip(self.auto_deprecate_after_days).map(|(stale, more)| stale.saturating_add(more));
        AgeLimits { stale_days, deprecated_days }
    }

    /// Returns the age in days from which a file of that type is stale. `None`: it is not stale by age.
    pub fn file_limit(&self, document_type: DocumentType) -> Option<u32> {
        self.stale_after_days.get(&document_type).copied().flatten()
    }
}

/// The ages in days at which the status of a memory changes. `None`: it does not change by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgeLimits {
    /// From this age it is stale.
    pub stale_days: Option<u32>,
    /// From this age it is deprecated.
    pub deprecated_days: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_have_a_limit_and_files_have_one_if_it_is_set() {
        let set = Freshness {
            stale_after_days: BTreeMap::from([
                (DocumentType::Adr, Some(365)),
                (DocumentType::Lesson, Some(30)),
                (DocumentType::Decision, None),
            ]),
            auto_deprecate_after_days: Some(100),
            check_on_search: true,
        };
        let limits = |memory_type| {
            let AgeLimits { stale_days, deprecated_days } = set.memory_limits(memory_type);
            (stale_days, deprecated_days)
        };
        assert_eq!(limits(MemoryType::Lesson), (Some(30), Some(130)));
        assert_eq!(limits(MemoryType::Note), (Some(STALE_AFTER_DAYS), Some(STALE_AFTER_DAYS + 100)));
        assert_eq!(limits(MemoryType::Decision), (None, None));
        assert_eq!([DocumentType::Adr, DocumentType::Code].map(|of| set.file_limit(of)), [Some(365), None]);
        assert_eq!(Freshness::default().memory_limits(MemoryType::Note).deprecated_days, None);
    }
}
