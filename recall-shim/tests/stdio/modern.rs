//! The stateless revision, 2026-07-28.

use serde_json::{Value, json};

use crate::session::{Session, call, modern, request, text_and_error};

#[test]
fn discovery_lists_every_revision_and_allows_caching() {
    let mut session = Session::start();
    let answer = session.ask(&modern(1, "server/discover", json!({})));
    let result = &answer["result"];
    let versions = json!(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
    assert_eq!(result["supportedVersions"], versions);
    assert!(result["ttlMs"].as_u64().is_some_and(|ttl| ttl > 0));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "recall");
    assert!(result["capabilities"]["tools"].get("listChanged").is_none());
    session.end().assert_silent_success();
}

#[test]
fn a_session_needs_no_discovery() {
    let mut session = Session::start();
    let answer = session.ask(&modern(1, "tools/list", json!({})));
    assert_eq!(answer["result"]["tools"].as_array().map(Vec::len), Some(10));
    assert!(answer["result"]["ttlMs"].as_u64().is_some_and(|ttl| ttl > 0));
    assert_eq!(answer["result"]["cacheScope"], "public");
    assert_eq!(answer["result"]["resultType"], "complete");
    session.end().assert_silent_success();
}

#[test]
fn the_tools_are_the_same_in_both_eras() {
    let mut old = Session::initialized("2025-11-25");
    let mut new = Session::start();
    let old_tools = old.ask(&request(1, "tools/list", &json!({})));
    let new_tools = new.ask(&modern(1, "tools/list", json!({})));
    assert_eq!(old_tools["result"]["tools"], new_tools["result"]["tools"]);
}

#[test]
fn forbidden_requests_are_rejected() {
    let mut session = Session::start();
    let unknown_version = {
        let mut request = modern(1, "tools/list", json!({}));
        request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "1900-01-01".into();
        request
    };
    assert_eq!(session.ask(&unknown_version)["error"]["code"], -32022);
    assert_eq!(session.ask(&request(2, "tools/list", &json!({})))["error"]["code"], -32602);
    assert!(session.ask(&modern(3, "tools/list", json!({})))["result"]["tools"].is_array());
    assert_eq!(session.ask(&modern(4, "ping", json!({})))["error"]["code"], -32601);
    let subscription = modern(5, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    assert_eq!(session.ask(&subscription)["error"]["code"], -32601);
    assert_eq!(session.ask(&modern(6, "resources/read", json!({"uri": "recall://nope"})))["error"]["code"], -32602);
    session.end().assert_silent_success();
}

#[test]
fn errors_are_the_same_as_in_the_older_revisions() {
    let mut session = Session::start();
    let answer = session.ask(&modern(1, "tools/call", call("nope", &json!({}))));
    assert_eq!(answer["error"]["code"], -32602);
    let answer =
        session.ask(&modern(2, "tools/call", call("recall_get", &json!({"id": "x", "start_line": 5, "end_line": 2}))));
    assert_eq!(
        text_and_error(&answer),
        ("INVALID_ARGUMENT: `end_line` must not be before `start_line`, 5, but is 2", true)
    );
    let answer =
        session.ask(&modern(3, "tools/call", call("recall_search", &json!({"query": "x", "cursor": "forged"}))));
    assert!(text_and_error(&answer).0.starts_with("INVALID_ARGUMENT: `cursor` is not one that this tool returned"));
    assert_eq!(answer["result"]["resultType"], Value::from("complete"));
    session.end().assert_silent_success();
}
