//! The program of a parse worker: requests on standard input, documents on standard output.
//!
//! It has no socket, no file of a store and no variable of the environment, and can open no file. It ends with its standard
//! input, at once, whatever its parser does.

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

#[cfg(unix)]
mod platform {
    //! The confinement of a parse worker on Unix.

    use rustix::process::{Resource, Rlimit, setrlimit};

    use crate::process::MemoryUse;

    /// The most address space that a worker may add to what its start took, which is mostly reserved and never used.
    const ADDRESS_SPACE_BYTES: u64 = 1024 * 1024 * 1024;

    /// Closes what the daemon inherited from the process that started it. The daemon's own descriptors were closed by `exec`.
    pub(super) fn close_inherited() {
        let Ok(entries) = std::fs::read_dir("/dev/fd") else { return };
        let open: Vec<i32> = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
            // One of them was the list itself, which is closed already.
            let _ = nix::unistd::close(descriptor);
        }
    }

    /// Gives up what a parser does not need. A limit that the system refuses is left as it is.
    pub(super) fn confine() {
        let mapped = MemoryUse::read().mapped_bytes;
        let limits = [
            // Where the mapped memory is not known, neither is a limit that a worker can run in.
            (mapped > 0).then_some((Resource::As, mapped + ADDRESS_SPACE_BYTES)),
            Some((Resource::Core, 0)),
            Some((Resource::Fsize, 0)),
            // Only those that it has: standard input, output and error.
            Some((Resource::Nofile, 3)),
        ];
        for (resource, most) in limits.into_iter().flatten() {
            let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
        }
        // A stopped worker does not notice the end of its input.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    }
}

#[cfg(windows)]
mod platform {
    //! The confinement of a parse worker on Windows: none. The worker is the daemon's program and ends with its input; a parser that
    //! takes too long is killed, but its memory is not limited.

    /// Nothing to do.
    pub(super) fn close_inherited() {}

    /// Nothing to do.
    pub(super) fn confine() {}
}
