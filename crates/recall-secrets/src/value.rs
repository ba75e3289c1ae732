//! Is a value a secret, or what stands in the place of one?
//!
//! Most values behind names such as `password` are none: variables, calls, paths, words, placeholders.

mod reference;
mod words;

use reference::is_reference;
use words::{is_wordy, residue};

/// The shortest password that is taken for one. Shorter ones are as often words and test values.
const LEAST_PASSWORD: usize = 6;

/// The shortest key. With fewer bytes, what is random and what is a name are hard to tell apart.
const LEAST_KEY: usize = 16;

/// The least entropy of a key in bits a byte, of hexadecimal digits (4 at most) and of others.
const LEAST_KEY_ENTROPY: (f64, f64) = (2.7, 3.3);

/// How sure it is that a password stands in a place, whatever it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Certainty {
    /// A literal behind a name; the text may be a label as well.
    Name,
    /// Behind a name, without quotes: an expression or a type as often.
    BareName,
    /// A place that holds nothing else, as in a URL.
    Place,
}

/// Whether a value looks like a password that somebody uses.
pub(crate) fn is_password(value: &str, certainty: Certainty) -> bool {
    if value.len() < LEAST_PASSWORD || value.contains(char::is_whitespace) || is_no_secret(value) {
        return false;
    }
    if residue(value) < LEAST_PASSWORD {
        return false;
    }
    let kinds = Kinds::of(value);
    let is_mixed = kinds.letters && (kinds.digits || kinds.symbols);
    match certainty {
        Certainty::Place => is_mixed || (kinds.letters && value.len() >= 8 && !is_wordy(value)),
        Certainty::Name => is_mixed && (kinds.digits || kinds.strong_symbols) && !is_wordy(value),
        Certainty::BareName => kinds.count() >= 3 && kinds.digits && !is_wordy(value),
    }
}

/// Whether a value looks like a random key or token.
pub(crate) fn is_key(value: &str) -> bool {
    if value.len() < LEAST_KEY || !value.bytes().all(|byte| byte.is_ascii_graphic()) || is_no_secret(value) {
        return false;
    }
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    if letters < 3 || digits == 0 || is_uuid(value) || is_wordy(value) || residue(value) < LEAST_KEY / 2 {
        return false;
    }
    let (of_hex, of_others) = LEAST_KEY_ENTROPY;
    let is_hex = value.bytes().all(|byte| byte.is_ascii_hexdigit());
    entropy(value) >= if is_hex { of_hex } else { of_others }
}

/// Whether a token of the right shape is an example: its body says so, repeats or counts.
pub(crate) fn is_placeholder(token: &str) -> bool {
    is_example(token) || residue(token) * 2 < token.len() || counts(token)
}

/// The entropy of a value's bytes, in bits a byte: 0 for what repeats one byte, 4 at most for hexadecimal digits.
pub(crate) fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = value.len() as f64;
    let share = |&count: &u32| f64::from(count) / length;
    -counts.iter().filter(|&&count| count > 0).map(share).map(|share| share * share.log2()).sum::<f64>()
}

fn is_no_secret(value: &str) -> bool {
    is_reference(value) || is_example(value) || counts(value)
}

fn is_example(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    lower.contains("example") || lower.contains("xxxxx")
}

/// Whether most bytes follow or repeat the one before, as in `abcdefgh`, `12345678` or `00000000`.
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

/// Which kinds of characters a value has.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own, and all are counted")]
struct Kinds {
    lower: bool,
    upper: bool,
    letters: bool,
    digits: bool,
    symbols: bool,
    /// Symbols that names, paths and sentences do not have.
    strong_symbols: bool,
}

impl Kinds {
    fn of(value: &str) -> Self {
        let mut kinds = Self::default();
        for c in value.chars() {
            kinds.lower |= c.is_lowercase();
            kinds.upper |= c.is_uppercase();
            kinds.digits |= c.is_ascii_digit();
            kinds.symbols |= !c.is_alphanumeric();
            kinds.strong_symbols |= "!@#$%^&*+=?~".contains(c);
        }
        kinds.letters = kinds.lower || kinds.upper;
        kinds
    }

    fn count(&self) -> usize {
        [self.lower, self.upper, self.digits, self.symbols].into_iter().filter(|&has| has).count()
    }
}
