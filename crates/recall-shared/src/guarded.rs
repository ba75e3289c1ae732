//! A store whose failures cost a search little, whether it is asked at all, and the asynchronous work of a client library for
//! callers that wait on a thread.
//!
//! A search waits for a server for one deadline. After a failure, a breaker is open: searches skip the server at once, and one
//! background thread asks it, at growing intervals, until it answers. Publications do not go through this: they wait and retry.

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use recall_core::breaker::{Breaker, BreakerSettings, Failure};

use crate::{
    Ask, FacetCounts, FacetScan, Found, Key, Model, Place, SharedStore, Statistics, StoreError, TextScan, TextStep,
    WholeDocument,
};

/// The reading side of a store, by its name in the configuration.
///
/// A store that does not answer in time is not asked again by searches until it has answered a background request. The deadline of
/// each call is the store's own.
#[derive(Clone)]
pub struct Guarded {
    /// The name of its section in the configuration.
    pub name: String,
    /// The store; the reason if its settings are wrong.
    store: Result<Arc<dyn SharedStore>, String>,
    health: Arc<Health>,
}

impl Guarded {
    /// Guards a store, which counts as answering until it is asked.
    pub fn new(name: impl Into<String>, store: Arc<dyn SharedStore>) -> Self {
        Self { name: name.into(), store: Ok(store), health: Arc::default() }
    }

    /// A store whose settings are wrong. Each request fails with the reason.
    pub fn unusable(name: impl Into<String>, reason: String) -> Self {
        Self { name: name.into(), store: Err(reason), health: Arc::default() }
    }

    /// Whether the store answers.
    pub fn standing(&self) -> Standing {
        self.health.standing()
    }

    /// The store itself, for publications, which wait and retry.
    ///
    /// # Errors
    /// Its settings are wrong.
    pub fn store(&self) -> Result<&Arc<dyn SharedStore>, StoreError> {
        self.store.as_ref().map_err(|reason| StoreError::Unusable { reason: reason.clone() })
    }

    /// See [`SharedStore::statistics`].
    pub fn statistics(&self, keys: &[u32]) -> Result<Statistics, StoreError> {
        self.ask(|store| store.statistics(keys))
    }

    /// See [`SharedStore::models`].
    pub fn models(&self) -> Result<Vec<Model>, StoreError> {
        self.ask(|store| store.models())
    }

    /// See [`SharedStore::find`].
    pub fn find(&self, ask: &Ask) -> Result<Found, StoreError> {
        self.ask(|store| store.find(ask))
    }

    /// See [`SharedStore::texts`].
    pub fn texts(&self, chunks: &[Key]) -> Result<Vec<Option<String>>, StoreError> {
        self.ask(|store| store.texts(chunks))
    }

    /// See [`SharedStore::document`].
    pub fn document(&self, places: &[Place]) -> Result<Option<WholeDocument>, StoreError> {
        self.ask(|store| store.document(places))
    }

    /// See [`SharedStore::facets`].
    pub fn facets(&self, scan: &FacetScan) -> Result<FacetCounts, StoreError> {
        self.ask(|store| store.facets(scan))
    }

    /// See [`SharedStore::scan_texts`].
    pub fn scan_texts(&self, scan: &TextScan) -> Result<TextStep, StoreError> {
        self.ask(|store| store.scan_texts(scan))
    }

    fn ask<T>(&self, ask: impl FnOnce(&dyn SharedStore) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let store = self.store()?;
        if self.health.standing() != Standing::Answers {
            return Err(StoreError::Resting);
        }
        let answer = ask(&**store);
        if let Err(error) = &answer
            && error.may_pass()
        {
            let store = Arc::downgrade(store);
            let probe = move || store.upgrade().is_none_or(|store| store.ping().is_ok());
            self.health.note_failure(&error.to_string(), probe);
        }
        answer
    }
}

/// Whether a store answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It answered the last request, or was not asked yet.
    Answers,
    /// It failed, and is only asked in the background.
    Rests {
        /// The error that stopped the requests, in words.
        reason: String,
    },
}

