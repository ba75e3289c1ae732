//! A budget of bytes, from which work takes a permit before it holds what it needs.
//!
//! Work that does not fit waits, in the order in which it came. A permit goes back when it is dropped, and a waiter that
//! gives up leaves the queue. Knows nothing of what the bytes are for.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use parking_lot::Mutex;

/// How often a thread that waits looks whether it shall give up.
const CANCEL_INTERVAL: Duration = Duration::from_millis(20);

/// A number of bytes that several tasks share. Clones share it.
#[derive(Clone)]
pub struct Budget {
    shared: Arc<Shared>,
}

struct Shared {
    whole_bytes: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    used_bytes: u64,
    /// First come, first served: a large request is not overtaken by small ones for ever.
    waiting: VecDeque<Waiter>,
    tickets: u64,
}

struct Waiter {
    ticket: u64,
    bytes: u64,
    waker: Waker,
}

/// How a budget stands at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetUse {
    /// The bytes that may be taken in all.
    pub whole_bytes: u64,
    /// The bytes that are taken.
    pub used_bytes: u64,
    /// How many tasks wait.
    pub waiting: usize,
}

impl Budget {
    /// Makes a budget of that many bytes.
    pub fn new(whole_bytes: u64) -> Self {
        Self { shared: Arc::new(Shared { whole_bytes, state: Mutex::default() }) }
    }

    /// How the budget stands at this moment.
    pub fn usage(&self) -> BudgetUse {
        let state = self.shared.state.lock();
        BudgetUse { whole_bytes: self.shared.whole_bytes, used_bytes: state.used_bytes, waiting: state.waiting.len() }
    }

    /// Waits for that many bytes, or for the whole budget if they are more: what can never fit runs alone.
    ///
    /// Dropping the future gives up the place in the queue.
    pub fn acquire(&self, bytes: u64) -> Acquire {
        let wanted_bytes = bytes.min(self.shared.whole_bytes);
        Acquire { budget: self.clone(), wanted_bytes, place: Place::Outside }
    }

    /// The same on the calling thread. Returns `None` if `is_over` says so before it is this caller's turn.
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

    /// Takes bytes at once, also beyond the whole: for what is there already, or must not wait.
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

impl State {
    /// Whether that many bytes fit.
    fn fits(&self, bytes: u64, whole_bytes: u64) -> bool {
        self.used_bytes == 0 || self.used_bytes.saturating_add(bytes) <= whole_bytes
    }

    /// Lets the first ones in the queue in, as many as fit; returns whom to wake.
    fn grant(&mut self, whole_bytes: u64) -> Vec<Waker> {
        let mut wakers = Vec::new();
        while self.waiting.front().is_some_and(|waiter| self.fits(waiter.bytes, whole_bytes)) {
            let waiter = self.waiting.pop_front().expect("the condition saw it");
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

/// Bytes that were taken; given back when this is dropped.
#[derive(Debug)]
pub struct Permit {
    budget: Budget,
    bytes: u64,
}

impl Permit {
    /// How many bytes it holds.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Holds that many bytes from now on. More are taken without waiting: the caller has learnt what is there already.
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

/// Waits for a permit.
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Acquire {
    budget: Budget,
    wanted_bytes: u64,
    place: Place,
}

/// Where a waiter stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It has not asked yet.
    Outside,
    /// It has this ticket in the queue, or has just been let in.
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
            Place::Outside if state.waiting.is_empty() && state.fits(bytes, shared.whole_bytes) => {
                state.used_bytes += bytes;
            }
            Place::Outside => {
                state.tickets += 1;
                let ticket = state.tickets;
                state.waiting.push_back(Waiter { ticket, bytes, waker: context.waker().clone() });
                self.place = Place::Queued(ticket);
                return Poll::Pending;
            }
            Place::Queued(ticket) => {
                if let Some(waiter) = state.waiting.iter_mut().find(|waiter| waiter.ticket == ticket) {
                    waiter.waker.clone_from(context.waker());
                    return Poll::Pending;
                }
            }
            Place::Served => panic!("polled after it was ready"),
        }
        drop(state);
        self.place = Place::Served;
        Poll::Ready(Permit { budget: self.budget.clone(), bytes })
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        let Place::Queued(ticket) = self.place else { return };
        let mut state = self.budget.shared.state.lock();
        let waiting = state.waiting.len();
        state.waiting.retain(|waiter| waiter.ticket != ticket);
        if state.waiting.len() == waiting {
            // It was let in and never learnt of it.
            state.used_bytes -= self.wanted_bytes;
        }
        // Those after it may fit where it did not.
        let wakers = state.grant(self.budget.shared.whole_bytes);
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// Wakes a thread.
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

    /// Polls once without anybody to wake.
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
    fn waiters_are_served_in_the_order_in_which_they_came() {
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
    fn what_can_never_fit_runs_alone() {
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
    fn a_waiter_that_gives_up_lets_the_next_one_in() {
        let budget = Budget::new(10);
        let first = budget.take(5);
        let mut large = Box::pin(budget.acquire(9));
        let mut small = Box::pin(budget.acquire(3));
        assert!(poll(&mut large).is_none() && poll(&mut small).is_none());
        drop(large);
        drop(poll(&mut small).expect("nobody is before it"));
        drop(first);
        assert_eq!(used(&budget), (0, 0));
    }

    #[test]
    fn a_permit_that_nobody_took_is_given_back() {
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
    fn a_permit_grows_at_once_and_shrinks_for_others() {
        let budget = Budget::new(10);
        let mut permit = budget.take(4);
        permit.resize(20);
        let mut waiter = Box::pin(budget.acquire(4));
        assert!(poll(&mut waiter).is_none());
        permit.resize(6);
        assert!(poll(&mut waiter).is_some());
    }

    #[test]
    fn a_thread_waits_until_it_is_let_in_or_told_to_give_up() {
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
