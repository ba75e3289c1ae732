//! Admission of requests and answers: each reserves memory before it uses it.
//!
//! A call takes its permits in a fixed order: for its answer, from the budget of its connection, then from the shared one;
//! for its message; for the whole texts in its answer, again from its connection's budget, then from the shared one. All
//! calls take them in this order, so no two calls wait for each other.
//!
//! A check of the memory in intervals cannot keep a ceiling: within one interval, messages and unread answers grow by gigabytes
//! (ADR 19). The budget of the connection comes first, so that a client that does not read delays only itself.

mod body;

use std::sync::{Arc, Mutex, PoisonError};

use recall_engine::{Budget, BudgetUse};
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};

use crate::middleware::{Middleware, Next};
use crate::places::Caller;
use crate::unread::{Room, Unread};
use body::{AnswerBody, MessageBody};

/// The reservation for an answer of unknown size. Fifty hits with all their fields take about as much; the reservation is
/// corrected as soon as the answer is encoded.
const ANSWER_BYTES: u64 = 128 * 1024;

/// Calls that never wait for memory. Their answers are short, and a person needs them to inspect and stop a busy daemon.
const ALWAYS_ADMITTED: [&str; 3] =
    ["/recall.v1.Recall/Handshake", "/recall.v1.Recall/Status", "/recall.v1.Recall/Shutdown"];

/// The prefix of the health service's calls, which never wait either.
const HEALTH: &str = "/grpc.health.";

/// The memory budgets of requests and answers. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Admission {
    /// For messages that are being received, and the requests decoded from them.
    messages: Budget,
    /// For answers that are being built or are unread.
    answers: Budget,
    /// For the whole texts of documents in answers.
    texts: Budget,
    /// The budget for the answers of one connection; the texts in them have another of the same size.
    connection_bytes: u64,
    /// The largest accepted message.
    message_bytes: u64,
}

impl Admission {
    /// Divides `bytes`: a quarter for messages, a quarter for answers, a half for the texts in them.
    pub(crate) fn new(bytes: u64, connection_bytes: u64, message_bytes: u64) -> Self {
        Self {
            messages: Budget::new(bytes / 4),
            answers: Budget::new(bytes / 4),
            texts: Budget::new(bytes / 2),
            connection_bytes,
            message_bytes,
        }
    }

    /// Returns the counter of a new connection's unread answers.
    pub(crate) fn unread(&self) -> Unread {
        Unread::new(self.connection_bytes, self.answers.clone(), self.texts.clone())
    }

    pub(crate) fn message_use(&self) -> BudgetUse {
        self.messages.usage()
    }

    /// Returns the combined use of the budgets of answers and texts.
    pub(crate) fn answer_use(&self) -> BudgetUse {
        let (answers, texts) = (self.answers.usage(), self.texts.usage());
        BudgetUse {
            whole_bytes: answers.whole_bytes + texts.whole_bytes,
            used_bytes: answers.used_bytes + texts.used_bytes,
            waiting: answers.waiting + texts.waiting,
        }
    }
}

/// The memory reserved for the answer to one call. A handler reserves more through it.
#[derive(Clone, Debug)]
pub(crate) struct Answering {
    unread: Unread,
    rooms: Arc<Mutex<Vec<Room>>>,
}

