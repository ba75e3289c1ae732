//! A memory budget: a counting semaphore of bytes.
//!
//! Work takes a permit before it allocates. Requests that do not fit wait, first come, first served. A dropped permit is returned,
//! and a waiter that is dropped leaves the queue. The budget measures no memory itself.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use parking_lot::Mutex;

/// How often a waiting thread checks for cancellation.
const CANCEL_INTERVAL: Duration = Duration::from_millis(20);

/// A number of bytes that several tasks share. Clones share it.
#[derive(Clone)]
pub struct Budget {
    shared: Arc<SharedBudget>,
}

struct SharedBudget {
    whole_bytes: u64,
    state: Mutex<BudgetState>,
}

#[derive(Default)]
struct BudgetState {
    used_bytes: u64,
    /// First come, first served, so that small requests cannot starve a large one.
    waiting: VecDeque<Waiter>,
    tickets: u64,
}

struct Waiter {
    ticket: u64,
    bytes: u64,
    waker: Waker,
}

/// The use of a budget at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetUse {
    /// The size of the budget.
    pub whole_bytes: u64,
    /// The bytes that are taken.
    pub used_bytes: u64,
    /// The number of waiting requests.
    pub waiting: usize,
}

impl Budget {
    /// Creates a budget of that many bytes.
    pub fn new(whole_bytes: u64) -> Self {
        Self { shared: Arc::new(SharedBudget { whole_bytes, state: Mutex::default() }) }
    }

    /// Returns the current use of the budget.
    pub fn usage(&self) -> BudgetUse {
        let state = self.shared.state.lock();
        BudgetUse { whole_bytes: self.shared.whole_bytes, used_bytes: state.used_bytes, waiting: state.waiting.len() }
    }

    /// Waits for that many bytes. A request for more than the whole budget waits for the whole budget, and so runs alone.
    ///
    /// Dropping the future leaves the queue.
    pub fn acquire(&self, bytes: u64) -> Acquire {
        let wanted_bytes = bytes.min(self.shared.whole_bytes);
        Acquire { budget: self.clone(), wanted_bytes, place: QueueState::Outside }
    }

