//! The main loop (serve, wait for a reason to end, drain), its notifications to the service manager, and the regular upkeep:
//! the memory ceiling, what projects' histories teach, and the deletion of indexes whose roots are gone.
//!
//! Admission enforces the ceiling for index runs, messages and answers, which wait for their shares. The rest is for open
//! stores and searches, whose memory is only measured: idle stores are closed if the daemon is above it.

use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) use platform::{is_managed, ready, stopping, watchdog};

use recall_engine::Room;
use tokio::sync::{Notify, mpsc};
use tokio::time::MissedTickBehavior;

use crate::blocking;
use crate::daemon::Daemon;
use crate::event::Event;
use crate::process::MemoryUse;
use crate::server::{Patience, Server};

/// Serves until there is a reason to end, then finishes the work in progress within a bound.
///
/// At the end it stops accepting, asks index jobs to stop, lets requests in flight finish, and closes the stores. A
/// hangup notifies `look`, which makes the daemon check its locks and socket.
pub(crate) async fn run(server: Server, mut events: mpsc::Receiver<Event>, drain: Duration, look: &Notify) {
    ready();
    let watchdog = tokio::spawn(watchdog());
    let patience = wait_for_end(&mut events, drain, look).await;
    watchdog.abort();
    stopping();

    let began = Instant::now();
    let finished = server.finish(patience).await;
    tracing::info!(took_ms = began.elapsed().as_millis() as u64, finished, "ended");
}

/// Handles events until one ends the daemon; returns how long the shutdown may take.
async fn wait_for_end(events: &mut mpsc::Receiver<Event>, drain: Duration, look: &Notify) -> Patience {
    loop {
        match events.recv().await {
            Some(Event::Terminate { signal }) => {
                tracing::info!(reason = signal, "ending");
                return Patience::uniform(drain);
            }
            Some(Event::ShutdownRequested { reason, drain: wanted }) => {
                tracing::info!(reason, "ending");
                return Patience::uniform(wanted.min(drain));
            }
            Some(Event::Idle) => {
                tracing::info!(reason = "idle", "ending");
                return Patience::uniform(drain);
            }
            Some(Event::OwnerGone) => {
                tracing::info!(reason = "owner gone", "ending");
                // Its connections may stay open, but their answers are no longer read.
                return Patience { requests: Duration::ZERO, jobs: drain };
            }
            Some(Event::Displaced { reason }) => {
                tracing::warn!(reason, "ending: this daemon has lost its place");
                return Patience::uniform(drain);
            }
            // The usual meanings do not apply: a daemon has no terminal, and settings are read when a store is opened.
            Some(Event::Hangup) => look.notify_one(),
            None => {
                tracing::error!("the event queue is closed; ending");
                return Patience::uniform(drain);
            }
        }
    }
}

#[cfg(unix)]
mod platform {
    //! Notifications to systemd.

    use sd_notify::NotifyState;

    /// Returns whether a service manager started the daemon.
    pub(crate) fn is_managed() -> bool {
        ["NOTIFY_SOCKET", "LISTEN_FDS"].iter().any(|name| std::env::var_os(name).is_some())
    }

    /// Reports that the daemon answers requests.
    pub(crate) fn ready() {
        send(NotifyState::Ready);
    }

    /// Reports that the daemon is about to end.
    pub(crate) fn stopping() {
        send(NotifyState::Stopping);
    }

    /// Reports periodically that the daemon is alive, if the service manager has a watchdog.
    pub(crate) async fn watchdog() {
        let Some(limit) = sd_notify::watchdog_enabled() else { return };
        // Half the limit, as the manual of sd_watchdog_enabled recommends.
        let mut tick = tokio::time::interval(limit / 2);
        loop {
            tick.tick().await;
            send(NotifyState::Watchdog);
        }
    }

    fn send(state: NotifyState<'_>) {
        if let Err(error) = sd_notify::notify(&[state]) {
            tracing::warn!(%error, "cannot notify the service manager");
        }
    }
}

#[cfg(windows)]
mod platform {
    //! Windows has no service manager for a user: a task starts the daemon at logon and is not told about it.

    /// Returns whether a service manager started the daemon.
    pub(crate) fn is_managed() -> bool {
        false
    }

    /// Does nothing.
    pub(crate) fn ready() {}

    /// Does nothing.
    pub(crate) fn stopping() {}

    /// Returns at once.
    #[expect(clippy::unused_async, reason = "the same function as on Unix")]
    pub(crate) async fn watchdog() {}
}

/// How often the daemon measures its memory. Admission does not see the caches of open stores, which grow with searches.
const MEMORY_INTERVAL: Duration = Duration::from_secs(5);

/// The same while the daemon uses more than half of its ceiling: within five seconds, searches of many projects may open stores for the
/// other half.
const PRESSED_MEMORY_INTERVAL: Duration = Duration::from_secs(1);

fn memory_interval(used_bytes: u64, ceiling_bytes: u64) -> Duration {
    if used_bytes > ceiling_bytes / 2 { PRESSED_MEMORY_INTERVAL } else { MEMORY_INTERVAL }
}

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
        let mut pause = Duration::ZERO;
        while daemon.stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_some() {
            pause = memory_interval(MemoryUse::read().anonymous_bytes, ceiling_bytes);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::queue;

    const DRAIN: Duration = Duration::from_secs(5);

    async fn check(given: Vec<Event>, expected: Patience) {
        let (events, mut received) = queue();
        for event in given {
            events.send(event).await.expect("there is room");
        }
        drop(events);
        assert_eq!(wait_for_end(&mut received, DRAIN, &Notify::new()).await, expected);
    }

    fn shutdown(drain: Duration) -> Event {
        Event::ShutdownRequested { reason: "stop".to_owned(), drain }
    }

    #[test]
    fn the_memory_is_measured_more_often_above_half_of_the_ceiling() {
        for (used_bytes, expected) in [(0, MEMORY_INTERVAL), (50, MEMORY_INTERVAL), (51, PRESSED_MEMORY_INTERVAL)] {
            assert_eq!(memory_interval(used_bytes, 100), expected, "{used_bytes}");
        }
    }

    #[tokio::test]
    async fn a_client_may_shorten_the_drain_but_not_lengthen_it() {
        let second = Duration::from_secs(1);
        check(vec![shutdown(second)], Patience::uniform(second)).await;
        check(vec![shutdown(60 * second)], Patience::uniform(DRAIN)).await;
    }

    #[tokio::test]
    async fn a_hangup_does_not_end_the_daemon() {
        check(vec![Event::Hangup, shutdown(Duration::ZERO)], Patience::uniform(Duration::ZERO)).await;
    }

    #[tokio::test]
    async fn a_hangup_triggers_a_check_of_the_place() {
        let (events, mut received) = queue();
        let look = Notify::new();
        events.send(Event::Hangup).await.expect("there is room");
        drop(events);
        wait_for_end(&mut received, DRAIN, &look).await;
        look.notified().await;
    }

    #[tokio::test]
    async fn signals_and_idleness_let_requests_finish() {
        let displaced = Event::Displaced { reason: "another daemon is there".to_owned() };
        for event in [Event::Terminate { signal: "SIGTERM" }, Event::Idle, displaced] {
            check(vec![event], Patience::uniform(DRAIN)).await;
        }
    }

    #[tokio::test]
    async fn requests_are_not_drained_if_the_owner_is_gone() {
        check(vec![Event::OwnerGone], Patience { requests: Duration::ZERO, jobs: DRAIN }).await;
    }
}
