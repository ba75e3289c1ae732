//! A daemon that cannot be started.

use serde_json::json;

use crate::session::{Session, call, modern, request, text_and_error};

#[test]
fn every_tool_reports_a_missing_daemon_in_its_answer() {
    let mut session = Session::initialized("2025-11-25");
    let calls = [
        call("recall_search", &json!({"query": "x"})),
        call("recall_get", &json!({"id": "src/lib.rs"})),
        call("recall_list", &json!({"type": "adr"})),
        call("recall_index", &json!({"path": "."})),
        call("recall_status", &json!({})),
    ];
    for (id, params) in (1..).zip(calls) {
        let answer = session.ask(&request(id, "tools/call", &params));
        let (text, is_error) = text_and_error(&answer);
        assert!(is_error, "{text}");
        assert!(text.starts_with("UNAVAILABLE: "), "{text}");
        assert!(text.contains("\nhint: ") && text.contains("`recall daemon start`"), "{text}");
    }
    assert!(session.ask(&request(9, "tools/list", &json!({})))["result"]["tools"].is_array());
    session.end().assert_silent_success();
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let mut session = Session::start();
    for id in 0..64 {
        session.send(&modern(id, "tools/call", call("recall_search", &json!({"query": "x", "format": "json"}))));
    }
    let mut answered = Vec::new();
    for _ in 0..64 {
        let answer = session.receive();
        assert!(text_and_error(&answer).1, "{answer}");
        answered.extend(answer["id"].as_u64());
    }
    answered.sort_unstable();
    assert_eq!(answered, (0..64).collect::<Vec<_>>());
    session.end().assert_silent_success();
}

#[test]
fn a_completion_is_empty() {
    let mut session = Session::initialized("2025-11-25");
    let reference = json!({"type": "ref/resource", "uri": "recall://doc/{id}"});
    let params = json!({"ref": reference, "argument": {"name": "id", "value": "src"}});
    let answer = session.ask(&request(1, "completion/complete", &params));
    assert_eq!(answer["result"]["completion"]["values"], json!([]));
    session.end().assert_silent_success();
}
