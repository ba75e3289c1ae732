//! Tests of the API without a daemon: its routes, its document, and what is refused.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use recall_api::v1::RequestContext;
use recall_api::v1::recall_client::RecallClient;
use serde_json::Value;
use tonic::Status;
use tower::service_fn;
use tower::util::{BoxCloneSyncService, ServiceExt as _};

use super::*;
use crate::access::Access;
use crate::saved::SavedSearches;
use crate::{PageSettings, Rpc, Subject};

const KEY: &str = "0123456789abcdef";
const PORT: u16 = 7777;
const HOST: &str = "127.0.0.1:7777";
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// A service that finds nothing.
fn nothing() -> Rpc {
    let refuse = |_| async { Ok(Status::not_found("nothing is here").into_http()) };
    RecallClient::new(BoxCloneSyncService::new(service_fn(refuse)))
}

/// A site whose projects were opened with the key.
fn site(roots: &[&str]) -> Site {
    let settings = PageSettings { idle: Duration::from_mins(1), editor: None, saved: PathBuf::new() };
    let saved = Arc::new(SavedSearches::new(PathBuf::new()));
    let site = Site { access: Arc::new(Access::new(PORT)), rpc: nothing(), settings: Arc::new(settings), saved };
    for root in roots {
        let subject = Subject { root: (*root).to_owned(), context: RequestContext::default() };
        site.access.admit(subject, Some(ApiKey::new(KEY).expect("a key"))).expect("random");
    }
    site
}

fn request(method: &str, path: &str, body: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(body.to_owned())).expect("a request")
}

fn bearer() -> String {
    format!("Bearer {KEY}")
}

async fn ask(router: &Router, request: Request<Body>) -> (StatusCode, String) {
    let answer = router.clone().oneshot(request).await.expect("infallible");
    let (status, body) = (answer.status(), answer.into_body());
    let bytes = axum::body::to_bytes(body, usize::MAX).await.expect("a body");
    (status, String::from_utf8(bytes.to_vec()).expect("UTF-8"))
}

fn document() -> Value {
    serde_json::from_str(super::document()).expect("JSON")
}

/// The methods of each documented path, with their statuses.
fn read_document() -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
    let statuses = |operation: &Value| operation["responses"].as_object().expect("answers").keys().cloned().collect();
    let methods = |path: &Value| {
        let path = path.as_object().expect("methods").iter();
        path.map(|(method, operation)| (method.to_uppercase(), statuses(operation))).collect()
    };
    let document = document();
    let paths = document["paths"].as_object().expect("paths").iter();
    paths.map(|(path, operations)| (path.clone(), methods(operations))).collect()
}

/// Returns a request with what its endpoint requires.
fn complete(method: &str, path: &str) -> Request<Body> {
    let query = match (path, method) {
        ("/api/v1/search", "GET") => "?q=x",
        ("/api/v1/item" | "/api/v1/session", _) => "?id=x",
        ("/api/v1/graph", _) => "?node=x",
        _ => "",
    };
    let body = match (path, method) {
        ("/api/v1/search", "POST") => r#"{"q":"x"}"#,
        ("/api/v1/items", "POST") => r#"{"content":"x"}"#,
        (_, "PATCH") => r#"{"title":"x"}"#,
        _ => "",
    };
    let headers = [("host", HOST), ("authorization", &bearer()), ("content-type", "application/json")];
    request(method, &format!("{path}{query}"), body, &headers)
}

#[test]
fn every_route_is_in_the_document() {
    let documented = read_document();
    let routes = routes().into_iter().map(|(path, _)| format!("/api/v1{path}"));
    let routes: Vec<_> = routes.chain(["/healthz", "/metrics"].map(str::to_owned)).collect();
    for route in &routes {
        assert!(documented.contains_key(route), "{route} is not documented");
    }
    assert_eq!(documented.len(), routes.len(), "{documented:?}");
}

#[tokio::test]
async fn every_documented_method_is_answered_as_documented_and_no_other_one() {
    let router = router(site(&["/a"]));
    for (path, methods) in read_document() {
        for method in METHODS {
            let (status, body) = ask(&router, complete(method, &path)).await;
            match methods.get(method) {
                Some(statuses) => {
                    assert!(statuses.iter().any(|it| it == status.as_str()), "{method} {path}: {status} {body}");
                }
                None => assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}: {body}"),
            }
        }
    }
}

