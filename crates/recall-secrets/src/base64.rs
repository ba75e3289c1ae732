//! Decoding of base64 credentials.

/// Decodes `user:password` from base64; `None` if the text is not that.
pub(crate) fn credentials(text: &str) -> Option<(String, String)> {
    let decoded = String::from_utf8(decode(text)?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    let is_plain = decoded.chars().all(|c| !c.is_control());
    is_plain.then(|| (user.to_owned(), password.to_owned()))
}

/// Decodes base64 in the standard or the URL-safe alphabet.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0_u32, 0);
    for byte in digits.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_and_a_password_are_decoded() {
        // The example of RFC 7617.
        let expected = ("Aladdin".to_owned(), "open sesame".to_owned());
        assert_eq!(credentials("QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), Some(expected));
        for other in ["", "QQ==", "not base64!", "AAAA"] {
            assert_eq!(credentials(other), None, "{other}");
        }
    }
}
