//! The types of documents, and those of memories, which are six of them, with the ages from which items of a type are
//! stale.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The type of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DocumentType {
    /// Source code, configuration and data in a language that is parsed or windowed.
    Code,
    /// Prose that has none of the types below.
    Documentation,
    /// An architecture decision record.
    Adr,
    /// A playbook or runbook.
    Playbook,
    /// A session's summary.
    Session,
    /// A decision and its rationale.
    Decision,
    /// An approach that worked.
    Pattern,
    /// A memory of something learned.
    Lesson,
    /// Something that went wrong, and why.
    Failure,
    /// A memory of any other kind.
    Note,
    /// A memory of background that explains other things.
    Context,
    /// A turn of a conversation with an agent. It is in no index: searches that ask for it read the transcripts of agents.
    Transcript,
}

impl DocumentType {
    /// All types, in a fixed order, which stored indexes rely on.
    pub const ALL: [Self; 12] = [
        Self::Code,
        Self::Documentation,
        Self::Adr,
        Self::Playbook,
        Self::Session,
        Self::Decision,
        Self::Pattern,
        Self::Lesson,
        Self::Failure,
        Self::Note,
        Self::Context,
        Self::Transcript,
    ];

    /// The type's name, as interfaces and the catalog write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Documentation => "documentation",
            Self::Adr => "adr",
            Self::Playbook => "playbook",
            Self::Session => "session",
            Self::Decision => "decision",
            Self::Pattern => "pattern",
            Self::Lesson => "lesson",
            Self::Failure => "failure",
            Self::Note => "note",
            Self::Context => "context",
            Self::Transcript => "transcript",
        }
    }

    /// Whether documents of this type are captured memories.
    pub fn is_memory(self) -> bool {
        matches!(self, Self::Decision | Self::Pattern | Self::Lesson | Self::Failure | Self::Note | Self::Context)
    }
}

impl fmt::Display for DocumentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for DocumentType {
    type Err = UnknownDocumentType;

    /// Parses a type's name; `runbook` is `playbook`, `doc` and `docs` are `documentation`.
    fn from_str(text: &str) -> Result<Self, UnknownDocumentType> {
        match text {
            "runbook" => Ok(Self::Playbook),
            "doc" | "docs" => Ok(Self::Documentation),
            _ => Self::ALL
                .into_iter()
                .find(|known| known.as_str() == text)
                .ok_or_else(|| UnknownDocumentType { text: text.to_owned() }),
        }
    }
}

/// The text does not name a document type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown type `{text}`: the types are code, documentation, adr, playbook, session, decision, pattern, lesson, failure, note, context, \
     transcript"
)]
pub struct UnknownDocumentType {
    /// The rejected text.
    pub text: String,
}

/// The type of a memory. It is the letter of the id, so it never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryType {
    /// A decision and its rationale.
    Decision,
    /// An approach that worked.
    Pattern,
    /// Something learned, usually from an error.
    Lesson,
    /// Something that went wrong, and why.
    Failure,
    /// Anything of no other type.
    Note,
    /// Background that explains other things.
    Context,
}

impl MemoryType {
    /// All types, in a fixed order.
    pub const ALL: [Self; 6] = [Self::Decision, Self::Pattern, Self::Lesson, Self::Failure, Self::Note, Self::Context];

    /// Returns the type's name, as interfaces and journals write it.
    pub fn as_str(self) -> &'static str {
        DocumentType::from(self).as_str()
    }

    /// The letter that ids of this type begin with.
    pub fn letter(self) -> char {
        match self {
            Self::Decision => 'D',
            Self::Pattern => 'P',
            Self::Lesson => 'L',
            Self::Failure => 'F',
            Self::Note => 'N',
            Self::Context => 'C',
        }
    }
}

impl From<MemoryType> for DocumentType {
    fn from(memory_type: MemoryType) -> Self {
        match memory_type {
            MemoryType::Decision => Self::Decision,
            MemoryType::Pattern => Self::Pattern,
            MemoryType::Lesson => Self::Lesson,
            MemoryType::Failure => Self::Failure,
            MemoryType::Note => Self::Note,
            MemoryType::Context => Self::Context,
        }
    }
}

impl fmt::Display for MemoryType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for MemoryType {
    type Err = UnknownMemoryType;

    fn from_str(text: &str) -> Result<Self, UnknownMemoryType> {
        Self::ALL
            .into_iter()
            .find(|known| known.as_str() == text)
            .ok_or_else(|| UnknownMemoryType { text: text.to_owned() })
    }
}

/// The text does not name a type of memory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown memory type `{text}`: the types are decision, pattern, lesson, failure, note, context")]
pub struct UnknownMemoryType {
    /// The name as it was given.
    pub text: String,
}

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
