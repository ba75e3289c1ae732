//! A bound on the bytes of files that are read but not written yet.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::index_runs::Room;

/// Hands out indices of a list in order, while the files in flight stay below a number of bytes.
///
/// If no file is in flight, the next one is admitted regardless of its size, so that the work always proceeds.
pub(crate) struct Window<'a> {
    state: Mutex<WindowState>,
    freed: Condvar,
    limit_bytes: u64,
    /// Returns whether there is memory for more than one file.
    room: Box<dyn Fn() -> Room + Sync + 'a>,
}

/// How many bytes of files are admitted between two checks of the memory. A check takes some microseconds.
const LOOK_BYTES: u64 = 1024 * 1024;

/// How often a file that waits for memory checks again while others are in flight.
const ROOM_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Default)]
struct WindowState {
    next: usize,
    in_flight_bytes: u64,
    /// How many bytes may be admitted before the next check of the memory.
    until_look_bytes: u64,
    closed: bool,
}

/// The outcome of one attempt to admit the next file.
#[derive(Debug, PartialEq, Eq)]
enum Admission {
    /// The file at this index is in flight.
    Admitted(usize),
    /// No file is left, or the window is closed.
    Over,
    /// The files in flight leave too few bytes.
    NoBytes,
    /// There is no memory for a second file.
    NoMemory,
}

impl<'a> Window<'a> {
    pub(crate) fn new(limit_bytes: u64, room: Box<dyn Fn() -> Room + Sync + 'a>) -> Self {
        Self { state: Mutex::default(), freed: Condvar::new(), limit_bytes, room }
    }

    /// Waits for room and returns the next index; `None` at the end of the list or if the window is closed.
    ///
    /// `size_of` returns the bytes of the file at an index, or `None` after the end.
    pub(crate) fn take(&self, size_of: impl Fn(usize) -> Option<u64>) -> Option<usize> {
        let mut state = self.state.lock();
        loop {
            match self.admit(&mut state, &size_of) {
                Admission::Admitted(index) => return Some(index),
                Admission::Over => return None,
                Admission::NoBytes => self.freed.wait(&mut state),
                Admission::NoMemory => {
                    self.freed.wait_for(&mut state, ROOM_INTERVAL);
                }
            }
        }
    }

    /// Admits the next file if there is room for it now.
    fn admit(&self, state: &mut WindowState, size_of: &impl Fn(usize) -> Option<u64>) -> Admission {
        if state.closed {
            return Admission::Over;
        }
        let Some(size) = size_of(state.next) else { return Admission::Over };
        if state.in_flight_bytes > 0 && state.in_flight_bytes + size > self.limit_bytes {
            return Admission::NoBytes;
        }
        if state.until_look_bytes < size {
            if (self.room)() == Room::Full && state.in_flight_bytes > 0 {
                return Admission::NoMemory;
            }
            state.until_look_bytes = LOOK_BYTES;
        }
        state.until_look_bytes = state.until_look_bytes.saturating_sub(size);
        state.in_flight_bytes += size;
        state.next += 1;
        Admission::Admitted(state.next - 1)
    }

    /// Gives the bytes of a written file back.
    pub(crate) fn free(&self, size: u64) {
        self.state.lock().in_flight_bytes -= size;
        self.freed.notify_all();
    }

    /// Hands out nothing more.
    pub(crate) fn close(&self) {
        self.state.lock().closed = true;
        self.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Tries to take the next index without waiting.
    fn attempt(window: &Window<'_>, size_of: impl Fn(usize) -> Option<u64>) -> Admission {
        window.admit(&mut window.state.lock(), &size_of)
    }

    #[test]
    fn indices_come_in_order_and_a_large_file_is_admitted_alone() {
        let sizes = [5_u64, 100, 1];
        let size_of = |place: usize| sizes.get(place).copied();
        let window = Window::new(10, Box::new(|| Room::Left));
        assert_eq!(attempt(&window, size_of), Admission::Admitted(0));
        window.free(5);
        assert_eq!(attempt(&window, size_of), Admission::Admitted(1));
        assert_eq!(attempt(&window, size_of), Admission::NoBytes);
        window.free(100);
        assert_eq!(attempt(&window, size_of), Admission::Admitted(2));
        assert_eq!(attempt(&window, size_of), Admission::Over);
    }

    #[test]
    fn a_full_window_waits_until_something_is_freed() {
        let window = Window::new(10, Box::new(|| Room::Left));
        let size_of = |place: usize| (place < 2).then_some(8);
        assert_eq!(window.take(size_of), Some(0));
        assert_eq!(attempt(&window, size_of), Admission::NoBytes);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                window.take(|place| {
                    sender.send(()).expect("the test listens");
                    size_of(place)
                })
            });
            // The second one is asked for its size under the lock, which `free` gets when the thread waits.
            receiver.recv().expect("the thread takes");
            window.free(8);
            assert_eq!(second.join().expect("no panic"), Some(1));
        });
    }

    #[test]
    fn a_closed_window_hands_out_nothing() {
        let window = Window::new(10, Box::new(|| Room::Left));
        window.close();
        assert_eq!(window.take(|_| Some(1)), None);
    }

    #[test]
    fn without_memory_one_file_is_in_flight_at_a_time() {
        let room = Mutex::new(Room::Full);
        let (sender, receiver) = mpsc::channel();
        let look = || {
            sender.send(()).expect("the test listens");
            *room.lock()
        };
        let window = Window::new(10 * LOOK_BYTES, Box::new(look));
        // Each file is large enough for a check of the memory.
        let size_of = |place: usize| (place < 3).then_some(LOOK_BYTES);
        assert_eq!(attempt(&window, size_of), Admission::Admitted(0));
        assert_eq!(attempt(&window, size_of), Admission::NoMemory);
        window.free(LOOK_BYTES);
        assert_eq!(attempt(&window, size_of), Admission::Admitted(1));
        assert_eq!(attempt(&window, size_of), Admission::NoMemory);
        assert_eq!(receiver.try_iter().count(), 4);
        std::thread::scope(|scope| {
            let third = scope.spawn(|| window.take(size_of));
            receiver.recv().expect("the thread looks for memory");
            *room.lock() = Room::Left;
            assert_eq!(third.join().expect("no panic"), Some(2));
        });
    }
}
