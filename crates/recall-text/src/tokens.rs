//! Counts of tokens without a tokenizer.
//!
//! [`estimate`] is cheap and decides how texts are cut into chunks: to change it is to cut every index again. [`count()`] is
//! precise and decides what fits a budget.
//!
//! A vocabulary would be exact for the models of one vendor, wrong for others, and megabytes in each program (ADR 29).
//!
//! A byte-pair tokenizer first cuts a text into pieces by a pattern: a word with the one character before it, a run of
//! punctuation with the line end after it, up to three digits, a run of white space. Then it encodes each piece. Most pieces
//! are one token; how many the others are is predicted from their length and form. The predictions are the means of
//! o200k and cl100k over code and prose, rounded up, and a margin for tokenizers with smaller vocabularies.

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

/// The parts of a token in which pieces are counted.
const PARTS: u64 = 100;

/// The factor on all costs, in hundredths: the vocabulary of Claude that was published has 65,000 entries and needs a tenth more
/// tokens for code than o200k.
const MARGIN: u64 = 106;

/// The cost of a word by its letters, from 1, after a space.
const AFTER_SPACE: [u16; 14] = [100, 101, 103, 104, 105, 108, 110, 118, 122, 122, 135, 150, 155, 160];

/// The cost of a word by its letters, from 1, after a letter, a digit or a line end.
const ALONE: [u16; 14] = [101, 102, 104, 105, 107, 110, 114, 130, 138, 140, 170, 190, 212, 230];

/// The cost of a word by its letters, from 1, together with the punctuation mark or the tab before it.
const AFTER_MARK: [u16; 14] = [103, 122, 128, 128, 130, 136, 144, 165, 182, 188, 222, 245, 275, 295];

/// The cost of a word in capitals by its letters, from 1.
const CAPITALS: [u16; 14] = [101, 112, 122, 140, 165, 175, 205, 255, 262, 265, 300, 310, 320, 330];

/// The cost of each letter after the fourteenth.
const FURTHER_LETTER: u64 = 22;

/// The cost of a run of punctuation by its length, from 1.
const PUNCTUATION: [u16; 6] = [100, 103, 120, 165, 207, 250];

/// The cost of each mark after the sixth. Rulers are cheaper, but few.
const FURTHER_MARK: u64 = 35;

/// The cost of an empty line. It is part of the token of the line end before it, except in very long runs.
const EMPTY_LINE: u64 = 15;

/// The digits of a token.
const DIGITS: u64 = 3;

/// Returns the number of tokens of a text, rounded up.
///
/// Meant as an upper bound for the tokenizers of GPT and Claude: texts of more than a few hundred tokens are at most 5 % below
/// the true count. The count of a text is at most the sum of the counts of its lines, and of any parts that end with a line.
pub fn count(text: &str) -> u32 {
    let parts: u64 = text.split_inclusive('\n').map(line).sum();
    u32::try_from((parts * MARGIN).div_ceil(PARTS * 100)).unwrap_or(u32::MAX)
}

/// The class of a character, as tokenizers see it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenClass {
    Lower,
    Upper,
    Digit,
    Space,
    Tab,
    Mark,
    /// A character beyond ASCII, with its own cost.
    Other(u16),
}

impl TokenClass {
    fn classify(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            ' ' => Self::Space,
            '\t' | '\r' | '\u{b}' | '\u{c}' => Self::Tab,
            c if c.is_ascii() => Self::Mark,
            c => Self::Other(other(c)),
        }
    }
}

/// The cost of a character beyond ASCII: the greater of the means of both vocabularies in running text.
fn other(c: char) -> u16 {
    match c {
        // Latin letters with marks.
        '\u{a0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => 80,
        // Greek, Cyrillic, Armenian, Hebrew, Arabic.
        '\u{370}'..='\u{52f}' => 46,
        '\u{530}'..='\u{8ff}' => 100,
        // Kana and Han.
        '\u{3000}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' => 105,
        // Hangul and full-width forms.
        '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}' => 110,
        // The scripts of India and South-East Asia.
        '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => 170,
        // Dashes, quotation marks, arrows, symbols, box drawings.
        '\u{2000}'..='\u{2bff}' => 140,
        c if c.len_utf8() == 4 => 320,
        _ => 250,
    }
}

/// What stands before a word and belongs to its piece.
#[derive(Clone, Copy)]
enum Before {
    Nothing,
    Space,
    Mark,
}

