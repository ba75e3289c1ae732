//! Recovery of own events that vanished from the journals.
//!
//! Git replaces a journal without taking its lock, and commands such as `git reset --hard` drop lines that were in no commit. Such an
//! event is acknowledged, but in no journal. It is still in the user's own log, and is put back once.
//!
//! What somebody removed on purpose is not put back: an event that a commit had lives and dies with the commits that have it, and
//! a line that was removed from a journal without git was removed by a person. If git changed something meanwhile, the file tells: git
//! replaces it as a whole by a version that it keeps, while an editor writes the same file, or one with other lines that git does not
//! keep ([`edited_by_hand`]).

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{Clock, Event, EventId, Timestamp};
use recall_journal::{Day, event_of_line, rfc_3339};
use recall_os::git::Repository;
use recall_os::{Access, Folder};
use recall_text::{PROJECT_FOLDER, error_chain};

use crate::finding::Problem;
use crate::git::{Git, KeptEvents};
use crate::indexing::memories::index_backlog_soon;
use crate::ledger::{Ledger, Suspicion};
use crate::store::{Jobs, Store};

/// How long after a change the journals are compared with the log. A checkout of 100,000 files takes a second, and git holds its
/// lock between two changes of a journal.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// How many times the comparison is tried while `git` runs; then it is left to the next request.
const ATTEMPTS: usize = 30;

/// How often a waiting comparison checks whether the store is being closed.
const LOOK: Duration = Duration::from_millis(10);

/// The most days whose journals are passed to one `git` command.
const MOST_DAYS: usize = 60;

/// The coarsest step of a file system's clock that is common: a file may seem older than it is by that much.
const CLOCK_STEP_NANOSECONDS: i64 = 20_000_000;

/// The reason for putting events back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trigger {
    /// A change of the journals.
    ByItself,
    /// The request of a person.
    ByPerson,
}

/// The outcome of a comparison.
enum JournalComparison {
    /// No event is missing any more.
    Done,
    /// Git is changing the work tree.
    Unsettled,
    /// Events are missing and were not put back.
    Left,
}

/// Own events that are neither in a journal nor in a commit.
#[derive(Default)]
struct Vanished {
    /// Those that are to be put back.
    events: Vec<Event>,
    /// Why they are not put back without a request; `None` if they are.
    reason: Option<String>,
    /// The ids of those that a person took out.
    taken_out: BTreeSet<EventId>,
    /// The ids of events that are in no journal of the work tree but in a commit.
    in_git: BTreeSet<EventId>,
}

/// Indexes the memories that the index lacks on a thread of its own, and compares the journals with the user's own log on another.
pub(crate) fn index_memories_soon(store: &Arc<Store>, clock: &Arc<dyn Clock>) {
    compare_own_soon(store, clock);
    index_backlog_soon(store, clock);
}

/// Compares the journals with the user's own log, if events may be missing. Runs on a thread of its own, after
/// [`SETTLED_AFTER`]. Events that are neither in a journal nor in git are put back.
pub(crate) fn compare_own_soon(store: &Arc<Store>, clock: &Arc<dyn Clock>) {
    if !store.ledger.begin_comparing() {
        return;
    }
    let (store_there, clock, working) = (Arc::clone(store), Arc::clone(clock), store.jobs.begin_thread());
    let thread = std::thread::Builder::new().name("put back".to_owned()).spawn(move || {
        let store = store_there;
        compare_own(&store, &clock);
        store.ledger.end_comparing();
        drop(store);
        drop(working);
    });
    if let Err(error) = thread {
        store.ledger.end_comparing();
        tracing::warn!(%error, "no thread to compare the journals with the log; the next request does");
    }
}

