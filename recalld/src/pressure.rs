//! The memory ceiling: how it is shared out, and what is closed when the daemon is above it all the same.
//!
//! Admission holds the ceiling: imports, messages and answers wait for their shares. What stays is for open stores and for
//! searches, whose memory is looked at rather than counted.

use std::sync::Arc;
use std::time::Duration;

use recall_engine::Room;
use tokio::time::MissedTickBehavior;

use crate::blocking;
use crate::daemon::Daemon;

/// How often the daemon looks at its memory, for what no admission sees: the caches of open stores grow with searches.
const INTERVAL: Duration = Duration::from_secs(5);

/// How much memory a network takes for each byte of its files: the runtime keeps some weights in a second form.
pub(crate) const COPIES_OF_A_NETWORK: u64 = 2;

/// How a ceiling is shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shares {
    /// For imports.
    pub(crate) import_bytes: u64,
    /// For messages and answers.
    pub(crate) call_bytes: u64,
}

impl Shares {
    /// Three eighths for imports and an eighth for calls; the other half is for open stores, searches and what the allocator
    /// has not given back yet.
    pub(crate) fn of(ceiling_bytes: u64) -> Self {
        Self { import_bytes: ceiling_bytes / 8 * 3, call_bytes: ceiling_bytes / 8 }
    }
}

/// Keeps to the ceiling until `stop` is cancelled.
pub(crate) fn watch(daemon: Arc<Daemon>) {
    let ceiling_bytes = daemon.settings.daemon.memory_ceiling_bytes;
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(INTERVAL);
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
