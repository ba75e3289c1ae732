//! The deletion of indexes whose roots are gone.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::blocking;
use crate::daemon::Daemon;

/// How often the daemon checks which roots are gone. The first check is at the start.
const INTERVAL: Duration = Duration::from_hours(24);

/// Deletes the indexes of roots that have been gone for the time of the setting, until `stop` is cancelled.
pub(crate) fn watch(daemon: Arc<Daemon>) {
    let Some(grace) = daemon.settings.daemon.keep_gone_indexes else { return };
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while daemon.stop.run_until_cancelled(ticks.tick()).await.is_some() {
            let asked = Arc::clone(&daemon);
            if blocking::run(move || asked.engine.delete_gone_indexes(grace)).await.is_err() {
                tracing::error!("deleting the indexes of missing roots panicked");
            }
        }
    });
}
