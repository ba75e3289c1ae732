//! Request checks of the API.
//!
//! Makes the page's checks and reports failures as JSON. A program sends a key, a browser its cookie; only the health check needs
//! neither.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, COOKIE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version};
use axum::middleware::Next;
use axum::response::Response;

use crate::access::{Access, Project};
use crate::answer::{self, Shown};
use crate::guard::{self, Refusal, Sender};
use crate::pages::Site;

/// The header that names the root of the project that a request is about.
const PROJECT: HeaderName = HeaderName::from_static("recall-project");

/// What is answered without a key or a cookie.
const PUBLIC: &str = "/healthz";

/// What the guard of a listener knows.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    access: Arc<Access>,
    /// The further address that the listener is for; `None` for the loopback addresses.
    address: Option<SocketAddr>,
}

/// The projects that a request may be about, the one opened last first. Never empty.
#[derive(Clone, Debug)]
pub(super) struct Projects(pub(super) Vec<Arc<Project>>);

impl Gate {
    pub(super) fn loopback(site: &Site) -> Self {
        Self { access: Arc::clone(&site.access), address: None }
    }

    pub(super) fn beyond(site: &Site, address: SocketAddr) -> Self {
        Self { access: Arc::clone(&site.access), address: Some(address) }
    }

    /// Whether a value of `Host` names this listener. On all addresses, any address is accepted, but no name: a web site can give its
    /// name the address of this machine.
    fn is_host(&self, given: &str) -> bool {
        let Some(address) = self.address else { return self.access.is_host(given) };
        let Ok(named) = given.parse::<SocketAddr>() else { return false };
        named.port() == address.port() && (address.ip().is_unspecified() || named.ip() == address.ip())
    }
}

/// Refuses what must not be answered, and adds the headers of every answer.
pub(super) async fn guard(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let mut answer = match check(&gate, request) {
        Ok(request) => next.run(request).await,
        Err(shown) => refusal_response(&shown),
    };
    guard::seal(&mut answer);
    answer
}

fn refusal_response(shown: &Shown) -> Response {
    let mut answer = answer::failure_page(shown);
    if shown.status == StatusCode::UNAUTHORIZED {
        answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    answer
}

/// Returns the request with its projects in the extensions.
fn check(gate: &Gate, mut request: Request<Body>) -> Result<Request<Body>, Shown> {
    if request.version() != Version::HTTP_11 {
        return Err(into_shown((StatusCode::HTTP_VERSION_NOT_SUPPORTED, "only HTTP/1.1 is spoken here")));
    }
    let host = guard::host(|given| gate.is_host(given), &request).map_err(into_shown)?;
    let path = request.uri().path();
    // A browser has its project's key before the rest of the path, and sends its cookie there only.
    let is_bare = path == PUBLIC || path == "/metrics" || path.starts_with("/api/") || gate.address.is_some();
    let sender = if is_bare { Sender::Program } else { Sender::Browser };
    guard::came_from_here(&request, &host, sender).map_err(into_shown)?;
    if !guard::is_plain(path) {
        return Err(into_shown((StatusCode::NOT_FOUND, "this endpoint does not exist")));
    }
    if path == PUBLIC {
        return Ok(request);
    }
    let projects = match sender {
        Sender::Program => projects_by_key(&gate.access, request.headers())?,
        Sender::Browser => vec![with_cookie(&gate.access, path, request.headers())?],
    };
    if guard::is_change(request.method()) && !guard::is_json(request.headers()) {
        let refusal = (StatusCode::UNSUPPORTED_MEDIA_TYPE, "a change is sent as application/json");
        return Err(Shown {
            hint: Some("add the header `Content-Type: application/json`".to_owned()),
            ..into_shown(refusal)
        });
    }
    gate.access.touch();
    request.extensions_mut().insert(Projects(projects));
    Ok(request)
}

/// Returns the projects that the key of a request opens, or the one of them that it names.
fn projects_by_key(access: &Access, headers: &HeaderMap) -> Result<Vec<Arc<Project>>, Shown> {
    let given = guard::single_header(headers, &AUTHORIZATION).ok().flatten();
    let key = given.and_then(|value| value.split_once(' ')).filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let mut projects = key.map(|(_, key)| access.projects_by_key(key.trim())).unwrap_or_default();
    if projects.is_empty() {
        let refusal = (StatusCode::UNAUTHORIZED, "no key was sent, or one that opens no project");
        let hint =
            "run `recall ui` in the project's folder with RECALL_API_KEY set, and send `Authorization: Bearer KEY`";
        return Err(Shown { hint: Some(hint.to_owned()), ..into_shown(refusal) });
    }
    let named = headers.get_all(PROJECT).iter().map(|value| std::str::from_utf8(value.as_bytes())).collect::<Vec<_>>();
    match named.as_slice() {
        [] => {}
        [Ok(root)] => projects.retain(|project| project.subject.root == root.trim_end_matches('/')),
        _ => projects.clear(),
    }
    if projects.is_empty() {
        let refusal = (StatusCode::NOT_FOUND, "the header `Recall-Project` names no project that the key opens");
        let hint = "it is the absolute path of a root; open the project by `recall ui` in its folder with the same key";
        return Err(Shown { hint: Some(hint.to_owned()), ..into_shown(refusal) });
    }
    Ok(projects)
}

fn with_cookie(access: &Access, path: &str, headers: &HeaderMap) -> Result<Arc<Project>, Shown> {
    let key = path.split('/').nth(1).unwrap_or_default();
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    access.project(key, cookies).ok_or_else(|| {
        let refusal = (StatusCode::UNAUTHORIZED, "this link has no access any more, or never had");
        Shown { hint: Some("run `recall ui` in the project's folder".to_owned()), ..into_shown(refusal) }
    })
}

fn into_shown((status, message): Refusal) -> Shown {
    let reason = match status {
        StatusCode::NOT_FOUND => "NOT_FOUND",
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::MISDIRECTED_REQUEST => "PERMISSION_DENIED",
        _ => "INVALID_ARGUMENT",
    };
    Shown { status, reason, message: message.to_owned(), hint: None }
}
