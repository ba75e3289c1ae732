//! Whether a value is a secret, or a reference or placeholder for one; and what a base64 value decodes to.
//!
//! Most values assigned to names such as `password` are not secrets but variables, calls, paths, words or placeholders.

mod reference;
mod words;

use reference::is_reference;
use words::{is_wordy, residue};

/// The least length of a password. Shorter values are as often words and test values.
const LEAST_PASSWORD: usize = 6;

/// The least length of a key. Shorter random strings and names are hard to distinguish.
const LEAST_KEY: usize = 16;

/// The least entropy of a key in bits per byte, for hexadecimal digits (at most 4) and for others.
const LEAST_KEY_ENTROPY: (f64, f64) = (2.7, 3.3);

/// The least length of a key with characters of three kinds.
const LEAST_SHORT_KEY: usize = 12;

/// The least length of a password of letters or digits alone.
const LEAST_OF_LETTERS: usize = 8;

/// The least length of a password whose kinds of characters change only three times.
const LEAST_VARIED: usize = 10;

/// The least length of a password within a sentence.
const LEAST_IN_PROSE: usize = 8;

/// The least length of a salt. Generators give 64 characters.
const LEAST_SALT: usize = 40;

/// The least entropy of a salt. Random characters of all kinds reach about 5 bits at this length, words less than 4.
const LEAST_SALT_ENTROPY: f64 = 4.6;

/// Substrings that occur only in templates.
const TEMPLATES: &[&str] = &["${", "<%", "$(", "://"];

/// Symbols that do not occur in names, paths and sentences.
const STRONG_SYMBOLS: &str = "!@#$%^&*+=?~";

/// The longest number: 64 bits in hexadecimal, with separators and its type. A longer one is a key.
const MOST_NUMBER: usize = 26;

/// The least entropy of a random UUID. The 31 random digits hardly ever have less; a typed one does.
const LEAST_UUID_ENTROPY: f64 = 3.0;

/// How strongly the position of a value suggests that it is a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// A literal next to a name. It may also be a label.
    Name,
    /// Unquoted next to a name. It is as often an expression or a type.
    BareName,
    /// Next to a name within a sentence or an expression. Only a random-looking value is a password.
    Prose,
    /// A position that holds nothing but a password, as in a URL.
    Place,
}

/// Returns whether a value looks like a password in use.
pub(crate) fn is_password(value: &str, certainty: Certainty) -> bool {
    if value.len() < LEAST_PASSWORD || value.contains(char::is_whitespace) || is_not_secret(value) {
        return false;
    }
    if residue(value) < LEAST_PASSWORD {
        return false;
    }
    let kinds = Kinds::new(value);
    let is_mixed = kinds.letters && (kinds.digits || kinds.symbols);
    let is_of_letters = kinds.letters && !kinds.digits && !kinds.symbols && value.len() >= LEAST_OF_LETTERS;
    match certainty {
        Certainty::Place => is_mixed || is_digits(value) || (is_of_letters && !is_wordy(value)),
        Certainty::Name => {
            let is_random = (is_of_letters && (words::are_random(value) || is_random_case(value)))
                || (kinds.lower && kinds.upper && words::are_random(value) && value.len() >= LEAST_VARIED);
            (is_random || (is_mixed && (kinds.digits || kinds.strong_symbols))) && !is_wordy(value)
        }
        Certainty::BareName => {
            let is_varied = kinds.count() >= 3
                || changes(value) >= 4
                || (changes(value) >= 3 && value.len() >= LEAST_VARIED)
                || kinds.strong_symbols
                || words::are_random(value);
            ((is_varied && kinds.digits) || (is_of_letters && is_random_case(value))) && !is_wordy(value)
        }
        Certainty::Prose => {
            let is_long = value.len() >= LEAST_VARIED && value.bytes().filter(u8::is_ascii_digit).count() >= 3;
            let is_varied =
                kinds.digits && (changes(value) >= 4 || (changes(value) >= 3 && (is_long || kinds.count() >= 3)));
            let is_random = is_varied || (is_of_letters && is_random_case(value));
            value.len() >= LEAST_IN_PROSE && is_random && kinds.letters && !is_wordy(value) && !is_access(value)
        }
    }
}

/// Returns whether a value looks like a random key or token.
pub(crate) fn is_key(value: &str) -> bool {
    if value.len() < LEAST_KEY || !value.bytes().all(|byte| byte.is_ascii_graphic()) || is_not_secret(value) {
        return false;
    }
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let has_digits = value.bytes().any(|byte| byte.is_ascii_digit());
    let is_varied =
        has_digits || (letters + 2 >= value.len() && changes(value) * 3 >= letters && words::are_random(value));
    if letters < 3 || !is_varied || is_uuid(value) || is_wordy(value) || residue(value) < LEAST_KEY / 2 {
        return false;
    }
    let (of_hex, of_others) = LEAST_KEY_ENTROPY;
    let is_hex = value.bytes().all(|byte| byte.is_ascii_hexdigit());
    entropy(value) >= if is_hex { of_hex } else { of_others }
}

/// Returns whether a value shorter than a key meets the stricter requirements for short keys.
pub(crate) fn is_short_key(value: &str) -> bool {
    (LEAST_SHORT_KEY..LEAST_KEY).contains(&value.len())
        && is_password(value, Certainty::Prose)
        && (Kinds::new(value).count() >= 3 || changes(value) >= 5 || words::are_random(value))
}

