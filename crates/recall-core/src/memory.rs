//! Memories: captured pieces of knowledge.

use std::str::FromStr;
use std::sync::Arc;

use crate::{ContentHash, Cue, ItemId, MemoryId, StoreScope, Timestamp, ValidTime};
use recall_text::DocPath;

/// A captured piece of knowledge: the fold of all events about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Its id, which contains its type.
    pub id: MemoryId,
    /// The title, on one line.
    pub title: Arc<str>,
    /// The text, in Markdown.
    pub content: Arc<str>,
    /// Labels; sorted, without repetition.
    pub tags: Vec<String>,
    /// The files that it concerns; sorted, without repetition.
    pub related_files: Vec<DocPath>,
    /// When it is shown unasked, as stated; `None` if that follows from its text.
    pub cues: Option<Vec<Cue>>,
    /// The scope of the store that it was added to.
    pub scope: StoreScope,
    /// Its source, as stated when it was added.
    pub source: Option<String>,
    /// Whether a person, an agent or an import stated it, as the writer says.
    pub origin: MemoryOrigin,
    /// The memory that is retired by this one; `None` for none.
    pub supersedes: Option<MemoryId>,
    /// Its anchors, as of its last addition, amendment or verification.
    pub anchors: Vec<Anchor>,
    /// The store that it was promoted from.
    pub lineage: Option<Lineage>,
    /// When it holds, as stated.
    pub valid: ValidTime,
    /// Who added it, and where.
    pub provenance: Provenance,
    /// When it was first added.
    pub created: Timestamp,
    /// When it was last added or amended.
    pub updated: Timestamp,
    /// When it was last verified.
    pub verified: Option<Verified>,
    /// When it was deleted, unless it was added or amended after that.
    pub deleted: Option<Deleted>,
    /// Where it was promoted to.
    pub promoted: Option<Promotion>,
    /// The ratings of it, by verdict.
    pub feedback: FeedbackTally,
}

/// How a memory came about, as its writer says. Trust depends on it only for the user's own memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryOrigin {
    /// An agent observed it.
    Observed,
    /// An agent concluded it.
    Inferred,
    /// It came from another tool.
    Imported,
    /// A person wrote it.
    Human,
}

impl MemoryOrigin {
    /// All origins, in a fixed order.
    pub const ALL: [Self; 4] = [Self::Observed, Self::Inferred, Self::Imported, Self::Human];

    /// Returns the origin's name, as interfaces and journals write it.
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

/// The text does not name an origin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown origin `{text}`: the origins are observed, inferred, imported, human")]
pub struct UnknownMemoryOrigin {
    /// The name as it was given.
    pub text: String,
}

/// Who did something, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Provenance {
    /// The id of the session; `None` outside of one.
    pub session: Option<String>,
    /// The agent; `None` for a person.
    pub agent: Option<String>,
    /// The mode of the agent.
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

/// The state of a file or of a symbol in it when a memory was anchored.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Anchor {
    /// The path of the file below the root.
    pub path: DocPath,
    /// The qualified name of the symbol; `None` for the whole file.
    pub symbol: Option<String>,
    /// The hash of the file's or the symbol's text.
    pub hash: ContentHash,
    /// The commit that was checked out at that time.
    pub commit: Option<String>,
}

/// The origin of a promoted memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lineage {
    /// The scope of the store that holds the original.
    pub scope: StoreScope,
    /// The project's or domain's name.
    pub name: Option<String>,
}

/// The destination of a promoted memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Promotion {
    /// The scope of the wider store.
    pub to: StoreScope,
    /// The domain's name, if the scope is a domain.
    pub domain: Option<String>,
}

/// A verification of a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The time of the verification.
    pub timestamp: Timestamp,
    /// Who confirmed it, and where.
    pub provenance: Provenance,
}

/// A deletion of a memory; its record stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// The time of the deletion.
    pub timestamp: Timestamp,
    /// The reason, in words.
    pub reason: Option<String>,
    /// Who deleted it, and where.
    pub provenance: Provenance,
}

/// How often an item was found and used, as the daemon noticed it. The counts are not in the journals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UseCounts {
    /// How often it was among the hits.
    pub retrievals: u64,
    /// In how many sessions it was used after it had been among the hits: opened, edited or named. It is implicit feedback, and weaker
    /// than a rating.
    pub uses: u64,
}

/// The feedback about an item, counted. Every event counts once, even if its line is repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedbackTally {
    /// How often it was rated useful.
    pub useful: u64,
    /// How often it was rated not useful.
    pub not_useful: u64,
    /// How often it was rated outdated.
    pub outdated: u64,
    /// How often it was rated a duplicate.
    pub duplicate: u64,
    /// When it was last rated outdated.
    pub last_outdated: Option<Timestamp>,
    /// The item that it duplicates, by the latest such rating.
    pub duplicate_of: Option<ItemId>,
}
