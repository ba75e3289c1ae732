//! The gRPC reflection services.
//!
//! The descriptors with their comments take megabytes once decoded, and few clients use them: they are decoded at the
//! first request.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::server::NamedService;
use tonic_reflection::server::Builder;
use tower::Service;

/// Returns the reflection service, version `v1`.
pub(crate) fn current() -> impl ReflectionService {
    Lazy::new(|| descriptors().build_v1().expect(READABLE))
}

/// Returns the reflection service, version `v1alpha`, for older clients.
pub(crate) fn older() -> impl ReflectionService {
    Lazy::new(|| descriptors().build_v1alpha().expect(READABLE))
}

const READABLE: &str = "the descriptors were written when the program was built, and a test reads them";

fn descriptors() -> Builder<'static> {
    Builder::configure()
        .register_encoded_file_descriptor_set(recall_proto::v1::FILE_DESCRIPTOR_SET)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

/// The bounds that the server requires of a service.
pub(crate) trait ReflectionService:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send + 'static>
    + NamedService
    + Clone
    + Send
    + Sync
    + 'static
{
}

/// A service that is created by its first request.
struct Lazy<S> {
    made: Arc<OnceLock<S>>,
    make: fn() -> S,
}

impl<S> Lazy<S> {
    fn new(make: fn() -> S) -> Self {
        Self { made: Arc::default(), make }
    }
}

impl<S> Clone for Lazy<S> {
    fn clone(&self) -> Self {
        Self { made: Arc::clone(&self.made), make: self.make }
    }
}

impl<S: NamedService> NamedService for Lazy<S> {
    const NAME: &'static str = S::NAME;
}

impl<S: Service<Request<Body>> + Clone> Service<Request<Body>> for Lazy<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        // A generated service is always ready.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> S::Future {
        self.made.get_or_init(self.make).clone().call(request)
    }
}

impl<S> ReflectionService for Lazy<S> where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send + 'static>
        + NamedService
        + Clone
        + Send
        + Sync
        + 'static
{
}

#[cfg(test)]
mod tests {
    use tower::ServiceExt as _;

    use super::*;

    async fn check(service: impl ReflectionService, path: &str) {
        let request = Request::builder().method("POST").uri(path).header("content-type", "application/grpc");
        let answer = service.oneshot(request.body(Body::empty()).expect("complete")).await.expect("infallible");
        assert_eq!(answer.headers().get("grpc-status"), None, "{path} is offered");
    }

    #[tokio::test]
    async fn the_descriptors_are_readable_and_both_versions_are_offered() {
        check(current(), "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo").await;
        check(older(), "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo").await;
    }
}
