//! Validity of memories: whether a memory matches the files, how far it is trusted, and whether it is in force.
//!
//! Validity is derived from the memory, the current files and the time. It is not stored.
//!
//! A stored state would be wrong from the first change of a file on (ADR 12). Trust is capped by whose statement a memory is, not
//! by what it says of itself (ADR 18).

use std::sync::Arc;

use crate::{
    AgeLimits, Anchor, FeedbackTally, Freshness, Holds, ItemStats, Memory, MemoryId, MemoryOrigin, TimePoint,
    Timestamp, UseCounts,
};
use recall_text::DocPath;
use recall_text::is_clean;

/// A memory with its validity, as answers show it.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryView {
    /// The memory, with secrets masked.
    pub memory: Memory,
    /// Whether its anchors still match the files.
    pub verification: Verification,
    /// How far it is trusted.
    pub trust: Trust,
    /// Whose statement it is.
    pub ownership: Ownership,
    /// Who added it to the repository; `None` for the user's own memories, and if git does not know.
    pub added_by: Option<Contributor>,
    /// Whether it is in force.
    pub status: MemoryStatus,
    /// Its age relative to the threshold, from 0 to 1.
    pub staleness: f64,
    /// The memory that retired it; `None` for none.
    pub superseded_by: Option<MemoryId>,
    /// Whether it holds now, by its stated time.
    pub holds: Holds,
    /// The end of its time: the stated one, or when another memory or a rating retired it before; `None` if it is open.
    pub until: Option<TimePoint>,
    /// The memories in force that it may contradict, as far as they were compared.
    pub contradicts: Vec<OpposedMemory>,
    /// Its feedback and use, counted.
    pub stats: ItemStats,
}

/// A memory that another one may contradict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpposedMemory {
    /// Its id.
    pub id: MemoryId,
    /// Its title, with secrets masked.
    pub title: String,
    /// The language model that says so; `None` if only the words do.
    pub judged_by: Option<Arc<str>>,
}

/// The memory that took the place of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Successor {
    /// Its id.
    pub id: MemoryId,
    /// Since when it counts.
    pub since: Timestamp,
}

impl MemoryView {
    /// Derives the validity of a memory at `now`.
    pub fn derive(
        memory: Memory,
        ownership: Ownership,
        verification: Verification,
        successor: Option<Successor>,
        counts: UseCounts,
        freshness: &Freshness,
        now: Timestamp,
    ) -> Self {
        let inputs = ValidityInputs::new(&memory, successor.is_some());
        let retired = successor.map(|successor| successor.since).into_iter().chain(inputs.outdated_since()).min();
        let retired = retired.map(|at| TimePoint { at, commit: None });
        let limits = freshness.memory_limits(memory.id.memory_type);
        let staleness = inputs.staleness(limits, now);
        let status = inputs.status(verification.changed_ratio, limits, now);
        Self {
            holds: Holds::at(inputs.valid, now),
            until: memory.valid.until.clone().into_iter().chain(retired).min_by_key(|point| point.at),
            trust: Trust::assess(&memory, ownership),
            ownership,
            added_by: None,
            stats: ItemStats::from_memory(&memory, counts),
            memory,
            verification,
            status,
            staleness,
            superseded_by: successor.map(|successor| successor.id),
            contradicts: Vec::new(),
        }
    }
}

/// The share of broken anchors from which a memory is stale: as many changed as did not.
const DRIFTED: f64 = 0.5;

const NANOS_PER_DAY: i64 = 86_400 * 1_000_000_000;

/// The inputs that decide whether a memory is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidityInputs {
    /// When it was last added or amended.
    pub updated: Timestamp,
    /// When it was last verified.
    pub verified: Option<Timestamp>,
    /// Whether it was superseded, promoted or deleted, or is only proposed.
    pub is_retired: bool,
    /// When it holds, as stated: since when, and until when.
    pub valid: [Option<Timestamp>; 2],
    /// The ratings of it, by verdict.
    pub feedback: FeedbackTally,
}

