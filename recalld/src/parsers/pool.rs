//! The pool of parse workers.
//!
//! A call takes an idle worker or has one started, so there are as many workers as threads that parse. One thread, the
//! keeper, starts them, kills those whose request takes too long, and ends those that were idle for some time.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

use super::process::{Process, Worker};
use super::worker::Request;
use crate::process::{MemoryUse, processor_time};
use parking_lot::Mutex;
use recall_chunk::{ChunkLimits, CodeParser, CodeParserError};
use recall_core::ParsedDocument;
use recall_text::Language;

/// The time beyond the limit of the parse itself: for the rest of the work on a text, and the way there and back.
const GRACE: Duration = Duration::from_millis(800);

/// How many times its processor time a request may take by the clock: the machine may be busy, or stopped for a while.
const STARVED: u32 = 10;

/// The same where the processor time of a worker is not known. A hang lasts as long as this.
const UNMEASURED: u32 = 5;

/// The shortest pause before a worker is looked at again. The system counts its time in steps of some milliseconds.
const LOOK_PAUSE: Duration = Duration::from_millis(50);

/// The longest that a new worker may take until it is ready. It takes milliseconds on an idle machine.
const START_TIME: Duration = Duration::from_secs(10);

/// How often a text is tried. A worker may also die for another reason than its text: the system is out of memory, or
/// somebody kills it.
const ATTEMPTS: u32 = 3;

/// After so long without workers, one is tried again.
const RETRY: Duration = Duration::from_mins(1);

/// After a larger text, a worker ends: its allocator would keep the memory of the syntax tree.
const LAST_TEXT_BYTES: usize = 128 * 1024;

/// The answer for a text is at most so many times as long: every few bytes are a symbol, a reference and a chunk.
const ANSWER_PER_BYTE: usize = 64;

/// The most bytes of the answer for a short text.
const ANSWER_BYTES: usize = 1024 * 1024;

/// Parses source code in child processes.
pub(crate) struct ParserPool {
    state: Arc<Mutex<PoolState>>,
    /// How long an unused worker is kept.
    idle: Duration,
}

#[derive(Default)]
struct PoolState {
    idle: Vec<Idle>,
    busy: Vec<Busy>,
    last_ticket: u64,
    keeper: Option<Sender<Order>>,
    /// When the keeper looks next; `None` if it waits for an order.
    looks_at: Option<Instant>,
    /// Why no worker can be started.
    problem: Option<Problem>,
}

struct Idle {
    worker: Worker,
    until: Instant,
}

struct Busy {
    ticket: u64,
    process: Process,
    began: Instant,
    allowance: Allowance,
    /// When it is looked at.
    deadline: Instant,
    was_killed: bool,
}

/// What a worker may take for what it does.
#[derive(Clone, Copy, Debug)]
enum Allowance {
    /// So long by the clock.
    Wait(Duration),
    /// So much processor time.
    Work {
        most: Duration,
        /// What the worker had used before; `None` if that is not known.
        before: Option<Duration>,
    },
}

impl Allowance {
    /// An allowance for the next request of a worker.
    fn work(most: Duration, worker: &Worker) -> Self {
        Self::Work { most, before: processor_time(worker.process().pid) }
    }

    /// Returns after which time a worker is looked at again that was busy for `waited` and has used `used` processor time in its life;
    /// `None` if it is late.
    fn pause(self, waited: Duration, used: Option<Duration>) -> Option<Duration> {
        match self {
            Self::Wait(most) => most.checked_sub(waited).filter(|left| !left.is_zero()),
            Self::Work { most, before } => {
                let worked = before.zip(used).map(|(before, used)| used.saturating_sub(before));
                let longest = most.saturating_mul(if worked.is_some() { STARVED } else { UNMEASURED });
                let left = most.saturating_sub(worked.unwrap_or_default()).min(longest.saturating_sub(waited));
                (!left.is_zero()).then(|| left.max(LOOK_PAUSE))
            }
        }
    }
}

#[derive(Clone)]
struct Problem {
    reason: String,
    retry_at: Instant,
}

/// What the keeper is asked to do.
enum Order {
    Start(SyncSender<io::Result<Worker>>),
    /// There is an earlier deadline than the one that it waits for.
    Look,
}

impl ParserPool {
    /// Creates a pool without workers, which keeps unused ones for some time.
    pub(crate) fn new(idle: Duration) -> Self {
        Self { state: Arc::default(), idle }
    }

    /// Returns the memory of all workers without mapped files, 0 if the platform does not report it.
    pub(crate) fn used_bytes(&self) -> u64 {
        let pids: Vec<u32> = {
            let state = self.state.lock();
            let idle = state.idle.iter().map(|idle| idle.worker.process().pid);
            idle.chain(state.busy.iter().map(|busy| busy.process.pid)).collect()
        };
        pids.into_iter().map(|pid| MemoryUse::read_process(pid).anonymous_bytes).sum()
    }

