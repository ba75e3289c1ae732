//! The thread of a network: its queue, and loading and unloading.
//!
//! A session must not be run by two threads, and a session for each thread would hold the weights as often (ADR 9). So requests of
//! all callers meet in one queue. Texts are sorted by length before they are cut into batches, because a batch is padded to its
//! longest text.

mod queue;

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use parking_lot::{Condvar, Mutex};
use recall_core::{ModelError, Provider};

use super::network::Network;
use super::tokens::Tokens;
use super::{LoadError, OnnxSettings, ProviderUse, RunError};
use crate::manifest::Batching;
use queue::{Answer, Job, Queue};

pub(crate) use queue::Priority;

/// The most tokens of a batch on a processor: 70 ms of a model of 22 million parameters, 140 ms of one of 118 million. A longer text is a batch
/// by itself.
const CPU_BATCH_TOKENS: usize = 256;

/// A function that loads the network.
pub(crate) type Load = dyn Fn() -> Result<Box<dyn Network>, LoadError> + Send;

/// A callback for when the network was unloaded.
pub(crate) type Unloaded = dyn Fn() + Send;

/// The thread that runs a network, and its queue.
///
/// The network is loaded at the first request and unloaded when it is idle. Requests of all callers share the queue.
/// Interactive ones are run before the others, but a running batch is not interrupted.
pub(crate) struct Worker {
    name: Arc<str>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
    state: Mutex<ModelState>,
}

/// The present state of a model.
#[derive(Clone, Debug, Default)]
pub struct ModelState {
    /// The providers that run its network; `None` if it is not loaded.
    pub provider: Option<ProviderUse>,
    /// The error of the last attempt to load it.
    pub problem: Option<Arc<LoadError>>,
    /// The number of waiting texts.
    pub waiting: usize,
}

/// A request in progress.
pub(crate) struct Pending {
    name: Arc<str>,
    answers: Receiver<Answer>,
    texts: usize,
}

impl Worker {
    /// Starts the thread. The network is not loaded yet.
    pub(crate) fn start(
        name: &str,
        settings: &OnnxSettings,
        batching: Batching,
        load: Box<Load>,
        unloaded: Box<Unloaded>,
    ) -> Self {
        let name: Arc<str> = name.into();
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue::default()),
            changed: Condvar::new(),
            state: Mutex::new(ModelState::default()),
        });
        let running = WorkerThread {
            name: Arc::clone(&name),
            shared: Arc::clone(&shared),
            settings: settings.clone(),
            batching,
            load,
            unloaded,
            network: None,
            has_released_memory: true,
            failure: None,
        };
        let thread = thread::Builder::new().name(format!("model {name}")).spawn(move || running.run());
        Self { name, shared, thread: Some(thread.expect("the system can start a thread")) }
    }

    pub(crate) fn submit(&self, texts: Vec<Tokens>, priority: Priority, deadline: Option<Instant>) -> Pending {
        let (answer, answers) = mpsc::channel();
        let count = texts.len();
        let jobs = texts.into_iter().enumerate();
        let jobs = jobs.map(|(place, tokens)| Job { tokens, place, deadline, answer: answer.clone() });
        self.shared.queue.lock().put(jobs, priority);
        self.shared.changed.notify_all();
        Pending { name: Arc::clone(&self.name), answers, texts: count }
    }

    /// Returns the present state of the model.
    pub(crate) fn state(&self) -> ModelState {
        let waiting = self.shared.queue.lock().len();
        ModelState { waiting, ..self.shared.state.lock().clone() }
    }
}

