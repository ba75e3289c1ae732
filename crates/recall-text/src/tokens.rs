//! Counts of tokens without a tokenizer.
//!
//! [`estimate`] is cheap and decides how texts are cut into chunks: to change it is to cut every index again. [`count()`] is
//! precise and decides what fits a budget.
//!
//! A vocabulary would be exact for the models of one vendor, wrong for others, and megabytes in each program (ADR 29).

mod count;

pub use count::count;

/// Estimates the tokens of a text without a tokenizer.
///
/// A run of ASCII letters counts one token per six started, a run of digits one per three started. Every other visible
/// character counts one. White space counts nothing, except one per line feed. The estimate is meant to be slightly
/// above the count of the byte-pair tokenizers of large models.
pub fn estimate(text: &str) -> u32 {
    /// English and code average four to five letters per token; six per run allows for common whole words.
    const LETTERS_A_TOKEN: u32 = 6;
    /// Byte-pair tokenizers split numbers into groups of three digits.
    const DIGITS_A_TOKEN: u32 = 3;

    let mut tokens: u32 = 0;
    let mut letters: u32 = 0;
    let mut digits: u32 = 0;
    for byte in text.bytes() {
        let (is_letter, is_digit) = (byte.is_ascii_alphabetic(), byte.is_ascii_digit());
        if is_letter {
            tokens += u32::from(letters.is_multiple_of(LETTERS_A_TOKEN));
            letters += 1;
        } else {
            letters = 0;
        }
        if is_digit {
            tokens += u32::from(digits.is_multiple_of(DIGITS_A_TOKEN));
            digits += 1;
        } else {
            digits = 0;
        }
        // The first byte of a character beyond ASCII is 0b11…; its continuation bytes are 0b10….
        let other = byte.is_ascii_punctuation() || byte == b'\n' || byte >= 0xC0;
        tokens += u32::from(other);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::estimate;

    #[test]
    fn estimates_follow_the_text() {
        for (text, expected) in
            [("", 0), ("   ", 0), ("word", 1), ("internationalise", 3), ("12345", 2), ("a.b()", 5), ("é漢", 2)]
        {
            assert_eq!(estimate(text), expected, "{text:?}");
        }
    }
}
