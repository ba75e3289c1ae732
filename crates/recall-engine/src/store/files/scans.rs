//! The state of a store's scans: when the last one ended, what the running one does, and the files that the next one reads or
//! rewrites although their stat is unchanged.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Condvar;
use recall_core::Timestamp;
use recall_text::DocPath;
use recall_watch::{FoundFile, LeftOut};

use crate::error::StoreError;
use crate::store::ordered::{OrderedGuard, OrderedMutex, Rank};

/// The counts of an ingest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IngestOutcome {
    pub(crate) added: u64,
    pub(crate) changed: u64,
    /// Files with a changed stat and unchanged content.
    pub(crate) touched: u64,
    pub(crate) removed: u64,
    /// Files that could not be read or parsed.
    pub(crate) failed: u64,
    /// Files that are not indexed because of their content, as binary files.
    pub(crate) skipped: u64,
    /// Files that were parsed in parts.
    pub(crate) in_parts: u64,
    pub(crate) chunks: u64,
    pub(crate) bytes: u64,
}

impl IngestOutcome {
    /// Adds the counts of another part of the ingest.
    pub(crate) fn add(&mut self, part: &Self) {
        let &Self { added, changed, touched, removed, failed, skipped, in_parts, chunks, bytes } = part;
        self.added += added;
        self.changed += changed;
        self.touched += touched;
        self.removed += removed;
        self.failed += failed;
        self.skipped += skipped;
        self.in_parts += in_parts;
        self.chunks += chunks;
        self.bytes += bytes;
    }

    pub(crate) fn log(&self, root: &Path, took: Duration) {
        let Self { added, changed, touched, removed, failed, skipped, in_parts: _, chunks, bytes } = self;
        let (root, took_ms) = (root.display(), took.as_millis() as u64);
        tracing::info!(%root, added, changed, touched, removed, failed, skipped, chunks, bytes, took_ms, "indexed");
    }
}

/// What rules leave out, as the last scan found it.
#[derive(Debug, Default)]
pub(crate) struct RuledOut {
    /// Files and directories, the first thousand by path.
    pub(crate) listed: Vec<LeftOut>,
    /// How many there are.
    pub(crate) count: u64,
}

/// The state of a store's scans, and a way to wait for a change of it.
#[derive(Debug)]
pub(crate) struct Scans {
    state: OrderedMutex<ScanState>,
    changed: Condvar,
}

/// The progress of scans of a store.
#[derive(Debug, Default)]
pub(crate) struct ScanState {
    pub(crate) phase: Phase,
    /// How many scans have begun and ended.
    pub(crate) begun: u64,
    pub(crate) ended: u64,
    /// Whether the running scan began although no change was seen. Searches do not wait for it.
    pub(crate) is_precaution: bool,
    /// Whether the set of files to index has changed since the last scan.
    pub(crate) is_outdated: bool,
    /// When the running scan began, and how long its walk over the files took.
    pub(crate) began: Option<Instant>,
    pub(crate) scan_took: Option<Duration>,
    /// How much the running ingest reads.
    pub(crate) extent: WorkExtent,
    /// The number of the last question whose most likely files are indexed, while very many files are indexed.
    pub(crate) likely_indexed: u64,
    /// The running run to which questions can say what they need next, because it indexes very many files.
    pub(crate) takes_questions: Option<RunKind>,
    /// How many files the last scan listed: those to index, and those that are left out for a reason other than the user's rules.
    pub(crate) listed: u64,
    /// What rules leave out.
    pub(crate) ruled_out: Arc<RuledOut>,
    /// When the last scan ended, and how long its walk over the files took.
    pub(crate) last: Option<(Instant, Duration)>,
    /// The outcome of the last scan's ingest, or its error. An error is reported until a scan succeeds.
    pub(crate) result: Option<Result<IngestOutcome, Arc<StoreError>>>,
}

