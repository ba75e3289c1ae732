//! Detection of private keys in text.

/// Returns whether the text contains a private key: an opening marker followed by key material.
///
/// A marker alone is not a key: code that reads keys and documents that explain them contain it too. Key material
/// consists of runs of base64 between the opening and the closing marker; a string literal may break them with `\n` or
/// quotes.
pub(super) fn contains_key(text: &str) -> bool {
    marks(text, PEM_MARK).any(has_material) || marks(text, PUTTY_MARK).any(has_material)
}

const PEM_MARK: &str = "PRIVATE KEY";
const PUTTY_MARK: &str = "Private-Lines:";

/// Iterates over the text after each marker. `-----END … PRIVATE KEY-----` is followed by no material.
fn marks<'a>(text: &'a str, mark: &'static str) -> impl Iterator<Item = &'a str> {
    // `contains` is several times faster than `match_indices`, and almost no text has a marker.
    let text = if text.contains(mark) { text } else { "" };
    text.match_indices(mark).map(move |(at, _)| &text[at + mark.len()..])
}

fn has_material(after: &str) -> bool {
    /// The least number of base64 characters of a key. The shortest key, Ed25519 in PKCS #8, has 64; a part of one is
    /// rejected too.
    const MATERIAL: usize = 48;
    /// The least length of a run. Words, header fields and the last line of a key are shorter.
    const RUN: usize = 24;
    /// The number of bytes after the marker that are examined. They include the first lines of a key and headers such
    /// as `DEK-Info`.
    const WINDOW: usize = 600;

    let window = after.as_bytes();
    let window = &window[..window.len().min(WINDOW)];
    let window = window.windows(8).position(|bytes| bytes == b"-----END").map_or(window, |end| &window[..end]);
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    window
        .split(|byte| !is_base64(byte))
        // The `n` of an escaped line ending joins the line after it, which is harmless.
        .map(<[u8]>::len)
        .filter(|&run| run >= RUN)
        .sum::<usize>()
        >= MATERIAL
}

#[cfg(test)]
mod tests;
