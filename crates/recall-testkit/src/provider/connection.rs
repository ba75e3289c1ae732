//! Connections of HTTP 1.1 and faults in them; what a fake provider does next, by its rules and the faults that were ordered,
//! and what it received.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;

use super::formats::{Answer, answer, refusal};
use super::rules::{FakeRules, Mutation};

/// The path of requests that set the statuses of the next ones, for clients in other languages.
const SCRIPT: &str = "/script";

/// Answers the requests of a connection until it is closed.
pub(super) fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some((path, headers, body)) = request(&mut reader)? {
        if *shared.is_down.lock() {
            return stream.shutdown(Shutdown::Both);
        }
        if path == SCRIPT {
            let parsed: Value = serde_json::from_slice(&body).unwrap_or_default();
            let statuses = parsed["statuses"].as_array().map(Vec::as_slice).unwrap_or_default();
            let statuses = statuses.iter().filter_map(Value::as_u64);
            shared.script.lock().extend(statuses.map(|status| Some(Fault::status(status as u16))));
            respond(stream, None, || (200, "{}".to_owned()))?;
            continue;
        }
        let fault = next_fault(shared);
        let key = headers.iter().find_map(|(name, value)| match name.as_str() {
            "authorization" => Some(value.trim_start_matches("Bearer ").to_owned()),
            "x-api-key" => Some(value.clone()),
            _ => None,
        });
        let shown = headers.into_iter().filter(|(name, _)| !matches!(name.as_str(), "authorization" | "x-api-key"));
        let parsed: Value = serde_json::from_slice(&body).unwrap_or_default();
        shared.received.lock().push(Received {
            path: path.clone(),
            headers: shown.collect(),
            body: parsed.clone(),
            fault: fault.clone(),
        });
        let is_known = shared.rules.key.is_none() || key == shared.rules.key;
        let mutation = match &fault {
            Some(Fault::Mutate(mutation)) => Some(*mutation),
            _ => None,
        };
        let right = || {
            if is_known { answer(&path, &parsed, &shared.rules, mutation) } else { refusal(401, "invalid api key") }
        };
        if !respond(stream, fault.as_ref(), right)? {
            return stream.shutdown(Shutdown::Both);
        }
    }
    Ok(())
}

fn next_fault(shared: &Shared) -> Option<Fault> {
    match shared.script.lock().pop_front() {
        Some(scripted) => scripted,
        None => shared.always.lock().clone(),
    }
}

/// Path, headers in lower case, and body.
type Parts = (String, Vec<(String, String)>, Vec<u8>);

/// Reads a request; `None` at the end of the connection.
fn request(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Parts>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Some((path, headers, body)))
}

/// Writes the response, or what the fault makes of it; returns whether the connection stays open.
fn respond(stream: &TcpStream, fault: Option<&Fault>, right: impl Fn() -> Answer) -> io::Result<bool> {
    let mut writer = stream;
    match fault {
        None | Some(Fault::Mutate(_)) => {}
        Some(Fault::Delay(delay)) => thread::sleep(*delay),
        Some(Fault::Status { status, headers, body }) => {
            writer.write_all(head(*status, headers, body.len()).as_bytes())?;
            writer.write_all(body.as_bytes())?;
            return Ok(true);
        }
        Some(Fault::Body(body)) => {
            writer.write_all(head(200, &[], body.len()).as_bytes())?;
            writer.write_all(body.as_bytes())?;
            return Ok(true);
        }
        Some(Fault::Close) => return Ok(false),
        Some(Fault::Reset) => return reset(stream).map(|()| false),
        Some(Fault::NotHttp) => return writer.write_all(b"SSH-2.0-nothing\r\n\r\n").map(|()| false),
        Some(fault @ (Fault::Truncate(_) | Fault::ResetWithin)) => {
            let (status, body) = right();
            writer.write_all(head(status, &[], body.len()).as_bytes())?;
            if let Fault::Truncate(bytes) = fault {
                writer.write_all(&body.as_bytes()[..(*bytes).min(body.len() - 1)])?;
            } else {
                writer.write_all(&body.as_bytes()[..body.len() / 2])?;
                reset(stream)?;
            }
            return Ok(false);
        }
    }
    let (status, body) = right();
    writer.write_all(head(status, &[], body.len()).as_bytes())?;
    writer.write_all(body.as_bytes())?;
    Ok(true)
}

fn head(status: u16, headers: &[(String, String)], length: usize) -> String {
    let more: String = headers.iter().flat_map(|(name, value)| [name, ": ", value, "\r\n"]).collect();
    format!("HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\n{more}content-length: {length}\r\n\r\n")
}

/// Has the connection reset instead of closed.
fn reset(stream: &TcpStream) -> io::Result<()> {
    rustix::net::sockopt::set_socket_linger(stream, Some(std::time::Duration::ZERO))?;
    Ok(())
}

/// A request that a fake provider received.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// The path.
    pub path: String,
    /// The headers, in lower case, except the key.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Value,
    /// The fault that it met.
    pub fault: Option<Fault>,
}

impl Received {
    /// Returns the texts that were to be embedded.
    pub fn texts(&self) -> Vec<String> {
        let input = self.body["input"].as_array().map(Vec::as_slice).unwrap_or_default();
        input.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
    }
}

/// The state that all connections share.
pub(crate) struct Shared {
    pub(crate) rules: FakeRules,
    pub(crate) script: Mutex<VecDeque<Option<Fault>>>,
    /// The fault of every request that the script does not name.
    pub(crate) always: Mutex<Option<Fault>>,
    pub(crate) received: Mutex<Vec<Received>>,
    pub(crate) is_down: Mutex<bool>,
}

/// A fault of the network or of the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The server answers with a status, headers and a body.
    Status {
        /// The status.
        status: u16,
        /// Further headers.
        headers: Vec<(String, String)>,
        /// The body.
        body: String,
    },
    /// The answer begins late.
    Delay(Duration),
    /// The connection is closed after so many bytes of the body.
    Truncate(usize),
    /// The connection is closed before an answer.
    Close,
    /// The connection is reset before an answer.
    Reset,
    /// The connection is reset within the body.
    ResetWithin,
    /// The answer has status 200, and a wrong body.
    Body(String),
    /// The answer is changed.
    Mutate(Mutation),
    /// The answer is not HTTP.
    NotHttp,
}

impl Fault {
    /// Creates a status without further headers, with a message as vendors write it.
    pub fn status(status: u16) -> Self {
        let body = format!(r#"{{"error":{{"message":"provoked {status}"}}}}"#);
        Self::Status { status, headers: Vec::new(), body }
    }

    /// Creates a status that names when to ask again.
    pub fn retry_after(status: u16, seconds: &str) -> Self {
        let headers = vec![("retry-after".to_owned(), seconds.to_owned())];
        Self::Status { status, headers, body: r#"{"error":"slow down"}"#.to_owned() }
    }
}
