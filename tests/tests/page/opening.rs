//! How the page is opened and closed.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use recall_testkit::{Project, Sandbox, wait_until};
use recall_tests::sandbox;
use serde_json::{Value, json};

use super::browser::{Browser, exchange, is_closed, link, send};

const FILES: &[(&str, &str)] = &[("src/dig.rs", "/// Digs a burrow.\npub fn dig() {}\n")];

#[test]
fn a_link_works_once() {
    let sandbox = sandbox!();
    let project = sandbox.project("p", FILES);
    let (port, token) = link(&sandbox, &project);
    let first = exchange(port, &token);
    let cookie = first.header("set-cookie").to_owned();
    assert_eq!(first.status, 200, "{first:?}");
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    let again = exchange(port, &token);
    assert_eq!((again.status, again.header("set-cookie")), (401, ""));
    assert!(again.json()["error"]["hint"].as_str().is_some_and(|hint| hint.contains("recall ui")), "{again:?}");
}

#[test]
fn each_project_has_its_own_cookie_and_the_page_one_port() {
    let sandbox = sandbox!();
    let (one, other) = (sandbox.project("one", FILES), sandbox.project("other", FILES));
    let (one, other) = (Browser::open(&sandbox, &one), Browser::open(&sandbox, &other));
    assert_eq!(one.port, other.port);
    assert_eq!((one.get("").status, other.get("").status), (200, 200));
    let swapped = Browser { cookie: other.cookie.clone(), ..one.clone() };
    assert_eq!(swapped.get("").status, 401);
}

#[test]
fn it_listens_on_the_loopback_addresses_only() {
    let sandbox = sandbox!();
    let browser = Browser::open(&sandbox, &sandbox.project("p", FILES));
    let listening = listeners(browser.port);
    assert!(listening.iter().any(|address| address == "0100007F"), "{listening:?}");
    let loopback = ["0100007F", "00000000000000000000000001000000"];
    assert!(listening.iter().all(|address| loopback.contains(&address.as_str())), "{listening:?}");
}

/// Returns the addresses that listen on a port, as the kernel writes them.
fn listeners(port: u16) -> Vec<String> {
    const LISTEN: &str = "0A";
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| std::fs::read_to_string(table).unwrap_or_default());
    let rows =
        tables.iter().flat_map(|table| table.lines().skip(1)).map(|row| row.split_whitespace().collect::<Vec<_>>());
    let ours = rows.filter(|row| row[3] == LISTEN).filter_map(|row| row[1].split_once(':'));
    ours.filter(|(_, number)| u16::from_str_radix(number, 16) == Ok(port))
        .map(|(address, _)| address.to_owned())
        .collect()
}

#[test]
fn a_daemon_that_ends_closes_it_and_another_opens_it_again() {
    let sandbox = sandbox!();
    let project = sandbox.project("p", FILES);
    let browser = Browser::open(&sandbox, &project);
    assert_eq!(sandbox.recall(&project, &["daemon", "stop"]).code, Some(0));
    wait_until("a closed port", || is_closed(browser.port).then_some(()));
    let again = Browser::open(&sandbox, &project);
    assert_eq!(again.get("").status, 200);
    let old = Browser { port: again.port, ..browser };
    assert_eq!(old.get("").status, 401, "a cookie ends with its page");
}

#[test]
fn a_port_that_is_taken_or_another_one_is_an_error_that_says_what_to_do() {
    let sandbox = sandbox!();
    let project = sandbox.project("p", FILES);
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let number = taken.local_addr().expect("bound").port().to_string();
    let refused = sandbox.recall(&project, &["ui", "--print-url", "--port", &number]);
    assert!(refused.code != Some(0) && refused.stderr.contains("cannot listen on 127.0.0.1:"), "{refused:?}");
    let browser = Browser::open(&sandbox, &project);
    let refused = sandbox.recall(&project, &["ui", "--print-url", "--port", &number]);
    let said = format!("the page is open on port {}", browser.port);
    assert!(refused.code != Some(0) && refused.stderr.contains(&said), "{refused:?}");
    for port in ["0", "65536", "x"] {
        assert_eq!(sandbox.recall(&project, &["ui", "--port", port]).code, Some(2), "{port}");
    }
}