/// Stops requests to a store that does not answer. Meanwhile one background thread asks the store after each pause.
#[derive(Debug)]
pub(crate) struct Health {
    state: Mutex<HealthState>,
}

#[derive(Debug)]
struct HealthState {
    breaker: Breaker,
    /// Whether a thread asks the store.
    is_probed: bool,
}

/// The time between two background requests. A search waits for none, so the first failure begins a pause.
const PAUSES: BreakerSettings =
    BreakerSettings { failures: 1, pause: Duration::from_millis(500), longest: Duration::from_secs(30) };

/// How often a waiting thread looks whether the store is still in use.
const STEP: Duration = PAUSES.pause;

impl Default for Health {
    fn default() -> Self {
        Self { state: Mutex::new(HealthState::new()) }
    }
}

impl HealthState {
    const fn new() -> Self {
        Self { breaker: Breaker::new(PAUSES), is_probed: false }
    }
}

impl Health {
    pub(crate) fn standing(&self) -> Standing {
        let state = self.state.lock();
        state.breaker.problem().map_or(Standing::Answers, |reason| Standing::Rests { reason: reason.to_owned() })
    }

    /// Records a failure, and starts to ask the store in the background with `probe` until it answers.
    pub(crate) fn note_failure(self: &Arc<Self>, reason: &str, probe: impl Fn() -> bool + Send + 'static) {
        let mut state = self.state.lock();
        if std::mem::replace(&mut state.is_probed, true) {
            return;
        }
        state.breaker.note_failure(Instant::now(), Failure::Transient, reason);
        drop(state);
        // The thread ends with the store.
        let health = Arc::downgrade(self);
        let reason = reason.to_owned();
        let ask = move || {
            loop {
                let Some(pause) = health.upgrade().map(|health| health.state.lock().breaker.pause(Instant::now()))
                else {
                    return;
                };
                if let Some(pause) = pause {
                    std::thread::sleep(pause.left.min(STEP));
                    continue;
                }
                let answers = probe();
                let Some(health) = health.upgrade() else { return };
                let mut state = health.state.lock();
                if answers {
                    *state = HealthState::new();
                    return;
                }
                state.breaker.note_failure(Instant::now(), Failure::Transient, &reason);
            }
        };
        if std::thread::Builder::new().name("shared-store".to_owned()).spawn(ask).is_err() {
            // Without a thread the next search asks the store again.
            *self.state.lock() = HealthState::new();
        }
    }
}

/// A thread that drives the connections of a store.
#[derive(Debug)]
struct Worker {
    /// `None` only while it is dropped.
    runtime: Option<tokio::runtime::Runtime>,
}

impl Worker {
    fn start(name: &str) -> io::Result<Self> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name(name).enable_all().build()?;
        Ok(Self { runtime: Some(runtime) })
    }

    /// Runs a task and waits for it. A task that is late is dropped.
    ///
    /// The caller may be a thread of another runtime that is allowed to block.
    fn run<T: Send + 'static>(
        &self,
        deadline: Duration,
        task: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let runtime = self.runtime.as_ref().expect("it runs until it is dropped");
        let (done, result) = std::sync::mpsc::sync_channel(1);
        runtime.spawn(async move {
            let late = || StoreError::Late { waited: deadline };
            let outcome = tokio::time::timeout(deadline, task).await.unwrap_or_else(|_| Err(late()));
            // The caller has waited for longer and is gone.
            let _ = done.send(outcome);
        });
        match result.recv_timeout(deadline.saturating_add(GRACE)) {
            Ok(outcome) => outcome,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => Err(StoreError::Late { waited: deadline }),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                Err(StoreError::Invalid { what: "it made the client fail".to_owned() })
            }
        }
    }
}

/// The connections of a store: those of searches and those of publications, with their deadlines.
pub(crate) struct Connections<C> {
    readers: Arc<C>,
    deadline: Duration,
    writers: Arc<C>,
    publish_deadline: Duration,
    /// The password or key, which no error may repeat.
    secret: String,
    /// Dropped last, since the connections run on it.
    worker: Worker,
}

