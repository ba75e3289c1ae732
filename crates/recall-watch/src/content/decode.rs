//! Decoding of a file's bytes to text.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{UTF_16BE, UTF_16LE};

use super::Encoding;
use crate::SkipReason;

/// Decodes a file's bytes: by their byte order mark if there is one, otherwise as UTF-8 if valid, otherwise in a
/// detected legacy encoding.
///
/// # Errors
/// [`SkipReason::Binary`] if the bytes are not text; [`SkipReason::UnknownEncoding`] if they may be text, but not every
/// byte is defined in the encoding.
pub(super) fn decode(bytes: &[u8]) -> Result<(Cow<'_, str>, Encoding), SkipReason> {
    let (text, encoding) = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => (utf8(rest)?, Encoding::Utf8Marked),
        [0xFF, 0xFE, rest @ ..] => (exactly(UTF_16LE, rest)?, Encoding::Utf16Le),
        [0xFE, 0xFF, rest @ ..] => (exactly(UTF_16BE, rest)?, Encoding::Utf16Be),
        _ if bytes.contains(&0) => return Err(SkipReason::Binary),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => (Cow::Borrowed(text), Encoding::Utf8),
            Err(_) => legacy(bytes)?,
        },
    };
    if is_text(&text) { Ok((text, encoding)) } else { Err(SkipReason::Binary) }
}

fn utf8(bytes: &[u8]) -> Result<Cow<'_, str>, SkipReason> {
    std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|_| SkipReason::UnknownEncoding)
}

fn exactly<'a>(encoding: &'static encoding_rs::Encoding, bytes: &'a [u8]) -> Result<Cow<'a, str>, SkipReason> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes).ok_or(SkipReason::UnknownEncoding)
}

fn legacy(bytes: &[u8]) -> Result<(Cow<'_, str>, Encoding), SkipReason> {
    if is_mostly_control(bytes) {
        return Err(SkipReason::Binary);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let text = exactly(encoding, bytes)?;
    // Bytes that an encoding leaves undefined decode to C1 controls, which do not occur in text.
    if text.chars().any(|c| matches!(c, '\u{80}'..='\u{9F}')) {
        return Err(SkipReason::UnknownEncoding);
    }
    Ok((text, Encoding::Legacy(encoding.name())))
}

/// Returns whether there are more control characters than in text of any ASCII-compatible encoding.
fn is_mostly_control(bytes: &[u8]) -> bool {
    // The count of a block fits into a byte, so the sum is vectorized. This runs on every file.
    let blocks = bytes.chunks(u8::MAX.into());
    let controls: usize =
        blocks.map(|block| usize::from(block.iter().map(|&byte| u8::from(is_control(byte))).sum::<u8>())).sum();
    controls * CONTROLS_ONE_IN > bytes.len()
}

fn is_text(text: &str) -> bool {
    !text.contains('\0') && !is_mostly_control(text.as_bytes())
}

/// The reciprocal of the largest share of control characters in text. Terminal captures and old printouts have a few;
/// in compressed data one byte in ten is one.
const CONTROLS_ONE_IN: usize = 100;

/// Returns whether a byte is a control character that does not occur in text. Text may contain backspace (man pages),
/// tab, line endings, form feed, the DOS end-of-file mark and escape (terminal colours).
#[expect(clippy::needless_bitwise_bool, reason = "branch-free code is vectorized")]
fn is_control(byte: u8) -> bool {
    let is_of_text = (byte.wrapping_sub(0x08) <= 5) & (byte != 0x0B) | (byte & 0xFE == 0x1A);
    (byte < 0x20) & !is_of_text | (byte == 0x7F)
}

#[cfg(test)]
mod tests;
