//! The regular upkeep of the daemon: the memory ceiling, what projects' histories teach, and the deletion of indexes whose roots are
//! gone.
//!
//! Admission enforces the ceiling for index runs, messages and answers, which wait for their shares. The rest is for open
//! stores and searches, whose memory is only measured: idle stores are closed if the daemon is above it.

use std::sync::Arc;
use std::time::Duration;

use recall_engine::Room;
use tokio::time::MissedTickBehavior;

use crate::blocking;
use crate::daemon::Daemon;

/// How often the daemon measures its memory. Admission does not see the caches of open stores, which grow with searches.
const MEMORY_INTERVAL: Duration = Duration::from_secs(5);

/// The memory that a network takes per byte of its files: the runtime keeps some weights in a second form.
pub(crate) const COPIES_OF_A_NETWORK: u64 = 2;

/// The division of a ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    pub(crate) index_run_bytes: u64,
    /// For messages and answers.
    pub(crate) call_bytes: u64,
}

impl Shares {
    /// Returns three eighths for index runs and an eighth for calls. The other half is for open stores, searches and freed memory
    /// that the allocator still holds.
    pub(crate) fn split(ceiling_bytes: u64) -> Self {
        Self { index_run_bytes: ceiling_bytes / 8 * 3, call_bytes: ceiling_bytes / 8 }
    }
}

/// Closes idle stores while the daemon is above the ceiling, until `stop` is cancelled.
pub(crate) fn watch_memory(daemon: Arc<Daemon>) {
    let ceiling_bytes = daemon.settings.daemon.memory_ceiling_bytes;
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(MEMORY_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while daemon.stop.run_until_cancelled(ticks.tick()).await.is_some() {
            let asked = Arc::clone(&daemon);
            match blocking::run(move || asked.engine.make_room()).await {
                Ok(Room::Left) => {}
                Ok(Room::Full) => {
                    tracing::debug!(ceiling_bytes, "above the memory ceiling with every idle store closed");
                }
                Err(_) => tracing::error!("closing idle stores panicked"),
            }
        }
    });
}

/// How often the daemon looks for projects whose histories are to be learnt from. Without new commits, a look reads one small file
/// for each open project.
const HISTORY_INTERVAL: Duration = Duration::from_secs(30);

/// Learns from the histories of open projects, until `stop` is cancelled.
pub(crate) fn watch_histories(daemon: Arc<Daemon>) {
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(HISTORY_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while daemon.stop.run_until_cancelled(ticks.tick()).await.is_some() {
            let asked = Arc::clone(&daemon);
            if blocking::run(move || asked.engine.learn_from_history()).await.is_err() {
                tracing::error!("learning from a history panicked");
            }
        }
    });
}

/// How often the daemon checks which roots are gone. The first check is at the start.
const ROOTS_INTERVAL: Duration = Duration::from_hours(24);

/// Deletes the indexes of roots that have been gone for the time of the setting, until `stop` is cancelled.
pub(crate) fn watch_gone_roots(daemon: Arc<Daemon>) {
    let Some(grace) = daemon.settings.daemon.keep_gone_indexes else { return };
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(ROOTS_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while daemon.stop.run_until_cancelled(ticks.tick()).await.is_some() {
            let asked = Arc::clone(&daemon);
            if blocking::run(move || asked.engine.delete_gone_indexes(grace)).await.is_err() {
                tracing::error!("deleting the indexes of missing roots panicked");
            }
        }
    });
}