    /// Does the same and blocks the calling thread. Returns `None` if `is_over` returns true first.
    pub fn wait(&self, bytes: u64, is_over: impl Fn() -> bool) -> Option<Permit> {
        let mut acquire = pin!(self.acquire(bytes));
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(permit) = acquire.as_mut().poll(&mut context) {
                return Some(permit);
            }
            if is_over() {
                return None;
            }
            std::thread::park_timeout(CANCEL_INTERVAL);
        }
    }

    /// Takes bytes at once, even beyond the whole budget, for memory that is already allocated or must not wait.
    pub fn take(&self, bytes: u64) -> Permit {
        self.shared.state.lock().used_bytes += bytes;
        Permit { budget: self.clone(), bytes }
    }

    fn give_back(&self, bytes: u64) {
        let mut state = self.shared.state.lock();
        state.used_bytes -= bytes;
        let wakers = state.grant(self.shared.whole_bytes);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl BudgetState {
    /// Returns whether that many bytes fit, or nothing is taken.
    fn fits(&self, bytes: u64, whole_bytes: u64) -> bool {
        self.used_bytes == 0 || self.used_bytes.saturating_add(bytes) <= whole_bytes
    }

    /// Grants the first requests in the queue, as many as fit; returns their wakers.
    fn grant(&mut self, whole_bytes: u64) -> Vec<Waker> {
        let mut wakers = Vec::new();
        while self.waiting.front().is_some_and(|waiter| self.fits(waiter.bytes, whole_bytes)) {
            let waiter = self.waiting.pop_front().expect("the queue has a front");
            self.used_bytes += waiter.bytes;
            wakers.push(waiter.waker);
        }
        wakers
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.usage().fmt(f)
    }
}

/// Bytes taken from a budget; returned when this is dropped.
#[derive(Debug)]
pub struct Permit {
    budget: Budget,
    bytes: u64,
}

impl Permit {
    /// Returns the number of bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Changes the number of bytes. An increase does not wait, since the memory is already allocated.
    pub fn resize(&mut self, bytes: u64) {
        if bytes >= self.bytes {
            self.budget.shared.state.lock().used_bytes += bytes - self.bytes;
        } else {
            self.budget.give_back(self.bytes - bytes);
        }
        self.bytes = bytes;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

/// The future of a permit.
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Acquire {
    budget: Budget,
    wanted_bytes: u64,
    place: QueueState,
}

/// The state of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueueState {
    /// It was not polled yet.
    Outside,
    /// It is in the queue with this ticket, or was just granted.
    Queued(u64),
    /// It has its permit.
    Served,
}

impl Future for Acquire {
    type Output = Permit;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Permit> {
        let shared = Arc::clone(&self.budget.shared);
        let mut state = shared.state.lock();
        let bytes = self.wanted_bytes;
        match self.place {
            QueueState::Outside if state.waiting.is_empty() && state.fits(bytes, shared.whole_bytes) => {
                state.used_bytes += bytes;
            }
            QueueState::Outside => {
                state.tickets += 1;
                let ticket = state.tickets;
                state.waiting.push_back(Waiter { ticket, bytes, waker: context.waker().clone() });
                self.place = QueueState::Queued(ticket);
                return Poll::Pending;
            }
            QueueState::Queued(ticket) => {
                if let Some(waiter) = state.waiting.iter_mut().find(|waiter| waiter.ticket == ticket) {
                    waiter.waker.clone_from(context.waker());
                    return Poll::Pending;
                }
            }
            QueueState::Served => panic!("polled after it was ready"),
        }
        drop(state);
        self.place = QueueState::Served;
        Poll::Ready(Permit { budget: self.budget.clone(), bytes })
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        let QueueState::Queued(ticket) = self.place else { return };
        let mut state = self.budget.shared.state.lock();
        let waiting = state.waiting.len();
        state.waiting.retain(|waiter| waiter.ticket != ticket);
        if state.waiting.len() == waiting {
            // It was granted but never polled again.
            state.used_bytes -= self.wanted_bytes;
        }
        // Requests after it may fit now.
        let wakers = state.grant(self.budget.shared.whole_bytes);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    use super::*;

    /// Polls once with a waker that does nothing.
    fn poll(acquire: &mut Pin<Box<Acquire>>) -> Option<Permit> {
        match acquire.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(permit) => Some(permit),
            Poll::Pending => None,
        }
    }

    fn used(budget: &Budget) -> (u64, usize) {
        let BudgetUse { used_bytes, waiting, .. } = budget.usage();
        (used_bytes, waiting)
    }

    #[test]
    fn waiters_are_served_in_order() {
        let budget = Budget::new(10);
        let first = poll(&mut Box::pin(budget.acquire(8))).expect("it fits");
        let mut large = Box::pin(budget.acquire(9));
        let mut small = Box::pin(budget.acquire(1));
        assert!(poll(&mut large).is_none());
        assert!(poll(&mut small).is_none(), "a small request overtook a large one");
        drop(first);
        let large = poll(&mut large).expect("it is its turn");
        let small = poll(&mut small).expect("there is room for both");
        assert_eq!((large.bytes(), small.bytes(), used(&budget)), (9, 1, (10, 0)));
    }

    #[test]
    fn a_request_larger_than_the_budget_runs_alone() {
        let budget = Budget::new(10);
        let other = budget.take(1);
        let mut huge = Box::pin(budget.acquire(1_000));
        assert!(poll(&mut huge).is_none());
        drop(other);
        let huge = poll(&mut huge).expect("nothing else is there");
        assert_eq!(huge.bytes(), 10);
        assert!(poll(&mut Box::pin(budget.acquire(1))).is_none());
    }

    #[test]
    fn a_dropped_waiter_unblocks_the_next_one() {
        let budget = Budget::new(10);
        let first = budget.take(5);
        let mut large = Box::pin(budget.acquire(9));
        let mut small = Box::pin(budget.acquire(3));
        assert!(poll(&mut large).is_none() && poll(&mut small).is_none());
        drop(large);
        drop(poll(&mut small).expect("the queue is empty"));
        drop(first);
        assert_eq!(used(&budget), (0, 0));
    }

    #[test]
    fn a_granted_permit_that_was_not_taken_is_returned() {
        let budget = Budget::new(10);
        let first = budget.take(10);
        let mut waiter = Box::pin(budget.acquire(4));
        assert!(poll(&mut waiter).is_none());
        drop(first);
        assert_eq!(used(&budget), (4, 0));
        drop(waiter);
        assert_eq!(used(&budget), (0, 0));
    }

    #[test]
    fn a_permit_grows_at_once_and_frees_bytes_when_it_shrinks() {
        let budget = Budget::new(10);
        let mut permit = budget.take(4);
        permit.resize(20);
        let mut waiter = Box::pin(budget.acquire(4));
        assert!(poll(&mut waiter).is_none());
        permit.resize(6);
        assert!(poll(&mut waiter).is_some());
    }

    #[test]
    fn a_thread_waits_until_it_is_served_or_cancelled() {
        let budget = Budget::new(1);
        let taken = budget.take(1);
        let is_over = Arc::new(AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let (there, over) = (budget.clone(), Arc::clone(&is_over));
        let waiter = std::thread::spawn(move || {
            drop(there.wait(1, || false).expect("it is let in"));
            let taken = there.take(1);
            sender.send(()).expect("the test listens");
            let refused = there.wait(1, || over.load(Ordering::SeqCst)).is_none();
            drop(taken);
            refused
        });
        drop(taken);
        receiver.recv_timeout(Duration::from_secs(20)).expect("it is let in");
        is_over.store(true, Ordering::SeqCst);
        assert!(waiter.join().expect("no panic"));
        assert_eq!(used(&budget), (0, 0));
    }
}
