//! Signatures of texts: which short runs of bytes a text has, so that most texts without a literal need not be read.
//!
//! A signature is a Bloom filter. It never says that a text lacks a run that it has; now and then it says
//! that a text may have one that it lacks, so a caller reads the text to be sure. The texts of a store could be indexed by
//! trigrams in lists instead, as Zoekt does; a signature is written with its document and deleted with it, so it needs neither
//! merges nor a commit of its own (ADR 49).

use std::borrow::Cow;

/// A signature is halved as long as at most one in this many of its bits would be set then. Between a quarter and an eighth of
/// the bits is set in the end: of the texts without a literal of ten letters, one in ten thousand may have it by its signature.
/// A signature takes between a twelfth and a sixth of its text (bench `exact`).
const LEAST_BITS_PER_RUN: usize = 4;

/// The length of the least signature. The length is a power of two.
const LEAST_BYTES: usize = 8;

/// The most bytes that a signature begins with. A text that is longer has far fewer different runs than bytes.
const MOST_BYTES: usize = 1 << 20;

/// The number of bytes of a run.
const RUN_BYTES: usize = 3;

/// The bit in the number of a run that says that it has three bytes.
const OF_THREE: u32 = 1 << 24;

/// How many bits a run of two bytes sets. A text has few of them, and an operator is often the only one of its literal.
const BITS_OF_TWO: u32 = 3;

/// Which runs of bytes a text has: all of three bytes, and those of two that are neither letters, digits, `_` nor white space, so
/// that operators and characters of two bytes count.
#[derive(Clone, PartialEq, Eq)]
pub struct TextSignature(Box<[u8]>);

/// A short run of bytes, as a signature knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextRun(u32);

impl TextSignature {
    /// Computes the signature of a text, in one pass over its bytes.
    pub fn compute(text: &str) -> Self {
        let folded = fold(text);
        let mut bits = vec![0_u8; (text.len() / 2).clamp(LEAST_BYTES, MOST_BYTES).next_power_of_two()];
        for run in runs(folded.as_bytes()) {
            for bit in run.bits(bits.len()) {
                bits[bit / 8] |= 1 << (bit % 8);
            }
        }
        while bits.len() > LEAST_BYTES {
            let (low, high) = bits.split_at(bits.len() / 2);
            let half: Vec<u8> = low.iter().zip(high).map(|(low, high)| low | high).collect();
            let set: u32 = half.iter().map(|byte| byte.count_ones()).sum();
            if set as usize * LEAST_BITS_PER_RUN > half.len() * 8 {
                break;
            }
            bits = half;
        }
        Self(bits.into_boxed_slice())
    }

    /// Reads a signature from [its bytes](Self::as_bytes). `None` if there is none of that length.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        (bytes.len() >= LEAST_BYTES && bytes.len().is_power_of_two()).then(|| Self(bytes.into()))
    }

    /// Returns the bytes to store.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns whether the text may have the run; `false` only if it does not.
    pub fn may_have(&self, run: TextRun) -> bool {
        run.bits(self.0.len()).all(|bit| self.0[bit / 8] & 1 << (bit % 8) != 0)
    }
}

impl std::fmt::Debug for TextSignature {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "TextSignature({} bytes)", self.0.len())
    }
}

