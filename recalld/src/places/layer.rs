//! The layer that counts the calls of each connection.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http_body::{Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;
use tonic::codegen::http::{Request, Response};
use tower::{Layer, Service};

use super::{Call, Places};
use crate::caller::Caller;

/// Counts each call for its connection, until the body of its answer is dropped.
#[derive(Clone, Debug)]
pub(crate) struct PlacesLayer {
    places: Arc<Places>,
}

impl PlacesLayer {
    /// Creates a layer that counts the calls of the connections in `places`.
    pub(crate) fn new(places: Arc<Places>) -> Self {
        Self { places }
    }
}

impl<S> Layer<S> for PlacesLayer {
    type Service = PlacesService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        PlacesService { inner, places: Arc::clone(&self.places) }
    }
}

/// A service whose calls are counted.
#[derive(Clone, Debug)]
pub(crate) struct PlacesService<S> {
    inner: S,
    places: Arc<Places>,
}

impl<S> Service<Request<Body>> for PlacesService<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Error: Send + 'static,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response<Body>, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let client = request.extensions().get::<Caller>().expect("every connection has one").client;
        let call = self.places.call(client);
        let answer = self.inner.call(request);
        async move { Ok(answer.await?.map(|body| Body::new(Counted { body, _call: call }))) }.boxed()
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
