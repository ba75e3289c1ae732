//! Freshness of a store's index before a search.
//!
//! If the files are watched, the operating system reports their changes; otherwise the root is scanned before every search. A scan
//! runs on a thread of its own. A search waits a short time for the scan, and a little longer for the ingest of the changes; then it
//! answers without them and returns a warning. Scanning at most once a second would be simpler, and an agent that edits and searches
//! within that second would get the old text (ADR 23).
//!
//! Scans are numbered. A search names the number that has to end before it may answer: a running scan may already have
//! passed a file that is written now, so a change that is seen during a scan needs the next one.

pub(super) mod scan;

use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{Clock, DocumentKey, Limits, OtherProjects, Scope, Timestamp};
use recall_text::error_chain;
use recall_watch::{Changes, StatOutcome};

use crate::Engine;
use crate::embeddings::UpdateExtent;
use crate::engine::MountedStores;
use crate::error::StoreError;
use crate::indexing::ingest::{RunControl, Task, Work, ingest};
use crate::indexing::memories::{MemoryWait, memory_work, wait_for_memories};
use crate::indexing::put_back::compare_own_soon;
use crate::origin::Origin;
use crate::settings::EngineSettings;
use crate::store::{Configuration, Phase, RunKind, ScanState, Store, Wanted, WorkExtent};
use crate::warning::{FirstIndex, FirstIndexStage, Indexing, Warning};

pub(crate) use scan::{Sync, SyncReport, sync};

/// If files are not watched and a scan took longer than a search waits for it, the pause before the next one is this many times
/// its duration, so that scans take at most 5 % of one core.
const REST_FACTOR: u32 = 20;

/// The longest duration of a scan that counts for the pause, which is at most [`REST_FACTOR`] times this.
const LONGEST_REST: Duration = Duration::from_secs(1);

/// Which scan a search needs.
enum Need {
    /// None: nothing has changed since the last one.
    Nothing,
    /// The scan with this number has to end.
    Scan(u64),
    /// A new one, which is not due yet. The search answers from the last one, which ended this long ago.
    LaterScan { ago: Duration },
}

impl Engine {
    /// Returns the stores that a request of that scope reads, freshened.
    pub(crate) fn fresh_stores(&self, origin: &Origin, scope: Scope) -> Result<MountedStores, StoreError> {
        self.prepared_stores(origin, scope, &OtherProjects::None, |store| freshen(store, &self.settings, &self.clock))
    }

    /// Begins to index the projects of a scope that were never indexed. Returns those whose index is not complete in time.
    ///
    /// # Errors
    /// The scope has no store, or a store cannot be opened or indexed.
    pub fn awaited_indexes(&self, origin: &Origin, scope: Scope) -> Result<Vec<FirstIndex>, StoreError> {
        let stores = self.stores(origin, scope)?;
        if !stores.iter().any(|store| store.awaits_first_index()) {
            return Ok(stores.iter().filter_map(|store| partial_index(store)).collect());
        }
        let MountedStores { warnings, .. } = self.fresh_stores(origin, scope)?;
        Ok(warnings.iter().filter_map(Warning::awaited_index).cloned().collect())
    }

    /// Returns whether there is more to answer from than there was for an answer without a complete index: the scan that it names has
    /// ended, the files that most likely answer its question are indexed, or its store is closed. Never waits for anything: a caller
    /// asks again until its time is up.
    pub fn has_more_for(&self, first: &FirstIndex) -> bool {
        let open = self.registry.open_stores();
        let Some(store) = open.iter().find(|store| store.root == first.root) else { return true };
        let state = store.files.scans().lock();
        let is_whole = state.ended >= first.scan && state.takes_questions != Some(RunKind::FirstIndex);
        is_whole || first.question.is_some_and(|question| state.likely_indexed >= question)
    }

    /// Returns how long the first search of a project waits for its index.
    pub fn first_index_wait(&self) -> Duration {
        self.settings.first_index_wait
    }
}

/// Returns the first index of a project if only a part of it can be searched.
fn partial_index(store: &Store) -> Option<FirstIndex> {
    let state = store.files.scans().lock();
    let reached = FirstIndexStage::Indexing(store.jobs.indexing().unwrap_or_default());
    state.indexes_most().then(|| FirstIndex {
        root: store.root.clone(),
        project: store.indexed_project(),
        scan: state.begun,
        question: None,
        stage: reached,
    })
}

/// Indexes the changes of a store's files and memories, as far as there is time, and returns warnings about the rest.
///
/// # Errors
/// The store was never indexed, and indexing it failed.
pub(crate) fn freshen(
    store: &Arc<Store>,
    settings: &EngineSettings,
    clock: &Arc<dyn Clock>,
) -> Result<Vec<Warning>, StoreError> {
    freshen_for(store, settings, clock, None)
}

