//! A bound on the bytes of files that are read but not written yet.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::imports::Room;

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
            if state.closed {
                return None;
            }
            let size = size_of(state.next)?;
            if state.in_flight_bytes > 0 && state.in_flight_bytes + size > self.limit_bytes {
                self.freed.wait(&mut state);
                continue;
            }
            if state.until_look_bytes < size {
                if (self.room)() == Room::Full && state.in_flight_bytes > 0 {
                    self.freed.wait_for(&mut state, ROOM_INTERVAL);
                    continue;
                }
                state.until_look_bytes = LOOK_BYTES;
            }
            state.until_look_bytes = state.until_look_bytes.saturating_sub(size);
            state.in_flight_bytes += size;
            state.next += 1;
            return Some(state.next - 1);
        }
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
    use super::*;

    #[test]
    fn indices_come_in_order_and_a_large_file_is_admitted_alone() {
        let sizes = [5_u64, 100, 1];
        let size_of = |place: usize| sizes.get(place).copied();
        let window = Window::new(10, Box::new(|| Room::Left));
        assert_eq!(window.take(size_of), Some(0));
        window.free(5);
        assert_eq!(window.take(size_of), Some(1));
        window.free(100);
        assert_eq!(window.take(size_of), Some(2));
        assert_eq!(window.take(size_of), None);
    }

    #[test]
    fn a_full_window_waits_until_something_is_freed() {
        let window = Window::new(10, Box::new(|| Room::Left));
        let size_of = |place: usize| (place < 2).then_some(8);
        assert_eq!(window.take(size_of), Some(0));
        std::thread::scope(|scope| {
            let second = scope.spawn(|| window.take(size_of));
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
        let room = std::sync::Mutex::new(Room::Full);
        let window = Window::new(100, Box::new(|| *room.lock().expect("no panic")));
        let size_of = |place: usize| (place < 3).then_some(8);
        assert_eq!(window.take(size_of), Some(0));
        std::thread::scope(|scope| {
            let second = scope.spawn(|| window.take(size_of));
            window.free(8);
            assert_eq!(second.join().expect("no panic"), Some(1));
            let third = scope.spawn(|| window.take(size_of));
            *room.lock().expect("no panic") = Room::Left;
            assert_eq!(third.join().expect("no panic"), Some(2));
        });
    }
}
