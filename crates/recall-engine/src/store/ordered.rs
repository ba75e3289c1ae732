//! A mutex with a rank. Debug builds check that a thread takes such mutexes in the order of their ranks.

use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

/// The place of a mutex in the [order of locks](super). A thread that holds one takes only later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rank {
    /// The stamps of the settings.
    Settings,
    /// The state of the scans.
    Scans,
    /// The factors from feedback.
    Factors,
    /// The turn to write the index.
    Writing,
    /// The changes of imported documents.
    Imported,
    /// The decisions about files.
    Selection,
    /// The files to be read again.
    Dirty,
}

/// A mutex with a rank.
#[derive(Debug)]
pub(crate) struct OrderedMutex<T> {
    rank: Rank,
    mutex: Mutex<T>,
}

/// The guard of an [`OrderedMutex`].
pub(crate) struct OrderedGuard<'a, T> {
    guard: MutexGuard<'a, T>,
    _held: Held,
}

impl<T> OrderedMutex<T> {
    pub(crate) const fn new(rank: Rank, value: T) -> Self {
        Self { rank, mutex: Mutex::new(value) }
    }

    /// Locks it.
    ///
    /// # Panics
    /// In a debug build, if this thread holds a mutex of the same or a later rank.
    pub(crate) fn lock(&self) -> OrderedGuard<'_, T> {
        check(self.rank);
        self.guard(self.mutex.lock())
    }

    /// Locks it if no thread holds it. It is never waited for, so the order does not matter.
    pub(crate) fn try_lock(&self) -> Option<OrderedGuard<'_, T>> {
        Some(self.guard(self.mutex.try_lock()?))
    }

    /// Locks it unless another thread holds it for longer than `patience`.
    ///
    /// # Panics
    /// As [`lock`](Self::lock).
    pub(crate) fn try_lock_for(&self, patience: Duration) -> Option<OrderedGuard<'_, T>> {
        check(self.rank);
        Some(self.guard(self.mutex.try_lock_for(patience)?))
    }

    fn guard<'a>(&self, guard: MutexGuard<'a, T>) -> OrderedGuard<'a, T> {
        OrderedGuard { guard, _held: Held::new(self.rank) }
    }
}

impl<T> OrderedGuard<'_, T> {
    /// Lets a thread that waits for the lock have it first, if there is one, and takes it again.
    pub(crate) fn hand_over(&mut self) {
        MutexGuard::bump(&mut self.guard);
    }

    /// Waits for a signal, without the lock; returns `false` if the deadline passes first.
    pub(crate) fn wait_until(&mut self, signal: &Condvar, deadline: Instant) -> bool {
        !signal.wait_until(&mut self.guard, deadline).timed_out()
    }
}

impl<T> Deref for OrderedGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for OrderedGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

#[cfg(debug_assertions)]
use checked::{Held, check};
#[cfg(not(debug_assertions))]
use unchecked::{Held, check};

#[cfg(debug_assertions)]
mod checked {
    use std::cell::RefCell;

    use crate::store::ordered::Rank;

    thread_local! {
        /// The ranks of the mutexes that this thread holds.
        static HELD: RefCell<Vec<Rank>> = const { RefCell::new(Vec::new()) };
    }

    /// The entry of a held mutex.
    pub(super) struct Held(Rank);

    impl Held {
        pub(super) fn new(rank: Rank) -> Self {
            HELD.with_borrow_mut(|held| held.push(rank));
            Self(rank)
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            HELD.with_borrow_mut(|held| {
                if let Some(place) = held.iter().rposition(|rank| *rank == self.0) {
                    held.remove(place);
                }
            });
        }
    }

    /// Panics if this thread holds a mutex of the same or a later rank.
    pub(super) fn check(rank: Rank) {
        HELD.with_borrow(|held| {
            assert!(
                held.iter().all(|other| *other < rank),
                "{rank:?} is locked after {held:?}: see the order in store.rs"
            );
        });
    }
}

#[cfg(not(debug_assertions))]
mod unchecked {
    use crate::store::ordered::Rank;

    /// The entry of a held mutex, which nothing reads.
    pub(super) struct Held;

    impl Held {
        pub(super) fn new(_: Rank) -> Self {
            Self
        }
    }

    pub(super) fn check(_: Rank) {}
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    fn locks_are_taken_in_the_order_of_their_ranks() {
        let (early, late) = (OrderedMutex::new(Rank::Scans, 1), OrderedMutex::new(Rank::Dirty, 2));
        let first = early.lock();
        assert_eq!(*first + *late.lock(), 3);
        drop(first);
        let refused = std::thread::scope(|scope| {
            let locks = scope.spawn(|| {
                let _late = late.lock();
                assert!(early.try_lock().is_some());
                drop(early.lock());
            });
            locks.join()
        });
        assert!(refused.is_err());
    }
}
