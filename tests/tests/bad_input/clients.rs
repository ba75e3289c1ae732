//! Clients that do not read their responses, and a shim without a daemon.

use std::io::{ErrorKind, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recall_testkit::Running;
use recall_tests::Agent;
use serde_json::json;

use super::case::{Case, KNOWN};

/// Sends requests as fast as it can and reads no response.
fn ping_without_reading(socket: &Path) -> UnixStream {
    let mut stream = UnixStream::connect(socket).expect("it listens");
    stream.set_write_timeout(Some(Duration::from_millis(200))).expect("a socket");
    let mut start = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    start.extend_from_slice(&[0, 0, 0, 4, 0, 0, 0, 0, 0]);
    stream.write_all(&start).expect("it is read");
    let ping = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    let pings = ping.repeat(1_000);
    let began = Instant::now();
    // Either the daemon accepts no more requests, or the connection is closed.
    while began.elapsed() < Duration::from_secs(10) {
        match stream.write_all(&pings) {
            Ok(()) => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => return stream,
            Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset) => return stream,
            Err(error) => panic!("{error}"),
        }
    }
    panic!("the daemon takes what it cannot answer without end");
}

#[test]
fn clients_that_never_read_do_not_block_others() {
    let case = Case::new();
    assert_eq!(case.search(KNOWN.0).0, [KNOWN.1]);
    let daemon = case.daemon();
    let resident = || -> u64 {
        let (_, status) = case.json(&["status"]);
        status["daemon"]["memory"]["anonymous_bytes"].as_u64().expect("a number")
    };
    let before = resident();
    let socket = case.sandbox.dirs().socket();
    let deaf: Vec<_> = (0..4).map(|_| ping_without_reading(&socket)).collect();
    case.still_answers(daemon);
    let grown = resident().saturating_sub(before);
    assert!(grown < 32 << 20, "it keeps {grown} bytes for clients that do not read");
    drop(deaf);
    case.still_answers(daemon);
}

/// Puts a program next to others.
fn install(program: &Path, folder: &Path) -> PathBuf {
    let place = folder.join(program.file_name().expect("a file"));
    std::fs::hard_link(program, &place).or_else(|_| std::fs::copy(program, &place).map(drop)).expect("there is room");
    place
}

#[test]
fn an_invalid_tool_call_is_answered_with_a_code_and_a_hint() {
    let case = Case::new();
    let daemon = case.first_daemon();
    let mut agent = Agent::new(case.sandbox.start_shim(&case.project, &[]));
    for (tool, arguments, code, says) in [
        ("recall_search", json!({"query": ""}), "INVALID_ARGUMENT", "query"),
        ("recall_search", json!({"query": "x".repeat((1 << 20) + 1)}), "LIMIT_EXCEEDED", "1048576"),
        ("recall_search", json!({"query": "x", "limit": 0}), "INVALID_ARGUMENT", "limit"),
        ("recall_search", json!({"query": "x", "limit": 10_000}), "LIMIT_EXCEEDED", "50"),
        ("recall_search", json!({"query": "x", "scope": "everywhere"}), "INVALID_SCOPE", "everywhere"),
        ("recall_search", json!({"query": "x", "types": ["novel"]}), "INVALID_ARGUMENT", "novel"),
        ("recall_list", json!({"type": "code", "limit": 10_000}), "LIMIT_EXCEEDED", "100"),
        ("recall_list", json!({"type": "novel"}), "INVALID_ARGUMENT", "novel"),
        ("recall_get", json!({"id": "../other/secret.rs"}), "NOT_FOUND", "../other/secret.rs"),
        ("recall_index", json!({"path": "/etc/passwd"}), "PERMISSION_DENIED", "/etc/passwd"),
        ("recall_index", json!({"path": "a\0b"}), "INVALID_ARGUMENT", "NUL"),
    ] {
        let (text, is_error) = agent.call(tool, &arguments);
        assert!(is_error && text.starts_with(&format!("{code}: ")), "{tool}: {text}");
        assert!(text.contains(says), "{tool}: {text}");
        assert!(text.contains("\nhint: "), "{tool}: {text}");
    }
    case.still_answers(daemon);
}

#[test]
fn a_shim_reports_a_missing_daemon_and_finds_it_later() {
    let case = Case::new();
    let folder = case.sandbox.path().join("bin");
    std::fs::create_dir(&folder).expect("a new folder");
    let shim = install(&case.sandbox.binaries().recall_shim, &folder);
    let mut agent = Agent::new(Running::start(case.sandbox.command(&shim, case.project.root())));
    let known = json!({"query": KNOWN.0});
    let (text, is_error) = agent.call("recall_search", &known);
    assert!(is_error && text.starts_with("UNAVAILABLE: ") && text.contains("\nhint: install recall"), "{text}");
    install(&case.sandbox.binaries().recalld, &folder);
    let (text, is_error) = agent.call("recall_search", &known);
    assert!(!is_error && text.contains(KNOWN.1), "{text}");
    assert!(agent.shim.finish().stderr.is_empty());
}
