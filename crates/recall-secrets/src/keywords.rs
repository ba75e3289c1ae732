//! Case-insensitive search for many keywords in one pass.
//!
//! A keyword is found by its **gram**: those three of its bytes that are rarest in source text. The text is scanned
//! once, independent of the number of keywords; a table of [`SLOTS`] bits decides whether the next three bytes may be
//! a gram. Case is folded. Teddy, the SIMD algorithm of the `aho-corasick` crate, takes 64 keywords at a time and is
//! case-sensitive; for these keywords it would need five passes.

/// The number of gram hashes. As bits they fit into the L1 cache; about one in 250 is set.
const SLOTS: usize = 1 << 16;

/// The shift that reduces a hash to the number of slots.
const SHIFT: u32 = 32 - SLOTS.trailing_zeros();

/// The mask that sets the case bit in each byte. It changes bytes that are not letters too, in the same way in text and
/// keywords.
const FOLD: u64 = 0x2020_2020_2020_2020;

/// The number of bytes in a gram.
const GRAM: usize = 3;

/// A searcher for the keywords of a set of rules.
pub(crate) struct Keywords {
    /// For each gram hash, a bit that says whether a keyword has it.
    bits: Box<[u8; SLOTS / 8]>,
    /// For each gram hash, the index of its bucket.
    table: Box<[u8]>,
    buckets: Vec<Vec<Keyword>>,
}

struct Keyword {
    /// In lower case, at least as long as a gram.
    text: &'static [u8],
    /// The offset of the gram in the keyword.
    gram_at: usize,
    /// The tag given by the caller.
    tag: u16,
}

impl Keywords {
    /// Creates a searcher for keywords with their tags. A keyword may occur several times with different tags.
    pub(crate) fn new(keywords: impl IntoIterator<Item = (&'static str, u16)>) -> Self {
        let mut bits = Box::new([0; SLOTS / 8]);
        let mut table = vec![0; SLOTS].into_boxed_slice();
        let mut buckets: Vec<Vec<Keyword>> = (0..=u8::MAX).map(|_| Vec::new()).collect();
        let mut taken = 0_u8;
        for (text, tag) in keywords {
            let text = text.as_bytes();
            let gram_at = rarest_gram(text);
            let slot = slot(gram(text[gram_at..gram_at + GRAM].try_into().expect("three bytes")));
            if bits[slot / 8] >> (slot % 8) & 1 == 0 {
                bits[slot / 8] |= 1 << (slot % 8);
                // If there are more grams than values of a byte, some share a bucket, which costs extra comparisons.
                table[slot] = taken;
                taken = taken.wrapping_add(1);
            }
            buckets[usize::from(table[slot])].push(Keyword { text, gram_at, tag });
        }
        Self { bits, table, buckets }
    }

    /// Calls `found` with the start and the tag of each keyword in the text, ordered by the position of its gram.
    pub(crate) fn find(&self, text: &[u8], mut found: impl FnMut(usize, u16)) {
        let mut at = 0;
        // Eight bytes hold six grams. One branch decides whether any of them is in the table.
        while let Some(bytes) = text.get(at..at + 8) {
            let word = u64::from_le_bytes(bytes.try_into().expect("eight bytes")) | FOLD;
            let slot = |nth: usize| slot((word >> (8 * nth)) as u32 & 0x00ff_ffff);
            let bit = |nth: usize| self.bits[slot(nth) / 8] >> (slot(nth) % 8) & 1;
            if bit(0) | bit(1) | bit(2) | bit(3) | bit(4) | bit(5) != 0 {
                for nth in (0..6).filter(|&nth| bit(nth) != 0) {
                    self.report_slot(text, at + nth, slot(nth), &mut found);
                }
            }
            at += 6;
        }
        for (nth, bytes) in text[at.min(text.len())..].windows(GRAM).enumerate() {
            let slot = slot(gram(bytes.try_into().expect("three bytes")));
            if self.bits[slot / 8] >> (slot % 8) & 1 != 0 {
                self.report_slot(text, at + nth, slot, &mut found);
            }
        }
    }

    /// Reports the keywords of a slot whose gram is at the given position.
    fn report_slot(&self, text: &[u8], gram_at: usize, slot: usize, found: &mut impl FnMut(usize, u16)) {
        for keyword in &self.buckets[usize::from(self.table[slot])] {
            let Some(start) = gram_at.checked_sub(keyword.gram_at) else { continue };
            let there = text.get(start..start + keyword.text.len());
            if there.is_some_and(|there| there.eq_ignore_ascii_case(keyword.text)) {
                found(start, keyword.tag);
            }
        }
    }
}

fn gram(bytes: [u8; GRAM]) -> u32 {
    let [first, second, third] = bytes;
    u32::from_le_bytes([first, second, third, 0]) | (FOLD as u32 >> 8)
}

/// Fibonacci hashing: the high bits of the product with 2³² divided by the golden ratio.
fn slot(gram: u32) -> usize {
    (gram.wrapping_mul(0x9e37_79b9) >> SHIFT) as usize
}

fn rarest_gram(text: &[u8]) -> usize {
    let commonness = |at: &usize| text[*at..at + GRAM].iter().map(|&byte| commonness(byte)).sum::<u32>();
    (0..=text.len() - GRAM).min_by_key(commonness).expect("a keyword has three bytes")
}

/// A rough rank of how common a byte is in source text.
fn commonness(byte: u8) -> u32 {
    match byte {
        b'e' | b't' | b' ' => 10,
        b'a' | b'i' | b'n' | b'o' | b'r' | b's' => 8,
        b'c' | b'd' | b'l' | b'u' | b'p' | b'm' => 5,
        b'f' | b'g' | b'h' | b'b' | b'y' | b'_' | b'-' | b'.' | b'/' => 3,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(keywords: &[&'static str], text: &str) -> Vec<(usize, u16)> {
        let keywords = Keywords::new(keywords.iter().copied().zip(0..));
        let mut places = Vec::new();
        keywords.find(text.as_bytes(), |at, tag| places.push((at, tag)));
        places.sort_unstable();
        places
    }

    #[test]
    fn a_keyword_is_found_at_any_position_and_in_any_case() {
        for before in 0..20 {
            for after in 0..20 {
                let text = format!("{}PassWord{}", "x".repeat(before), "y".repeat(after));
                assert_eq!(places(&["password", "://"], &text), [(before, 0)], "{text}");
            }
        }
        assert_eq!(places(&["://"], "://"), [(0, 0)]);
        assert_eq!(places(&["://", "password"], ":/"), []);
    }

    #[test]
    fn keywords_may_overlap_and_contain_each_other() {
        assert_eq!(places(&["secret", "secret_", "cret", "secret"], "xsecret_"), [(1, 0), (1, 1), (1, 3), (3, 2)]);
    }

    #[test]
    fn bytes_that_fold_alike_are_not_confused() {
        // `_` and the byte 0x7f, `@` and the backtick fold to the same.
        assert_eq!(places(&["a_b", "a@b"], "a\u{7f}b a`b"), []);
    }
}
