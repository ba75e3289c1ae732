//! The moments of a history at which a memory might have helped, and which one would have.
//!
//! How weak the labels are:
//!
//! - A memory is right if the later message **names its commit**, by id or subject (`Fixes: 0123abc`, "since 0123abc", a revert, a
//!   follow-up). The author needed it, but may have found it at the end with `git blame`. It says nothing of memories that would have
//!   helped and were not named, so that precision is measured too low, and most of all in files with many memories.
//! - A failure also has every memory with **the same error text**. The cues of a memory are read from the same text, so that this
//!   label favours them.
//! - A command or a name that is searched for has the named memories in whose text it stands; the same holds.
//! - A commit that names no other is a moment at which **nothing should be shown**. That is an assumption.
//! - The goal of a session is the subject of the commit. An author knows more when it is written than an agent at the beginning.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use recall_core::Replacement;

use super::message::{MemoryText, has_error, named_ids, named_subjects, quoted_commands, quoted_errors};
use crate::quality::mine::{Commit, History, MineError, code_files};

/// The number of commits by which a memory is older than a moment at least. What was learnt just before is still in an agent's context.
const LAG: usize = 20;

/// The most code files of a commit. One with more has no single subject.
const MOST_FILES: usize = 5;

/// The most parts of a file that an edit replaces.
const MOST_REPLACEMENTS: usize = 3;

/// What happens at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum MomentKind {
    Prompt,
    Edit,
    Search,
    Command,
    Failure,
}

impl MomentKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Edit => "edit",
            Self::Search => "search",
            Self::Command => "command",
            Self::Failure => "failure",
        }
    }
}

/// A moment before a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// The place of the commit in the history, from the newest on.
    pub(super) place: usize,
    pub(super) kind: MomentKind,
    /// The prompt, path, name, command or output.
    pub(super) subject: String,
    /// What the edit replaces.
    pub(super) replacements: Vec<Replacement>,
    /// The places of the commits whose memories are right.
    pub(super) right: BTreeSet<usize>,
}

/// What is read from a history, and how much.
#[derive(Clone, Copy, Debug)]
pub(super) struct MomentLimits {
    /// The newest commits, before which there are moments.
    pub(super) commits: usize,
    /// Commits with a known memory, and as many without one.
    pub(super) moments: usize,
    pub(super) memories: usize,
    pub(super) seed: u64,
}

/// The memories and the moments of a history.
pub(super) struct MinedMoments {
    /// By the places of their commits, from the newest on.
    pub(super) memories: BTreeMap<usize, MemoryText>,
    /// From the oldest on.
    pub(super) moments: Vec<Moment>,
}

/// Mines the moments of commits, which stand from the newest on. The same history and the same limits give the same moments.
///
/// # Errors
/// `git` fails.
pub(super) fn mine(history: &History, commits: &[Commit], limits: &MomentLimits) -> Result<MinedMoments, MineError> {
    let mut random = fastrand::Rng::with_seed(limits.seed);
    let mut memories: BTreeMap<usize, MemoryText> = commits.iter().enumerate().filter_map(memory_text).collect();
    let history_names = Names::new(commits);
    let (mut with_memory, mut without) = (Vec::new(), Vec::new());
    let (mut quoting, mut quoting_others) = (Vec::new(), Vec::new());
    for (place, commit) in commits.iter().enumerate().take(limits.commits) {
        let files = code_files(commit, b"M");
        let is_usable = !commit.parents.is_empty() && (1..=MOST_FILES).contains(&files.len());
        let named = history_names.named_by(place, commit);
        let right: BTreeSet<usize> =
            named.iter().copied().filter(|older| *older >= place + LAG && memories.contains_key(older)).collect();
        if is_usable && !right.is_empty() {
            with_memory.push((place, right.clone()));
        } else if is_usable && named.is_empty() {
            without.push((place, BTreeSet::new()));
        }
        let quoted = quoted_moments(place, commit, &right, &memories);
        // What was named and is no memory may have been needed: nothing is known about this commit.
        if !commit.parents.is_empty() && (named.is_empty() || !right.is_empty()) {
            let (wanted, others): (Vec<_>, Vec<_>) = quoted.into_iter().partition(|moment| !moment.right.is_empty());
            quoting.extend(wanted);
            quoting_others.extend(others);
        }
    }
    let with_memory = sample(with_memory, limits.moments, &mut random);
    let without = sample(without, with_memory.len(), &mut random);
    let mut moments = sample(quoting, limits.moments, &mut random);
    moments.extend(sample(quoting_others, limits.moments / 2, &mut random));
    for (place, right) in with_memory.into_iter().chain(without) {
        moments.extend(edit_moments(history, place, commits, &right, &memories)?);
    }
    moments.sort_by_key(|moment| (std::cmp::Reverse(moment.place), moment.kind));
    let wanted: BTreeSet<usize> = moments.iter().flat_map(|moment| moment.right.iter().copied()).collect();
    let others = memories.keys().copied().filter(|place| !wanted.contains(place)).collect();
    let others = sample(others, limits.memories.saturating_sub(wanted.len()), &mut random);
    let wanted: BTreeSet<usize> = wanted.into_iter().chain(others).collect();
    memories.retain(|place, _| wanted.contains(place));
    Ok(MinedMoments { memories, moments })
}

