//! The body of an answer, counted until its client has read it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;

use crate::unread::{Buffered, Room, Unread};

/// The size of the pieces in which an answer is passed to the connection, so that the client's progress is visible.
const PIECE_BYTES: usize = 64 * 1024;

/// The memory that a buffer takes per byte in it: its capacity doubles as it grows.
const SLACK: u64 = 2;

type Frame = http_body::Frame<Bytes>;

/// The body of an answer. Its reservation is released when its last byte is written or its connection is closed.
pub(super) struct AnswerBody {
    inner: Body,
    unread: Unread,
    rooms: Rooms,
    pieces: VecDeque<Bytes>,
}

/// The reservations for an answer, shared by its body and the buffers cut from it.
type Rooms = Arc<Mutex<Vec<Room>>>;

impl AnswerBody {
    pub(super) fn new(inner: Body, unread: Unread, rooms: Vec<Room>) -> Self {
        Self { inner, unread, rooms: Arc::new(Mutex::new(rooms)), pieces: VecDeque::new() }
    }

    /// Corrects the reservation to the size of the answer, and cuts the answer into pieces that hold the reservation.
    fn count(&mut self, data: Bytes) -> VecDeque<Bytes> {
        let taken_bytes = data.len() as u64 * SLACK;
        resize(&mut self.rooms.lock().unwrap_or_else(PoisonError::into_inner), taken_bytes);
        let rooms = Arc::clone(&self.rooms);
        let mut left = Bytes::from_owner(CountedBody { data, _rooms: rooms, _buffered: self.unread.buffer() });
        let mut pieces = VecDeque::with_capacity(left.len().div_ceil(PIECE_BYTES));
        while left.len() > PIECE_BYTES {
            pieces.push_back(left.split_to(PIECE_BYTES));
        }
        pieces.push_back(left);
        pieces
    }
}

/// Distributes the size of the answer over its reservations, the last one first: the one for texts is larger than the first.
fn resize(rooms: &mut [Room], mut bytes: u64) {
    let Some((first, others)) = rooms.split_first_mut() else { return };
    for room in others.iter_mut().rev() {
        let here = bytes.min(room.bytes());
        room.resize(here);
        bytes -= here;
    }
    first.resize(bytes);
}

impl tonic::codegen::Body for AnswerBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame, Status>>> {
        let this = &mut *self;
        if this.pieces.is_empty() {
            let frame = match ready!(Pin::new(&mut this.inner).poll_frame(context)) {
                Some(Ok(frame)) => frame,
                ended => return Poll::Ready(ended),
            };
            match frame.into_data() {
                Ok(data) if !data.is_empty() => this.pieces = this.count(data),
                Ok(data) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                Err(frame) => return Poll::Ready(Some(Ok(frame))),
            }
        }
        this.unread.advance();
        Poll::Ready(this.pieces.pop_front().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty() && self.inner.is_end_stream()
    }
}

/// The bytes of an answer, with the reservations that are released when the last piece is dropped.
struct CountedBody {
    data: Bytes,
    _rooms: Rooms,
    _buffered: Buffered,
}

impl AsRef<[u8]> for CountedBody {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}
