//! Memories: captured pieces of knowledge, and cues: what has to happen for one to be shown unasked.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::{ContentHash, ItemId, MemoryId, StoreScope, Timestamp, ValidTime};
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
    /// Whether it waits for a person who accepts it. Until then it is not in force.
    pub proposed: bool,
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

/// The longest text of a cue. A longer one would never match.
pub const CUE_BYTES: usize = 300;

/// A cue of a memory. Its written form is `kind:text`, such as `command:cargo test`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cue {
    /// What the text describes.
    pub kind: CueKind,
    /// The text, on one line, not blank; at most [`CUE_BYTES`].
    pub text: String,
}

/// The kinds of cues, in the order of their names, so that cues are in the order of their written forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CueKind {
    /// A session works on a branch: its name, or a glob.
    Branch,
    /// A command is about to run: its first words.
    Command,
    /// The first prompt on this day or later: `2026-12-01`.
    Date,
    /// A command has failed, with this class or message in its output.
    Error,
    /// A file is read or edited: its path below the root, or a glob.
    Path,
    /// A name is searched for: the last part of a symbol's name.
    Symbol,
}

impl CueKind {
    /// All kinds, in a fixed order.
    pub const ALL: [Self; 6] = [Self::Branch, Self::Command, Self::Date, Self::Error, Self::Path, Self::Symbol];

    /// Returns the kind's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Symbol => "symbol",
            Self::Command => "command",
            Self::Error => "error",
            Self::Branch => "branch",
            Self::Date => "date",
        }
    }
}

impl Cue {
    /// Creates a cue from a text that may have line breaks; `None` if the text is blank, too long, or not a date where one is needed.
    pub fn new(kind: CueKind, text: &str) -> Option<Self> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_valid = !text.is_empty() && text.len() <= CUE_BYTES && (kind != CueKind::Date || is_date(&text));
        is_valid.then_some(Self { kind, text })
    }
}

/// Whether a text has the form `2026-12-01`.
fn is_date(text: &str) -> bool {
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}

impl fmt::Display for Cue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.as_str(), self.text)
    }
}

impl FromStr for Cue {
    type Err = InvalidCue;

    fn from_str(text: &str) -> Result<Self, InvalidCue> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let kind = CueKind::ALL.into_iter().find(|known| known.as_str() == kind.trim());
        kind.and_then(|kind| Self::new(kind, rest)).ok_or_else(|| InvalidCue { text: text.to_owned() })
    }
}

/// The text is not a cue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a cue: write `path:`, `symbol:`, `command:`, `error:` or `branch:` and a text of at most {CUE_BYTES} bytes, or \
     `date:` and a day such as 2026-12-01"
)]
pub struct InvalidCue {
    /// The text as it was given.
    pub text: String,
}

/// The feedback and use of an item, counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ItemStats {
    /// How often it was among the hits and used, as far as known.
    pub counts: UseCounts,
    /// How often it was rated useful.
    pub useful: u64,
    /// How often it was rated not useful.
    pub not_useful: u64,
    /// The share of useful ratings, from 0 to 1; `None` without ratings.
    pub usefulness: Option<f64>,
    /// Whether it deserves a review.
    pub is_flagged: bool,
}

/// The retrievals from which a low usefulness is flagged. Without a count of retrievals, each rating counts as one.
const FLAGGED_RETRIEVALS: u64 = 10;

/// An item is flagged below this usefulness.
const FLAGGED_USEFULNESS: f64 = 0.2;

impl ItemStats {
    /// Sums up the feedback of an item.
    pub fn new(tally: &FeedbackTally, counts: UseCounts) -> Self {
        let FeedbackTally { useful, not_useful, outdated, duplicate, last_outdated: _, duplicate_of: _ } = *tally;
        let verdicts = useful + not_useful;
        let usefulness = (verdicts > 0).then(|| useful as f64 / verdicts as f64);
        let is_useless = verdicts.max(counts.retrievals) >= FLAGGED_RETRIEVALS
            && usefulness.is_some_and(|usefulness| usefulness < FLAGGED_USEFULNESS);
        Self { counts, useful, not_useful, usefulness, is_flagged: is_useless || outdated > 0 || duplicate > 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_form_is_read_back() {
        for text in
            ["path:src/*.rs", "symbol:retry", "command:cargo test", "error:E0382", "branch:fix/*", "date:2026-12-01"]
        {
            assert_eq!(text.parse::<Cue>().expect("a cue").to_string(), text);
        }
        assert_eq!("command: make\n  all ".parse::<Cue>().expect("a cue").to_string(), "command:make all");
        assert_eq!("error:a: b".parse::<Cue>().expect("a cue").text, "a: b");
    }

    #[test]
    fn what_cannot_match_is_refused() {
        let long = format!("path:{}", "x".repeat(CUE_BYTES + 1));
        for text in ["", "make", "command:", "command: \n", "date:tomorrow", "date:2026-1-1", "color:red", &long] {
            assert!(text.parse::<Cue>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_item_that_seldom_helps_is_flagged() {
        let stats = |useful, not_useful, retrievals| {
            let counts = UseCounts { retrievals, uses: 0 };
            ItemStats::new(&FeedbackTally { useful, not_useful, ..FeedbackTally::default() }, counts)
        };
        assert_eq!((stats(0, 0, 3).usefulness, stats(1, 3, 4).usefulness), (None, Some(0.25)));
        assert!(!stats(0, 9, 9).is_flagged && stats(1, 9, 0).is_flagged && !stats(2, 8, 50).is_flagged);
        assert!(!stats(0, 1, 9).is_flagged && stats(0, 1, 10).is_flagged && !stats(0, 0, 100).is_flagged);
    }
}