fn compare_own(store: &Arc<Store>, clock: &Arc<dyn Clock>) {
    for _ in 0..ATTEMPTS {
        if !wait_until_settled(&store.jobs) {
            return;
        }
        // Whether a journal was rewritten, and when it was read before, is known after it is read.
        if let Err(error) = store.ledger.refresh(clock.now()) {
            tracing::debug!(root = %store.root.display(), %error, "the journals are compared as they were read before");
        }
        let suspicion = store.ledger.take_suspicion();
        match put_back(store, suspicion, Trigger::ByItself, clock) {
            Ok(JournalComparison::Unsettled) => store.ledger.suspect(suspicion),
            // Events that were written meanwhile are compared before the thread ends.
            Ok(JournalComparison::Done | JournalComparison::Left) if store.ledger.is_suspicious() => {}
            Ok(JournalComparison::Done | JournalComparison::Left) => {
                store.ledger.forget_lost_days();
                return;
            }
            Err(reason) => {
                tracing::warn!(root = %store.root.display(), reason, "the journals were not compared with the log");
                return;
            }
        }
    }
}

/// Waits for [`SETTLED_AFTER`]; returns whether the store is still open.
fn wait_until_settled(jobs: &Jobs) -> bool {
    let began = Instant::now();
    while began.elapsed() < SETTLED_AFTER {
        if jobs.cancel().is_cancelled() {
            return false;
        }
        std::thread::sleep(LOOK);
    }
    true
}

/// Puts vanished events back at a person's request; returns whether no event is missing now.
pub(crate) fn put_back_now(store: &Arc<Store>, clock: &Arc<dyn Clock>) -> bool {
    matches!(put_back(store, Suspicion::ALWAYS, Trigger::ByPerson, clock), Ok(JournalComparison::Done))
}

fn put_back(
    store: &Arc<Store>,
    suspicion: Suspicion,
    trigger: Trigger,
    clock: &Arc<dyn Clock>,
) -> Result<JournalComparison, String> {
    let Some(log) = store.ledger.own_log() else { return Ok(JournalComparison::Done) };
    // A script that keeps switching branches could remove the events right after they were put back.
    let quiet = if trigger == Trigger::ByItself { SETTLED_AFTER } else { Duration::ZERO };
    if is_git_at_work(&store.root, clock.now(), quiet) {
        return Ok(JournalComparison::Unsettled);
    }
    let Vanished { events, reason, taken_out, in_git } = find_vanished(&store.ledger, &store.root, suspicion)?;
    // First of all: from now on these events live and die with their commits, even if the next step fails.
    log.returned.record_in_git(&in_git).map_err(|error| error_chain(&error))?;
    log.returned.record_taken_out(&taken_out).map_err(|error| error_chain(&error))?;
    if events.is_empty() {
        return Ok(JournalComparison::Done);
    }
    if let Some(reason) = reason.filter(|_| trigger == Trigger::ByItself) {
        tracing::warn!(root = %store.root.display(), events = events.len(), reason, "own events are in no journal");
        return Ok(JournalComparison::Left);
    }
    // No event is then missing only because it is being written at this moment.
    let alone = log.nobody_writes();
    if is_git_at_work(&store.root, clock.now(), quiet) {
        return Ok(JournalComparison::Unsettled);
    }
    let ids: BTreeSet<EventId> = events.iter().map(|event| event.id).collect();
    let absent = store.ledger.absent(&ids).map_err(|error| error_chain(&error))?;
    // The claim is on disk before the lines are written. A crash in between loses the repair, but no event is put back twice.
    let taken = log.returned.take(&absent, clock.now()).map_err(|error| error_chain(&error))?;
    let events: Vec<Event> = events.into_iter().filter(|event| taken.contains(&event.id)).collect();
    let count = events.len();
    if let Err(error) = store.ledger.append_again(events) {
        log.returned.release(&taken);
        return Err(error_chain(&error));
    }
    drop(alone);
    tracing::warn!(root = %store.root.display(), events = count, "own events had vanished and were put back");
    index_backlog_soon(store, clock);
    Ok(JournalComparison::Done)
}