/// The phase of the running scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    #[default]
    Idle,
    Scanning,
    /// Waits for its turn to index.
    Queued,
    Ingesting,
}

/// How much a scan has found to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WorkExtent {
    /// A few files, as after an edit. They are indexed in tens of milliseconds on a machine that is not busy.
    #[default]
    Few,
    /// Many files, as after a change of branch.
    Many,
    /// Many files, and more than the index has, as after a first index that was interrupted.
    MostlyNew,
}

/// What a run of very many files is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// The first index of a project. Nothing answers before it.
    FirstIndex,
    /// Changes of files. Searches answer from the older index meanwhile.
    Changes,
}

impl ScanState {
    /// Returns whether most of the files are still to be indexed, as in a first index.
    pub(crate) fn indexes_most(&self) -> bool {
        self.extent == WorkExtent::MostlyNew || self.takes_questions == Some(RunKind::FirstIndex)
    }

    /// Forgets how much a scan outside of a search had to read, unless another one is running.
    fn leave_extent(&mut self) {
        if self.phase == Phase::Idle {
            self.extent = WorkExtent::default();
        }
    }
}

impl Default for Scans {
    fn default() -> Self {
        Self { state: OrderedMutex::new(Rank::Scans, ScanState::default()), changed: Condvar::new() }
    }
}

impl Scans {
    pub(crate) fn lock(&self) -> OrderedGuard<'_, ScanState> {
        self.state.lock()
    }

    /// Waits for a change of the state; returns `false` if the deadline passes first.
    pub(crate) fn wait(&self, state: &mut OrderedGuard<'_, ScanState>, deadline: Instant) -> bool {
        state.wait_until(&self.changed, deadline)
    }

    /// Records the outcome of the running scan.
    pub(crate) fn set_result(&self, result: Result<IngestOutcome, Arc<StoreError>>) {
        self.state.lock().result = Some(result);
    }

    /// Returns when the last scan ended.
    pub(crate) fn last_scan(&self) -> Option<Instant> {
        self.state.lock().last.map(|(at, _)| at)
    }

    /// Returns how many files the last scan listed.
    pub(crate) fn listed_files(&self) -> u64 {
        self.state.lock().listed
    }

    /// Returns what rules leave out, as the last scan found it.
    pub(crate) fn ruled_out(&self) -> Arc<RuledOut> {
        Arc::clone(&self.state.lock().ruled_out)
    }

    /// Returns whether the last scan succeeded.
    pub(crate) fn is_compared(&self) -> bool {
        let state = self.state.lock();
        state.last.is_some() && !matches!(state.result, Some(Err(_)))
    }

    /// Records a scan that ran outside of a search and succeeded.
    pub(crate) fn scanned_elsewhere(&self, began: Instant) {
        let mut state = self.state.lock();
        state.last = Some((Instant::now(), began.elapsed()));
        state.result = None;
        state.leave_extent();
    }

    /// Records a scan that ran outside of a search and failed: the next search scans again.
    pub(crate) fn failed_elsewhere(&self) {
        let mut state = self.state.lock();
        state.last = None;
        state.leave_extent();
    }

    /// Records that the walk is done, how many files it listed, what rules leave out, how much is to be read, and that this is being
    /// ingested.
    pub(crate) fn note_scan(&self, listed: u64, ruled_out: RuledOut, extent: WorkExtent) {
        let mut state = self.state.lock();
        (state.listed, state.extent) = (listed, extent);
        state.ruled_out = Arc::new(ruled_out);
        if state.phase == Phase::Scanning {
            state.phase = Phase::Ingesting;
            state.scan_took = state.began.map(|began| began.elapsed());
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Records that questions can say what a run needs next. Wakes the searches that wait, so that they do.
    pub(crate) fn take_questions(&self, run: RunKind) {
        self.state.lock().takes_questions = Some(run);
        self.changed.notify_all();
    }

    /// Records that the most likely files of the questions up to that number are indexed.
    pub(crate) fn note_likely(&self, question: u64) {
        self.state.lock().likely_indexed = question;
        self.changed.notify_all();
    }

    /// Records that no run takes questions.
    pub(crate) fn leave_questions(&self) {
        self.state.lock().takes_questions = None;
    }

    /// Records that the scan waits for its turn to index. Dropping the returned guard restores the phase.
    pub(crate) fn queue(&self) -> InQueue<'_> {
        let mut state = self.state.lock();
        let before = state.phase;
        if before != Phase::Idle {
            state.phase = Phase::Queued;
        }
        drop(state);
        self.changed.notify_all();
        InQueue { scans: self, before }
    }

    pub(crate) fn end(&self) {
        let mut state = self.state.lock();
        let began = state.began.take().unwrap_or_else(Instant::now);
        let took = state.scan_took.take().unwrap_or_else(|| began.elapsed());
        state.phase = Phase::Idle;
        state.extent = WorkExtent::default();
        state.ended = state.begun;
        state.last = Some((Instant::now(), took));
        drop(state);
        self.changed.notify_all();
    }
}