impl Answering {
    /// Waits until `bytes` for whole texts fit into the budgets. Called at most once per call.
    pub(crate) async fn admit_texts(&self, bytes: u64) {
        let room = self.unread.admit_texts(bytes).await;
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).push(room);
    }

    fn take(&self) -> Vec<Room> {
        std::mem::take(&mut *self.rooms.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Makes calls wait for the memory that they and their answers take.
impl Middleware for Admission {
    fn answer<S: Next>(
        self,
        request: Request<Body>,
        mut next: S,
    ) -> impl Future<Output = Result<Response<Body>, S::Error>> + Send + 'static {
        let path = request.uri().path();
        let is_admitted = ALWAYS_ADMITTED.contains(&path) || path.starts_with(HEALTH);
        let unread = request.extensions().get::<Caller>().map(|caller| caller.unread.clone());
        let unread = unread.filter(|_| !is_admitted);
        async move {
            let Some(unread) = unread else { return next.call(request).await };
            let room = unread.admit_answer(ANSWER_BYTES).await;
            let answering = Answering { unread: unread.clone(), rooms: Arc::new(Mutex::new(vec![room])) };
            let received = Arc::default();
            let (mut head, body) = request.into_parts();
            head.extensions.insert(answering.clone());
            let body = MessageBody::new(body, self.messages, self.message_bytes, Arc::clone(&received));
            let answer = next.call(Request::from_parts(head, Body::new(body))).await;
            // The request is dropped by now, so the message's permit can go.
            drop(received);
            Ok(answer?.map(|body| Body::new(AnswerBody::new(body, unread, answering.take()))))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::task::{Context, Poll};

    use futures_util::FutureExt as _;
    use tonic::codegen::{Body as _, Bytes};
    use tower::{Layer as _, ServiceExt as _};

    use super::*;
    use crate::middleware::Around;

    const MIB: u64 = 1024 * 1024;

    fn caller(admission: &Admission) -> Caller {
        crate::activity::Activity::new(admission.clone()).enter().caller().clone()
    }

    /// Calls one RPC with a message of `bytes`, which is echoed as the answer.
    async fn call(admission: &Admission, caller: &Caller, path: &'static str, bytes: usize) -> Response<Body> {
        let echo = tower::service_fn(|request: Request<Body>| async move {
            let mut body = std::pin::pin!(request.into_body());
            let mut received = Vec::new();
            while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await {
                received.extend_from_slice(frame.expect("no error").data_ref().expect("data"));
            }
            Ok::<_, Infallible>(Response::new(whole(received)))
        });
        let mut message = vec![0];
        message.extend((bytes as u32).to_be_bytes());
        message.resize(message.len() + bytes, 7);
        let mut request = Request::new(whole(message));
        *request.uri_mut() = path.parse().expect("a path");
        request.extensions_mut().insert(caller.clone());
        Around(admission.clone()).layer(echo).oneshot(request).await.expect("infallible")
    }

    fn whole(bytes: Vec<u8>) -> Body {
        Body::new(http_body_of(Bytes::from(bytes)))
    }

    /// A body that is available at once.
    fn http_body_of(bytes: Bytes) -> impl tonic::codegen::Body<Data = Bytes, Error = tonic::Status> + Send {
        struct Whole(Option<Bytes>);
        impl tonic::codegen::Body for Whole {
            type Data = Bytes;
            type Error = tonic::Status;
            fn poll_frame(
                mut self: std::pin::Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<http_body::Frame<Bytes>, tonic::Status>>> {
                Poll::Ready(self.0.take().map(|bytes| Ok(http_body::Frame::data(bytes))))
            }
        }
        Whole(Some(bytes))
    }

    /// Reads the whole body, as the transport does. Its pieces count as unread until they are dropped.
    async fn pieces(answer: Response<Body>) -> Vec<Bytes> {
        let mut body = std::pin::pin!(answer.into_body());
        let mut pieces = Vec::new();
        while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await {
            pieces.extend(frame.expect("no error").into_data().ok());
        }
        pieces
    }

    const SEARCH: &str = "/recall.v1.Recall/Search";

    #[tokio::test]
    async fn an_answer_counts_until_its_last_piece_is_dropped() {
        let admission = Admission::new(64 * MIB, 8 * MIB, MIB);
        let answer = call(&admission, &caller(&admission), SEARCH, 300_000).await;
        assert_eq!(admission.message_use().used_bytes, 0, "the message is gone with its call");
        assert_eq!(admission.answer_use().used_bytes, ANSWER_BYTES, "not encoded yet");
        let mut pieces = pieces(answer).await;
        assert_eq!(pieces.iter().map(Bytes::len).sum::<usize>(), 300_005);
        assert!(pieces.len() > 1 && admission.answer_use().used_bytes >= 300_005);
        let last = pieces.pop();
        drop(pieces);
        assert!(admission.answer_use().used_bytes >= 300_005, "the last piece keeps all of it");
        drop(last);
        assert_eq!(admission.answer_use().used_bytes, 0);
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_delays_only_its_own_calls() {
        let admission = Admission::new(64 * MIB, MIB, MIB);
        let (lazy, other) = (caller(&admission), caller(&admission));
        let unread = pieces(call(&admission, &lazy, SEARCH, 600_000).await).await;
        let mut further = Box::pin(call(&admission, &lazy, SEARCH, 10));
        assert!((&mut further).now_or_never().is_none(), "more is answered to a client that does not read");
        call(&admission, &other, SEARCH, 10).await;
        call(&admission, &lazy, ALWAYS_ADMITTED[1], 10).await;
        drop(unread);
        further.await;
    }

    #[tokio::test]
    async fn large_messages_wait_for_each_other() {
        let admission = Admission::new(16 * MIB, 8 * MIB, 8 * MIB);
        let caller = caller(&admission);
        let taken = admission.messages.take(3 * MIB);
        let mut large = Box::pin(call(&admission, &caller, SEARCH, MIB as usize));
        assert!((&mut large).now_or_never().is_none());
        call(&admission, &caller, SEARCH, 1_000).await;
        drop(taken);
        large.await;
    }
}