impl ValidityInputs {
    /// Collects the inputs of a memory.
    pub fn new(memory: &Memory, is_superseded: bool) -> Self {
        Self {
            updated: memory.updated,
            verified: memory.verified.as_ref().map(|verified| verified.timestamp),
            is_retired: is_superseded || memory.promoted.is_some() || memory.deleted.is_some() || memory.proposed,
            valid: [&memory.valid.from, &memory.valid.until].map(|point| point.as_ref().map(|point| point.at)),
            feedback: memory.feedback.clone(),
        }
    }

    /// Returns whether the memory is in force, given the share of its anchors that are broken.
    pub fn status(&self, changed_ratio: f64, limits: AgeLimits, now: Timestamp) -> MemoryStatus {
        let is_past = |limit: Option<u32>| limit.is_some_and(|limit| self.age_days(now) >= u64::from(limit));
        if self.is_retired
            || Holds::at(self.valid, now) != Holds::Now
            || self.outdated_since().is_some()
            || is_past(limits.deprecated_days)
        {
            MemoryStatus::Deprecated
        } else if is_past(limits.stale_days) || changed_ratio >= DRIFTED {
            MemoryStatus::Stale
        } else {
            MemoryStatus::Current
        }
    }

    /// Returns the age relative to that from which the memory is stale, from 0 to 1.
    fn staleness(&self, limits: AgeLimits, now: Timestamp) -> f64 {
        limits.stale_days.map_or(0.0, |limit| (self.age_days(now) as f64 / f64::from(limit)).min(1.0))
    }

    /// Returns the age since the last amendment or verification. It is counted in whole days, so that repeating a request returns
    /// the same bytes.
    fn age_days(&self, now: Timestamp) -> u64 {
        age_days(self.verified.map_or(self.updated, |verified| verified.max(self.updated)), now)
    }

    /// Returns when the memory was last rated outdated, if it was neither amended nor verified since.
    fn outdated_since(&self) -> Option<Timestamp> {
        let outdated = self.feedback.last_outdated?;
        (outdated > self.updated && Some(outdated) > self.verified).then_some(outdated)
    }
}

/// Returns the whole days between two times; 0 if the first is later.
pub fn age_days(since: Timestamp, now: Timestamp) -> u64 {
    (now.0.saturating_sub(since.0).max(0) / NANOS_PER_DAY) as u64
}

/// The result of comparing a memory's anchors with the files.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// The worst state of its anchors.
    pub state: AnchorState,
    /// The commit of the first broken anchor; if none is broken, that of the first anchor.
    pub since_commit: Option<String>,
    /// The share of broken anchors, from 0 to 1.
    pub changed_ratio: f64,
    /// When it was last verified.
    pub verified: Option<Timestamp>,
    /// The broken anchors, in order.
    pub broken: Vec<(Anchor, AnchorState)>,
    /// The anchored files that are under another path now, in order. The anchors are compared with them there.
    pub moved: Vec<MovedFile>,
}

/// A file that was renamed or moved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MovedFile {
    /// Its path when a memory was anchored to it.
    pub from: DocPath,
    /// The path that it has now.
    pub to: DocPath,
}

impl Verification {
    /// Adds the anchored files that were moved.
    #[must_use]
    pub fn with_moved(self, mut moved: Vec<MovedFile>) -> Self {
        moved.sort_unstable();
        moved.dedup();
        Self { moved, ..self }
    }

    /// Combines the states of a memory's anchors.
    pub fn new(verified: Option<Timestamp>, anchors: Vec<(Anchor, AnchorState)>) -> Self {
        let (state, changed_ratio) = AnchorState::sum(anchors.iter().map(|&(_, state)| state));
        let first_commit = anchors.first().and_then(|(anchor, _)| anchor.commit.clone());
        let broken: Vec<_> = anchors.into_iter().filter(|(_, state)| state.is_broken()).collect();
        let since_commit = broken.iter().find_map(|(anchor, _)| anchor.commit.clone()).or(first_commit);
        Self { state, since_commit, changed_ratio, verified, broken, moved: Vec::new() }
    }
}

