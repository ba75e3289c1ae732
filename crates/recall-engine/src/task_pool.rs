//! Tasks that run on another thread if one is free.
//!
//! A search has parts that do not depend on each other. If it had to wait for a thread, it would wait for the tasks of other
//! searches. So a task is an offer: `join` runs it inline if no thread has started it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock};

use parking_lot::{Condvar, Mutex};
use recall_text::error_chain;

/// The least number of chunks for which waking another thread pays off. Over 10,000 chunks, a semantic search was not faster with
/// it, and a search by words took .97 of the time and .91 of the processor time without it. Over 100,000 chunks, a semantic search
/// took .89 of the time with it.
const LEAST_CHUNKS: u64 = 30_000;

/// The threads that run tasks, one per core; started by the first task.
#[derive(Default)]
pub(crate) struct TaskPool(OnceLock<Option<rayon::ThreadPool>>);

/// The result of a task. `join` runs the task itself if no thread has started it, so the caller never waits for other tasks.
pub(crate) struct Deferred<T>(Arc<Slot<T>>);

struct Slot<T> {
    state: Mutex<TaskState<T>>,
    changed: Condvar,
}

enum TaskState<T> {
    Waiting(Box<dyn FnOnce() -> T + Send>),
    Running,
    Done(std::thread::Result<T>),
}

impl TaskPool {
    /// Offers a task to the threads. If the system gives none, `join` runs it.
    pub(crate) fn spawn<T: Send + 'static>(&self, task: impl FnOnce() -> T + Send + 'static) -> Deferred<T> {
        let task = Deferred::lazy(task);
        if let Some(pool) = self.0.get_or_init(start) {
            let shared = Arc::clone(&task.0);
            pool.spawn(move || shared.run());
        }
        task
    }

    /// The same for a search over that many chunks; if they are few, `join` runs the task.
    pub(crate) fn spawn_from<T: Send + 'static>(
        &self,
        chunks: u64,
        task: impl FnOnce() -> T + Send + 'static,
    ) -> Deferred<T> {
        if chunks >= LEAST_CHUNKS { self.spawn(task) } else { Deferred::lazy(task) }
    }
}

fn start() -> Option<rayon::ThreadPool> {
    match rayon::ThreadPoolBuilder::new().thread_name(|number| format!("task-{number}")).build() {
        Ok(pool) => Some(pool),
        Err(error) => {
            tracing::warn!(reason = error_chain(&error), "searches have no task threads");
            None
        }
    }
}

impl<T> Deferred<T> {
    /// A task that runs when it is joined.
    pub(crate) fn lazy(task: impl FnOnce() -> T + Send + 'static) -> Self {
        let state = Mutex::new(TaskState::Waiting(Box::new(task)));
        Self(Arc::new(Slot { state, changed: Condvar::new() }))
    }

    /// Waits for the result, or runs the task.
    ///
    /// # Panics
    /// The task panicked.
    pub(crate) fn join(self) -> T {
        self.try_join().unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// The same; a panic of the task is an error.
    pub(crate) fn try_join(self) -> std::thread::Result<T> {
        self.0.run();
        let mut state = self.0.state.lock();
        loop {
            match std::mem::replace(&mut *state, TaskState::Running) {
                TaskState::Done(result) => return result,
                TaskState::Waiting(_) | TaskState::Running => self.0.changed.wait(&mut state),
            }
        }
    }
}

impl<T> Slot<T> {
    /// Runs the task unless it is running or done.
    fn run(&self) {
        let mut state = self.state.lock();
        if !matches!(*state, TaskState::Waiting(_)) {
            return;
        }
        let TaskState::Waiting(task) = std::mem::replace(&mut *state, TaskState::Running) else { return };
        drop(state);
        let outcome = catch_unwind(AssertUnwindSafe(task));
        *self.state.lock() = TaskState::Done(outcome);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    fn pool_of(threads: usize) -> TaskPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        TaskPool(OnceLock::from(Some(pool)))
    }

    #[test]
    fn a_task_that_no_thread_started_runs_where_it_is_joined() {
        let tasks = pool_of(1);
        let (began, begins) = mpsc::channel();
        let (release, held) = mpsc::channel::<()>();
        let busy = tasks.spawn(move || {
            began.send(()).expect("it is waited for");
            held.recv()
        });
        begins.recv().expect("the thread is free");
        let task = tasks.spawn(|| thread::current().id());
        assert_eq!(task.join(), thread::current().id());
        release.send(()).expect("it is waited for");
        busy.join().expect("it was sent");
    }

    #[test]
    fn a_task_that_runs_elsewhere_is_waited_for() {
        let tasks = pool_of(1);
        let (began, begins) = mpsc::channel();
        let (release, held) = mpsc::channel::<()>();
        let task = tasks.spawn(move || {
            began.send(()).expect("it is waited for");
            held.recv().expect("it is sent");
            thread::current().id()
        });
        begins.recv().expect("a thread is free");
        let released = thread::spawn(move || release.send(()));
        assert_ne!(task.join(), thread::current().id());
        released.join().expect("no panic").expect("it was waited for");
    }

    #[test]
    #[should_panic(expected = "a panic of its own")]
    fn a_panic_is_passed_on() {
        pool_of(1).spawn(|| panic!("a panic of its own")).join();
    }
}
