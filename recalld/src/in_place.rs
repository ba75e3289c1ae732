//! Execution of short engine calls on the thread that received the request.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::block_in_place;
use tonic::Status;

use crate::activity::ClientId;
use crate::lookout::Lookout;
use crate::{blocking, failure};

/// A client counts as the only active one if no other client made a call for this long. An agent reads between its calls;
/// a client that makes one call after another makes the next at once.
const RECENT: Duration = Duration::from_millis(20);

/// Runs calls on the thread that received them, one at a time: waking another thread and being woken by it takes a tenth of
/// the time of a search. The calling task is blocked meanwhile.
pub(crate) struct InPlace {
    place: Semaphore,
    recent: Mutex<RecentClients>,
    lookout: OnceLock<Option<Lookout>>,
}

impl Default for InPlace {
    fn default() -> Self {
        Self { place: Semaphore::new(1), recent: Mutex::default(), lookout: OnceLock::new() }
    }
}

impl InPlace {
    /// Runs a call for a client, or hands it to a thread for blocking work if another call is running in place.
    ///
    /// While only one client is active, no other requests wait for the thread, and the [`Lookout`] bounds the wait of a new
    /// one. Otherwise another thread serves the connections for the duration of the call.
    ///
    /// # Errors
    /// The call panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        client: ClientId,
        call: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Status> {
        let is_alone = self.recent.lock().unwrap_or_else(PoisonError::into_inner).is_alone(client, Instant::now());
        let Ok(_place) = self.place.try_acquire() else { return blocking::run(call).await };
        let call = AssertUnwindSafe(call);
        let outcome = match self.lookout().filter(|_| is_alone) {
            Some(lookout) => {
                let _running = lookout.begin();
                catch_unwind(call)
            }
            None => block_in_place(|| catch_unwind(call)),
        };
        outcome.map_err(|_| failure::panicked())
    }

    fn lookout(&self) -> Option<&Lookout> {
        let begin = || match Lookout::new(Handle::current()) {
            Ok(lookout) => Some(lookout),
            Err(error) => {
                tracing::warn!(%error, "no thread watches for long calls: each call hands the connections over");
                None
            }
        };
        self.lookout.get_or_init(begin).as_ref()
    }
}

/// The clients that made the latest calls.
#[derive(Debug, Default)]
struct RecentClients {
    /// The client of the last call, and its time.
    last: Option<(ClientId, Instant)>,
    /// The time of the last call of any other client.
    others: Option<Instant>,
}

impl RecentClients {
    /// Records a call of a client; returns whether no other client made one recently.
    fn is_alone(&mut self, client: ClientId, now: Instant) -> bool {
        if let Some((last, when)) = self.last
            && last != client
        {
            self.others = Some(when);
        }
        self.last = Some((client, now));
        self.others.is_none_or(|when| now.saturating_duration_since(when) >= RECENT)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, mpsc};

    use super::*;
    use crate::activity::Activity;
    use crate::blocking::{ELSEWHERE, THREADS, run};

    #[test]
    fn a_client_is_alone_if_no_other_called_recently() {
        let activity = Activity::default();
        let (one, other) = (activity.enter().caller().client, activity.enter().caller().client);
        let began = Instant::now();
        let mut recent = RecentClients::default();
        let asked = [
            (one, 0, true),
            (one, 1, true),
            (other, 2, false),
            (other, 20, false),
            (other, 21, true),
            (one, 22, false),
            (one, 30, false),
            (one, 41, true),
            (other, 80, true),
        ];
        for (client, milliseconds, expected) in asked {
            let now = began + Duration::from_millis(milliseconds);
            assert_eq!(recent.is_alone(client, now), expected, "after {milliseconds} ms");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_is_an_error_and_later_calls_succeed() {
        let (activity, in_place) = (Activity::default(), InPlace::default());
        // The first is alone, the others hand their connections over.
        for client in [activity.enter(), activity.enter(), activity.enter()].map(|presence| presence.caller().client) {
            let refused = in_place.run(client, || -> () { panic!("provoked") }).await.expect_err("it panicked");
            assert_eq!(refused.code(), tonic::Code::Internal);
            assert_eq!(in_place.run(client, || 1 + 1).await.expect("no panic"), 2);
        }
    }

    /// Checks that a thread is left when the maximum number of calls runs, one of them in place by a client that is alone or not.
    #[track_caller]
    fn check(is_alone: bool) {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).max_blocking_threads(THREADS).enable_all().build().expect("threads");
        runtime.block_on(async {
            let (release, released) = mpsc::channel::<()>();
            let released = Arc::new(Mutex::new(released));
            let begun = Arc::new(AtomicUsize::new(0));
            let wait = || {
                let (released, begun) = (Arc::clone(&released), Arc::clone(&begun));
                move || {
                    begun.fetch_add(1, Ordering::SeqCst);
                    // Ends when the sender is gone.
                    drop(released.lock().map(|released| released.recv()));
                }
            };
            let soon = || tokio::time::sleep(Duration::from_millis(1));
            let mut calls: Vec<_> = (0..ELSEWHERE).map(|_| tokio::spawn(run(wait()))).collect();
            while begun.load(Ordering::SeqCst) < ELSEWHERE {
                soon().await;
            }
            let (activity, in_place) = (Activity::default(), Arc::new(InPlace::default()));
            let (one, other) = (activity.enter().caller().client, activity.enter().caller().client);
            if !is_alone {
                in_place.run(other, || ()).await.expect("no panic");
            }
            for _ in 0..2 {
                let (in_place, call) = (Arc::clone(&in_place), wait());
                calls.push(tokio::spawn(async move { in_place.run(one, call).await }));
            }
            while begun.load(Ordering::SeqCst) < ELSEWHERE + 1 {
                soon().await;
            }
            tokio::spawn(soon()).await.expect("a thread is left");
            drop(release);
            for call in calls {
                call.await.expect("it ends").expect("no panic");
            }
        });
    }

    #[test]
    fn connections_are_served_while_the_maximum_of_calls_runs() {
        check(true);
        check(false);
    }
}
