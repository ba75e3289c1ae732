//! The layer that counts the calls of each connection.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http_body::{Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;
use tonic::codegen::http::{Request, Response};

use super::{Call, Places};
use crate::caller::Caller;
use crate::middleware::{Middleware, Next};

/// Counts each call for its connection, until the body of its answer is dropped.
impl Middleware for Arc<Places> {
    fn answer<S: Next>(
        self,
        request: Request<Body>,
        mut next: S,
    ) -> impl Future<Output = Result<Response<Body>, S::Error>> + Send + 'static {
        let client = request.extensions().get::<Caller>().expect("every connection has one").client;
        let call = self.call(client);
        let answer = next.call(request);
        async move { Ok(answer.await?.map(|body| Body::new(Counted { body, _call: call }))) }
    }
}

/// The body of an answer. Its call counts as in flight until it is dropped.
struct Counted {
    body: Body,
    _call: Call,
}

impl http_body::Body for Counted {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
