//! The count of connected clients, and the detection of idleness.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use crate::admission::Admission;

pub(crate) use crate::places::{Caller, ClientId};

/// Counts the clients that are connected. Clones share the count.
#[derive(Clone, Debug)]
pub(crate) struct Activity {
    clients: watch::Sender<usize>,
    /// How many clients have connected so far.
    entered: Arc<AtomicU64>,
    admission: Admission,
}

impl Activity {
    /// Creates a counter of clients whose calls take memory from `admission`.
    pub(crate) fn new(admission: Admission) -> Self {
        Self { clients: watch::Sender::new(0), entered: Arc::default(), admission }
    }

    /// Counts a client until the returned value is dropped.
    pub(crate) fn enter(&self) -> Presence {
        self.clients.send_modify(|clients| *clients += 1);
        let client = ClientId(self.entered.fetch_add(1, Ordering::Relaxed));
        Presence { activity: self.clone(), caller: Caller { client, unread: self.admission.unread() } }
    }

    /// Returns the number of connected clients.
    pub(crate) fn clients(&self) -> usize {
        *self.clients.borrow()
    }

    /// Completes when no client has been connected for `period` and `is_busy` then returns `false`.
    pub(crate) async fn idle_for(&self, period: Duration, is_busy: impl Fn() -> bool) {
        const ALIVE: &str = "`self` holds the sender";
        let mut clients = self.clients.subscribe();
        loop {
            clients.wait_for(|&count| count == 0).await.expect(ALIVE);
            tokio::select! {
                // Also if a client connected and left in between: the period begins again.
                changed = clients.changed() => changed.expect(ALIVE),
                () = tokio::time::sleep(period) => {
                    if !is_busy() {
                        return;
                    }
                }
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct Presence {
    activity: Activity,
    caller: Caller,
}

impl Presence {
    /// Returns the id of the connection.
    pub(crate) fn client(&self) -> ClientId {
        self.caller.client
    }

    /// Returns what is passed to each call over this connection.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.activity.clients.send_modify(|clients| *clients -= 1);
    }
}

#[cfg(test)]
impl Default for Activity {
    /// Creates a counter whose clients have no limit on memory.
    fn default() -> Self {
        Self::new(Admission::new(u64::MAX, u64::MAX, u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tokio::time::Instant;

    use super::*;

    const PERIOD: Duration = Duration::from_mins(1);

    #[tokio::test(start_paused = true)]
    async fn a_connected_client_keeps_the_daemon() {
        let activity = Activity::default();
        let client = activity.enter();
        let start = Instant::now();
        tokio::join!(activity.idle_for(PERIOD, || false), async {
            tokio::time::sleep(Duration::from_secs(1000)).await;
            drop(client);
        });
        assert_eq!(start.elapsed().as_secs(), 1060);
        assert_eq!(activity.clients(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_short_connection_restarts_the_period() {
        let activity = Activity::default();
        let start = Instant::now();
        tokio::join!(activity.idle_for(PERIOD, || false), async {
            tokio::time::sleep(Duration::from_secs(50)).await;
            drop(activity.enter());
        });
        assert_eq!(start.elapsed().as_secs(), 110);
    }

    #[tokio::test(start_paused = true)]
    async fn a_running_job_keeps_the_daemon() {
        let activity = Activity::default();
        let periods_of_work = Cell::new(2);
        let start = Instant::now();
        activity
            .idle_for(PERIOD, || {
                let left: u32 = periods_of_work.get();
                periods_of_work.set(left.saturating_sub(1));
                left > 0
            })
            .await;
        assert_eq!(start.elapsed(), 3 * PERIOD);
    }
}
