//! Asking a remote model again after it failed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Store;

/// The pause before a remote model is asked again. It doubles with each further failure. Requests that fail for a moment are
/// repeated before that.
const FIRST_PAUSE: Duration = Duration::from_secs(2);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_mins(2);

/// How often a pause checks whether the store is closed.
const STEP: Duration = Duration::from_millis(100);

impl Store {
    /// Updates the embeddings that follow in the background. If a remote model fails, it is asked again later, until it has
    /// embedded every chunk or the store is closed.
    pub(super) fn embed(self: &Arc<Self>) {
        self.embeddings.follow_in_background(&self.catalog, &self.cancel);
        if !self.embeddings.awaits_retry() || !self.embeddings.begin_retry() {
            return;
        }
        // A waiting thread must not keep the store open.
        let store = Arc::downgrade(self);
        let waiting = std::thread::Builder::new().name("retry".to_owned()).spawn(move || {
            let mut pause = FIRST_PAUSE;
            loop {
                let until = Instant::now() + pause;
                while Instant::now() < until {
                    std::thread::sleep(STEP);
                    if store.upgrade().is_none_or(|store| store.cancel.is_cancelled()) {
                        return;
                    }
                }
                let Some(store) = store.upgrade() else { return };
                let working = store.background.begin();
                store.embeddings.follow_in_background(&store.catalog, &store.cancel);
                if !store.embeddings.awaits_retry() {
                    store.embeddings.end_retry();
                    return;
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
                drop(store);
                drop(working);
            }
        });
        if let Err(error) = waiting {
            self.embeddings.end_retry();
            tracing::warn!(%error, "no thread to ask a remote model again; the next change of a file does");
        }
    }
}
