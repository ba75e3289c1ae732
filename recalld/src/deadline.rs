//! The deadline of each request: the daemon's limit or the client's, whichever is shorter.

use std::time::Duration;

use recall_api::{Failure, Reason};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{HeaderMap, Request, Response};

use crate::middleware::{Middleware, Next};

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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use tonic::Code;
    use tower::{Layer as _, ServiceExt as _};

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
}