/// Like [`freshen`], for a question. The first index of a large project has what it needs first, and the question does not wait for the
/// rest.
///
/// # Errors
/// As [`freshen`].
pub(crate) fn freshen_for(
    store: &Arc<Store>,
    settings: &EngineSettings,
    clock: &Arc<dyn Clock>,
    wanted: Option<&Wanted>,
) -> Result<Vec<Warning>, StoreError> {
    // Asked before anything is read: every write that ended before this search is then seen, and later ones belong to the next.
    let changes = store.files.changes(store.settings().limits.watch_wait);
    let mut warnings = freshen_files(store, changes, settings, clock, wanted)?;
    // Without a watch, the scan may not be due yet. What other work trees save is not watched.
    if !matches!(changes, Changes::Seen { journals: false, .. }) || store.ledger.shares_log() {
        store.files.refresh_journals(&store.ledger, clock.now());
    }
    compare_own_soon(store, clock);
    // After the files: a store's first index may have read its journals before the latest memories were written.
    if wait_for_memories(store, clock, settings.ingest_wait, settings.first_index_wait) == MemoryWait::InVain {
        warnings.push(Warning::MemoriesBehind);
    }
    warnings.extend(store.ledger.problem().map(|reason| Warning::JournalsUnread { reason }));
    warnings.extend(store.ledger.unread_lines().map(Warning::JournalLinesUnread));
    warnings.extend(store.files.selection().unread_lines().map(Warning::SelectionLinesUnread));
    Ok(warnings)
}

/// Scans the store's files, unless nothing has changed since the last scan, and waits for the ingest as long as there is time.
fn freshen_files(
    store: &Arc<Store>,
    changes: Changes,
    settings: &EngineSettings,
    clock: &Arc<dyn Clock>,
    wanted: Option<&Wanted>,
) -> Result<Vec<Warning>, StoreError> {
    let never_indexed = store.index.holds_nothing();
    let began = Instant::now();
    let is_configuration_changed = store.settings.follow(&store.files) == Configuration::Changed;
    let is_git_changed = store.files.follow_git() == Configuration::Changed;
    let settings_of_store = store.settings();
    store.ledger.admit_clones(settings_of_store.review.clone);
    let is_home_changed = store.files.follow_home(&settings_of_store.adopt.home) == Configuration::Changed;
    let limits = &settings_of_store.limits;
    let mut state = store.files.scans().lock();
    // A running scan may have begun with the old configuration.
    state.is_outdated |=
        is_configuration_changed || is_git_changed || is_home_changed || store.files.dirty().is_awaited();
    let needed = match state.need(changes, limits) {
        Need::Nothing => {
            let is_precaution_due = state.phase == Phase::Idle
                && state.last.is_none_or(|(at, _)| at.elapsed() >= limits.watched_scan_interval);
            if is_precaution_due {
                begin(&mut state, store, settings, clock)?;
                state.is_precaution = true;
            }
            return last_error(store, &state);
        }
        Need::LaterScan { ago } => {
            let mut warnings = last_error(store, &state)?;
            warnings.push(Warning::NotCompared { ago });
            return Ok(warnings);
        }
        Need::Scan(number) => number,
    };
    // A scan that was short before is short again, unless the machine is busy.
    let is_short = state.last.is_some_and(|(_, took)| took <= settings.few_files_wait);
    let (mut awaits_first, mut question) = (never_indexed, None);
    let usual_patience = match changes {
        Changes::Seen { files: true, .. } if is_short => limits.scan_wait.max(settings.few_files_wait),
        _ => limits.scan_wait,
    };
    // Index runs of other projects may take minutes. A search does not occupy a thread meanwhile: for a first index, its caller waits
    // (`Engine::has_more_for`), and otherwise it answers from the older index.
    let mut ingesting_since = None;
    while state.ended < needed {
        awaits_first = match state.takes_questions {
            Some(RunKind::FirstIndex) => true,
            // The older index answers before all of very many changes are in it.
            Some(RunKind::Changes) => never_indexed,
            None => awaits_first || state.extent == WorkExtent::MostlyNew,
        };
        if (awaits_first || state.takes_questions.is_some()) && question.is_none() {
            question = wanted.map(|wanted| store.jobs.questions().ask(wanted));
        }
        let patience = if awaits_first { settings.first_index_wait } else { usual_patience };
        let has_likely = question.is_some_and(|question| state.likely_indexed >= question);
        let deadline = match state.phase {
            // The scan that ran had begun before the change. The one that is needed can begin only after it.
            Phase::Idle => {
                begin(&mut state, store, settings, clock)?;
                continue;
            }
            _ if has_likely => began + settings.partial_after.min(patience),
            Phase::Queued => began + settings.ingest_wait.min(patience),
            // The files of a branch switch take too long to wait for.
            Phase::Ingesting if !awaits_first => {
                // Those that the question needs are a few.
                let are_few = state.extent == WorkExtent::Few || question.is_some() && !has_likely;
                let wait =
                    if are_few { settings.ingest_wait.max(settings.few_files_wait) } else { settings.ingest_wait };
                *ingesting_since.get_or_insert_with(Instant::now) + wait
            }
            Phase::Scanning | Phase::Ingesting => began + patience,
        };
        if !store.files.scans().wait(&mut state, deadline) {
            break;
        }
    }
    if state.ended >= needed {
        let is_first = never_indexed.then_some(&state.result);
        if let Some(Some(Ok(outcome))) = is_first
            && outcome.added > 0
        {
            return Ok(vec![Warning::IndexedOnTheWay {
                project: store.indexed_project(),
                files: outcome.added,
                took: began.elapsed(),
            }]);
        }
        return last_error(store, &state);
    }
    let has_likely = question.is_some_and(|question| state.likely_indexed >= question);
    let (phase, run) = (state.phase, state.takes_questions);
    drop(state);
    let indexing = store.jobs.indexing().unwrap_or_default();
    if let Some(stage) = index_stage(phase, run, awaits_first, has_likely, indexing) {
        let (root, project) = (store.root.clone(), store.indexed_project());
        return Ok(vec![Warning::NotIndexedYet(FirstIndex { root, project, scan: needed, question, stage })]);
    }
    Ok(vec![match phase {
        Phase::Idle | Phase::Scanning => Warning::ScanRunning,
        Phase::Queued => Warning::IndexingWaits,
        Phase::Ingesting => Warning::Indexing { files_done: indexing.files_done, files: indexing.files },
    }])
}