#[test]
fn over_ssh_the_command_that_forwards_the_port_is_shown() {
    let sandbox = sandbox!().with_variable("SSH_CONNECTION", "10.0.0.1 5000 10.0.0.2 22").with_variable("USER", "ada");
    let project = sandbox.project("p", FILES);
    let said = sandbox.recall(&project, &["ui"]);
    let (port, _) = link(&sandbox, &project);
    let expected = format!("ssh -N -L {port}:127.0.0.1:{port} ada@10.0.0.2");
    assert!(said.stdout.contains(&expected), "{said:?}");
    let said = sandbox.recall(&project, &["--json", "ui"]);
    let json: Value = serde_json::from_str(&said.stdout).expect("JSON");
    assert_eq!((&json["forward"], &json["browser"]), (&expected.into(), &false.into()));
}

/// How many clients send half a request.
const SLOW_CLIENTS: usize = 500;

/// Sends half a request, and returns the connection; `None` if there is no room for it.
fn half_a_request(port: u16) -> Option<TcpStream> {
    let mut stream = TcpStream::connect_timeout(&([127, 0, 0, 1], port).into(), Duration::from_secs(3)).ok()?;
    stream.write_all(b"GET /").ok()?;
    Some(stream)
}

/// Returns the median time of a search by the command.
fn median_search(sandbox: &Sandbox, project: &Project) -> Duration {
    let mut times = [(); 5].map(|()| {
        let begun = Instant::now();
        let found = sandbox.recall(project, &["search", "dig"]);
        assert_eq!(found.code, Some(0), "{found:?}");
        begun.elapsed()
    });
    times.sort();
    times[2]
}

#[test]
fn slow_clients_do_not_slow_a_search_over_the_socket() {
    let sandbox = sandbox!();
    let project = sandbox.project("p", FILES);
    let browser = Browser::open(&sandbox, &project);
    let port = browser.port;
    let alone = median_search(&sandbox, &project);
    // Those that the backlog has no room for go on trying while the search runs.
    let slow: Vec<_> = (0..SLOW_CLIENTS).map(|_| std::thread::spawn(move || half_a_request(port))).collect();
    let with_them = median_search(&sandbox, &project);
    let connected = slow.into_iter().filter_map(|client| client.join().expect("no panic")).collect::<Vec<_>>();
    assert!(connected.len() > 64, "only {} slow clients are connected", connected.len());
    assert!(with_them < 3 * alone + Duration::from_millis(500), "{with_them:?}, {alone:?} without them");
    drop(connected);
    wait_until("the page", || send(browser.port, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
    assert_eq!(browser.get("").status, 200);
}

/// A memory as a clone contains it.
const STRANGERS: &str = r#"{"event":"add","event_id":"00000000000000000000000000000001","id":"D-00000001","type":"decision","title":"Wombat policy","content":"Wombats are released at midnight.","tags":[],"related_files":[],"scope":"project","origin":"human","timestamp":"2026-11-20T12:00:00Z"}
"#;

#[test]
fn a_page_acts_as_the_one_who_opened_it() {
    let file = (".recall/2026-11-20/memories.jsonl", STRANGERS);
    for (variable, expected) in
        [("CLAUDECODE", "<dt>Trust</dt><dd>low</dd>"), ("UNRELATED", "<dt>Trust</dt><dd>high</dd>")]
    {
        let sandbox = sandbox!().with_variable(variable, "c-7");
        let browser = Browser::open(&sandbox, &sandbox.project("p", &[FILES[0], file]));
        let confirmed = browser.change("confirm", &json!({ "id": "D-00000001" }));
        assert_eq!(confirmed.json()["success"], true, "{confirmed:?}");
        let shown = browser.get("memory?id=D-00000001").body;
        assert!(shown.contains(expected), "{variable}: {shown}");
    }
}
