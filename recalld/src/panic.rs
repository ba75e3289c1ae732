//! Isolation of panics: a request that panics is answered with an error, and no other request is affected.

use std::panic::{AssertUnwindSafe, PanicHookInfo};

use futures_util::FutureExt as _;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};

use crate::middleware::{Middleware, Next};

/// Installs a hook that logs the place of a panic instead of printing it.
///
/// The message is left out: a panic about text quotes the text, and the log must not contain document text.
pub(crate) fn install_hook() {
    std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| {
        let thread = std::thread::current();
        let thread = thread.name().unwrap_or("unnamed");
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(thread, place, "panicked");
    }));
}

/// Answers a request that panics with an internal error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CatchPanic;

impl Middleware for CatchPanic {
    fn answer<S: Next>(
        self,
        request: Request<Body>,
        mut next: S,
    ) -> impl Future<Output = Result<Response<Body>, S::Error>> + Send + 'static {
        // A handler owns its request and shares only state that is guarded by locks, so no other request sees state that a
        // panic left incomplete.
        let answer = std::panic::catch_unwind(AssertUnwindSafe(|| next.call(request)));
        async move {
            let Ok(answer) = answer else { return Ok(panic_response()) };
            AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_| Ok(panic_response()))
        }
    }
}

fn panic_response() -> Response<Body> {
    crate::failure::panic_status().into_http()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use tonic::Code;
    use tower::{Layer as _, Service, ServiceExt as _};

    use super::*;
    use crate::middleware::Around;

    async fn check<S>(service: S, expected: Option<Code>)
    where
        S: Next + Service<Request<Body>, Error = Infallible>,
    {
        let answer = Around(CatchPanic).layer(service).oneshot(Request::new(Body::empty())).await.expect("infallible");
        let code = answer.headers().get("grpc-status").map(|code| Code::from_bytes(code.as_bytes()));
        assert_eq!(code, expected);
    }

    #[tokio::test]
    async fn a_panic_while_a_request_is_answered_is_an_internal_error() {
        let panics = |_: Request<Body>| async { panic!("provoked") };
        check(tower::service_fn(panics), Some(Code::Internal)).await;
    }

    #[tokio::test]
    async fn a_panic_before_the_answer_begins_is_an_internal_error() {
        let panics =
            |_: Request<Body>| -> std::future::Ready<Result<Response<Body>, Infallible>> { panic!("provoked") };
        check(tower::service_fn(panics), Some(Code::Internal)).await;
    }

    #[tokio::test]
    async fn an_answer_passes_unchanged() {
        let answers = |_: Request<Body>| async { Ok(Response::new(Body::empty())) };
        check(tower::service_fn(answers), None).await;
    }
}
