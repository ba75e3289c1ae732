//! Something that is done by another thread meanwhile, if one is free.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, OnceLock};

use parking_lot::{Condvar, Mutex};
use recall_core::error_chain;

/// From how many chunks on another thread is worth its waking: over 10,000 chunks a search by the meaning was no faster for it, and
/// one by words took .97 of the time and .91 of the processor's without; over 100,000 chunks one by the meaning took .89 of the
/// time with it.
const BESIDE_FROM: u64 = 30_000;

/// The threads that run errands, one a core; started by the first one.
#[derive(Default)]
pub(crate) struct Helpers(OnceLock<Option<rayon::ThreadPool>>);

/// Something that is wanted later. Whoever wants it does it himself where no thread has begun: so it never waits behind others.
pub(crate) struct Errand<T>(Arc<Shared<T>>);

struct Shared<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

enum State<T> {
    Waiting(Box<dyn FnOnce() -> T + Send>),
    Running,
    Done(std::thread::Result<T>),
}

impl Helpers {
    /// Has something done. Where the system gives no thread, whoever wants it does it.
    pub(crate) fn send<T: Send + 'static>(&self, errand: impl FnOnce() -> T + Send + 'static) -> Errand<T> {
        let errand = Errand::later(errand);
        if let Some(pool) = self.0.get_or_init(start) {
            let shared = Arc::clone(&errand.0);
            pool.spawn(move || shared.run());
        }
        errand
    }

    /// Has something done beside a search over so many chunks; where they are few, whoever wants it does it himself.
    pub(crate) fn send_from<T: Send + 'static>(
        &self,
        chunks: u64,
        errand: impl FnOnce() -> T + Send + 'static,
    ) -> Errand<T> {
        if chunks >= BESIDE_FROM { self.send(errand) } else { Errand::later(errand) }
    }
}

fn start() -> Option<rayon::ThreadPool> {
    match rayon::ThreadPoolBuilder::new().thread_name(|number| format!("errand-{number}")).build() {
        Ok(pool) => Some(pool),
        Err(error) => {
            tracing::warn!(reason = error_chain(&error), "searches have no threads to help them");
            None
        }
    }
}

impl<T> Errand<T> {
    /// One that nobody begins before it is wanted.
    pub(crate) fn later(errand: impl FnOnce() -> T + Send + 'static) -> Self {
        let state = Mutex::new(State::Waiting(Box::new(errand)));
        Self(Arc::new(Shared { state, changed: Condvar::new() }))
    }

    /// What came of it.
    ///
    /// # Panics
    /// It did.
    pub(crate) fn outcome(self) -> T {
        self.result().unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// What came of it; what it panicked with as an error.
    pub(crate) fn result(self) -> std::thread::Result<T> {
        self.0.run();
        let mut state = self.0.state.lock();
        loop {
            match std::mem::replace(&mut *state, State::Running) {
                State::Done(result) => return result,
                State::Waiting(_) | State::Running => self.0.changed.wait(&mut state),
            }
        }
    }
}

impl<T> Shared<T> {
    /// Does it, unless somebody does or did.
    fn run(&self) {
        let mut state = self.state.lock();
        if !matches!(*state, State::Waiting(_)) {
            return;
        }
        let State::Waiting(errand) = std::mem::replace(&mut *state, State::Running) else { return };
        drop(state);
        let outcome = catch_unwind(AssertUnwindSafe(errand));
        *self.state.lock() = State::Done(outcome);
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    fn helpers(threads: usize) -> Helpers {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        Helpers(OnceLock::from(Some(pool)))
    }

    #[test]
    fn what_no_thread_begins_is_done_by_who_wants_it() {
        let helpers = helpers(1);
        let (began, begins) = mpsc::channel();
        let (release, held) = mpsc::channel::<()>();
        let busy = helpers.send(move || {
            began.send(()).expect("it is waited for");
            held.recv()
        });
        begins.recv().expect("the thread is free");
        let errand = helpers.send(|| thread::current().id());
        assert_eq!(errand.outcome(), thread::current().id());
        release.send(()).expect("it is waited for");
        busy.outcome().expect("it was sent");
    }

    #[test]
    fn what_another_thread_does_is_waited_for() {
        let helpers = helpers(1);
        let (began, begins) = mpsc::channel();
        let (release, held) = mpsc::channel::<()>();
        let errand = helpers.send(move || {
            began.send(()).expect("it is waited for");
            held.recv().expect("it is sent");
            thread::current().id()
        });
        begins.recv().expect("a thread is free");
        let released = thread::spawn(move || release.send(()));
        assert_ne!(errand.outcome(), thread::current().id());
        released.join().expect("no panic").expect("it was waited for");
    }

    #[test]
    #[should_panic(expected = "a panic of its own")]
    fn a_panic_is_passed_on() {
        helpers(1).send(|| panic!("a panic of its own")).outcome();
    }
}
