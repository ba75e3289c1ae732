//! The frames between the daemon and a parse worker.

use std::io::{self, Read, Write};
use std::time::Duration;

use recall_chunk::ChunkLimits;
use recall_text::Language;

/// The first frame of a worker. The daemon and the worker are one version, or do not work together.
pub(super) const HELLO: &[u8] = concat!("recall parse worker ", env!("CARGO_PKG_VERSION")).as_bytes();

/// Writes a frame with one call, so that a small one arrives at once.
pub(super) fn write(to: &mut impl Write, payload: &[u8]) -> io::Result<()> {
    let length = u32::try_from(payload.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut frame = Vec::with_capacity(4 + payload.len());
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(payload);
    to.write_all(&frame)?;
    to.flush()
}

/// Reads a frame of at most that length. A false length reserves no memory.
pub(super) fn read(from: &mut impl Read, most_bytes: usize) -> io::Result<Vec<u8>> {
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
        write(&mut frame, b"text").expect("a vector takes all");
        assert_eq!(read(&mut &frame[..], 4).expect("whole"), b"text");
        assert_eq!(read(&mut &frame[..7], 4).map_err(|error| error.kind()), Err(io::ErrorKind::UnexpectedEof));
        assert_eq!(read(&mut &frame[..], 3).map_err(|error| error.kind()), Err(io::ErrorKind::InvalidData));
    }
}