/// Returns the cost of a line with its line feed.
fn line(line: &str) -> u64 {
    let (line, has_end) = line.strip_suffix('\n').map_or((line, false), |line| (line, true));
    if line.is_empty() {
        return if has_end { EMPTY_LINE } else { 0 };
    }
    let mut rest = line.chars().map(TokenClass::classify).peekable();
    let mut cost = 0;
    let mut before = Before::Nothing;
    // Whether the last piece takes the line end.
    let mut takes_end = false;
    while let Some(kind) = rest.next() {
        let mut run = 1_u64;
        let mut take = |wanted: fn(TokenClass) -> bool| {
            while rest.next_if(|&kind| wanted(kind)).is_some() {
                run += 1;
            }
            (run, rest.peek().copied())
        };
        let is_letter = |kind: Option<TokenClass>| matches!(kind, Some(TokenClass::Lower | TokenClass::Upper));
        takes_end = false;
        let mut leads = Before::Nothing;
        cost += match kind {
            TokenClass::Lower => by_length(word(before), take(|kind| kind == TokenClass::Lower).0, FURTHER_LETTER),
            TokenClass::Upper => match take(|kind| kind == TokenClass::Upper) {
                (1, Some(TokenClass::Lower)) => {
                    let letters = take(|kind| kind == TokenClass::Lower).0;
                    by_length(word(before), letters, FURTHER_LETTER)
                }
                (capitals, _) => by_length(&CAPITALS, capitals, FURTHER_LETTER),
            },
            TokenClass::Digit => take(|kind| kind == TokenClass::Digit).0.div_ceil(DIGITS) * PARTS,
            TokenClass::Space => match take(|kind| kind == TokenClass::Space) {
                // Trailing space is part of the line end.
                (_, None) => 0,
                (spaces, next) => {
                    let joins = is_letter(next) || matches!(next, Some(TokenClass::Mark));
                    leads = Before::Space;
                    if joins && spaces == 1 { 0 } else { PARTS }
                }
            },
            TokenClass::Tab => match take(|kind| kind == TokenClass::Tab) {
                (_, None) => 0,
                (tabs, next) => {
                    let joins = is_letter(next);
                    leads = if joins { Before::Mark } else { Before::Nothing };
                    if joins && tabs == 1 { 0 } else { PARTS }
                }
            },
            TokenClass::Mark => match take(|kind| kind == TokenClass::Mark) {
                // A single mark belongs to the word after it, unless a space belongs to the mark.
                (1, next) if is_letter(next) && !matches!(before, Before::Space) => {
                    leads = Before::Mark;
                    0
                }
                (marks, _) => {
                    takes_end = true;
                    by_length(&PUNCTUATION, marks, FURTHER_MARK)
                }
            },
            TokenClass::Other(own) => u64::from(own),
        };
        before = leads;
    }
    cost + if has_end && !takes_end { PARTS } else { 0 }
}

fn word(before: Before) -> &'static [u16] {
    match before {
        Before::Nothing => &ALONE,
        Before::Space => &AFTER_SPACE,
        Before::Mark => &AFTER_MARK,
    }
}

/// Returns the cost of a run of `length` characters, at least 1.
fn by_length(costs: &[u16], length: u64, further: u64) -> u64 {
    let last = costs.len() as u64;
    let cost = costs[(length.min(last) - 1) as usize];
    u64::from(cost) + length.saturating_sub(last) * further
}

#[cfg(test)]
mod tests {
    use super::{count, estimate};

    #[test]
    fn estimates_follow_the_text() {
        for (text, expected) in
            [("", 0), ("   ", 0), ("word", 1), ("internationalise", 3), ("12345", 2), ("a.b()", 5), ("é漢", 2)]
        {
            assert_eq!(estimate(text), expected, "{text:?}");
        }
    }

    #[test]
    fn short_texts_are_counted_too_high_rather_than_too_low() {
        for (text, expected) in [
            ("", 0),
            ("   ", 0),
            ("\n", 1),
            ("word", 2),
            ("return value;\n", 4),
            ("12345", 3),
            ("x += 1;\n", 6),
            ("        }\n", 3),
            ("漢字", 3),
        ] {
            assert_eq!(count(text), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_add_up() {
        let text =
            "fn open(&self) -> Result<(), Error> {\n    self.inner.open()\n}\n\n// Über ß 漢字 🦀\n\tlet x = 12_345;\n";
        let lines: u32 = text.split_inclusive('\n').map(count).sum();
        assert!(count(text) <= lines, "{} {lines}", count(text));
        assert!(count(text) + 8 > lines);
    }
}
