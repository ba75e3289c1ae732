//! Does a text hold a private key?

/// Whether a private key stands in the text: an opening mark with key material behind it.
///
/// A mark alone is no key: code that reads keys and documents that explain them name it too. Key material is told by runs
/// of base64 between the mark and the closing one, also where a string literal breaks them with `\n` or quotes.
pub(super) fn holds_one(text: &str) -> bool {
    marks(text, PEM_MARK).any(has_material) || marks(text, PUTTY_MARK).any(has_material)
}

const PEM_MARK: &str = "PRIVATE KEY";
const PUTTY_MARK: &str = "Private-Lines:";

/// What stands behind each mark. `-----END … PRIVATE KEY-----` closes and opens nothing.
fn marks<'a>(text: &'a str, mark: &'static str) -> impl Iterator<Item = &'a str> {
    // A search for whether is several times faster than one for where, and almost every text has none.
    let text = if text.contains(mark) { text } else { "" };
    text.match_indices(mark).map(move |(at, _)| &text[at + mark.len()..])
}

fn has_material(behind: &str) -> bool {
    /// The shortest key, Ed25519 in PKCS #8, has 64 characters of base64; a part of one is none of anybody's business.
    const MATERIAL: usize = 48;
    /// Words and header fields have shorter runs, the shortest last line of a key too.
    const RUN: usize = 24;
    /// Where a key's first lines stand, headers such as `DEK-Info` included.
    const WINDOW: usize = 600;

    let window = behind.as_bytes();
    let window = &window[..window.len().min(WINDOW)];
    let window = window.windows(8).position(|bytes| bytes == b"-----END").map_or(window, |end| &window[..end]);
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    window
        .split(|byte| !is_base64(byte))
        // The `n` of an escaped line end sticks to the line behind it and does not matter.
        .map(<[u8]>::len)
        .filter(|&run| run >= RUN)
        .sum::<usize>()
        >= MATERIAL
}

#[cfg(test)]
mod tests;