impl<C> Connections<C> {
    /// Starts the thread that drives the connections. `name` is that of the thread, `secret` the password or key, which is masked in
    /// errors.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn start(
        name: &str,
        secret: &str,
        (readers, deadline): (C, Duration),
        (writers, publish_deadline): (C, Duration),
    ) -> Result<Self, StoreError> {
        let worker = Worker::start(name).map_err(StoreError::unreachable)?;
        let (readers, writers, secret) = (Arc::new(readers), Arc::new(writers), secret.to_owned());
        Ok(Self { readers, deadline, writers, publish_deadline, secret, worker })
    }

    /// Runs a task of a search, within the deadline of searches.
    pub(crate) fn read<T: Send + 'static, F>(&self, task: impl FnOnce(Arc<C>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        let outcome = self.worker.run(self.deadline, task(Arc::clone(&self.readers)));
        outcome.map_err(|error| error.with_mask(&self.secret))
    }

    /// How long a request of a publication may take, with its repeats.
    pub(crate) fn publish_deadline(&self) -> Duration {
        self.publish_deadline
    }

    /// Runs a task of a publication, within the deadline of publications, or what earlier attempts left of it.
    pub(crate) fn write<T: Send + 'static, F>(&self, task: impl FnOnce(Arc<C>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        let left = ATTEMPTS_END.get().map(|end| end.saturating_duration_since(Instant::now()));
        let deadline = left.map_or(self.publish_deadline, |left| left.min(self.publish_deadline));
        let outcome = self.worker.run(deadline, task(Arc::clone(&self.writers)));
        outcome.map_err(|error| error.with_mask(&self.secret))
    }
}

thread_local! {
    /// When the attempts of the request that this thread makes have to be over. A caller waits on its thread for each attempt; a
    /// parameter of every method of a store would say the same.
    static ATTEMPTS_END: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Makes one attempt of a request of a publication, whose attempts have to be over at `end`; `None` for no end.
pub(crate) fn attempt_until<T>(end: Option<Instant>, attempt: impl FnOnce() -> T) -> T {
    let before = ATTEMPTS_END.replace(end);
    let outcome = attempt();
    ATTEMPTS_END.set(before);
    outcome
}

/// How long a caller waits for the task to notice its deadline.
const GRACE: Duration = Duration::from_millis(50);

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // The last owner may be a task of another runtime, which must not block.
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn an_attempt_has_what_earlier_ones_left_of_the_deadline() {
        let hour = Duration::from_hours(1);
        let connections = Connections::start("test", "", ((), hour), ((), hour)).expect("a thread");
        let outcome = attempt_until(Some(Instant::now()), || {
            connections.write(|_| std::future::pending::<Result<(), StoreError>>())
        });
        assert!(matches!(outcome, Err(StoreError::Late { waited: Duration::ZERO })), "{outcome:?}");
        assert!(connections.write(async |_| Ok(())).is_ok(), "other requests have the whole deadline");
    }

    #[test]
    fn a_store_that_failed_is_asked_in_the_background_until_it_answers() {
        let health = Arc::new(Health::default());
        assert_eq!(health.standing(), Standing::Answers);
        let (sender, receiver) = mpsc::channel();
        let (asked, answers) = mpsc::channel();
        let probe = move || {
            asked.send(()).expect("the test listens");
            receiver.recv().expect("the test says whether the store answers")
        };
        health.note_failure("down", probe);
        let rests = Standing::Rests { reason: "down".to_owned() };
        let patience = Duration::from_secs(30);
        answers.recv_timeout(patience).expect("asked after a pause");
        assert_eq!(health.standing(), rests);
        // A request that was in flight fails too; one thread asks.
        health.note_failure("down, too", || panic!("a second thread asks"));
        assert_eq!(health.standing(), rests);
        sender.send(true).expect("the probe waits");
        let began = Instant::now();
        while health.standing() != Standing::Answers {
            assert!(began.elapsed() < patience, "it answered");
            std::thread::yield_now();
        }
    }
}