/// Returns the memory of a commit that changes few code files.
fn memory_text((place, commit): (usize, &Commit)) -> Option<(usize, MemoryText)> {
    let count = code_files(commit, b"MA").len();
    (1..=MOST_FILES).contains(&count).then(|| MemoryText::from_message(commit)).flatten().map(|memory| (place, memory))
}

/// The commits of a history by what messages call them.
struct Names<'c> {
    by_digits: HashMap<&'c str, Vec<usize>>,
    by_subject: HashMap<&'c str, Vec<usize>>,
    commits: &'c [Commit],
}

/// The first digits of an id, by which it is looked up.
const DIGITS: usize = 7;

impl<'c> Names<'c> {
    fn new(commits: &'c [Commit]) -> Self {
        let mut names = Self { by_digits: HashMap::new(), by_subject: HashMap::new(), commits };
        for (place, commit) in commits.iter().enumerate() {
            names.by_digits.entry(&commit.id[..DIGITS.min(commit.id.len())]).or_default().push(place);
            names.by_subject.entry(&commit.subject).or_default().push(place);
        }
        names
    }

    /// Returns the older commits that a message names.
    fn named_by(&self, place: usize, commit: &Commit) -> BTreeSet<usize> {
        let message = format!("{}\n{}", commit.subject, commit.body);
        let mut named = BTreeSet::new();
        for id in named_ids(&message) {
            let alike = self.by_digits.get(&id[..DIGITS]).into_iter().flatten();
            named.extend(alike.filter(|older| **older > place && self.commits[**older].id.starts_with(id)));
        }
        for subject in named_subjects(commit) {
            let alike = self.by_subject.get(subject).into_iter().flatten();
            // The latest one that is older.
            named.extend(alike.filter(|older| **older > place).min());
        }
        named
    }
}

/// Returns the failures and the commands that a message quotes.
fn quoted_moments(
    place: usize,
    commit: &Commit,
    named: &BTreeSet<usize>,
    memories: &BTreeMap<usize, MemoryText>,
) -> Vec<Moment> {
    let mut moments = Vec::new();
    let errors = quoted_errors(&commit.body);
    if let Some(error) = errors.first() {
        let same = memories.range(place + LAG..).filter(|(_, memory)| has_error(&memory.content, error));
        let right = named.iter().copied().chain(same.map(|(older, _)| *older)).collect();
        let kind = MomentKind::Failure;
        moments.push(Moment { place, kind, subject: errors.join("\n"), replacements: Vec::new(), right });
    }
    if let Some(command) = quoted_commands(&commit.body).first() {
        let beginning: Vec<&str> = command.split_whitespace().take(2).collect();
        let right = select_with_text(named, memories, &beginning.join(" "));
        let (kind, subject) = (MomentKind::Command, (*command).to_owned());
        moments.push(Moment { place, kind, subject, replacements: Vec::new(), right });
    }
    moments
}

/// Returns those of some memories in which a text stands.
fn select_with_text(places: &BTreeSet<usize>, memories: &BTreeMap<usize, MemoryText>, text: &str) -> BTreeSet<usize> {
    let holds = |place: &usize| {
        memories.get(place).is_some_and(|memory| memory.content.contains(text) || memory.title.contains(text))
    };
    places.iter().copied().filter(holds).collect()
}

/// Returns the prompt, the edit of the file that the commit changes most, and the search for the definition that it edits.
fn edit_moments(
    history: &History,
    place: usize,
    commits: &[Commit],
    right: &BTreeSet<usize>,
    memories: &BTreeMap<usize, MemoryText>,
) -> Result<Vec<Moment>, MineError> {
    let commit = &commits[place];
    let mut files = Vec::new();
    for file in code_files(commit, b"M") {
        let hunks = history.hunks(&commit.id, &file)?;
        // The file in which the memory would be needed counts, if there is one.
        let is_shared = right.iter().any(|older| commits[*older].changes.iter().any(|(_, path)| *path == file));
        files.push((is_shared, hunks, file));
    }
    let Some((_, hunks, file)) = files.into_iter().max_by_key(|(is_shared, hunks, _)| (*is_shared, hunks.len())) else {
        return Ok(Vec::new());
    };
    let subject = commit.subject.clone();
    let right = right.clone();
    let replacements = hunks.iter().take(MOST_REPLACEMENTS);
    let replacements =
        replacements.map(|hunk| Replacement { before: hunk.before.clone(), after: hunk.after.clone() }).collect();
    let name = hunks.iter().find_map(|hunk| defined_name(&hunk.heading));
    let mut moments = vec![
        Moment { place, kind: MomentKind::Prompt, subject, replacements: Vec::new(), right: right.clone() },
        Moment { place, kind: MomentKind::Edit, subject: file, replacements, right: right.clone() },
    ];
    moments.extend(name.map(|name| Moment {
        place,
        kind: MomentKind::Search,
        right: select_with_text(&right, memories, &name),
        subject: name,
        replacements: Vec::new(),
    }));
    Ok(moments)
}