/// The state of an anchor, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnchorState {
    /// There is no anchor.
    Unanchored,
    /// The text is unchanged.
    Verified,
    /// The text was not compared: the file exists but cannot be read.
    Unchecked,
    /// The text has changed.
    Changed,
    /// The file or the symbol no longer exists.
    Gone,
}

impl AnchorState {
    /// All states, from best to worst.
    pub const ALL: [Self; 5] = [Self::Unanchored, Self::Verified, Self::Unchecked, Self::Changed, Self::Gone];

    /// Returns the worst of the states, and the share of broken ones.
    pub fn sum(states: impl IntoIterator<Item = Self>) -> (Self, f64) {
        let (mut worst, mut broken, mut count) = (Self::Unanchored, 0_u32, 0_u32);
        for state in states {
            worst = worst.max(state);
            broken += u32::from(state.is_broken());
            count += 1;
        }
        (worst, f64::from(broken) / f64::from(count.max(1)))
    }

    /// Whether the anchored text no longer matches.
    pub fn is_broken(self) -> bool {
        matches!(self, Self::Changed | Self::Gone)
    }
}

/// How far a memory is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// Written by an agent or imported, and not confirmed.
    Low,
    /// Rated useful more often than not useful.
    Medium,
    /// Written or verified by a person.
    High,
}

impl Trust {
    /// What a memory from the repository claims about its own origin is ignored.
    fn assess(memory: &Memory, ownership: Ownership) -> Self {
        match ownership {
            Ownership::Own => {}
            Ownership::Confirmed => return Self::High,
            Ownership::Repository => return Self::Low,
        }
        let by_person = memory.origin == MemoryOrigin::Human
            || memory.verified.as_ref().is_some_and(|verified| verified.provenance.agent.is_none());
        let FeedbackTally { useful, not_useful, .. } = memory.feedback;
        if by_person {
            Self::High
        } else if useful > not_useful {
            Self::Medium
        } else {
            Self::Low
        }
    }
}

/// Whose statement a memory is, by who wrote it and who confirmed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ownership {
    /// The user's own recall wrote every event that decides its content.
    Own,
    /// It came with the repository, and the user has confirmed its content.
    Confirmed,
    /// It came with the repository, and the user has not confirmed its content.
    Repository,
}

impl Ownership {
    /// Whether the user wrote or confirmed the memory.
    pub fn is_vouched_for(self) -> bool {
        matches!(self, Self::Own | Self::Confirmed)
    }
}

/// The author of a commit that added a memory, according to git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contributor {
    /// The author's name: one line without control characters, of at most [`CONTRIBUTOR_CHARS`] characters.
    pub author: String,
    /// The abbreviated id of the commit.
    pub commit: String,
}

/// The most characters of an author's name that are shown. A longer name is recognised by its beginning.
pub const CONTRIBUTOR_CHARS: usize = 60;

impl Contributor {
    /// Sanitises what git returns. The name is untrusted: line breaks, control and formatting characters, commas and
    /// quotes become spaces, so that it cannot pass for a further field. A long name is truncated.
    pub fn new(author: &str, commit: &str) -> Self {
        let is_plain = |c: char| !c.is_control() && is_clean(c);
        let author: String = author.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect();
        let author = author.replace([',', '"'], " ");
        let author = author.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { author: author.chars().take(CONTRIBUTOR_CHARS).collect(), commit: commit.to_owned() }
    }
}

/// Whether a memory is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MemoryStatus {
    /// It is in force and up to date.
    Current,
    /// It is old, or half of its anchors or more are broken.
    Stale,
    /// It was superseded, promoted, deleted, or rated outdated, is outside of the time for which it is stated, or is only proposed.
    Deprecated,
}