/// Waits for the running batch, since the network must not outlive the worker.
impl Drop for Worker {
    fn drop(&mut self) {
        self.shared.queue.lock().close();
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

impl Pending {
    /// Waits for all texts and returns their outputs in order.
    pub(crate) fn wait(self, deadline: Option<Instant>) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut outputs = vec![Vec::new(); self.texts];
        for _ in 0..self.texts {
            let answer = match deadline {
                Some(deadline) => self.answers.recv_timeout(deadline.saturating_duration_since(Instant::now())),
                None => self.answers.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            let (place, output) = answer.map_err(|error| match error {
                RecvTimeoutError::Timeout => ModelError::Late { model: self.name.to_string() },
                RecvTimeoutError::Disconnected => {
                    ModelError::Failed { model: self.name.to_string(), source: Arc::new(RunError::Ended) }
                }
            })?;
            outputs[place] = output?;
        }
        Ok(outputs)
    }
}

/// The state owned by the thread.
struct WorkerThread {
    name: Arc<str>,
    shared: Arc<Shared>,
    settings: OnnxSettings,
    batching: Batching,
    load: Box<Load>,
    unloaded: Box<Unloaded>,
    network: Option<Box<dyn Network>>,
    /// Whether the memory of the runs has been released since the last one.
    has_released_memory: bool,
    failure: Option<(Instant, Arc<LoadError>)>,
}

/// What woke the thread.
enum Wake {
    Run(Vec<Job>),
    /// There was no request for a short time.
    Quiet,
    /// There was no request for a long time.
    Idle,
    Closed,
}

impl WorkerThread {
    fn run(mut self) {
        loop {
            match self.wait() {
                Wake::Run(batch) => self.run_or_drop(&batch),
                Wake::Quiet => self.release_memory(),
                Wake::Idle => self.unload(),
                Wake::Closed => return,
            }
        }
    }

    /// Runs a batch. After a panic the state of the network is unknown, so it is reloaded for the next batch.
    fn run_or_drop(&mut self, batch: &[Job]) {
        if panic::catch_unwind(AssertUnwindSafe(|| self.run_batch(batch))).is_err() {
            tracing::error!(model = &*self.name, "a model panicked during a run");
            self.drop_network();
        }
        self.has_released_memory = false;
    }

    fn wait(&self) -> Wake {
        let OnnxSettings { rest, idle, .. } = self.settings;
        let idle = idle.filter(|_| self.network.is_some());
        let rests = self.network.is_some() && !self.has_released_memory && idle.is_none_or(|idle| rest < idle);
        let (wait, wake) = if rests { (Some(rest), Wake::Quiet) } else { (idle, Wake::Idle) };
        let until = wait.map(|wait| Instant::now() + wait);
        let mut queue = self.shared.queue.lock();
        loop {
            if queue.is_closed() {
                return Wake::Closed;
            }
            if let Some(batch) = queue.take(self.most_tokens(), self.batching) {
                return Wake::Run(batch);
            }
            match until {
                Some(until) => {
                    if self.shared.changed.wait_until(&mut queue, until).timed_out() && queue.is_empty() {
                        return wake;
                    }
                }
                None => self.shared.changed.wait(&mut queue),
            }
        }
    }

    /// Returns the most tokens of a batch. A processor is as fast with small ones, and a query waits for the running one.
    fn most_tokens(&self) -> usize {
        let most = self.settings.batch_tokens;
        match &self.network {
            Some(network) if network.provider().main() == Provider::Cpu.as_str() => most.min(CPU_BATCH_TOKENS),
            _ => most,
        }
    }

    /// Releases the memory of the network's runs. A failure is harmless.
    fn release_memory(&mut self) {
        self.has_released_memory = true;
        let Some(network) = &mut self.network else { return };
        match panic::catch_unwind(AssertUnwindSafe(|| network.release_memory())) {
            Ok(Ok(false)) => {}
            Ok(Ok(true)) => tracing::debug!(model = &*self.name, "a model released the memory of its runs"),
            Ok(Err(error)) => {
                tracing::warn!(model = &*self.name, %error, "a model could not release the memory of its runs");
            }
            Err(_) => {
                tracing::error!(model = &*self.name, "a model panicked while it released memory");
                self.drop_network();
            }
        }
    }

    fn drop_network(&mut self) {
        self.network = None;
        self.shared.state.lock().provider = None;
    }

    fn unload(&mut self) {
        self.drop_network();
        (self.unloaded)();
        tracing::info!(model = &*self.name, "unloaded a model");
    }

    fn run_batch(&mut self, batch: &[Job]) {
        let now = Instant::now();
        let (batch, late): (Vec<&Job>, Vec<&Job>) =
            batch.iter().partition(|job| job.deadline.is_none_or(|deadline| deadline > now));
        let model = self.name.to_string();
        fail_all(&late, &ModelError::Late { model: model.clone() });
        if batch.is_empty() {
            return;
        }
        match self.load() {
            Ok(network) => run_on(network, &model, &batch),
            Err(source) => fail_all(&batch, &ModelError::Unavailable { model, source }),
        }
    }

    /// Returns the network, loading it if necessary. After a failure, loading is not retried at once.
    fn load(&mut self) -> Result<&mut Box<dyn Network>, Arc<LoadError>> {
        if self.network.is_none() {
            if let Some((at, error)) = &self.failure
                && at.elapsed() < self.settings.retry
            {
                return Err(Arc::clone(error));
            }
            let loaded = (self.load)().map_err(Arc::new);
            let mut state = self.shared.state.lock();
            state.problem = loaded.as_ref().err().cloned();
            state.provider = loaded.as_ref().ok().map(|network| network.provider().clone());
            self.failure = state.problem.clone().map(|error| (Instant::now(), error));
            self.network = Some(loaded?);
        }
        Ok(self.network.as_mut().expect("the network was loaded above"))
    }
}

/// Runs a batch. If it fails, each text is run alone, so that only the faulty text fails.
fn run_on(network: &mut Box<dyn Network>, model: &str, batch: &[&Job]) {
    let tokens: Vec<&Tokens> = batch.iter().map(|job| &job.tokens).collect();
    let failed = |error| ModelError::Failed { model: model.to_owned(), source: Arc::new(error) };
    match network.run(&tokens) {
        Ok(outputs) => {
            for (job, output) in batch.iter().zip(outputs) {
                job.complete(output.map_err(failed));
            }
        }
        Err(error) if batch.len() == 1 => fail_all(batch, &failed(error)),
        Err(_) => batch.iter().for_each(|job| run_on(network, model, &[*job])),
    }
}

fn fail_all(jobs: &[&Job], error: &ModelError) {
    for job in jobs {
        job.complete(Err(error.clone()));
    }
}

#[cfg(test)]
mod tests;
