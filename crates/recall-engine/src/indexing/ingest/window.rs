//! How far may the readers run ahead of the writer?

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::imports::Room;

/// Hands out places of a list in order, while the files in flight stay below a number of bytes.
///
/// The first file in flight is always let through, however large, so that the work never stands still.
pub(crate) struct Window<'a> {
    state: Mutex<State>,
    freed: Condvar,
    limit_bytes: u64,
    /// Says whether there is memory for more than one file.
    room: Box<dyn Fn() -> Room + Sync + 'a>,
}

/// After so many bytes of files it is looked again whether there is memory: to look takes some microseconds.
const LOOK_BYTES: u64 = 1024 * 1024;

/// How long a file waits at most for memory while others are in flight, until it is looked again.
const ROOM_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Default)]
struct State {
    next: usize,
    in_flight_bytes: u64,
    /// How many bytes may pass before the next look at the memory.
    until_look_bytes: u64,
    closed: bool,
}

impl<'a> Window<'a> {
    pub(crate) fn new(limit_bytes: u64, room: Box<dyn Fn() -> Room + Sync + 'a>) -> Self {
        Self { state: Mutex::default(), freed: Condvar::new(), limit_bytes, room }
    }

    /// Takes the next place, waiting for room; `None` when the list is through or the window closed.
    ///
    /// `size_of` gives the bytes at a place, or `None` behind the end.
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
    fn places_come_in_order_and_a_large_file_still_passes() {
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
