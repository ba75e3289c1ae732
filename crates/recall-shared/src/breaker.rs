//! Whether a store is asked at all.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Whether a store answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It answered the last request, or was not asked yet.
    Answers,
    /// It failed, and is only asked in the background.
    Rests {
        /// Why it failed.
        reason: String,
    },
}

/// Stops requests to a store that does not answer. While it is open, one background thread asks the store at growing intervals.
#[derive(Debug)]
pub(crate) struct Breaker {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    standing: Standing,
    /// Whether a thread asks the store.
    is_probed: bool,
}

/// The first and the longest time between two background requests.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

impl Default for Breaker {
    fn default() -> Self {
        Self { state: Mutex::new(State { standing: Standing::Answers, is_probed: false }) }
    }
}

impl Breaker {
    pub(crate) fn standing(&self) -> Standing {
        self.state.lock().standing.clone()
    }

    /// Opens the breaker, and starts to ask the store in the background with `probe` until it answers.
    pub(crate) fn open(self: &Arc<Self>, reason: String, probe: impl Fn() -> bool + Send + 'static) {
        let mut state = self.state.lock();
        state.standing = Standing::Rests { reason };
        if std::mem::replace(&mut state.is_probed, true) {
            return;
        }
        drop(state);
        // The thread ends with the store.
        let breaker = Arc::downgrade(self);
        let ask = move || {
            let mut pause = FIRST_PAUSE;
            loop {
                let until = Instant::now() + pause;
                while let Some(left) = until.checked_duration_since(Instant::now()) {
                    if breaker.strong_count() == 0 {
                        return;
                    }
                    std::thread::sleep(left.min(FIRST_PAUSE));
                }
                let answers = probe();
                let Some(breaker) = breaker.upgrade() else { return };
                if answers {
                    *breaker.state.lock() = State { standing: Standing::Answers, is_probed: false };
                    return;
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        };
        if std::thread::Builder::new().name("shared-store".to_owned()).spawn(ask).is_err() {
            // Without a thread the next search asks the store again.
            *self.state.lock() = State { standing: Standing::Answers, is_probed: false };
        }
    }
}