/// Returns how far the index is from which a search answers; `None` if only the latest edits may be missing in it.
fn index_stage(
    phase: Phase,
    run: Option<RunKind>,
    awaits_first: bool,
    has_likely: bool,
    indexing: Indexing,
) -> Option<FirstIndexStage> {
    match phase {
        _ if awaits_first && has_likely => Some(FirstIndexStage::LikelyIndexed(indexing)),
        Phase::Queued if awaits_first => Some(FirstIndexStage::Queued),
        Phase::Idle | Phase::Scanning if awaits_first => Some(FirstIndexStage::Scanning),
        Phase::Ingesting if awaits_first => Some(FirstIndexStage::Indexing(indexing)),
        Phase::Ingesting if run == Some(RunKind::Changes) => Some(FirstIndexStage::ChangesLeft(indexing)),
        _ => None,
    }
}

impl ScanState {
    /// Returns the scan that has to end before a search that starts now may answer.
    fn need(&self, changes: Changes, limits: &Limits) -> Need {
        let next = self.begun + 1;
        let Some((at, took)) = self.last else {
            // The first scan: a running one covers everything that the search may find.
            return Need::Scan(if self.phase == Phase::Idle { next } else { self.begun });
        };
        if self.is_outdated {
            return Need::Scan(next);
        }
        let (ago, has_failed) = (at.elapsed(), matches!(self.result, Some(Err(_))));
        if self.phase == Phase::Idle && has_failed && ago < limits.look_interval {
            // The error is reported. Retrying before each answer would only delay it.
            return Need::Nothing;
        }
        match changes {
            Changes::Seen { files: true, .. } => Need::Scan(next),
            Changes::Seen { files: false, .. } if self.phase == Phase::Idle || self.is_precaution => Need::Nothing,
            // The running scan sees the changes that were made before it began.
            Changes::Seen { files: false, .. } => Need::Scan(self.begun),
            Changes::Unknown => {
                let is_short = took <= limits.scan_wait;
                let rest = if is_short { Duration::ZERO } else { took.min(LONGEST_REST) * REST_FACTOR };
                let is_due = ago >= limits.scan_interval.max(rest);
                // A running scan may miss the changes that are made while it runs.
                if is_due || self.phase != Phase::Idle { Need::Scan(next) } else { Need::LaterScan { ago } }
            }
        }
    }
}

fn begin(
    state: &mut ScanState,
    store: &Arc<Store>,
    settings: &EngineSettings,
    clock: &Arc<dyn Clock>,
) -> Result<(), StoreError> {
    state.phase = Phase::Scanning;
    state.begun += 1;
    state.began = Some(Instant::now());
    state.is_precaution = false;
    state.is_outdated = false;
    state.result = None;
    spawn(store, settings, clock).inspect_err(|_| {
        state.phase = Phase::Idle;
        state.ended = state.begun;
    })
}

