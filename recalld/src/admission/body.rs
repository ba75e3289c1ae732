//! The bodies of calls: the message of a request, which is received only once there is memory for it, and an answer, which is
//! counted until its client has read it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use recall_engine::{Acquire, Budget, Permit};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;

use crate::unread::{Buffered, Room, Unread};

/// The prefix of each message: one byte for compression, then the length as four bytes in big-endian order.
const HEAD_BYTES: usize = 5;

/// Messages up to this size are not counted: a connection buffers that much anyway.
const SMALL_BYTES: u64 = 64 * 1024;

/// How many copies of a message exist: as received, as decoded, and in the request built from it.
const COPIES: u64 = 3;

/// The slot for the permit of a message, which is held until its call has ended.
pub(super) type Received = Arc<Mutex<Option<Permit>>>;

/// The body of a request with one message.
pub(super) struct MessageBody {
    inner: Body,
    messages: Budget,
    most_bytes: u64,
    received: Received,
    state: MessageState,
}

enum MessageState {
    /// The prefix has not been read completely.
    Head { read: Vec<u8> },
    /// A frame waits until there is room for the message.
    Waiting { acquire: Acquire, frame: Frame },
    /// The message has its permit or needs none.
    Admitted,
}

type Frame = http_body::Frame<Bytes>;

impl MessageBody {
    /// Receives a body once `messages` has room for it, and puts the permit into `received`. A message longer than `most_bytes`
    /// takes no permit, because the decoder rejects it by its length.
    pub(super) fn new(inner: Body, messages: Budget, most_bytes: u64, received: Received) -> Self {
        Self { inner, messages, most_bytes, received, state: MessageState::Head { read: Vec::new() } }
    }

    /// Returns the bytes to reserve for a message; `None` while its length is unknown.
    fn need(&self, head: &[u8]) -> Option<u64> {
        let length = head.get(1..HEAD_BYTES)?.try_into().map(u32::from_be_bytes).expect("four bytes");
        let length = u64::from(length);
        Some(if length > SMALL_BYTES && length <= self.most_bytes { length * COPIES } else { 0 })
    }
}

impl tonic::codegen::Body for MessageBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame, Status>>> {
        let this = &mut *self;
        loop {
            match &mut this.state {
                MessageState::Admitted => return Pin::new(&mut this.inner).poll_frame(context),
                MessageState::Waiting { acquire, .. } => {
                    let permit = ready!(Pin::new(acquire).poll(context));
                    *this.received.lock().unwrap_or_else(PoisonError::into_inner) = Some(permit);
                    let MessageState::Waiting { frame, .. } =
                        std::mem::replace(&mut this.state, MessageState::Admitted)
                    else {
                        unreachable!("the state was matched above");
                    };
                    return Poll::Ready(Some(Ok(frame)));
                }
                MessageState::Head { read } => {
                    let frame = match ready!(Pin::new(&mut this.inner).poll_frame(context)) {
                        Some(Ok(frame)) => frame,
                        ended => return Poll::Ready(ended),
                    };
                    let mut head = std::mem::take(read);
                    let data = frame.data_ref().map_or(&[][..], |data| data);
                    head.extend_from_slice(&data[..data.len().min(HEAD_BYTES - head.len())]);
                    this.state = match this.need(&head) {
                        None => MessageState::Head { read: head },
                        Some(0) => MessageState::Admitted,
                        Some(bytes) => {
                            let acquire = this.messages.acquire(bytes);
                            this.state = MessageState::Waiting { acquire, frame };
                            continue;
                        }
                    };
                    return Poll::Ready(Some(Ok(frame)));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        !matches!(self.state, MessageState::Waiting { .. }) && self.inner.is_end_stream()
    }
}

/// The size of the pieces in which an answer is passed to the connection, so that the client's progress is visible.
const PIECE_BYTES: usize = 64 * 1024;

/// The memory that a buffer takes per byte in it: its capacity doubles as it grows.
const SLACK: u64 = 2;

type AnswerFrame = http_body::Frame<Bytes>;

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

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<AnswerFrame, Status>>> {
        let this = &mut *self;
        if this.pieces.is_empty() {
            let frame = match ready!(Pin::new(&mut this.inner).poll_frame(context)) {
                Some(Ok(frame)) => frame,
                ended => return Poll::Ready(ended),
            };
            match frame.into_data() {
                Ok(data) if !data.is_empty() => this.pieces = this.count(data),
                Ok(data) => return Poll::Ready(Some(Ok(AnswerFrame::data(data)))),
                Err(frame) => return Poll::Ready(Some(Ok(frame))),
            }
        }
        this.unread.advance();
        Poll::Ready(this.pieces.pop_front().map(|piece| Ok(AnswerFrame::data(piece))))
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