impl ItemStats {
    /// Sums up the feedback of a memory. Outdated ratings count until it is amended or verified.
    pub fn from_memory(memory: &Memory, counts: UseCounts) -> Self {
        let is_outdated = ValidityInputs::new(memory, false).outdated_since().is_some();
        let outdated = if is_outdated { memory.feedback.outdated } else { 0 };
        Self::new(&FeedbackTally { outdated, ..memory.feedback.clone() }, counts)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{ContentHash, MemoryType, Provenance, StoreScope, Verified};
    use recall_text::DocPath;

    const DAY: i64 = 86_400_000_000_000;

    fn memory() -> Memory {
        Memory {
            id: MemoryId::from_parts(MemoryType::Note, &[b"a"]),
            title: Arc::from("t"),
            content: Arc::from("c"),
            tags: Vec::new(),
            related_files: Vec::new(),
            cues: None,
            scope: StoreScope::Project,
            source: None,
            origin: MemoryOrigin::Observed,
            supersedes: None,
            anchors: Vec::new(),
            lineage: None,
            valid: crate::ValidTime::default(),
            provenance: Provenance::default(),
            created: Timestamp(0),
            updated: Timestamp(0),
            verified: None,
            deleted: None,
            promoted: None,
            proposed: false,
            feedback: FeedbackTally::default(),
        }
    }

    fn anchor(path: &str, commit: &str) -> Anchor {
        let path = DocPath::new(path).expect("plain");
        Anchor { path, symbol: None, hash: ContentHash([0; 32]), commit: Some(commit.to_owned()) }
    }

    fn view(memory: Memory, ownership: Ownership, freshness: &Freshness, now: i64) -> MemoryView {
        let verification = Verification::new(None, Vec::new());
        MemoryView::derive(memory, ownership, verification, None, UseCounts::default(), freshness, Timestamp(now))
    }

    fn standing(memory: Memory, days: i64) -> (MemoryStatus, Trust) {
        let recalled = view(memory, Ownership::Own, &Freshness::default(), days * DAY);
        (recalled.status, recalled.trust)
    }

    #[test]
    fn the_worst_anchor_decides_and_broken_ones_are_counted() {
        let states = [AnchorState::Verified, AnchorState::Gone, AnchorState::Changed, AnchorState::Verified];
        let anchors = states.iter().zip(["a", "b", "c", "d"]).map(|(&state, name)| (anchor(name, name), state));
        let sum = Verification::new(None, anchors.collect());
        assert_eq!((sum.state, sum.changed_ratio, sum.since_commit.as_deref()), (AnchorState::Gone, 0.5, Some("b")));
        assert_eq!(sum.broken.len(), 2);
        assert_eq!(Verification::new(None, Vec::new()).state, AnchorState::Unanchored);
    }

    #[test]
    fn an_old_memory_is_stale_until_it_is_verified() {
        assert_eq!(standing(memory(), 179).0, MemoryStatus::Current);
        assert_eq!(standing(memory(), 180).0, MemoryStatus::Stale);
        let verified = Verified { timestamp: Timestamp(100 * DAY), provenance: Provenance::default() };
        assert_eq!(standing(Memory { verified: Some(verified), ..memory() }, 200).0, MemoryStatus::Current);
    }

    #[test]
    fn a_memory_that_was_stale_for_long_is_deprecated_if_that_is_set() {
        let standing = |days: i64| {
            let freshness = Freshness { auto_deprecate_after_days: Some(20), ..Freshness::default() };
            view(memory(), Ownership::Own, &freshness, days * DAY).status
        };
        assert_eq!((standing(179), standing(199)), (MemoryStatus::Current, MemoryStatus::Stale));
        assert_eq!(standing(200), MemoryStatus::Deprecated);
    }

    #[test]
    fn an_outdated_memory_is_deprecated_until_it_is_amended() {
        let feedback = FeedbackTally { outdated: 1, last_outdated: Some(Timestamp(5)), ..FeedbackTally::default() };
        let outdated = Memory { feedback, ..memory() };
        assert_eq!(standing(outdated.clone(), 0).0, MemoryStatus::Deprecated);
        assert_eq!(standing(Memory { updated: Timestamp(6), ..outdated }, 0).0, MemoryStatus::Current);
    }

    #[test]
    fn a_time_ends_when_the_memory_is_retired_before_its_stated_end() {
        let until = |stated: Option<i64>, successor: Option<i64>, outdated: Option<i64>| {
            let point = |at| TimePoint { at: Timestamp(at), commit: None };
            let feedback = FeedbackTally { last_outdated: outdated.map(Timestamp), ..FeedbackTally::default() };
            let valid = crate::ValidTime { from: None, until: stated.map(point) };
            let memory = Memory { valid, feedback, ..memory() };
            let id = MemoryId::from_parts(MemoryType::Note, &[b"b"]);
            let successor = successor.map(|since| Successor { id, since: Timestamp(since) });
            let (verification, freshness) = (Verification::new(None, Vec::new()), Freshness::default());
            let counts = UseCounts::default();
            let (own, now) = (Ownership::Own, Timestamp(100));
            let view = MemoryView::derive(memory, own, verification, successor, counts, &freshness, now);
            view.until.map(|point| point.at.0)
        };
        assert_eq!(until(None, None, None), None);
        assert_eq!(until(None, Some(7), None), Some(7));
        assert_eq!(until(None, Some(7), Some(5)), Some(5));
        assert_eq!(until(Some(6), Some(7), None), Some(6));
        assert_eq!(until(Some(9), Some(7), None), Some(7));
        assert_eq!(until(None, None, Some(0)), None, "an amendment as late as the rating ends it");
    }

    #[test]
    fn people_are_trusted_and_agents_after_useful_ratings() {
        assert_eq!(standing(memory(), 0).1, Trust::Low);
        let feedback = FeedbackTally { useful: 2, not_useful: 1, ..FeedbackTally::default() };
        assert_eq!(standing(Memory { feedback, ..memory() }, 0).1, Trust::Medium);
        assert_eq!(standing(Memory { origin: MemoryOrigin::Human, ..memory() }, 0).1, Trust::High);
    }

    #[test]
    fn a_memory_from_the_repository_is_trusted_only_if_it_was_confirmed() {
        let claimed = Memory { origin: MemoryOrigin::Human, ..memory() };
        let trust = |ownership| view(claimed.clone(), ownership, &Freshness::default(), 0).trust;
        assert_eq!(
            [Ownership::Own, Ownership::Confirmed, Ownership::Repository].map(trust),
            [Trust::High, Trust::High, Trust::Low]
        );
    }

    #[test]
    fn an_authors_name_is_one_short_plain_line() {
        for (name, expected) in [
            ("Ada Lovelace", "Ada Lovelace"),
            ("a\nb\u{1b}[31m\u{202e}c\u{200b}  d", "a b [31m c d"),
            (" \u{feff} ", ""),
            ("a\u{fe0f}\u{3164}b", "a b"),
        ] {
            assert_eq!(Contributor::new(name, "0123abc").author, expected);
        }
        assert_eq!(Contributor::new(&"é".repeat(200), "0123abc").author.chars().count(), CONTRIBUTOR_CHARS);
    }

    #[test]
    fn ratings_before_an_amendment_do_not_flag_a_memory() {
        let feedback = FeedbackTally { outdated: 1, last_outdated: Some(Timestamp(5)), ..FeedbackTally::default() };
        let flagged = |memory| view(memory, Ownership::Own, &Freshness::default(), 7).stats.is_flagged;
        assert!(flagged(Memory { feedback: feedback.clone(), ..memory() }));
        assert!(!flagged(Memory { feedback, updated: Timestamp(6), ..memory() }));
    }
}
