//! The layer that counts and times requests.

use std::sync::Arc;

use tonic::body::Body;
use tonic::codegen::http::{Request, Response};

use super::{Meter, Outcome};
use crate::middleware::{Middleware, Next};

/// Counts and times every request of a service.
impl Middleware for Arc<Meter> {
    fn answer<S: Next>(
        self,
        request: Request<Body>,
        mut next: S,
    ) -> impl Future<Output = Result<Response<Body>, S::Error>> + Send + 'static {
        // `/recall.v1.Recall/Search` is recorded as `Search`.
        let rpc = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
        let in_flight = self.enter(rpc);
        let answer = next.call(request);
        async move {
            let answer = answer.await;
            in_flight.end(answer.as_ref().map_or(Outcome::Failed, outcome));
            answer
        }
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