/// Returns whether a value looks like a generated salt: random characters of all kinds, including blanks.
pub(crate) fn is_salt(value: &str) -> bool {
    let kinds = Kinds::new(value);
    let symbols = value.bytes().filter(u8::is_ascii_punctuation).count();
    let is_random = kinds.count() == 4 && symbols * 6 >= value.len() && entropy(value) >= LEAST_SALT_ENTROPY;
    value.len() >= LEAST_SALT && is_random && !is_example(value) && !TEMPLATES.iter().any(|part| value.contains(part))
}

/// Returns whether a value is a UUID of random digits, which some services use as keys. Version 1 encodes a time and a
/// node.
pub(crate) fn is_random_uuid(value: &str) -> bool {
    let bytes = value.as_bytes();
    is_uuid(value)
        && bytes.len() == 36
        && bytes[14] != b'1'
        && !is_placeholder(value)
        && !value.ends_with("-446655440000")
        && entropy(value) >= LEAST_UUID_ENTROPY
}

/// Returns whether a value is a member access, such as `config.token2` or `self.keys`.
pub(crate) fn is_access(value: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    value.contains('.') && value.trim_end_matches('.').split('.').all(is_name) && !words::are_random(value)
}

/// Returns whether a value consists of digits that neither repeat nor count up.
fn is_digits(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit()) && !counts(value) && value.len() >= LEAST_OF_LETTERS
}

/// Returns whether letters change case more often than in words, or follow each other as in no word.
fn is_random_case(value: &str) -> bool {
    changes(value) * 2 >= value.len() || (changes(value) * 4 >= value.len() && words::are_random(value))
}

/// Counts the changes of character kind from one byte to the next: `aB3x` has three, `password12` has one.
fn changes(value: &str) -> usize {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    value.as_bytes().windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count()
}

/// Returns whether a token of the right format is an example: its body says so, repeats or counts up.
pub(crate) fn is_placeholder(token: &str) -> bool {
    is_example(token) || residue(token) * 2 < token.len() || counts(token)
}

/// Returns whether a value refers to a secret instead of being one: a variable, a path, a template.
pub(crate) fn names_secret(value: &str) -> bool {
    is_reference(value)
}

/// Returns the entropy of a value's bytes, in bits per byte: 0 if one byte repeats, at most 4 for hexadecimal digits.
pub(crate) fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = value.len() as f64;
    let share = |&count: &u32| f64::from(count) / length;
    -counts.iter().filter(|&&count| count > 0).map(share).map(|share| share * share.log2()).sum::<f64>()
}

fn is_not_secret(value: &str) -> bool {
    is_reference(value) || is_example(value) || counts(value) || is_number(value) || is_constant(value)
}

/// Returns whether a value is a number literal, perhaps with its type: `0x8004170B_u32`, `-2147205110i32`.
fn is_number(value: &str) -> bool {
    let number = value.trim_start_matches(['-', '+']);
    let is_hex = number.strip_prefix("0x").or_else(|| number.strip_prefix("0X"));
    let has_type =
        ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "usize", "isize", "L", "UL", "n", "U"]
            .iter()
            .find_map(|ending| number.strip_suffix(ending));
    match (is_hex, has_type) {
        (Some(digits), _) if number.len() <= MOST_NUMBER => {
            let digits = has_type.and_then(|number| number.get(2..)).unwrap_or(digits);
            digits.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
        }
        (_, Some(digits)) => digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.')),
        _ => false,
    }
}

/// Returns whether a value is the name of a constant, such as `D3DKMT_HISTORYTOKEN_2`.
fn is_constant(value: &str) -> bool {
    let is_name_byte = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.contains('_') && value.bytes().all(is_name_byte) && digits <= 3 && !words::are_random(value)
}

fn is_example(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    lower.contains("example") || lower.contains("xxxxx")
}

/// Returns whether most bytes repeat or follow the one before, as in `abcdefgh`, `12345678` or `00000000`.
fn counts(value: &str) -> bool {
    let bytes = value.as_bytes();
    let following = bytes.windows(2).filter(|pair| pair[1] == pair[0] || pair[1] == pair[0].wrapping_add(1)).count();
    following * 2 > bytes.len()
}

fn is_uuid(value: &str) -> bool {
    let value = value.trim_start_matches("urn:uuid:").trim_matches(['{', '}']);
    let is_at_place = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    value.len() == 36 && value.bytes().enumerate().all(is_at_place)
}

/// The kinds of characters in a value.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "the kinds are independent of each other, and are counted")]
struct Kinds {
    lower: bool,
    upper: bool,
    letters: bool,
    digits: bool,
    symbols: bool,
    /// Symbols that do not occur in names, paths and sentences.
    strong_symbols: bool,
}

impl Kinds {
    fn new(value: &str) -> Self {
        let mut kinds = Self::default();
        for c in value.chars() {
            kinds.lower |= c.is_lowercase();
            kinds.upper |= c.is_uppercase();
            kinds.digits |= c.is_ascii_digit();
            kinds.symbols |= !c.is_alphanumeric();
            kinds.strong_symbols |= STRONG_SYMBOLS.contains(c);
        }
        kinds.letters = kinds.lower || kinds.upper;
        kinds
    }

    fn count(&self) -> usize {
        [self.lower, self.upper, self.digits, self.symbols].into_iter().filter(|&has| has).count()
    }
}

/// Decodes `user:password` from base64; `None` if the text is not that.
pub(crate) fn credentials(text: &str) -> Option<(String, String)> {
    let decoded = String::from_utf8(decode_base64(text)?).ok()?;
    let (user, password) = decoded.split_once(':')?;
    let is_plain = decoded.chars().all(|c| !c.is_control());
    is_plain.then(|| (user.to_owned(), password.to_owned()))
}

/// Decodes base64 in the standard or the URL-safe alphabet.
pub(crate) fn decode_base64(text: &str) -> Option<Vec<u8>> {
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