#[tokio::test]
async fn a_wrong_request_is_refused_in_json_with_what_to_do() {
    let router = router(site(&["/a"]));
    let (key, json) = (bearer(), ("content-type", "application/json"));
    let (host, key) = (("host", HOST), ("authorization", key.as_str()));
    let search = "/api/v1/search?q=x";
    for (method, path, body, headers, expected) in [
        ("GET", search, "", vec![host, key], 404),
        ("GET", search, "", vec![host], 401),
        ("GET", search, "", vec![host, ("authorization", "Bearer 0123456789abcdeF")], 401),
        ("GET", search, "", vec![host, ("authorization", KEY)], 401),
        ("GET", search, "", vec![host, ("authorization", "Basic 0123456789abcdef")], 401),
        ("GET", search, "", vec![host, key, key], 401),
        ("GET", search, "", vec![host, ("cookie", "recall=0123456789abcdef")], 401),
        ("GET", search, "", vec![key], 421),
        ("GET", search, "", vec![("host", "evil.example:7777"), key], 421),
        ("GET", search, "", vec![host, key, ("origin", "http://evil.example")], 403),
        ("GET", search, "", vec![host, key, ("sec-fetch-site", "cross-site")], 403),
        ("GET", "/api/v1/search", "", vec![host, key], 400),
        ("GET", "/api/v1/search?q=x&offset=-1", "", vec![host, key], 400),
        ("GET", "/api/v1/search?q=x&query=y", "", vec![host, key], 400),
        ("GET", "/api/v1/search?q=x&scope=everything", "", vec![host, key], 400),
        ("GET", "/api/v1/none", "", vec![host, key], 404),
        ("GET", "/api/v1/../v1/search", "", vec![host, key], 404),
        ("POST", "/api/v1/items", r#"{"content":"x"}"#, vec![host, key], 415),
        ("POST", "/api/v1/items", r#"{"content":"x"}"#, vec![host, key, ("content-type", "text/plain")], 415),
        ("DELETE", "/api/v1/item?id=x", "", vec![host, key], 415),
        ("POST", "/api/v1/items", r#"{"content":7}"#, vec![host, key, json], 400),
        ("POST", "/api/v1/items", r#"{"content":"x","titel":"y"}"#, vec![host, key, json], 400),
        ("POST", "/api/v1/items", "{", vec![host, key, json], 400),
        ("PUT", "/api/v1/items", "{}", vec![host, key, json], 405),
        ("GET", search, "", vec![host, key, ("recall-project", "/a")], 404),
        ("GET", search, "", vec![host, key, ("recall-project", "/b")], 404),
    ] {
        let (status, text) = ask(&router, request(method, path, body, &headers)).await;
        assert_eq!(status.as_u16(), expected, "{method} {path} {headers:?}: {text}");
        let said: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&said["success"], &said["data"]), (&false.into(), &Value::Null), "{text}");
        assert!(said["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{text}");
    }
    let (status, text) = ask(&router, request("GET", "/healthz", "", &[host])).await;
    assert_eq!((status.as_u16(), text.as_str()), (200, "ok\n"));
    let (status, _) = ask(&router, request("GET", "/healthz", "", &[("host", "evil.example")])).await;
    assert_eq!(status.as_u16(), 421);
}

#[tokio::test]
async fn a_request_names_its_project_if_the_key_opens_several() {
    let router = router(site(&["/a", "/b"]));
    let key = bearer();
    for (named, expected) in [(None, 400), (Some("/a"), 404), (Some("/b/"), 404), (Some("/c"), 404)] {
        let mut headers = vec![("host", HOST), ("authorization", key.as_str())];
        headers.extend(named.map(|root| ("recall-project", root)));
        let (status, text) = ask(&router, request("GET", "/api/v1/stats", "", &headers)).await;
        assert_eq!(status.as_u16(), expected, "{named:?}: {text}");
        assert_eq!(text.contains("nothing is here"), matches!(named, Some("/a" | "/b/")), "{named:?}: {text}");
    }
}

#[tokio::test]
async fn a_further_address_answers_to_addresses_and_programs_only() {
    let key = bearer();
    let every: SocketAddr = "0.0.0.0:7000".parse().expect("an address");
    let one: SocketAddr = "192.0.2.7:7000".parse().expect("an address");
    for (address, host, expected) in [
        (one, "192.0.2.7:7000", 404),
        (one, "192.0.2.8:7000", 421),
        (one, "192.0.2.7:7001", 421),
        (one, "127.0.0.1:7777", 421),
        (one, "localhost:7000", 421),
        (every, "192.0.2.7:7000", 404),
        (every, "[2001:db8::7]:7000", 404),
        (every, "192.0.2.7", 421),
        (every, "evil.example:7000", 421),
    ] {
        let router = router_beyond(site(&["/a"]), address);
        let headers = [("host", host), ("authorization", key.as_str())];
        let (status, text) = ask(&router, request("GET", "/api/v1/stats", "", &headers)).await;
        assert_eq!(status.as_u16(), expected, "{address} {host}: {text}");
        for path in ["/open", "/open.js", "/", "/page.js"] {
            let (status, _) = ask(&router, request("GET", path, "", &[("host", host)])).await;
            assert!(matches!(status.as_u16(), 401 | 421), "{path}");
        }
    }
}
