//! A local HTTP server of files that can fail and refuse.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A served file, and how it fails at first.
#[derive(Clone, Default)]
pub(crate) struct Served {
    pub(crate) bytes: Vec<u8>,
    /// For each of the first responses, the number of bytes after which its body breaks off.
    pub(crate) cut: Vec<usize>,
    /// The statuses of the first responses, which have no body.
    pub(crate) refused: Vec<u16>,
    /// Whether the server supports range requests.
    pub(crate) has_ranges: bool,
}

impl Served {
    pub(crate) fn whole(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), has_ranges: true, ..Self::default() }
    }
}

/// A received request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) range: Option<String>,
}

/// A running server, which ends with the process.
pub(crate) struct Server {
    pub(crate) address: String,
    requests: Arc<Mutex<Vec<Request>>>,
    files: Arc<Mutex<HashMap<String, Served>>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let files: Arc<Mutex<HashMap<String, Served>>> = Arc::default();
        let (received, served) = (Arc::clone(&requests), Arc::clone(&files));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (received, served) = (Arc::clone(&received), Arc::clone(&served));
                // A client may disconnect at any time.
                thread::spawn(move || stream.and_then(|stream| answer(stream, &received, &served)));
            }
        });
        Self { address, requests, files }
    }

    pub(crate) fn serve(&self, path: &str, served: Served) {
        self.files.lock().expect("no thread panicked").insert(path.to_owned(), served);
    }

    /// Returns the received requests in order.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no thread panicked").clone()
    }
}

fn answer(
    mut stream: TcpStream,
    requests: &Mutex<Vec<Request>>,
    files: &Mutex<HashMap<String, Served>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut range = None;
    for line in lines.map_while(Result::ok).take_while(|line| !line.is_empty()) {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("range")
        {
            range = Some(value.trim().to_owned());
        }
    }
    requests.lock().expect("no thread panicked").push(Request { path: path.clone(), range: range.clone() });
    let (head, body) = reply(files.lock().expect("no thread panicked").get_mut(&path), range.as_deref());
    stream.write_all(format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n").as_bytes())?;
    stream.write_all(&body)
}

/// Returns the head and the body of a response. The body may be shorter than the head says.
fn reply(served: Option<&mut Served>, range: Option<&str>) -> (String, Vec<u8>) {
    let Some(served) = served else { return ("404 Not Found\r\ncontent-length: 0".to_owned(), Vec::new()) };
    if !served.refused.is_empty() {
        let status = served.refused.remove(0);
        return (format!("{status} Refused\r\ncontent-length: 0"), Vec::new());
    }
    let total = served.bytes.len();
    let from = range
        .filter(|_| served.has_ranges)
        .and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse::<usize>().ok());
    let (head, body) = match from {
        Some(from) if from >= total => {
            return (
                format!("416 Range Not Satisfiable\r\ncontent-range: bytes */{total}\r\ncontent-length: 0"),
                vec![],
            );
        }
        Some(from) => {
            let head = format!("206 Partial Content\r\ncontent-range: bytes {from}-{}/{total}", total - 1);
            (head, &served.bytes[from..])
        }
        None => ("200 OK".to_owned(), &served.bytes[..]),
    };
    let head = format!("{head}\r\ncontent-length: {}", body.len());
    let mut body = body.to_vec();
    if !served.cut.is_empty() {
        body.truncate(served.cut.remove(0));
    }
    (head, body)
}
