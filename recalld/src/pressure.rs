//! Does the daemon keep to its memory?

use std::sync::Arc;
use std::time::Duration;

use recall_proto::{Failure, Reason};
use tokio::time::MissedTickBehavior;

use crate::blocking;
use crate::daemon::Daemon;
use crate::memory::MemoryUse;

/// How often the daemon looks at its memory. An import adds a few hundred megabytes in so many seconds at most.
const INTERVAL: Duration = Duration::from_secs(5);

/// Whether there is room below the ceiling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// There is.
    Left,
    /// There is none, although every store that nobody uses is closed.
    Full,
}

/// How much memory a network takes beside the bytes of its files: the runtime keeps some weights in a second form.
const COPIES_OF_A_NETWORK: u64 = 2;

/// Closes idle stores as long as the daemon's own memory is above the ceiling, the least recently used one first.
///
/// Networks do not count: whoever uses one has decided about that, and no store that is closed makes up for it.
pub(crate) fn make_room(daemon: &Daemon) -> Room {
    let used_bytes = || {
        let networks_bytes = daemon.models.loaded_bytes() * COPIES_OF_A_NETWORK;
        MemoryUse::of_this_process().anonymous_bytes.saturating_sub(networks_bytes)
    };
    relieve(used_bytes, daemon.settings.daemon.memory_ceiling_bytes, || daemon.engine.shed())
}

/// Keeps to the ceiling until `stop` is cancelled.
pub(crate) fn watch(daemon: Arc<Daemon>) {
    let ceiling_bytes = daemon.settings.daemon.memory_ceiling_bytes;
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while daemon.stop.run_until_cancelled(ticks.tick()).await.is_some() {
            let asked = Arc::clone(&daemon);
            match blocking::run(move || make_room(&asked)).await {
                Ok(Room::Left) => {}
                Ok(Room::Full) => {
                    tracing::debug!(ceiling_bytes, "above the memory ceiling with every idle store closed");
                }
                Err(_) => tracing::error!("closing idle stores panicked"),
            }
        }
    });
}

/// An index job that is refused until there is room.
pub(crate) fn refused(ceiling_bytes: u64) -> Failure {
    let mebibytes = ceiling_bytes / (1024 * 1024);
    Failure::new(Reason::LimitExceeded, format!("the daemon is above its memory ceiling of {mebibytes} MiB"))
        .with_detail("setting", "daemon.memory_ceiling_bytes")
        .with_hint("try again when other jobs are done, or raise `daemon.memory_ceiling_bytes`")
}

fn relieve(used_bytes: impl Fn() -> u64, ceiling_bytes: u64, mut shed: impl FnMut() -> bool) -> Room {
    while used_bytes() > ceiling_bytes {
        if !shed() {
            return Room::Full;
        }
    }
    Room::Left
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Stores of 10 bytes each above 5 bytes that stay, of which `idle` may be closed.
    fn check(stores: u64, idle: u64, ceiling: u64, expected: (Room, u64)) {
        let open = Cell::new(stores);
        let shed = || {
            let may_close = stores - open.get() < idle;
            open.set(open.get() - u64::from(may_close));
            may_close
        };
        let room = relieve(|| 5 + 10 * open.get(), ceiling, shed);
        assert_eq!((room, open.get()), expected);
    }

    #[test]
    fn as_few_stores_are_closed_as_make_room() {
        check(3, 3, 35, (Room::Left, 3));
        check(3, 3, 20, (Room::Left, 1));
        check(3, 1, 20, (Room::Full, 2));
        check(0, 0, 4, (Room::Full, 0));
    }

    #[test]
    fn a_refusal_names_the_setting() {
        let refused = refused(512 << 20);
        assert_eq!(refused.message, "the daemon is above its memory ceiling of 512 MiB");
        assert_eq!(refused.details["setting"], "daemon.memory_ceiling_bytes");
    }
}
