//! Private keys in texts: their digits are replaced before a text is indexed.
//!
//! A page or a source file may quote a key in a comment, a changelog or a fixture. The rest of the file is worth finding, so only
//! the digits of the key are replaced, by as many others. Line numbers and lengths stay, and what is left still has the shape of a
//! key: it is masked in answers, and `recall doctor --secrets` names the file.

use std::ops::Range;

/// Replaces the digits of each private key in a text. Returns how many bytes were replaced.
///
/// A marker alone is not a key: code that reads keys and documents that explain them contain it too. Key material consists of words
/// of base64 between the opening and the closing marker, which white space, quotes, joining characters or `\n` part. Between two
/// markers the short words behind the first long one are of the key too. Without a closing marker, the key ends before the next word
/// with another character, such as `read(key)`.
pub(super) fn hide(text: &mut String) -> usize {
    let marks = marks(text);
    // A key ends before the next marker, so each byte is examined once, however many markers a text has.
    let ends = marks.iter().skip(1).map(|next| next.start).chain([text.len()]);
    let words: Vec<Range<usize>> =
        marks.iter().zip(ends).flat_map(|(mark, end)| key_words(text, mark.end..end)).collect();
    if words.is_empty() {
        return 0;
    }
    let mut bytes = std::mem::take(text).into_bytes();
    let mut hidden = 0;
    for word in words {
        hidden += word.len();
        for (byte, filling) in bytes[word].iter_mut().zip(FILLING.iter().cycle()) {
            *byte = *filling;
        }
    }
    *text = String::from_utf8(bytes).expect("base64 digits are ASCII, and so is the filling");
    hidden
}

/// Returns whether at least half of a text is keys. `hidden` is the number of bytes that [`hide`] replaced in it.
pub(super) fn is_key_file(text: &str, hidden: usize) -> bool {
    hidden > 0 && hidden * 2 >= text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count()
}

/// The digits that replace those of a key. They differ, so that a masker takes them for a key.
const FILLING: &[u8] = b"ThisPrivateKeyIsHidden0123456789bcfgjklmnoquwxzABCDEFGJLMNOQRSUVWXYZ";

/// The words of the opening markers: of PEM, OpenSSH and PGP, and of `PuTTY`.
const MARKS: [&str; 2] = ["PRIVATE KEY", "Private-Lines:"];

/// The beginnings of what follows the material of a key.
const ENDS: [&str; 4] = ["-----END", "-----BEGIN", "---- END", "Private-MAC"];

/// The longest key. A 16,384-bit RSA key in PEM has 12,800 bytes, and a PGP key can be larger.
const MOST_BYTES: usize = 32 * 1024;

/// The least number of base64 digits of a key. The shortest key, Ed25519 in PKCS #8, has 64; a part of one counts too.
const LEAST_DIGITS: usize = 48;

/// The least length of a word that proves a key. Words of a language, header fields and the last line of a key are shorter.
const PROVING_WORD: usize = 24;

/// The number of bytes after the marker that are examined for a proof. They include the first lines of a key and headers such as
/// `DEK-Info`.
const PROOF_BYTES: usize = 600;

/// The least length of a word that begins a key.
const LEAST_WORD: usize = 16;

/// Returns the markers, in order.
fn marks(text: &str) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    // `contains` is several times faster than `match_indices`, and almost no text has a marker.
    for mark in MARKS.into_iter().filter(|mark| text.contains(mark)) {
        all.extend(text.match_indices(mark).map(|(at, _)| at..at + mark.len()));
    }
    all.sort_unstable_by_key(|mark| mark.start);
    all
}

