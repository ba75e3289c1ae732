//! Request checks that run before any handler.
//!
//! A web site can make a browser send requests to this machine, and can give its own name the address of this machine. So a request
//! must name this page as its host, come from this page or from the user, and bring the cookie of the project. Everything is refused
//! before anything is read from it but its head.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::Response;

use crate::access::{Access, Project};
use crate::answer;

/// The headers of every answer.
const HEADERS: [(&str, &str); 9] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    // Not `no-referrer`: with it, a browser hides the origin of a request, which is checked here.
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ("cache-control", "no-store"),
];

/// What a link leads to: the page that exchanges the token for a cookie.
const LINK: &str = "/open";

/// What is served without a cookie: that page, its script and its style sheet.
const PUBLIC: [&str; 3] = [LINK, "/open.js", "/open.css"];

/// The longest path. Ids and queries are not in paths.
const PATH_BYTES: usize = 128;

/// Refuses what must not be answered, and adds the headers of every answer.
pub(crate) async fn guard(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let mut answer = match check(&access, request) {
        Ok(request) => {
            // What is the same for everybody needs no access, so it does not keep the page open.
            if request.extensions().get::<Arc<Project>>().is_some() {
                access.touch();
            }
            next.run(request).await
        }
        Err((status, reason)) => answer::refusal_page(status, reason),
    };
    seal(&mut answer);
    answer
}

/// Adds the headers of every answer.
pub(crate) fn seal(answer: &mut Response) {
    for (name, value) in HEADERS {
        answer.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// Who sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// A browser with a cookie. It says where a change comes from.
    Browser,
    /// A program with a key. No web site can make a browser send it.
    Program,
}

pub(crate) type Refusal = (StatusCode, &'static str);

/// Returns the request with its project in the extensions, unless it is for everybody.
fn check(access: &Access, mut request: Request<Body>) -> Result<Request<Body>, Refusal> {
    if request.version() != Version::HTTP_11 {
        return Err((StatusCode::HTTP_VERSION_NOT_SUPPORTED, "only HTTP/1.1 is spoken here"));
    }
    let host = host(|given| access.is_host(given), &request)?;
    came_from_here(&request, &host, Sender::Browser)?;
    let is_change = *request.method() == Method::POST;
    if !is_change && *request.method() != Method::GET && *request.method() != Method::HEAD {
        return Err((StatusCode::METHOD_NOT_ALLOWED, "only GET, HEAD and POST are understood"));
    }
    let path = request.uri().path();
    // Without a script, a form sends the token. Its origin was checked above.
    let is_form = path == LINK && has_type(request.headers(), "application/x-www-form-urlencoded");
    if is_change && !is_json(request.headers()) && !is_form {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "a change is sent as application/json"));
    }
    if !is_plain(path) {
        return Err((StatusCode::NOT_FOUND, "this page does not exist"));
    }
    if PUBLIC.contains(&path) {
        return Ok(request);
    }
    let key = path.split('/').nth(1).unwrap_or_default();
    let cookies = request.headers().get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let Some(project) = access.project(key, cookies) else {
        return Err((StatusCode::UNAUTHORIZED, "this link has no access any more, or never had"));
    };
    request.extensions_mut().insert(project);
    Ok(request)
}

/// Returns the host that the request names, which must be this page.
pub(crate) fn host(is_host: impl FnOnce(&str) -> bool, request: &Request<Body>) -> Result<String, Refusal> {
    const WRONG: Refusal = (StatusCode::MISDIRECTED_REQUEST, "this server does not answer under that name");
    let given = single_header(request.headers(), &HOST).ok().flatten().ok_or(WRONG)?;
    if !is_host(given) {
        return Err(WRONG);
    }
    // A request in absolute form names a host too.
    let is_same = request.uri().authority().is_none_or(|authority| authority.as_str().eq_ignore_ascii_case(given));
    let is_http = request.uri().scheme_str().is_none_or(|scheme| scheme == "http");
    if is_same && is_http { Ok(given.to_owned()) } else { Err(WRONG) }
}

/// Checks that the request was made by this page or by the user. A change must say so.
///
/// The link itself may be followed from anywhere, for example from a web terminal: what it leads to is the same for everybody.
pub(crate) fn came_from_here(request: &Request<Body>, host: &str, sender: Sender) -> Result<(), Refusal> {
    const ELSEWHERE: Refusal = (StatusCode::FORBIDDEN, "requests from other sites are not answered");
    let (headers, is_change) = (request.headers(), is_change(request.method()));
    // Another port of this machine is the same site, but another origin. Cookies do not tell them apart.
    let site = single_header(headers, &HeaderName::from_static("sec-fetch-site")).map_err(|()| ELSEWHERE)?;
    let is_link = request.uri().path() == LINK && !is_change;
    if !is_link && !matches!(site, None | Some("same-origin" | "none")) {
        return Err(ELSEWHERE);
    }
    let origin = single_header(headers, &ORIGIN).map_err(|()| ELSEWHERE)?;
    match origin {
        Some(origin) if origin.strip_prefix("http://").is_some_and(|from| from.eq_ignore_ascii_case(host)) => Ok(()),
        None if !is_change || sender == Sender::Program => Ok(()),
        _ => Err(ELSEWHERE),
    }
}

pub(crate) fn is_change(method: &Method) -> bool {
    *method != Method::GET && *method != Method::HEAD
}

/// Returns the value of a header that must not be repeated.
pub(crate) fn single_header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h str>, ()> {
    let mut values = headers.get_all(name).iter();
    let Some(first) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(());
    }
    first.to_str().map(Some).map_err(|_| ())
}

pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    has_type(headers, "application/json")
}

/// Whether a body is of a type, in UTF-8.
fn has_type(headers: &HeaderMap, wanted: &str) -> bool {
    let Ok(Some(value)) = single_header(headers, &CONTENT_TYPE) else { return false };
    let (kind, parameter) = value.split_once(';').unwrap_or((value, "charset=utf-8"));
    kind.trim().eq_ignore_ascii_case(wanted) && parameter.trim().eq_ignore_ascii_case("charset=utf-8")
}

/// Whether a path is one that a page can have: plain names, one slash between them.
pub(crate) fn is_plain(path: &str) -> bool {
    let is_name = |part: &str| {
        !part.starts_with('.')
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.' || b == b'-')
    };
    path.len() <= PATH_BYTES && path.starts_with('/') && !path.contains("//") && path[1..].split('/').all(is_name)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use recall_api::v1::RequestContext;
    use tower::ServiceExt as _;

    use super::*;
    use crate::Subject;

    #[tokio::test(start_paused = true)]
    async fn only_a_request_with_access_keeps_the_page_open() {
        let access = Arc::new(Access::new(1));
        let subject = Subject { root: "/a".to_owned(), context: RequestContext::default() };
        let token = access.admit(subject, None).expect("random");
        let project = access.exchange(&token).expect("valid");
        let cookie = project.set_cookie();
        let page = format!("/{}/x", project.key);
        let router = axum::Router::new().route(LINK, get(|| async {})).route(&page, get(|| async {}));
        let router = router.layer(from_fn_with_state(Arc::clone(&access), guard));
        for (path, is_kept_open) in [(LINK, false), (&*page, true)] {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let before = access.last_use();
            let request = Request::get(path).header(HOST, "127.0.0.1:1").header(COOKIE, &cookie).body(Body::empty());
            let answer = router.clone().oneshot(request.expect("valid")).await.expect("infallible");
            assert_eq!((answer.status(), access.last_use() > before), (StatusCode::OK, is_kept_open), "{path}");
        }
    }
}
