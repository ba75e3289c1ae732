//! The form of every layer between a connection and the service, and two that need no state: the deadline of each request,
//! which is the daemon's limit or the client's, whichever is shorter, and the isolation of panics.
//!
//! A middleware says only what it does with a request; [`Around`] makes a `tower` layer of it, with the rules of `poll_ready`.

use std::panic::{AssertUnwindSafe, PanicHookInfo};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use recall_api::{Failure, Reason};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{HeaderMap, Request, Response};
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

/// How much earlier than the client's deadline this layer answers. The transport enforces that deadline too, but answers
/// "cancelled", so this layer must come first.
const AHEAD_OF_TRANSPORT: Duration = Duration::from_millis(2);

/// Requests without the daemon's limit: installing a model copies a gigabyte and runs its network, which may take minutes, and an
/// import takes as long as its client sends. What other tools remember may be a database of gigabytes. A first publication sends a whole repository. Downloads need no entry,
/// because their answers are streams.
const UNBOUNDED: [&str; 5] = [
    "/recall.v1.Recall/AddModel",
    "/recall.v1.Recall/Import",
    "/recall.v1.Recall/Migrate",
    "/recall.v1.Recall/Audit",
    "/recall.v1.Recall/Publish",
];

/// Ends a request after this time or at its client's deadline. A stream is timed until it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline(pub(crate) Duration);

impl Middleware for Deadline {
    fn answer<S: Next>(
        self,
        request: Request<Body>,
        mut next: S,
    ) -> impl Future<Output = Result<Response<Body>, S::Error>> + Send + 'static {
        let wanted = client_deadline(request.headers()).map(|wanted| wanted.saturating_sub(AHEAD_OF_TRANSPORT));
        let most = Some(self.0).filter(|_| !UNBOUNDED.contains(&request.uri().path()));
        let limit = wanted.into_iter().chain(most).min();
        let answer = next.call(request);
        async move {
            let Some(limit) = limit else { return answer.await };
            tokio::time::timeout(limit, answer).await.unwrap_or_else(|_| Ok(too_late(limit).into_http()))
        }
    }
}

fn too_late(limit: Duration) -> Status {
    Failure::new(Reason::DeadlineExceeded, format!("the request took longer than {limit:?}")).into()
}

/// Returns the client's deadline, which gRPC encodes as at most eight digits and a unit.
fn client_deadline(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > 8 {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(number * 60 * 60)),
        "M" => Some(Duration::from_secs(number * 60)),
        "S" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_millis(number)),
        "u" => Some(Duration::from_micros(number)),
        "n" => Some(Duration::from_nanos(number)),
        _ => None,
    }
}

/// Installs a hook that logs the place of a panic instead of printing it.
///
/// The message is left out: a panic about text quotes the text, and the log must not contain document text.
pub(crate) fn install_panic_hook() {
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

    fn headers(timeout: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("grpc-timeout", timeout.parse().expect("plain text"));
        headers
    }

    #[test]
    fn deadlines_of_clients_are_read() {
        for (text, expected) in [
            ("3H", Some(Duration::from_hours(3))),
            ("2M", Some(Duration::from_mins(2))),
            ("1S", Some(Duration::from_secs(1))),
            ("250m", Some(Duration::from_millis(250))),
            ("250u", Some(Duration::from_micros(250))),
            ("99999999n", Some(Duration::from_nanos(99_999_999))),
            ("123456789S", None),
            ("S", None),
            ("1", None),
            ("1x", None),
            ("-1S", None),
        ] {
            assert_eq!(client_deadline(&headers(text)), expected, "{text}");
        }
        assert_eq!(client_deadline(&HeaderMap::new()), None);
    }

    /// Returns the status code of a request that would take ten seconds.
    async fn check(most: Duration, timeout: Option<&str>) -> Option<i32> {
        check_of("/recall.v1.Recall/Search", most, timeout).await
    }

    async fn check_of(path: &'static str, most: Duration, timeout: Option<&str>) -> Option<i32> {
        let slow = tower::service_fn(|_: Request<Body>| async {
            tokio::time::sleep(Duration::from_secs(10)).await;
            Ok::<_, Infallible>(Response::new(Body::empty()))
        });
        let mut request = Request::new(Body::empty());
        *request.uri_mut() = path.parse().expect("a path");
        *request.headers_mut() = timeout.map(headers).unwrap_or_default();
        let answer = Around(Deadline(most)).layer(slow).oneshot(request).await.expect("infallible");
        answer.headers().get("grpc-status").map(|code| code.to_str().expect("digits").parse().expect("digits"))
    }

    #[tokio::test(start_paused = true)]
    async fn the_shorter_deadline_decides() {
        let late = Some(Code::DeadlineExceeded as i32);
        assert_eq!(check(Duration::from_secs(1), None).await, late);
        assert_eq!(check(Duration::from_secs(30), Some("2S")).await, late);
        assert_eq!(check(Duration::from_secs(1), Some("20S")).await, late);
        assert_eq!(check(Duration::from_secs(30), Some("20S")).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_client_bounds_the_installation_of_a_model() {
        let add_model = |timeout| check_of(UNBOUNDED[0], Duration::from_secs(1), timeout);
        assert_eq!(add_model(None).await, None);
        assert_eq!(add_model(Some("2S")).await, Some(Code::DeadlineExceeded as i32));
    }

    async fn check_panic<S>(service: S, expected: Option<Code>)
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
        check_panic(tower::service_fn(panics), Some(Code::Internal)).await;
    }

    #[tokio::test]
    async fn a_panic_before_the_answer_begins_is_an_internal_error() {
        let panics =
            |_: Request<Body>| -> std::future::Ready<Result<Response<Body>, Infallible>> { panic!("provoked") };
        check_panic(tower::service_fn(panics), Some(Code::Internal)).await;
    }

    #[tokio::test]
    async fn an_answer_passes_unchanged() {
        let answers = |_: Request<Body>| async { Ok(Response::new(Body::empty())) };
        check_panic(tower::service_fn(answers), None).await;
    }
}
