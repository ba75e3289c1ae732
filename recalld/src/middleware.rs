//! The form of every layer between a connection and the service.
//!
//! A middleware says only what it does with a request; [`Around`] makes a `tower` layer of it, with the rules of `poll_ready`.

use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::{Layer, Service};

/// A step that every request and its answer pass.
pub(crate) trait Middleware: Clone {
    /// Answers a request, usually by calling `next`, which is ready.
    ///
    /// What precedes the future runs when the request arrives, not when the future is first polled.
    fn answer<S: Next>(
        self,
        request: Request<Body>,
        next: S,
    ) -> impl Future<Output = Result<Response<Body>, S::Error>> + Send + 'static;
}

/// A service that a middleware can call.
pub(crate) trait Next:
    Service<Request<Body>, Response = Response<Body>, Error: Send + 'static, Future: Send + 'static>
    + Clone
    + Send
    + 'static
{
}

impl<S> Next for S
where
    S: Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
    S::Error: Send + 'static,
    S::Future: Send + 'static,
{
}

/// The layer of a middleware.
#[derive(Clone, Debug)]
pub(crate) struct Around<M>(pub(crate) M);

impl<M: Middleware, S> Layer<S> for Around<M> {
    type Service = AroundService<M, S>;

    fn layer(&self, next: S) -> Self::Service {
        AroundService { middleware: self.0.clone(), next }
    }
}

/// A service behind a middleware.
#[derive(Clone, Debug)]
pub(crate) struct AroundService<M, S> {
    middleware: M,
    next: S,
}

impl<M: Middleware, S: Next> Service<Request<Body>> for AroundService<M, S> {
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response<Body>, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.next.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        // `poll_ready` was called on `self.next`, so that instance must be called, not its clone.
        let clone = self.next.clone();
        let next = std::mem::replace(&mut self.next, clone);
        self.middleware.clone().answer(request, next).boxed()
    }
}