/// Returns the error of the last scan, as a warning if the store can still answer.
fn last_error(store: &Store, state: &ScanState) -> Result<Vec<Warning>, StoreError> {
    match &state.result {
        Some(Err(error)) => scan_warnings(store, Arc::clone(error)),
        _ => Ok(Vec::new()),
    }
}

/// Converts the error of a scan: into a warning if the store holds documents, or else into an error of the search.
fn scan_warnings(store: &Store, error: Arc<StoreError>) -> Result<Vec<Warning>, StoreError> {
    if store.index.holds_nothing() {
        return Err(StoreError::NotIndexed { root: store.root.clone(), source: error });
    }
    Ok(vec![Warning::NotRefreshed { reason: error_chain(&*error) }])
}

/// Starts the scan on a thread of its own.
fn spawn(store: &Arc<Store>, settings: &EngineSettings, clock: &Arc<dyn Clock>) -> Result<(), StoreError> {
    let (store_there, settings, clock) = (Arc::clone(store), settings.clone(), Arc::clone(clock));
    let working = store.jobs.begin_thread();
    let thread = std::thread::Builder::new().name("freshness".to_owned()).spawn(move || {
        let store = store_there;
        // The guard wakes the waiting searches even if the scan panics.
        let mut end = EndOfScan { store: &store, is_well: false };
        // Before the walk: a change that arrives while it runs is one that it may have missed.
        store.files.mark_read_started();
        let cancel = store.jobs.cancel().clone();
        let mut job = Sync {
            store: &store,
            threads: settings.ingest_threads,
            now: clock.now(),
            cancel: &cancel,
            progress: &mut |_| {},
        };
        let report = sync(&mut job);
        let (result, index_run) = match report {
            Ok(SyncReport { outcome, unchanged: _, index_run }) => (Ok(outcome), index_run),
            Err(error) => (Err(Arc::new(error)), None),
        };
        if let Err(error) = &result {
            let reason = error_chain(&**error);
            tracing::warn!(root = %store.root.display(), reason, "the store could not be brought up to its files");
        }
        end.is_well = result.is_ok();
        store.files.scans().set_result(result);
        // Wakes the searches that wait: an answer by words needs nothing of what follows.
        drop(end);
        store.catch_up(UpdateExtent::Complete);
        store.settle();
        // The run returns its memory after the merges. The slow embeddings take minutes and need none of it.
        drop(index_run);
        store.empty_log();
        store.embed_soon();
        drop(store);
        drop(working);
    });
    thread.map(|_| ()).map_err(|source| StoreError::Thread { source })
}

struct EndOfScan<'a> {
    store: &'a Store,
    is_well: bool,
}

impl Drop for EndOfScan<'_> {
    fn drop(&mut self) {
        if !self.is_well {
            self.store.files.mark_read_failed();
        }
        self.store.files.scans().end();
    }
}

/// Indexes the named files without a scan, and all changed memories if one is named. Files that are missing or no longer indexable
/// are removed from the index. Fails if another thread writes the index for longer than `patience`.
pub(crate) fn refresh_documents(
    store: &Arc<Store>,
    documents: &BTreeSet<DocumentKey>,
    now: Timestamp,
    patience: Duration,
) -> Result<(), StoreError> {
    let known = store.index.known_documents();
    let selection = store.files.selection();
    let mut work = Work::default();
    let mut has_memories = false;
    for document in documents {
        let path = match document {
            DocumentKey::File(path) => path,
            DocumentKey::Memory(_) => {
                has_memories = true;
                continue;
            }
        };
        match store.files.stat(path) {
            StatOutcome::File { size_bytes, modified } => {
                work.read.push(Task::File(scan::task(path, size_bytes, modified, &known, &selection)));
            }
            _ => work.gone.push(path.as_str().to_owned()),
        }
    }
    if has_memories {
        let memories = memory_work(&store.ledger, &known);
        work.read.extend(memories.read);
        work.gone_memories.extend(memories.gone);
    }
    let cancel = store.jobs.cancel().clone();
    let mut control = RunControl { patience, progress: &mut |_| {}, cancel: &cancel, likely_indexed: &mut |_| {} };
    let ingested = ingest(store, &work, NonZero::<usize>::MIN, now, None, &mut control);
    // A run in which the files were written goes on with the open writer, and settles the index at its end.
    if store.jobs.indexing().is_none() {
        store.settle_soon(None);
    }
    ingested.map(|_| ())
}
