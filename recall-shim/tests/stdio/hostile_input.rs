//! Malformed input. It must not end the process, and every answer must be a protocol message.

use serde_json::json;

use crate::session::{Session, initialize, modern, request};

#[test]
fn a_message_that_does_not_open_a_session_is_ignored() {
    let mut session = Session::start();
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}));
    session.send(&json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
    session.ask(&modern(1, "server/discover", json!({})));
    session.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    assert_eq!(session.ask(&initialize("2025-06-18"))["result"]["protocolVersion"], "2025-06-18");
    session.end().assert_silent_success();
}

#[test]
fn a_line_that_is_not_json_is_answered_and_the_session_goes_on() {
    let mut session = Session::initialized("2025-11-25");
    session.send_bytes(b"{bad json\n\n\r\n\xff\xfe\x00\n\"text\n");
    session.send_bytes(&[b"[".repeat(100_000), b"\n".to_vec()].concat());
    for _ in 0..4 {
        let refused = session.receive();
        assert_eq!((&refused["error"]["code"], refused.get("id")), (&json!(-32700), None), "{refused}");
    }
    assert!(session.ask(&request(1, "tools/list", &json!({})))["result"]["tools"].is_array());
    session.end().assert_silent_success();
}

#[test]
fn a_message_that_is_not_a_request_does_not_end_the_session() {
    let mut session = Session::initialized("2025-11-25");
    session.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"arguments": {}}}));
    let refused = session.receive();
    assert!(refused["error"]["code"].is_i64(), "{refused}");
    assert!(session.ask(&request(2, "tools/list", &json!({})))["result"]["tools"].is_array());
    session.end().assert_silent_success();
}

#[test]
fn every_call_is_answered_whatever_its_text_is() {
    let mut session = Session::initialized("2025-11-25");
    let call = |id: u32, arguments: &[u8]| {
        let head = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"recall_search","arguments":"#
        );
        [head.as_bytes(), arguments, b"}}\n"].concat()
    };
    // No daemon can be started here, so a call that was read is answered with that.
    for (id, arguments) in [
        (1, &br#"{"query":"heron \ud83d"}"#[..]),
        (2, b"{\"query\":\"caf\xe9\"}"),
        (3, br#""{\"query\":\"q\",\"limit\":\"3\"}""#),
        (4, br#"{"query":"q","limit":3.0}"#),
    ] {
        session.send_bytes(&call(id, arguments));
        let answer = session.receive();
        assert_eq!(answer["id"], id, "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
        assert!(text.starts_with("UNAVAILABLE"), "{id}: {text}");
    }
    session.send_bytes(&call(5, b"[]"));
    let refused = session.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5), &json!(-32602)), "{refused}");
    session.end().assert_silent_success();
}

#[test]
fn a_message_that_is_too_long_is_refused_with_its_id() {
    let mut session = Session::initialized("2025-11-25");
    let query = "x".repeat(17 << 20);
    session.send(&request(7, "tools/call", &json!({"name": "recall_search", "arguments": {"query": query}})));
    let refused = session.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32602)), "{refused}");
    assert!(session.ask(&request(8, "tools/list", &json!({})))["result"]["tools"].is_array());
    session.end().assert_silent_success();
}

#[test]
fn a_message_of_a_megabyte_is_answered() {
    let mut session = Session::initialized("2025-11-25");
    let arguments = json!({"query": "x".repeat(1 << 20), "zzz": 1});
    let answer = session.ask(&request(1, "tools/call", &json!({"name": "recall_search", "arguments": arguments})));
    assert_eq!(answer["result"]["isError"], true);
    session.end().assert_silent_success();
}
