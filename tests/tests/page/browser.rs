//! A client of the page that sends exactly the bytes it is told to.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use recall_testkit::{DEADLINE, Project, Sandbox};
use serde_json::{Value, json};

/// An answer of the page.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// Returns the value of a header; empty if it is absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        let pairs = self.head.lines().filter_map(|line| line.split_once(':'));
        pairs.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next().unwrap_or("")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// Sends bytes to a port of this machine, and returns the answer; `None` if the connection is closed without one.
pub(crate) fn send(port: u16, request: &[u8]) -> Option<Answer> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the page listens");
    stream.set_read_timeout(Some(DEADLINE)).expect("a time");
    stream.set_write_timeout(Some(DEADLINE)).expect("a time");
    // A server that refuses a head early closes while the rest is written.
    let _ = stream.write_all(request);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let body = if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        unchunked(body)
    } else {
        body.to_owned()
    };
    Some(Answer { status, head: head.to_owned(), body })
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || rest.len() < size {
            break;
        }
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}

/// A browser that has followed a link.
#[derive(Clone, Debug)]
pub(crate) struct Browser {
    pub(crate) port: u16,
    /// The first part of the project's paths.
    pub(crate) key: String,
    /// The value of `Cookie`.
    pub(crate) cookie: String,
}

/// Runs `recall ui --print-url`; returns the port and the token.
pub(crate) fn link(sandbox: &Sandbox, project: &Project) -> (u16, String) {
    let said = sandbox.recall(project, &["ui", "--print-url"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let url = said.stdout.trim();
    let rest = url.strip_prefix("http://127.0.0.1:").unwrap_or_else(|| panic!("{url}"));
    let (port, token) = rest.split_once("/open#").unwrap_or_else(|| panic!("{url}"));
    (port.parse().expect("a port"), token.to_owned())
}

/// Sends a token; returns the answer.
pub(crate) fn exchange(port: u16, token: &str) -> Answer {
    let body = json!({ "token": token }).to_string();
    let request = format!(
        "POST /open HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    send(port, request.as_bytes()).expect("an answer")
}

impl Browser {
    /// Opens the page of a project.
    pub(crate) fn open(sandbox: &Sandbox, project: &Project) -> Self {
        let (port, token) = link(sandbox, project);
        let answer = exchange(port, &token);
        assert_eq!(answer.status, 200, "{answer:?}");
        let location = answer.json()["data"]["location"].as_str().expect("a path").to_owned();
        let cookie = answer.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        Self { port, key: location.trim_matches('/').to_owned(), cookie }
    }

    /// Gets a page of the project.
    pub(crate) fn get(&self, page: &str) -> Answer {
        let Self { port, key, cookie } = self;
        let request = format!(
            "GET /{key}/{page} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nSec-Fetch-Site: same-origin\r\n\
             Connection: close\r\n\r\n"
        );
        send(*port, request.as_bytes()).expect("an answer")
    }

    /// Makes a change, as the script does.
    pub(crate) fn change(&self, action: &str, body: &Value) -> Answer {
        let Self { port, key, cookie } = self;
        let body = body.to_string();
        let request = format!(
            "POST /{key}/do/{action} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nCookie: {cookie}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        send(*port, request.as_bytes()).expect("an answer")
    }
}

/// Whether nothing listens on a port any more.
pub(crate) fn is_closed(port: u16) -> bool {
    let address = ([127, 0, 0, 1], port).into();
    TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_err()
}
