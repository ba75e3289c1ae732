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
mod tests {
    use super::*;

    /// Base64 that is not a key.
    const BODY: &str = "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu";

    #[test]
    fn a_key_is_found_in_every_notation() {
        for text in [
            format!("-----BEGIN PRIVATE KEY-----\n{BODY}\n{BODY}\n-----END PRIVATE KEY-----\n"),
            format!("-----BEGIN RSA PRIVATE KEY-----\r\n{BODY}\r\n-----END RSA PRIVATE KEY-----"),
            format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}"),
            format!("-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{BODY}\n"),
            format!("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,ABCD\n\n{BODY}\n"),
            format!("const KEY: &str = \"-----BEGIN PRIVATE KEY-----\\n{BODY}\\n-----END PRIVATE KEY-----\";"),
            format!("key: |\n  -----BEGIN EC PRIVATE KEY-----\n  {}\n  {}\n", &BODY[..32], &BODY[32..]),
            format!("PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 8\n{BODY}\n"),
        ] {
            assert!(contains_key(&text), "{text}");
            assert!(contains_key(&format!("{}{text}", "words ".repeat(1000))), "after other text: {text}");
        }
    }

    #[test]
    fn text_about_keys_is_not_a_key() {
        for text in [
            "",
            "if line.starts_with(\"-----BEGIN RSA PRIVATE KEY-----\") { return Err(Secret); }",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----",
            "Files that begin with `-----BEGIN PRIVATE KEY-----` are never indexed, whatever their names are, because nobody \
             wants to find them in an answer to a question about something else entirely.",
            &format!("-----BEGIN PUBLIC KEY-----\n{BODY}\n-----END PUBLIC KEY-----"),
            &format!("-----BEGIN CERTIFICATE-----\n{BODY}\n-----END CERTIFICATE-----"),
            &format!(
                "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n{}sha256 {BODY}",
                "and more words ".repeat(50)
            ),
        ] {
            assert!(!contains_key(text), "{text}");
        }
    }
}