    /// Returns why source code is parsed in the daemon's own process, if it is.
    pub(crate) fn problem(&self) -> Option<String> {
        self.state.lock().problem.as_ref().map(|problem| problem.reason.clone())
    }

    /// Takes an idle worker, or has one started.
    fn take(&self) -> Result<Worker, CodeParserError> {
        let keeper = {
            let mut state = self.state.lock();
            if let Some(Idle { worker, .. }) = state.idle.pop() {
                return Ok(worker);
            }
            if state.problem.as_ref().is_some_and(|problem| Instant::now() < problem.retry_at) {
                return Err(CodeParserError::Unavailable);
            }
            self.keeper(&mut state)
        };
        let started = keeper.and_then(|keeper| self.start(&keeper));
        let mut state = self.state.lock();
        match started {
            Ok(worker) => {
                state.problem = None;
                Ok(worker)
            }
            Err(error) => {
                let reason = format!("a parse worker cannot be started: {error}");
                if state.problem.is_none() {
                    tracing::warn!(reason, "source code is parsed in the daemon's process");
                }
                state.problem = Some(Problem { reason, retry_at: Instant::now() + RETRY });
                Err(CodeParserError::Unavailable)
            }
        }
    }

    fn start(&self, keeper: &Sender<Order>) -> io::Result<Worker> {
        let mut last = io::Error::from(io::ErrorKind::BrokenPipe);
        for _ in 0..ATTEMPTS {
            let (reply, started) = sync_channel(1);
            let gone = || io::Error::other("the thread that starts them has ended");
            keeper.send(Order::Start(reply)).map_err(|_| gone())?;
            let mut worker = started.recv().map_err(|_| gone())??;
            let ticket = self.watch(&worker, Allowance::Wait(START_TIME));
            let ready = worker.greet();
            self.unwatch(ticket);
            match ready {
                Ok(()) => return Ok(worker),
                // It may have been killed from outside.
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Returns the queue of the keeper. The first call starts it.
    fn keeper(&self, state: &mut PoolState) -> io::Result<Sender<Order>> {
        if let Some(keeper) = &state.keeper {
            return Ok(keeper.clone());
        }
        let (orders, received) = channel();
        let shared = Arc::clone(&self.state);
        std::thread::Builder::new().name("parsers".to_owned()).spawn(move || keep(&shared, &received))?;
        state.keeper = Some(orders.clone());
        Ok(orders)
    }

    /// Has the worker killed if it is not [unwatched](Self::unwatch) before it takes more than this.
    fn watch(&self, worker: &Worker, allowance: Allowance) -> u64 {
        let began = Instant::now();
        let (Allowance::Wait(first) | Allowance::Work { most: first, .. }) = allowance;
        let deadline = began + first;
        let mut state = self.state.lock();
        state.last_ticket += 1;
        let ticket = state.last_ticket;
        let process = worker.process().clone();
        state.busy.push(Busy { ticket, process, began, allowance, deadline, was_killed: false });
        state.wake_keeper(deadline);
        ticket
    }

    /// Returns whether the worker was killed.
    fn unwatch(&self, ticket: u64) -> bool {
        let mut state = self.state.lock();
        let place = state.busy.iter().position(|busy| busy.ticket == ticket);
        place.is_some_and(|place| state.busy.swap_remove(place).was_killed)
    }

    fn put_back(&self, worker: Worker) {
        let until = Instant::now() + self.idle;
        let mut state = self.state.lock();
        state.idle.push(Idle { worker, until });
        state.wake_keeper(until);
    }
}

impl PoolState {
    /// Makes the keeper look at that time at the latest.
    fn wake_keeper(&mut self, at: Instant) {
        if self.looks_at.is_none_or(|looks_at| at < looks_at) {
            self.looks_at = Some(at);
            if let Some(keeper) = &self.keeper {
                let _ = keeper.send(Order::Look);
            }
        }
    }
}

impl CodeParser for ParserPool {
    fn parse(&self, limits: &ChunkLimits, language: &Language, text: &str) -> Result<ParsedDocument, CodeParserError> {
        let request = Request { limits: limits.clone(), language: language.clone(), text };
        let bytes = request.encode();
        let mut reason = String::new();
        for _ in 0..ATTEMPTS {
            match self.attempt(&request, &bytes)? {
                Attempt::Parsed(document) => return Ok(document),
                Attempt::Hopeless(why) => {
                    reason = why;
                    break;
                }
                Attempt::Crashed(why) => reason = why,
            }
        }
        tracing::warn!(language = language.as_str(), bytes = text.len(), reason, "a text could not be parsed");
        Err(CodeParserError::Failed { reason })
    }
}

/// The result of one attempt at a text.
enum Attempt {
    Parsed(ParsedDocument),
    /// The worker died, perhaps not of its text.
    Crashed(String),
    /// Another attempt would end the same way.
    Hopeless(String),
}

impl ParserPool {
    fn attempt(&self, request: &Request<'_>, bytes: &[u8]) -> Result<Attempt, CodeParserError> {
        let Request { limits: ChunkLimits { parse_time, .. }, text, .. } = request;
        let mut worker = self.take()?;
        let ticket = self.watch(&worker, Allowance::work(parse_time.saturating_add(GRACE), &worker));
        let answer = worker.exchange(bytes, ANSWER_BYTES + ANSWER_PER_BYTE * text.len());
        let was_killed = self.unwatch(ticket);
        Ok(match answer {
            _ if was_killed => {
                let limit_ms = parse_time.as_millis();
                Attempt::Hopeless(format!(
                    "the parser was stopped, because it did not end within {limit_ms} ms of processor time"
                ))
            }
            Ok(answer) if answer.is_empty() => {
                self.put_back(worker);
                Attempt::Hopeless("the parser panicked on this text".to_owned())
            }
            Ok(answer) => match recall_chunk::decode(&answer, text) {
                Ok(document) => {
                    if text.len() <= LAST_TEXT_BYTES {
                        self.put_back(worker);
                    }
                    Attempt::Parsed(document)
                }
                Err(error) => Attempt::Crashed(format!("the parser's answer is damaged: {error}")),
            },
            Err(_) => Attempt::Crashed(format!("the parser {}", worker.ending())),
        })
    }
}

/// The keeper: starts workers, kills late ones, ends idle ones. It ends with the last sender of orders, which the shared
/// state holds: with the process.
fn keep(shared: &Mutex<PoolState>, orders: &Receiver<Order>) {
    loop {
        let looks_at = look(shared);
        let order = match looks_at {
            Some(at) => orders.recv_timeout(at.saturating_duration_since(Instant::now())),
            None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match order {
            Ok(Order::Start(reply)) => {
                let _ = reply.send(Worker::start());
            }
            Ok(Order::Look) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Kills late workers and ends idle ones; returns when to look again.
fn look(shared: &Mutex<PoolState>) -> Option<Instant> {
    let now = Instant::now();
    let mut state = shared.lock();
    for busy in state.busy.iter_mut().filter(|busy| busy.deadline <= now && !busy.was_killed) {
        if let Some(pause) = busy.allowance.pause(now - busy.began, processor_time(busy.process.pid)) {
            busy.deadline = now + pause;
        } else {
            busy.was_killed = true;
            busy.process.kill();
        }
    }
    let (kept, ended): (Vec<_>, Vec<_>) = state.idle.drain(..).partition(|idle| idle.until > now);
    state.idle = kept;
    let deadlines = state.busy.iter().filter(|busy| !busy.was_killed).map(|busy| busy.deadline);
    let looks_at = deadlines.chain(state.idle.iter().map(|idle| idle.until)).min();
    state.looks_at = looks_at;
    drop(state);
    // Waits for their end.
    drop(ended);
    looks_at
}

#[cfg(test)]
mod tests {
    use recall_core::Limits;

    use super::*;

    #[test]
    fn a_worker_is_late_by_its_work_and_not_by_that_of_the_machine() {
        let seconds = Duration::from_secs;
        let work = |before| Allowance::Work { most: seconds(3), before };
        for (allowance, waited, used, expected) in [
            (Allowance::Wait(seconds(10)), 9, Some(9), Some(seconds(1))),
            (Allowance::Wait(seconds(10)), 10, None, None),
            (work(Some(seconds(5))), 3, Some(8), None),
            // Stopped, or starved by others.
            (work(Some(seconds(5))), 3, Some(5), Some(seconds(3))),
            (work(Some(seconds(5))), 20, Some(7), Some(seconds(1))),
            // It waits for something that does not come.
            (work(Some(seconds(5))), 30, Some(5), None),
            (work(None), 3, None, Some(seconds(3))),
            (work(None), 15, None, None),
        ] {
            let paused = allowance.pause(seconds(waited), used.map(seconds));
            assert_eq!(paused, expected, "{allowance:?} after {waited} s");
        }
    }

    #[test]
    fn without_workers_the_caller_is_told_to_parse_itself() {
        // The program of this process is a test, which does not greet like a worker.
        let pool = ParserPool::new(Duration::from_secs(1));
        let limits = ChunkLimits::from(&Limits::default());
        let answer = pool.parse(&limits, &Language::from_static("rust"), "fn f() {}\n");
        assert_eq!(answer, Err(CodeParserError::Unavailable));
        let problem = pool.problem().expect("a reason");
        assert!(problem.starts_with("a parse worker cannot be started"), "{problem}");
        assert_eq!(pool.used_bytes(), 0);
    }
}