/// Returns the own events that are in no journal and in no commit, and were never put back.
fn find_vanished(ledger: &Ledger, root: &Path, suspicion: Suspicion) -> Result<Vanished, String> {
    let missing = ledger.missing(suspicion.since).map_err(|error| error_chain(&error))?;
    let days: BTreeSet<Day> = missing.iter().map(|event| Day::from_timestamp(event.timestamp)).collect();
    let (kept, reason) = match kept_by_git(root, &days) {
        Ok(kept) => (kept, None),
        Err(reason) => (KeptEvents::default(), Some(reason)),
    };
    let ids = missing.iter().map(|event| event.id);
    let in_git = ids.filter(|id| kept.committed.contains(id)).collect();
    let missing = missing.into_iter().filter(|event| !kept.contains(event.id)).collect();
    let missing = ledger.applicable(missing).map_err(|error| error_chain(&error))?;
    let by_git = git_changed_at(root);
    let has_kept_journal = |event: &Event| ledger.has_kept_journal(Day::from_timestamp(event.timestamp));
    let is_removed = |event: &Event| {
        is_after_git(by_git, event, suspicion.intact) || edited_by_hand(root, event, suspicion.intact, &kept)
    };
    let is_taken_out = |event: &Event| reason.is_none() && has_kept_journal(event) && is_removed(event);
    let (taken_out, events): (Vec<Event>, Vec<Event>) = missing.into_iter().partition(is_taken_out);
    let taken_out = taken_out.into_iter().map(|event| event.id).collect();
    Ok(Vanished { events, reason, taken_out, in_git })
}

/// Returns whether git changed nothing since a line was in the journal.
fn is_after_git(by_git: Option<Timestamp>, event: &Event, intact: Option<Timestamp>) -> bool {
    // At this moment the line was in the journal.
    let there = intact.max(Some(event.timestamp)).unwrap_or_default();
    by_git.is_none_or(|at| at.0.saturating_add(CLOCK_STEP_NANOSECONDS) < there.0)
}

/// How long after an event was written its line was read again, for it to count as seen. An event of a moment in which git replaces
/// the journal may be lost without ever having been in the new file.
const SEEN_AFTER_NANOSECONDS: i64 = 1_000_000_000;

/// Returns whether a journal lost a line of a moment at which it was `intact` by an editor, and not by git.
///
/// Git never writes a file that is there: it makes a new one, of a version that it keeps. So the line was taken out by hand if the
/// file is older than the event, or if it was made with other lines that git keeps nowhere. Without the time at which the file was
/// made nothing is known.
fn edited_by_hand(root: &Path, event: &Event, intact: Option<Timestamp>, kept: &KeptEvents) -> bool {
    let was_seen = intact.is_some_and(|at| event.timestamp.0.saturating_add(SEEN_AFTER_NANOSECONDS) < at.0);
    let day = Day::from_timestamp(event.timestamp);
    let path = Path::new(PROJECT_FOLDER).join(day.path());
    let Some(journal) = Folder::open(root).and_then(|root| root.file(&path, Access::Read)).ok().filter(|_| was_seen)
    else {
        return false;
    };
    let Some(made) = journal.metadata().and_then(|metadata| metadata.created()).ok().map(Timestamp::from) else {
        return false;
    };
    let is_before = |at: Timestamp| at.0.saturating_add(CLOCK_STEP_NANOSECONDS) < made.0;
    if !is_before(event.timestamp) {
        return true;
    }
    let mut text = Vec::new();
    if journal.take(JOURNAL_BYTES).read_to_end(&mut text).is_err() {
        return false;
    }
    let mut others = text.split(|byte| *byte == b'\n').filter_map(|line| event_of_line(line, day));
    others.any(|other| is_before(other.timestamp) && !kept.contains(other.id))
}

/// The most bytes of a journal that are read to find out who changed it: a thousand memories.
const JOURNAL_BYTES: u64 = 16 * 1024 * 1024;

/// Returns the events of some days that git has, or why that is not known.
fn kept_by_git(root: &Path, days: &BTreeSet<Day>) -> Result<KeptEvents, String> {
    if days.is_empty() {
        return Ok(KeptEvents::default());
    }
    if !root.ancestors().any(|folder| folder.join(".git").exists()) {
        return Err("the project is not in a git repository, so a person may have taken them out".to_owned());
    }
    if days.len() > MOST_DAYS {
        return Err(format!("they are of {} days", days.len()));
    }
    let paths: Vec<PathBuf> = days.iter().map(|day| Path::new(".recall").join(day.path())).collect();
    Git::at(root).events_of(&paths).ok_or_else(|| "git does not say whether it keeps them".to_owned())
}

