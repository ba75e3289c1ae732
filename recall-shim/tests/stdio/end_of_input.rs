//! The end of the input, and of the process.

use std::process::Command;

use serde_json::json;

use crate::session::{Session, initialize, modern, request};

#[test]
fn the_end_of_input_is_always_a_silent_success() {
    Session::start().end().assert_silent_success();

    let mut probed = Session::start();
    probed.ask(&modern(1, "server/discover", json!({})));
    probed.end().assert_silent_success();

    let mut pinged = Session::start();
    pinged.ask(&request(1, "ping", &json!({})));
    pinged.end().assert_silent_success();

    let mut opened = Session::start();
    opened.ask(&initialize("2025-11-25"));
    opened.end().assert_silent_success();

    let mut torn = Session::initialized("2025-11-25");
    torn.send_bytes(br#"{"jsonrpc": "2.0", "id": 1, "meth"#);
    torn.end().assert_silent_success();
}

#[test]
fn requests_before_the_end_of_input_are_answered() {
    let mut session = Session::start();
    for id in 0..100 {
        session.send(&modern(id, "tools/list", json!({})));
    }
    let ended = session.end();
    ended.assert_silent_success();
    let mut answered: Vec<_> = ended.lines.iter().filter_map(|line| line["id"].as_u64()).collect();
    answered.sort_unstable();
    assert_eq!(answered, (0..100).collect::<Vec<_>>());
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_quietly() {
    for signal in ["-TERM", "-INT"] {
        let session = Session::initialized("2025-11-25");
        let sent = Command::new("kill").args([signal, &session.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        session.wait().assert_silent_success();
    }
}