/// The guard of a scan that waits for its turn to index.
pub(crate) struct InQueue<'a> {
    scans: &'a Scans,
    before: Phase,
}

impl Drop for InQueue<'_> {
    fn drop(&mut self) {
        let mut state = self.scans.state.lock();
        if state.phase == Phase::Queued {
            state.phase = self.before;
            // A search measures the duration of the scan from here.
            state.began = Some(Instant::now());
        }
        drop(state);
        self.scans.changed.notify_all();
    }
}

/// The files that the next scan does not judge by their stat alone.
#[derive(Debug)]
pub(crate) struct DirtyFiles {
    state: OrderedMutex<State>,
}

impl Default for DirtyFiles {
    fn default() -> Self {
        Self { state: OrderedMutex::new(Rank::Dirty, State::default()) }
    }
}

#[derive(Debug, Default)]
struct State {
    /// Read so soon after their last change that a further change may have the same time.
    racy: HashSet<DocPath>,
    /// Files and directories to be rewritten even if their content is unchanged, because their labels changed.
    to_rewrite: HashSet<DocPath>,
    /// Whether every file is to be rewritten.
    everything: bool,
    /// When the last scan began that found the index to be that of the files.
    compared_at: Option<Timestamp>,
}

/// How a file is compared with the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    Stat,
    /// By its content's hash.
    Hash,
    /// Not at all: it is rewritten.
    Rewrite,
}

impl DirtyFiles {
    pub(crate) fn racy(&self, path: &DocPath) {
        self.state.lock().racy.insert(path.clone());
    }

    pub(crate) fn rewrite(&self, path: &DocPath) {
        self.state.lock().to_rewrite.insert(path.clone());
    }

    /// Has every file rewritten.
    pub(crate) fn rewrite_everything(&self) {
        self.state.lock().everything = true;
    }

    /// Returns whether files are to be rewritten although none of them changed.
    pub(crate) fn is_awaited(&self) -> bool {
        let state = self.state.lock();
        state.everything || !state.to_rewrite.is_empty()
    }

    /// Takes everything that was noted so far. Later notes are for the next scan.
    pub(crate) fn take(&self) -> DirtySnapshot {
        let mut state = self.state.lock();
        let State { racy, to_rewrite, everything, compared_at } = std::mem::take(&mut *state);
        state.compared_at = compared_at;
        DirtySnapshot { racy, to_rewrite, everything, compared_at }
    }

    /// Notes when a scan began after which the index is that of the files. Returns the time noted before.
    pub(crate) fn note_comparison(&self, at: Timestamp) -> Option<Timestamp> {
        self.state.lock().compared_at.replace(at)
    }

    /// Gives back what was taken for a scan that failed.
    pub(crate) fn put_back(&self, noted: DirtySnapshot) {
        let mut state = self.state.lock();
        state.racy.extend(noted.racy);
        state.to_rewrite.extend(noted.to_rewrite);
        state.everything |= noted.everything;
    }
}