/// Returns the name before the first parenthesis of a heading, if it has the form of a name in code.
fn defined_name(heading: &str) -> Option<String> {
    let (before, _) = heading.split_once('(')?;
    let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let has_hump = name.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    (name.trim_matches('_').contains('_') || has_hump).then(|| name.to_owned())
}

/// Samples at most `most` items at random, in their order.
fn sample<T>(items: Vec<T>, most: usize, random: &mut fastrand::Rng) -> Vec<T> {
    let chosen: BTreeSet<usize> = random.choose_multiple(0..items.len(), most).into_iter().collect();
    items.into_iter().enumerate().filter(|(place, _)| chosen.contains(place)).map(|(_, item)| item).collect()
}

/// Whether the memory of a commit is old enough to be known at a moment.
pub(super) fn is_known_at(moment: &Moment, memory: usize) -> bool {
    memory >= moment.place + LAG
}

#[cfg(test)]
#[path = "../../../tests/mine/repository.rs"]
#[expect(dead_code, reason = "the tests of mining use the rest of it")]
mod repository;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::mine::Lineage;

    const LESSON: &str = "The lock of the store must be taken before the journal is read, because a writer that comes between them \
                          loses its events. It ended with\n\n    fatal: the journal of the store is torn\n";
    const LIMITS: MomentLimits = MomentLimits { commits: 100, moments: 10, memories: 10, seed: 1 };

    /// Returns a history in which a commit names an older one, and another quotes its error, after so many other commits.
    fn history(between: usize) -> (repository::Repository, Vec<Commit>) {
        let repository = repository::Repository::new();
        let body = |text: &str| format!("fn read_journal() {{\n    {text}\n}}\n");
        repository.commit("Add everything there is", &[("src/store.rs", &body("read()")), ("src/page.rs", "0")]);
        let named =
            repository.commit(&format!("store: take the lock first\n\n{LESSON}"), &[("src/store.rs", &body("lock()"))]);
        for number in 0..between {
            repository.commit(&format!("page: number {number}"), &[("src/page.rs", &format!("{number} more"))]);
        }
        let fixes =
            format!("store: read less under the lock\n\nFixes: {} (\"store: take the lock first\")", &named[..10]);
        repository.commit(&fixes, &[("src/store.rs", &body("lock(); read_less()")), ("src/page.rs", "last")]);
        let quotes = "store: name the file\n\nIt said\n\n    fatal: the journal of the store is torn\n\nand not where.\n\n    $ store check";
        repository.commit(quotes, &[("src/store.rs", &body("lock(); name()"))]);
        let history = History::open(repository.path()).expect("a repository");
        let commits = history.messages(Lineage::All, 1_000).expect("commits");
        (repository, commits)
    }

    fn mine_moments(repository: &repository::Repository, commits: &[Commit]) -> MinedMoments {
        mine(&History::open(repository.path()).expect("a repository"), commits, &LIMITS).expect("mined")
    }

    #[test]
    fn a_commit_that_names_an_older_one_needs_its_memory() {
        let (repository, commits) = history(LAG);
        let mined = mine_moments(&repository, &commits);
        let lesson = commits.len() - 2;
        assert_eq!(mined.memories.keys().copied().collect::<Vec<_>>(), [lesson]);
        let right: Vec<_> = mined.moments.iter().filter(|moment| !moment.right.is_empty()).collect();
        let found: Vec<_> = right.iter().map(|moment| (moment.place, moment.kind, moment.subject.as_str())).collect();
        let expected = [
            (1, MomentKind::Prompt, "store: read less under the lock"),
            (1, MomentKind::Edit, "src/store.rs"),
            (0, MomentKind::Failure, "fatal: the journal of the store is torn"),
        ];
        assert_eq!(found, expected);
        assert!(right.iter().all(|moment| moment.right == BTreeSet::from([lesson]) && is_known_at(moment, lesson)));
        assert!(
            right[1].replacements[0].before.contains("    lock()\n")
                && !right[1].replacements[0].after.contains("    lock()\n")
        );
        // Those of the commits that name nothing, and the command that no memory has.
        let others: BTreeSet<_> =
            mined.moments.iter().filter(|moment| moment.right.is_empty()).map(|it| it.kind).collect();
        assert!(others.contains(&MomentKind::Edit) && others.contains(&MomentKind::Command), "{others:?}");
    }

    #[test]
    fn a_memory_of_a_few_commits_ago_is_not_asked_for() {
        let (repository, commits) = history(LAG - 3);
        let mined = mine_moments(&repository, &commits);
        assert!(mined.moments.iter().all(|moment| moment.right.is_empty()));
        assert!(
            mined.moments.iter().all(|moment| moment.place != 1),
            "nothing is known about a commit that names a younger one"
        );
    }

    #[test]
    fn the_same_seed_gives_the_same_moments() {
        let (repository, commits) = history(LAG);
        assert_eq!(mine_moments(&repository, &commits).moments, mine_moments(&repository, &commits).moments);
    }
}
