//! Private keys in texts: their digits are replaced before a text is indexed.
//!
//! A page or a source file may quote a key in a comment, a changelog or a fixture. The rest of the file is worth finding, so only
//! the digits of the key are replaced, by as many others. Line numbers and lengths stay, and what is left still has the shape of a
//! key: it is masked in answers, and `recall doctor --secrets` names the file.

use std::ops::Range;

/// Replaces the digits of each private key in a text. Returns how many bytes were replaced.
///
/// A marker alone is not a key: code that reads keys and documents that explain them contain it too. Key material consists of
/// runs of base64 between the opening and the closing marker; a string literal may break them with `\n` or quotes.
pub(super) fn hide(text: &mut String) -> usize {
    let runs: Vec<Range<usize>> = marks(text).flat_map(|at| key_runs(text, at)).collect();
    if runs.is_empty() {
        return 0;
    }
    let mut bytes = std::mem::take(text).into_bytes();
    // The runs of two marks overlap if one key has no end marker.
    let mut end = 0;
    let mut hidden = 0;
    for run in runs {
        let start = run.start.max(end);
        for (place, byte) in bytes[start..run.end.max(start)].iter_mut().enumerate() {
            *byte = FILLING[place % FILLING.len()];
            hidden += 1;
        }
        end = end.max(run.end);
    }
    *text = String::from_utf8(bytes).expect("base64 digits are ASCII, and so is the filling");
    hidden
}

/// Returns whether a text is little else than keys, of which so many bytes were replaced.
pub(super) fn is_key_file(text: &str, hidden: usize) -> bool {
    hidden > 0 && hidden * 2 >= text.bytes().filter(|byte| !byte.is_ascii_whitespace()).count()
}

/// The digits that replace those of a key. They differ, so that a masker takes them for a key.
const FILLING: &[u8] = b"ThisPrivateKeyIsHidden0123456789bcfgjklmnoquwxzABCDEFGJLMNOQRSUVWXYZ";

/// The words of the opening markers: of PEM, OpenSSH and PGP, and of `PuTTY`.
const MARKS: [&str; 2] = ["PRIVATE KEY", "Private-Lines:"];

/// The beginnings of what follows the material of a key.
const ENDS: [&str; 3] = ["-----END", "-----BEGIN", "Private-MAC"];

/// The longest key. A 16,384-bit RSA key in PEM has 12,800 bytes, and a PGP key can be larger.
const MOST_BYTES: usize = 32 * 1024;

/// The least number of base64 digits of a key. The shortest key, Ed25519 in PKCS #8, has 64; a part of one counts too.
const LEAST_DIGITS: usize = 48;

/// The least length of a run that proves a key. Words, header fields and the last line of a key are shorter.
const PROVING_RUN: usize = 24;

/// The number of bytes after the marker that are examined for a proof. They include the first lines of a key and headers such as
/// `DEK-Info`.
const PROOF_BYTES: usize = 600;

/// The least length of a run that belongs to a key without an end marker.
const LEAST_RUN: usize = 16;

/// The most bytes between two runs of a key without an end marker.
const MOST_GAP: usize = 80;

/// The most bytes between the last complete line of such a key and its remainder: quotes and a line break.
const REMAINDER_GAP: usize = 8;

/// Returns the positions after the markers, in order.
fn marks(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut all: Vec<usize> = Vec::new();
    // `contains` is several times faster than `match_indices`, and almost no text has a marker.
    for mark in MARKS.into_iter().filter(|mark| text.contains(mark)) {
        all.extend(text.match_indices(mark).map(|(at, _)| at + mark.len()));
    }
    all.sort_unstable();
    all.into_iter()
}

/// Returns the runs of the key whose marker ends at a position; none if no key follows.
fn key_runs(text: &str, from: usize) -> Vec<Range<usize>> {
    let window = &text[from..text.floor_char_boundary(from + MOST_BYTES)];
    let end = ENDS.iter().filter_map(|mark| window.find(mark)).min();
    let body = &window[..end.unwrap_or(window.len())];
    let runs: Vec<Range<usize>> = runs(body).collect();
    let proof =
        runs.iter().map(|run| run.start..run.end.min(PROOF_BYTES)).filter(|run| run.end >= run.start + PROVING_RUN);
    if proof.map(|run| run.len()).sum::<usize>() < LEAST_DIGITS {
        return Vec::new();
    }
    let kept = if end.is_some() { closed_key(body, runs) } else { open_key(runs) };
    kept.into_iter().map(|run| from + run.start..from + run.end).collect()
}

/// Returns the runs of a key between two markers: all but its header fields, such as `Proc-Type: 4,ENCRYPTED`.
fn closed_key(body: &str, mut runs: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let line_of = |at: usize| {
        let start = body[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = body[at..].find('\n').map_or(body.len(), |newline| at + newline);
        &body[start..end]
    };
    runs.retain(|run| run.len() >= LEAST_RUN || !line_of(run.start).contains(": "));
    runs
}

/// Returns the runs of a key that has no closing marker: its long runs up to a gap, and the remainder after the last of them.
fn open_key(runs: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut kept: Vec<Range<usize>> = Vec::new();
    for run in runs {
        let gap = kept.last().map(|last| run.start - last.end);
        if gap.is_some_and(|gap| gap > MOST_GAP) {
            break;
        }
        if run.len() >= LEAST_RUN || gap.is_some_and(|gap| gap <= REMAINDER_GAP) {
            kept.push(run);
        }
    }
    kept
}

/// Iterates over the runs of base64 digits in a text. The letter of an escape sequence such as `\n` is no digit.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| {
        let is_base64 = bytes[at].is_ascii_alphanumeric() || matches!(bytes[at], b'+' | b'/' | b'=');
        is_base64 && !(at > 0 && bytes[at - 1] == b'\\')
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = (at..bytes.len()).find(|&at| is_digit(at))?;
        at = (start..bytes.len()).find(|&at| !is_digit(at)).unwrap_or(bytes.len());
        Some(start..at)
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
        for end in ["-----END PRIVATE KEY-----", ""] {
            let mut text = format!("\"-----BEGIN PRIVATE KEY-----\\n\"\n\"{BODY}\\n\"\n\"qrsT4w==\\n\"\n{end}");
            hide(&mut text);
            assert!(!text.contains("qrsT"), "{text}");
        }
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