/// What was noted for one scan.
#[derive(Debug, Default)]
pub(crate) struct DirtySnapshot {
    racy: HashSet<DocPath>,
    to_rewrite: HashSet<DocPath>,
    everything: bool,
    compared_at: Option<Timestamp>,
}

/// The coarsest step of the clock that stamps files: a change may seem older than it is by that much.
const CLOCK_STEP_NANOS: i64 = 20_000_000;

impl DirtySnapshot {
    /// Returns whether every file is to be rewritten.
    pub(crate) fn covers_everything(&self) -> bool {
        self.everything
    }

    /// Returns how a file is to be compared.
    pub(crate) fn check(&self, file: &FoundFile) -> Check {
        if self.everything || (!self.to_rewrite.is_empty() && self.covers(&file.path)) {
            Check::Rewrite
        } else if self.racy.contains(&file.path) || self.may_be_overwritten(file) {
            Check::Hash
        } else {
            Check::Stat
        }
    }

    /// Returns whether a file changed since the last comparison and was given another modification time, as by `cp -p`: that may be
    /// the time before. Git looks at the change time too.
    fn may_be_overwritten(&self, file: &FoundFile) -> bool {
        let is_later = |at: Timestamp| file.changed.0.saturating_add(CLOCK_STEP_NANOS) >= at.0;
        file.changed != file.modified && self.compared_at.is_some_and(is_later)
    }

    fn covers(&self, path: &DocPath) -> bool {
        self.to_rewrite.iter().any(|above| path.is_at_or_below(above.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_taken_once() {
        let path = |text: &str| DocPath::new(text).expect("plain");
        let file = |text: &str| found(text, 1, 1);
        let dirty = DirtyFiles::default();
        dirty.racy(&path("a.rs"));
        dirty.rewrite(&path("docs"));
        let noted = dirty.take();
        assert_eq!(noted.check(&file("a.rs")), Check::Hash);
        assert_eq!(noted.check(&file("docs/b/c.md")), Check::Rewrite);
        assert_eq!(noted.check(&file("docs2/c.md")), Check::Stat);
        assert_eq!(dirty.take().check(&file("a.rs")), Check::Stat);
        dirty.put_back(noted);
        assert_eq!(dirty.take().check(&file("a.rs")), Check::Hash);
        dirty.rewrite_everything();
        assert_eq!(dirty.take().check(&file("z.rs")), Check::Rewrite);
        assert_eq!(dirty.take().check(&file("z.rs")), Check::Stat);
    }

    fn found(path: &str, modified: i64, changed: i64) -> FoundFile {
        FoundFile {
            path: DocPath::new(path).expect("plain"),
            size_bytes: 1,
            modified: Timestamp(modified),
            changed: Timestamp(changed),
        }
    }

    #[test]
    fn a_file_that_changed_since_the_last_comparison_with_another_time_is_hashed() {
        const SECOND: i64 = 1_000_000_000;
        let dirty = DirtyFiles::default();
        let check = |modified: i64, changed: i64| dirty.take().check(&found("a", modified * SECOND, changed * SECOND));
        assert_eq!(check(1, 20), Check::Stat, "nothing was compared");
        assert_eq!(dirty.note_comparison(Timestamp(10 * SECOND)), None);
        assert_eq!(check(1, 20), Check::Hash);
        assert_eq!(check(1, 10), Check::Hash, "in the same tick");
        assert_eq!(check(1, 9), Check::Stat, "before the comparison");
        assert_eq!(check(20, 20), Check::Stat, "the modification time tells");
        assert_eq!(check(99, 20), Check::Hash, "a time in the future");
        assert_eq!(dirty.note_comparison(Timestamp(30 * SECOND)), Some(Timestamp(10 * SECOND)));
        assert_eq!(check(1, 20), Check::Stat);
    }
}