impl TextRun {
    /// Returns the runs of a part of a text in which every character has only itself and its other case as forms, or only itself:
    /// a text that has the part has all of them. Empty for a part that is too short to tell.
    ///
    /// Letters of ASCII count alike in both cases, and so do the Kelvin sign and `k`, and the long s and `s`.
    pub fn all_of(part: &str) -> Vec<Self> {
        let folded = fold(part);
        let mut all: Vec<Self> = runs(folded.as_bytes()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The places of its bits in a signature of that many bytes.
    ///
    /// A signature of half the length has the same bits at the same places, or at these less its length: the low bits decide.
    fn bits(self, signature_bytes: usize) -> impl Iterator<Item = usize> {
        let count = if self.0 & OF_THREE == 0 { BITS_OF_TWO } else { 1 };
        (0..count).map(move |place| {
            // Multiplicative hashing by the golden ratio (Knuth); the middle bits depend on all bits of the run.
            let hash = u64::from(self.0 | place << 25).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24;
            hash as usize & (signature_bytes * 8 - 1)
        })
    }
}

/// The runs of a folded text, in order.
fn runs(folded: &[u8]) -> impl Iterator<Item = TextRun> {
    let threes = folded.windows(RUN_BYTES).map(|run| number(run) | OF_THREE);
    let twos = folded.windows(2).filter(|run| run.iter().all(|byte| is_sign(*byte))).map(number);
    threes.chain(twos).map(TextRun)
}

fn number(run: &[u8]) -> u32 {
    run.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// Whether a byte is one of an operator, of punctuation, or of a character beyond ASCII.
fn is_sign(byte: u8) -> bool {
    !(byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || byte == b'_')
}

/// The text with letters of ASCII in lower case, and with those two characters replaced that are in another case a letter of
/// ASCII.
fn fold(text: &str) -> Cow<'_, str> {
    let lower = text.to_ascii_lowercase();
    if !lower.contains(['\u{212A}', '\u{17F}']) {
        return Cow::Owned(lower);
    }
    Cow::Owned(lower.replace('\u{212A}', "k").replace('\u{17F}', "s"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn may_have_all(text: &str, part: &str) -> bool {
        let signature = TextSignature::compute(text);
        TextRun::all_of(part).into_iter().all(|run| signature.may_have(run))
    }

    #[test]
    fn operators_and_characters_of_several_bytes_have_runs() {
        for part in ["<=>", "|>", "?.", "é", "→", "🦀", "名"] {
            assert!(!TextRun::all_of(part).is_empty(), "{part}");
            assert!(!may_have_all("fn plain(words: Only)", part), "{part}");
            assert!(may_have_all(&format!("before {part} after"), part), "{part}");
        }
        assert_eq!(TextRun::all_of("ab"), []);
        assert_eq!(TextRun::all_of("+"), []);
    }

    #[test]
    fn the_case_of_a_letter_of_ascii_does_not_count() {
        for (text, part) in [("let MaxSize", "mAXsIZE"), ("273 \u{212A}elvin", "Kelvin"), ("mi\u{17F}take", "MISTAKE")]
        {
            assert!(may_have_all(text, part), "{text}");
        }
    }

    #[test]
    fn a_signature_is_much_smaller_than_its_text_and_excludes_most_texts() {
        let words = ["open", "close", "reader", "writer", "frame", "queue", "lock", "thread", "value", "index"];
        let line = |number: usize| format!("fn {}_{}({number})", words[number % 10], words[number / 7 % 10]);
        let text: Vec<String> = (0..1000).map(line).collect();
        let text = text.join("\n");
        let signature = TextSignature::compute(&text);
        assert!(signature.as_bytes().len() * 6 < text.len(), "{} of {}", signature.as_bytes().len(), text.len());
        assert_eq!(TextSignature::from_bytes(signature.as_bytes()), Some(signature));
        let absent = (0..1000).filter(|number| may_have_all(&text, &format!("absent_{number}_name"))).count();
        assert_eq!(absent, 0);
    }

    #[test]
    fn bytes_of_another_length_are_no_signature() {
        assert_eq!(TextSignature::from_bytes(&[0; 7]), None);
        assert_eq!(TextSignature::from_bytes(&[0; 24]), None);
        assert!(TextSignature::from_bytes(&[0; 8]).is_some());
    }

    proptest! {
        #[test]
        fn a_text_may_have_each_of_its_parts(text in "(?s).{0,400}", a: proptest::sample::Index, b: proptest::sample::Index) {
            let places: Vec<usize> = text.char_indices().map(|(place, _)| place).chain([text.len()]).collect();
            let (a, b) = (places[a.index(places.len())], places[b.index(places.len())]);
            let part = &text[a.min(b)..a.max(b)];
            prop_assert!(may_have_all(&text, part));
            prop_assert!(may_have_all(&text, &part.to_ascii_uppercase()));
        }
    }
}
