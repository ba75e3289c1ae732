//! What is known of one captured piece of knowledge?

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::{ContentHash, DocPath, DocumentType, ItemId, MemoryId, StoreScope, Timestamp};

/// A captured piece of knowledge, as all events about it give it together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Its id, which tells its type.
    pub id: MemoryId,
    /// What a person would call it.
    pub title: Arc<str>,
    /// The text.
    pub content: Arc<str>,
    /// Labels; sorted, without repetition.
    pub tags: Vec<String>,
    /// The files that it is about; sorted, without repetition.
    pub related_files: Vec<DocPath>,
    /// The scope of the store that it was added to.
    pub scope: StoreScope,
    /// Where whoever added it says that it comes from.
    pub source: Option<String>,
    /// How it came about.
    pub origin: MemoryOrigin,
    /// The memory that it retires.
    pub supersedes: Option<MemoryId>,
    /// What it is tied to, as of its last addition, amendment or verification.
    pub anchors: Vec<Anchor>,
    /// The store that it was promoted from.
    pub lineage: Option<Lineage>,
    /// Who added it, and where.
    pub provenance: Provenance,
    /// When it was first added.
    pub created: Timestamp,
    /// When it was last added or amended.
    pub updated: Timestamp,
    /// When somebody last found that it holds.
    pub verified: Option<Verified>,
    /// When it was deleted, unless it was added or amended after that.
    pub deleted: Option<Deleted>,
    /// Where it was promoted to.
    pub promoted: Option<Promotion>,
    /// What feedback says.
    pub feedback: FeedbackTally,
}

/// The type of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryType {
    /// A decision and its rationale.
    Decision,
    /// A way of doing things that worked.
    Pattern,
    /// Something learned.
    Lesson,
    /// Something that went wrong, and why.
    Failure,
    /// A remark.
    Note,
    /// Background.
    Context,
}

impl MemoryType {
    /// Every type, in a fixed order.
    pub const ALL: [Self; 6] = [Self::Decision, Self::Pattern, Self::Lesson, Self::Failure, Self::Note, Self::Context];

    /// The type's name, as interfaces and journals write it.
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

/// There is no type of memories of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown type of memories `{text}`: the types are decision, pattern, lesson, failure, note, context")]
pub struct UnknownMemoryType {
    /// What was given.
    pub text: String,
}

/// How a memory came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryOrigin {
    /// An agent saw it happen.
    Observed,
    /// An agent concluded it.
    Inferred,
    /// It came in from elsewhere.
    Imported,
    /// A person wrote it.
    Human,
}

impl MemoryOrigin {
    /// Every origin, in a fixed order.
    pub const ALL: [Self; 4] = [Self::Observed, Self::Inferred, Self::Imported, Self::Human];

    /// The origin's name, as interfaces and journals write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Observed => "observed",
            Self::Inferred => "inferred",
            Self::Imported => "imported",
            Self::Human => "human",
        }
    }
}

impl FromStr for MemoryOrigin {
    type Err = UnknownMemoryOrigin;

    fn from_str(text: &str) -> Result<Self, UnknownMemoryOrigin> {
        Self::ALL
            .into_iter()
            .find(|known| known.as_str() == text)
            .ok_or_else(|| UnknownMemoryOrigin { text: text.to_owned() })
    }
}

/// There is no origin of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown origin `{text}`: the origins are observed, inferred, imported, human")]
pub struct UnknownMemoryOrigin {
    /// What was given.
    pub text: String,
}

/// Who did something, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Provenance {
    /// The session.
    pub session: Option<String>,
    /// The agent; none for a person.
    pub agent: Option<String>,
    /// The mode that the agent was in.
    pub mode: Option<String>,
    /// The git branch.
    pub branch: Option<String>,
    /// The git commit.
    pub commit: Option<String>,
    /// The project's name.
    pub project: Option<String>,
    /// The project's root.
    pub project_path: Option<String>,
}

/// What a memory is tied to: a file, or a symbol in it, as it was at one moment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Anchor {
    /// The file.
    pub path: DocPath,
    /// The symbol in it, qualified; none for the whole file.
    pub symbol: Option<String>,
    /// The hash of the file's or the symbol's text.
    pub hash: ContentHash,
    /// The commit that was checked out.
    pub commit: Option<String>,
}

/// Where a promoted memory comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lineage {
    /// The scope of the store that holds the first one.
    pub scope: StoreScope,
    /// The project's or domain's name.
    pub name: Option<String>,
}

/// Where a memory was promoted to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Promotion {
    /// The scope of the wider store.
    pub to: StoreScope,
    /// The domain's name, for that scope.
    pub domain: Option<String>,
}

/// Somebody found that a memory holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// When.
    pub timestamp: Timestamp,
    /// Who, and where.
    pub provenance: Provenance,
}

/// Somebody deleted a memory; its record stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// When.
    pub timestamp: Timestamp,
    /// Why, in words.
    pub reason: Option<String>,
    /// Who, and where.
    pub provenance: Provenance,
}

/// What feedback says about an item: every event counts once, however often its line is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedbackTally {
    /// How often it was called useful.
    pub useful: u64,
    /// How often it was called not useful.
    pub not_useful: u64,
    /// How often it was called outdated.
    pub outdated: u64,
    /// How often it was called a duplicate.
    pub duplicate: u64,
    /// When it was last called outdated.
    pub last_outdated: Option<Timestamp>,
    /// What it repeats, by the last who called it a duplicate.
    pub duplicate_of: Option<ItemId>,
}
