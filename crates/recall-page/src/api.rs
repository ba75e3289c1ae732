//! The JSON API: the service for programs that speak HTTP.
//!
//! Like the page, it has no rule of its own: each endpoint is one call of the service, and the answer is the JSON of the command that asks
//! the same. `/api/v1` is for programs with a key; a browser with a cookie finds the same below its project's path.

mod envelope;
mod guard;
mod items;
mod metrics;
mod queries;

/// The endpoints, what they take, and how they fail. What they answer are messages of the protocol.
const ENDPOINTS: &str = include_str!("assets/openapi.json");

/// Returns the document.
fn document() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(write);
    &TEXT
}

/// Adds the schemas of the messages that the endpoints refer to, and of those within them.
fn write() -> String {
    let mut document: Value = serde_json::from_str(ENDPOINTS).expect("a test reads it");
    let mut messages: Map<String, Value> = serde_json::from_str(SCHEMAS).expect("the build script wrote it");
    let mut unread = references(&document);
    while let Some(name) = unread.pop() {
        if let Some(schema) = messages.remove(&name) {
            unread.extend(references(&schema));
            document["components"]["schemas"][name] = schema;
        }
    }
    document.to_string()
}

/// Returns the names of the schemas that a schema refers to.
fn references(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(fields) => {
            let link = fields.get("$ref").and_then(Value::as_str);
            let name = link.and_then(|link| link.strip_prefix("#/components/schemas/")).map(str::to_owned);
            name.into_iter().chain(fields.values().flat_map(references)).collect()
        }
        Value::Array(values) => values.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::LazyLock;

use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, any, get};
use axum::{Router, middleware};
use recall_api::json::SCHEMAS;
use serde_json::{Map, Value};

use crate::answer::{self, Shown};
use crate::pages::Site;
use guard::Gate;

pub use super::access::{ApiKey, KeyError};

/// The largest body of a request. The text of a memory has at most 1 MiB; JSON escapes some of its characters.
const BODY_BYTES: usize = 2 * 1024 * 1024;

/// Returns the routes on the loopback addresses: for programs, and below each project's path for browsers.
pub(crate) fn router(site: Site) -> Router {
    let mut router = Router::new().route("/healthz", get(health));
    for prefix in ["", "/{key}"] {
        router = with_routes(router, prefix);
    }
    guarded(router, Gate::loopback(&site), site)
}

/// Returns the routes on a further address: those for programs.
pub(crate) fn router_beyond(site: Site, address: SocketAddr) -> Router {
    let router = with_routes(Router::new().route("/healthz", get(health)), "").fallback(unknown);
    guarded(router, Gate::beyond(&site, address), site)
}

fn with_routes(mut router: Router<Site>, prefix: &str) -> Router<Site> {
    router = router.route(&format!("{prefix}/metrics"), get(metrics::text));
    for (path, methods) in routes() {
        router = router.route(&format!("{prefix}/api/v1{path}"), methods);
    }
    router.route(&format!("{prefix}/api/v1/{{*rest}}"), any(unknown))
}

/// The endpoints below `/api/v1`.
fn routes() -> Vec<(&'static str, MethodRouter<Site>)> {
    vec![
        ("/search", get(queries::search_by_address).post(queries::search_by_body)),
        ("/items", get(items::list).post(items::create)),
        ("/item", get(items::read).patch(items::update).delete(items::delete)),
        ("/sessions", get(queries::list_sessions)),
        ("/session", get(queries::session)),
        ("/graph", get(queries::neighbours)),
        ("/stats", get(queries::stats)),
        ("/openapi.json", get(describe)),
    ]
}

fn guarded(router: Router<Site>, gate: Gate, site: Site) -> Router {
    router
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(middleware::from_fn_with_state(gate, guard::guard))
        .with_state(site)
}

async fn health() -> &'static str {
    "ok\n"
}

async fn describe() -> Response {
    ([(CONTENT_TYPE, "application/json")], document()).into_response()
}

async fn unknown() -> Response {
    answer::failure_page(&Shown {
        status: StatusCode::NOT_FOUND,
        reason: "NOT_FOUND",
        message: "this endpoint does not exist".to_owned(),
        hint: Some("/api/v1/openapi.json lists the endpoints".to_owned()),
    })
}

async fn wrong_method() -> Response {
    answer::failure_page(&Shown {
        status: StatusCode::METHOD_NOT_ALLOWED,
        reason: "INVALID_ARGUMENT",
        message: "the endpoint does not have this method".to_owned(),
        hint: Some("/api/v1/openapi.json lists the methods of each endpoint".to_owned()),
    })
}

#[cfg(test)]
mod document_tests {
    use super::*;

    #[test]
    fn every_reference_to_a_schema_leads_to_one() {
        let document: Value = serde_json::from_str(document()).expect("JSON");
        let schemas = &document["components"]["schemas"];
        let missing: Vec<_> = references(&document).into_iter().filter(|name| schemas.get(name).is_none()).collect();
        assert_eq!(missing, [""; 0]);
        let hit = &schemas["Hit"];
        assert_eq!(hit["properties"]["memory"]["$ref"], "#/components/schemas/Memory");
        assert!(!hit["required"].as_array().expect("a list").contains(&"memory".into()));
        assert_eq!(schemas["Memory"]["properties"]["status"]["enum"][1], "stale");
    }
}
