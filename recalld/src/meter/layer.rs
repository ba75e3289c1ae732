//! The layer that counts and times requests.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::{Layer, Service};

use super::{Meter, Outcome};

/// Counts and times every request of a service.
#[derive(Clone, Debug)]
pub(crate) struct MeterLayer {
    meter: Arc<Meter>,
}

impl MeterLayer {
    /// Creates a layer that records into `meter`.
    pub(crate) fn new(meter: Arc<Meter>) -> Self {
        Self { meter }
    }
}

impl<S> Layer<S> for MeterLayer {
    type Service = MeterService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        MeterService { inner, meter: Arc::clone(&self.meter) }
    }
}

/// A service whose requests are counted.
#[derive(Clone, Debug)]
pub(crate) struct MeterService<S> {
    inner: S,
    meter: Arc<Meter>,
}

impl<S> Service<Request<Body>> for MeterService<S>
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
        // `/recall.v1.Recall/Search` is recorded as `Search`.
        let rpc = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        let in_flight = Arc::clone(&self.meter).enter(rpc);
        let answer = self.inner.call(request);
        async move {
            let answer = answer.await;
            in_flight.end(answer.as_ref().map_or(Outcome::Failed, outcome));
            answer
        }
        .boxed()
    }
}

/// Returns the outcome by the headers: a failed request is answered with headers only, which contain the code.
fn outcome(response: &Response<Body>) -> Outcome {
    match response.headers().get("grpc-status") {
        None => Outcome::Answered,
        Some(code) if code == "0" => Outcome::Answered,
        Some(_) => Outcome::Failed,
    }
}
