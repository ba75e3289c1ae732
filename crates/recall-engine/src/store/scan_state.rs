//! When a store was last compared with its files, and whether that is being done.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::ingest_outcome::IngestOutcome;
use crate::error::StoreError;

/// When the store was last compared with its files, and whether that is being done.
#[derive(Debug, Default)]
pub(crate) struct Freshness {
    pub(crate) state: Mutex<ScanState>,
    pub(crate) changed: Condvar,
}

/// How far comparisons of the store with its files are.
#[derive(Debug, Default)]
pub(crate) struct ScanState {
    pub(crate) phase: Phase,
    /// How many scans have begun and ended.
    pub(crate) begun: u64,
    pub(crate) ended: u64,
    /// Whether the running scan was begun although nothing was seen to change: nobody has to wait for it.
    pub(crate) is_precaution: bool,
    /// Whether other files are to be indexed than at the last comparison.
    pub(crate) is_outdated: bool,
    /// When the running scan began, and how long its look at the files took.
    pub(crate) began: Option<Instant>,
    pub(crate) scan_took: Option<Duration>,
    /// When the last comparison ended, and how long its look at the files had taken.
    pub(crate) last: Option<(Instant, Duration)>,
    /// What the last scan's ingest did, or why it failed. A failure is told until a comparison ends well.
    pub(crate) result: Option<Result<IngestOutcome, Arc<StoreError>>>,
}

/// What is being done of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
    #[default]
    Idle,
    Scanning,
    /// Waits for its turn to import.
    Queued,
    Ingesting,
}

impl Freshness {
    /// When the last scan ended.
    pub(crate) fn last_scan(&self) -> Option<Instant> {
        self.state.lock().last.map(|(at, _)| at)
    }

    /// Whether the store was compared with its files, and that ended well.
    pub(crate) fn is_compared(&self) -> bool {
        let state = self.state.lock();
        state.last.is_some() && !matches!(state.result, Some(Err(_)))
    }

    /// Takes note of a comparison that ran outside of a search and ended well.
    pub(crate) fn scanned_elsewhere(&self, began: Instant) {
        let mut state = self.state.lock();
        state.last = Some((Instant::now(), began.elapsed()));
        state.result = None;
    }

    /// Takes note of a comparison that ran outside of a search and failed: the next search makes its own.
    pub(crate) fn failed_elsewhere(&self) {
        self.state.lock().last = None;
    }

    /// Says that the scan is through and that what it found is being ingested.
    pub(crate) fn scanned(&self) {
        let mut state = self.state.lock();
        if state.phase == Phase::Scanning {
            state.phase = Phase::Ingesting;
            state.scan_took = state.began.map(|began| began.elapsed());
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Says that the comparison waits for its turn to import; it is what it was once the returned value is dropped.
    pub(crate) fn queue(&self) -> InQueue<'_> {
        let mut state = self.state.lock();
        let before = state.phase;
        if before != Phase::Idle {
            state.phase = Phase::Queued;
        }
        drop(state);
        self.changed.notify_all();
        InQueue { freshness: self, before }
    }

    pub(crate) fn end(&self) {
        let mut state = self.state.lock();
        let began = state.began.take().unwrap_or_else(Instant::now);
        let took = state.scan_took.take().unwrap_or_else(|| began.elapsed());
        state.phase = Phase::Idle;
        state.ended = state.begun;
        state.last = Some((Instant::now(), took));
        drop(state);
        self.changed.notify_all();
    }
}

/// A comparison that waits for its turn to import.
pub(crate) struct InQueue<'a> {
    freshness: &'a Freshness,
    before: Phase,
}

impl Drop for InQueue<'_> {
    fn drop(&mut self) {
        let mut state = self.freshness.state.lock();
        if state.phase == Phase::Queued {
            state.phase = self.before;
            // A search measures from here how long the comparison takes.
            state.began = Some(Instant::now());
        }
        drop(state);
        self.freshness.changed.notify_all();
    }
}
