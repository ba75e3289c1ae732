//! The program of a parse worker, requests on standard input, documents on standard output, and the frames between it and the
//! daemon.
//!
//! It has no socket, no file of a store and no variable of the environment, and can open no file. It ends with its standard
//! input, at once, whatever its parser does.

use std::io::{self, Read, Write, stdin, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ExitCode, exit};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use recall_chunk::{ChunkLimits, Chunker, PARSE_STACK_BYTES};
use recall_text::Language;

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
    if parser.is_err() || write_frame(&mut stdout(), HELLO).is_err() {
        return ExitCode::FAILURE;
    }
    let mut input = stdin().lock();
    while let Ok(request) = read_frame(&mut input, u32::MAX as usize) {
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
    write_frame(&mut stdout().lock(), answer)
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

/// The first frame of a worker. The daemon and the worker are one version, or do not work together.
pub(super) const HELLO: &[u8] = concat!("recall parse worker ", env!("CARGO_PKG_VERSION")).as_bytes();

/// Writes a frame with one call, so that a small one arrives at once.
pub(super) fn write_frame(to: &mut impl Write, payload: &[u8]) -> io::Result<()> {
    let length = u32::try_from(payload.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut frame = Vec::with_capacity(4 + payload.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(payload);
    to.write_all(&frame)?;
    to.flush()
}

/// Reads a frame of at most that length. A false length reserves no memory.
pub(super) fn read_frame(from: &mut impl Read, most_bytes: usize) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length as usize > most_bytes {
        return Err(io::Error::from(io::ErrorKind::InvalidData));
    }
    let mut payload = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut payload)?;
    if payload.len() < length as usize { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(payload) }
}

/// A text to be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request<'a> {
    pub(super) limits: ChunkLimits,
    pub(super) language: Language,
    pub(super) text: &'a str,
}

impl<'a> Request<'a> {
    pub(super) fn encode(&self) -> Vec<u8> {
        let Self { limits: ChunkLimits { max_tokens, part_bytes, parse_time, parse_depth }, language, text } = self;
        let language = language.as_str();
        let parse_time_ms = parse_time.as_millis().try_into().unwrap_or(u64::MAX);
        [
            &max_tokens.to_le_bytes(),
            &parse_depth.to_le_bytes(),
            &parse_time_ms.to_le_bytes()[..],
            &part_bytes.to_le_bytes(),
            &(language.len() as u32).to_le_bytes(),
            language.as_bytes(),
            text.as_bytes(),
        ]
        .concat()
    }

    /// Decodes a request; `None` if the bytes are not one.
    pub(super) fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (max_tokens, rest) = bytes.split_first_chunk::<4>()?;
        let (parse_depth, rest) = rest.split_first_chunk::<4>()?;
        let (parse_time_ms, rest) = rest.split_first_chunk::<8>()?;
        let (part_bytes, rest) = rest.split_first_chunk::<8>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (language, text) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some(Self {
            limits: ChunkLimits {
                max_tokens: u32::from_le_bytes(*max_tokens),
                part_bytes: u64::from_le_bytes(*part_bytes),
                parse_time: Duration::from_millis(u64::from_le_bytes(*parse_time_ms)),
                parse_depth: u32::from_le_bytes(*parse_depth),
            },
            language: Language::from(std::str::from_utf8(language).ok()?.to_owned()),
            text: std::str::from_utf8(text).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use recall_core::Limits;

    use super::*;

    #[test]
    fn a_request_survives_the_way_there_and_back() {
        let limits = ChunkLimits::from(&Limits::default());
        let request = Request { limits, language: Language::from_static("rust"), text: "fn f() {}\n" };
        let bytes = request.encode();
        assert_eq!(Request::decode(&bytes), Some(request));
        assert_eq!(Request::decode(&bytes[..10]), None);
    }

    #[test]
    fn frames_that_are_cut_or_too_long_are_errors() {
        let mut frame = Vec::new();
        write_frame(&mut frame, b"text").expect("a vector takes all");
        assert_eq!(read_frame(&mut &frame[..], 4).expect("whole"), b"text");
        assert_eq!(read_frame(&mut &frame[..7], 4).map_err(|error| error.kind()), Err(io::ErrorKind::UnexpectedEof));
        assert_eq!(read_frame(&mut &frame[..], 3).map_err(|error| error.kind()), Err(io::ErrorKind::InvalidData));
    }
}
