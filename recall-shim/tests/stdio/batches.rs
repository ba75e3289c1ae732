//! Batches of messages, which only revision 2025-03-26 has.

use serde_json::{Value, json};

use crate::session::{Session, call, request};

#[test]
fn a_batch_is_answered_on_one_line() {
    let mut session = Session::initialized("2025-03-26");
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}});
    session.send(&json!([notification]));
    session.send(&json!([
        request(1, "ping", &json!({})),
        notification,
        request(2, "tools/call", &call("recall_search", &json!({"query": "x"}))),
        {"jsonrpc": "2.0", "id": 3},
        7,
    ]));
    let answers = session.receive();
    let answers = answers.as_array().unwrap_or_else(|| panic!("not a batch: {answers}"));
    let answer =
        |id: &Value| answers.iter().find(|answer| answer.get("id").unwrap_or(&Value::Null) == id).expect("answered");
    assert_eq!(answers.len(), 4, "{answers:?}");
    assert_eq!(answer(&json!(1))["result"], json!({}));
    assert_eq!(answer(&json!(2))["result"]["isError"], true);
    assert_eq!(answer(&json!(3))["error"]["code"], -32600);
    assert_eq!(answer(&Value::Null)["error"]["code"], -32600);
    session.send(&json!([]));
    assert_eq!(session.receive()["error"]["code"], -32600);
    assert_eq!(session.ask(&request(4, "ping", &json!({})))["result"], json!({}));
    session.end().assert_silent_success();
}

#[test]
fn other_revisions_refuse_a_batch() {
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let mut session = Session::initialized(revision);
        session.send(&json!([request(1, "ping", &json!({}))]));
        let refused = session.receive();
        assert_eq!(refused["error"]["code"], -32600, "{revision}: {refused}");
        session.end().assert_silent_success();
    }
}