/// Returns the byte ranges of the words of the key that follows a marker; empty if no key follows. `behind` is the text after the marker.
fn key_words(text: &str, behind: Range<usize>) -> Vec<Range<usize>> {
    let from = behind.start;
    let window = &text[from..text.floor_char_boundary(behind.end.min(from + MOST_BYTES))];
    let end = ENDS.iter().filter_map(|mark| window.find(mark)).min();
    let body = &window[..end.unwrap_or(window.len())];
    let mut found: Vec<Range<usize>> = Vec::new();
    for word in words(body) {
        let is_base64 = body[word.clone()].bytes().all(is_digit);
        if is_base64 && (word.len() >= LEAST_WORD || (end.is_some() && !found.is_empty())) {
            found.push(word);
        } else if !is_base64 && end.is_none() && !found.is_empty() {
            break;
        }
    }
    let proof = found.iter().filter(|word| word.start < PROOF_BYTES && word.len() >= PROVING_WORD);
    if proof.map(|word| word.len().min(PROOF_BYTES - word.start)).sum::<usize>() < LEAST_DIGITS {
        return Vec::new();
    }
    found.into_iter().map(|word| from + word.start..from + word.end).collect()
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Iterates over the words with a letter or a number, without quotes, joining characters and escape sequences such as `\n`.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let parts = |at: usize| {
        let is_escaped = at > 0 && bytes[at - 1] == b'\\' && bytes[at].is_ascii_lowercase();
        is_escaped || bytes[at].is_ascii_whitespace() || b"\"'`\\,;-<>&#|*%".contains(&bytes[at])
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = (at..bytes.len()).find(|&at| !parts(at))?;
            at = (start..bytes.len()).find(|&at| parts(at)).unwrap_or(bytes.len());
            if bytes[start..at].iter().any(u8::is_ascii_alphanumeric) {
                return Some(start..at);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Base64 that is not a key.
    const BODY: &str = "MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu";

    fn keys() -> Vec<String> {
        vec![
            format!("-----BEGIN PRIVATE KEY-----\n{BODY}\n{BODY}\n-----END PRIVATE KEY-----\n"),
            format!("-----BEGIN RSA PRIVATE KEY-----\r\n{BODY}\r\n-----END RSA PRIVATE KEY-----"),
            format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}"),
            format!("-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{BODY}\n"),
            format!("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,ABCD\n\n{BODY}\n"),
            format!("const KEY: &str = \"-----BEGIN PRIVATE KEY-----\\n{BODY}\\n-----END PRIVATE KEY-----\";"),
            format!("key: |\n  -----BEGIN EC PRIVATE KEY-----\n  {}\n  {}\n", &BODY[..32], &BODY[32..]),
            format!("PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 8\n{BODY}\n"),
            format!("KEY=-----BEGIN PRIVATE KEY-----{BODY}-----END PRIVATE KEY-----"),
            format!("<pre>-----BEGIN PRIVATE KEY-----<br>{BODY}<br>{BODY}</pre>"),
            format!("+-----BEGIN PRIVATE KEY-----\n+{BODY}\n+{BODY}\n"),
            format!("# -----BEGIN PRIVATE KEY-----\n# {BODY}\n# {BODY}\n# -----END PRIVATE KEY-----"),
            format!("key=-----BEGIN%20PRIVATE KEY-----%0A{BODY}%0A-----END"),
        ]
    }

    #[test]
    fn no_part_of_a_key_stays_in_any_notation() {
        for key in keys() {
            for text in [key.clone(), format!("{}{key}\n\nAfterwards: more words.", "words ".repeat(1000))] {
                let mut shown = text.clone();
                assert!(hide(&mut shown) >= LEAST_DIGITS, "{text}");
                for part in (0..BODY.len() - 8).map(|at| &BODY[at..at + 8]) {
                    assert!(!shown.contains(part), "{part} is left:\n{shown}");
                }
                assert_eq!(shown.len(), text.len());
                assert_eq!(shown.lines().count(), text.lines().count());
            }
        }
    }

    #[test]
    fn the_last_short_line_of_a_key_is_hidden_too() {
        let mut text = format!(
            "\"-----BEGIN PRIVATE KEY-----\\n\"\n + \"{BODY}\\n\"\n + \"qrsT4w==\\n-----END PRIVATE KEY-----\""
        );
        hide(&mut text);
        assert!(!text.contains("qrsT"), "{text}");
    }

    #[test]
    fn the_code_after_a_key_without_an_end_stays() {
        let code =
            "try { read(key) } catch (expected: IllegalArgumentException) { return SomeOtherExceptionOfReaders }";
        let mut text = format!("val key = \"-----BEGIN PRIVATE KEY-----\\n{BODY}\"\n{code}");
        assert_eq!(hide(&mut text), BODY.len());
        assert!(text.ends_with(code), "{text}");
        let mut mapping = "\"-----BEGIN PRIVATE KEY-----\" -> parsePkcs8EncodedPrivateKeySpecification(text), \
             \"-----BEGIN RSA PRIVATE KEY-----\" -> parsePkcs1EncodedPrivateKeySpecification(text)"
            .to_owned();
        assert_eq!(hide(&mut mapping), 0, "{mapping}");
    }

    #[test]
    fn what_stands_around_a_key_stays_as_it_is() {
        for key in keys() {
            let mut text = format!("/** Reads a certificate.\n{key}\n\n*/ fn read_certificate_of_this_server() {{}}");
            let hidden = hide(&mut text);
            assert!(text.starts_with("/** Reads a certificate.\n"), "{text}");
            assert!(text.ends_with("fn read_certificate_of_this_server() {}") || !key.contains("-----END"), "{text}");
            assert_eq!(hide(&mut text.clone()), hidden, "hiding twice hides the same");
        }
        let mut encrypted = keys().swap_remove(4) + "-----END RSA PRIVATE KEY-----";
        hide(&mut encrypted);
        assert!(encrypted.contains("Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,ABCD\n"), "{encrypted}");
    }

    #[test]
    fn a_file_of_little_else_than_keys_is_a_key_file() {
        let is_key_file = |text: &str| {
            let mut text = text.to_owned();
            let hidden = hide(&mut text);
            super::is_key_file(&text, hidden)
        };
        let key = &keys()[0];
        assert!(is_key_file(key));
        assert!(is_key_file(&format!("# The key of the test server\n{key}{key}")));
        assert!(!is_key_file(&format!("{}{key}", "words of a page\n".repeat(40))));
        assert!(!is_key_file("no key"));
        assert!(!is_key_file(""));
    }

    #[test]
    fn text_about_keys_is_not_a_key() {
        for text in [
            "",
            "if line.starts_with(\"-----BEGIN RSA PRIVATE KEY-----\") { return Err(Secret); }",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\n<your key here>\n-----END PRIVATE KEY-----",
            "The digits of a `-----BEGIN PRIVATE KEY-----` are replaced, whatever the name of the file is, because nobody wants to \
             find them in an answer to a question about something else entirely.",
            &format!("-----BEGIN PUBLIC KEY-----\n{BODY}\n-----END PUBLIC KEY-----"),
            &format!("-----BEGIN CERTIFICATE-----\n{BODY}\n-----END CERTIFICATE-----"),
            &format!("-----END PRIVATE KEY-----\n-----BEGIN CERTIFICATE-----\n{BODY}\n-----END CERTIFICATE-----"),
            &format!(
                "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n{}sha256 {BODY}",
                "and more words ".repeat(50)
            ),
        ] {
            let mut shown = text.to_owned();
            assert_eq!(hide(&mut shown), 0, "{text}");
            assert_eq!(shown, text);
        }
    }
}
