//! A watchdog for calls that run on the thread that serves the connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::runtime::Handle;

/// How long a call may occupy the thread: a few searches. Requests of other clients wait at most this long.
const PATIENCE: Duration = Duration::from_millis(5);

/// The number of checks without a call after which the watchdog sleeps, so that an idle daemon never wakes.
const QUIET_CHECKS: u32 = 20;

/// Makes another thread of the runtime serve the connections if a call occupies the serving thread longer than [`PATIENCE`].
///
/// Handing the connections over before each call would take a tenth of the time of a search; the watchdog costs the
/// search nothing.
pub(crate) struct Lookout {
    shared: Arc<Shared>,
    thread: Thread,
}

#[derive(Default)]
struct Shared {
    /// The number of begun plus ended calls: odd while a call runs.
    turns: AtomicU64,
    is_asleep: AtomicBool,
    is_over: AtomicBool,
}

impl Shared {
    fn turn(&self) -> u64 {
        self.turns.load(Ordering::SeqCst)
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::SeqCst)
    }
}

/// A running call; dropping the value marks its end.
pub(crate) struct Running<'a>(&'a Shared);

impl Lookout {
    /// Starts the watchdog of a runtime of at least two threads.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn new(runtime: Handle) -> std::io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let watched = Arc::clone(&shared);
        let watch = move || watch(&watched, &runtime);
        let thread = thread::Builder::new().name("lookout".to_owned()).spawn(watch)?.thread().clone();
        Ok(Self { shared, thread })
    }

    /// Marks the begin of a call. At most one call runs at a time.
    pub(crate) fn begin(&self) -> Running<'_> {
        self.shared.turns.fetch_add(1, Ordering::SeqCst);
        if self.shared.is_asleep.swap(false, Ordering::SeqCst) {
            self.thread.unpark();
        }
        Running(&self.shared)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.turns.fetch_add(1, Ordering::SeqCst);
    }
}

impl Drop for Lookout {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

fn watch(shared: &Shared, runtime: &Handle) {
    let mut quiet = 0;
    while !shared.is_over() {
        let turn = shared.turn();
        thread::sleep(PATIENCE);
        if shared.turn() != turn {
            quiet = 0;
        } else if turn % 2 == 1 {
            // The empty task wakes another thread, which then finds nothing to do and polls the connections.
            runtime.spawn(async {});
            while shared.turn() == turn && !shared.is_over() {
                thread::sleep(PATIENCE);
            }
            quiet = 0;
        } else if quiet < QUIET_CHECKS {
            quiet += 1;
        } else {
            quiet = 0;
            shared.is_asleep.store(true, Ordering::SeqCst);
            // A call that began before this store did not see the flag and does not unpark this thread.
            while shared.turn() == turn && shared.is_asleep.load(Ordering::SeqCst) && !shared.is_over() {
                thread::park();
            }
            shared.is_asleep.store(false, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::sync::mpsc;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    fn connection(listener: &TcpListener) -> (TcpStream, TcpStream) {
        let theirs = TcpStream::connect(listener.local_addr().expect("it listens")).expect("it listens");
        theirs.set_read_timeout(Some(Duration::from_secs(20))).expect("it can");
        let (ours, _) = listener.accept().expect("a client connects");
        ours.set_nonblocking(true).expect("it can");
        (ours, theirs)
    }

    #[test]
    fn connections_are_served_while_a_call_occupies_their_thread() {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.expect("threads");
        let lookout = Lookout::new(runtime.handle().clone()).expect("a thread");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let ((calling, mut caller), (echoing, mut other)) = (connection(&listener), connection(&listener));
        let (release, released) = mpsc::channel::<()>();
        let (begin, started) = mpsc::channel();
        runtime.spawn(async move {
            let mut calling = tokio::net::TcpStream::from_std(calling).expect("in a runtime");
            while calling.read_u8().await.is_ok() {
                // Runs on the thread that polled the connection: no other thread polls the connections.
                let _running = lookout.begin();
                begin.send(()).expect("it is waited for");
                released.recv().expect("it is sent");
            }
        });
        runtime.spawn(async move {
            let mut echoing = tokio::net::TcpStream::from_std(echoing).expect("in a runtime");
            while let Ok(byte) = echoing.read_u8().await {
                echoing.write_u8(byte).await.expect("it is read");
            }
        });
        // The last call begins while the watchdog sleeps.
        for (number, pause) in [0, 0, 20 * u64::from(QUIET_CHECKS)].into_iter().enumerate() {
            thread::sleep(Duration::from_millis(pause));
            caller.write_all(&[0]).expect("it is read");
            started.recv().expect("it begins");
            let asked = [number as u8];
            let mut answered = [u8::MAX];
            other.write_all(&asked).expect("it is read");
            other.read_exact(&mut answered).expect("it is served");
            assert_eq!(answered, asked);
            release.send(()).expect("it is waited for");
        }
    }
}
