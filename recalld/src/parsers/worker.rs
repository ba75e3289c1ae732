//! The program of a parse worker: requests on standard input, documents on standard output.
//!
//! It has no socket, no file of a store and no variable of the environment, and can open no file. It ends with its standard
//! input, at once, whatever its parser does.

#[cfg(unix)]
#[path = "worker/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "worker/windows.rs"]
mod platform;

use std::io::{self, stdin, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ExitCode, exit};
use std::sync::mpsc::{Receiver, channel};

use recall_chunk::{ChunkLimits, Chunker, PARSE_STACK_BYTES};

use super::frame::{self, HELLO, Request};

/// The argument that makes the daemon's program a parse worker. It is not for users, so it is in no help.
pub(crate) const COMMAND: &str = "parse-worker";

/// Serves requests until the standard input ends. Calls `before_parse` with each text before it is parsed.
pub(crate) fn run(before_parse: fn(&str)) -> ExitCode {
    platform::close_inherited();
    platform::confine();
    let (requests, received) = channel();
    let parser = std::thread::Builder::new()
        .name("parse".to_owned())
        .stack_size(PARSE_STACK_BYTES)
        .spawn(move || serve(&received, before_parse));
    if parser.is_err() || frame::write(&mut stdout(), HELLO).is_err() {
        return ExitCode::FAILURE;
    }
    let mut input = stdin().lock();
    while let Ok(request) = frame::read(&mut input, u32::MAX as usize) {
        if requests.send(request).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn serve(requests: &Receiver<Vec<u8>>, before_parse: fn(&str)) {
    let mut chunker: Option<(ChunkLimits, Chunker)> = None;
    for request in requests {
        let Some(Request { limits, language, text }) = Request::decode(&request) else { exit(1) };
        before_parse(text);
        let mut current = match chunker.take() {
            Some((known, chunker)) if known == limits => chunker,
            _ => Chunker::new(limits.clone()),
        };
        // An empty frame says that the parser panicked. Its state is dropped.
        let parsed = catch_unwind(AssertUnwindSafe(|| current.parse_code(&language, text)));
        let answer = match &parsed {
            Ok(document) => recall_chunk::encode(document),
            Err(_) => Vec::new(),
        };
        if parsed.is_ok() {
            chunker = Some((limits, current));
        }
        if respond(&answer).is_err() {
            exit(1);
        }
    }
}

fn respond(answer: &[u8]) -> io::Result<()> {
    frame::write(&mut stdout().lock(), answer)
}