/// Returns the problems of this user's own events: unconfirmed, vanished, unreadable and put back.
pub(crate) fn vanished_problems(ledger: &Ledger, root: &Path) -> Vec<Problem> {
    let Some(log) = ledger.own_log() else { return Vec::new() };
    let mut problems = Vec::new();
    let memories = ledger.unconfirmed_memories().len() as u64;
    if memories > 0 {
        problems.push(Problem::Unconfirmed { memories });
    }
    match find_vanished(ledger, root, Suspicion::ALWAYS) {
        Ok(Vanished { events, reason, .. }) if !events.is_empty() => {
            problems.push(Problem::Vanished { events: events.len() as u64, reason });
        }
        Ok(_) => {}
        Err(reason) => problems.push(Problem::OwnUnread { reason }),
    }
    let taken_out = log.returned.taken_out().and_then(|taken_out| ledger.absent(&taken_out));
    match taken_out {
        Ok(events) if !events.is_empty() => problems.push(Problem::TakenOut { events: events.len() as u64 }),
        Ok(_) => {}
        Err(error) => problems.push(Problem::OwnUnread { reason: error_chain(&error) }),
    }
    match log.returned.put_back() {
        Ok(put_back) if !put_back.is_empty() => {
            let last = put_back.values().max().copied().unwrap_or_default();
            let gone_again = gone_again(ledger, root, &put_back.keys().copied().collect());
            let events = put_back.len() as u64;
            problems.push(Problem::PutBack { events, last: rfc_3339(last), gone_again });
        }
        Ok(_) => {}
        Err(error) => problems.push(Problem::OwnUnread { reason: error_chain(&error) }),
    }
    problems
}

/// Returns how many of the events that were put back have vanished again.
fn gone_again(ledger: &Ledger, root: &Path, put_back: &BTreeSet<EventId>) -> u64 {
    let Some(log) = ledger.own_log() else { return 0 };
    let Ok(absent) = ledger.absent(put_back) else { return 0 };
    let Ok(days) = log.days_of(&absent) else { return 0 };
    let kept = kept_by_git(root, &days).unwrap_or_default();
    absent.iter().filter(|id| !kept.contains(**id)).count() as u64
}

/// Returns how many events were put back since a time.
pub(crate) fn put_back_since(ledger: &Ledger, since: Timestamp) -> u64 {
    let put_back = ledger.own_log().and_then(|log| log.returned.put_back().ok()).unwrap_or_default();
    put_back.values().filter(|at| **at >= since).count() as u64
}

/// The files in git's folder that exist while the work tree is being changed: while a command runs, and during a rebase.
const AT_WORK: [&str; 3] = ["index.lock", "rebase-merge", "rebase-apply"];

/// The files that git writes whenever it changes the work tree.
const WRITTEN: [&str; 3] = ["index", "HEAD", "logs/HEAD"];

/// Returns whether `git` is changing the work tree, or did so less than `within` before `now`.
fn is_git_at_work(root: &Path, now: Timestamp, within: Duration) -> bool {
    let Some(git) = Repository::find(root).map(|repository| repository.git_dir) else { return false };
    let is_recent =
        |at: Timestamp| u64::try_from(now.0.saturating_sub(at.0)).is_ok_and(|age| Duration::from_nanos(age) < within);
    AT_WORK.iter().any(|name| git.join(name).exists()) || git_changed_at(root).is_some_and(is_recent)
}

/// Returns when `git` last changed the work tree.
fn git_changed_at(root: &Path) -> Option<Timestamp> {
    let git = Repository::find(root)?.git_dir;
    let written = |name: &&str| Some(Timestamp::from(git.join(name).metadata().ok()?.modified().ok()?));
    WRITTEN.iter().filter_map(written).max()
}
