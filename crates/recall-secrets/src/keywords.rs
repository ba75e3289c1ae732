//! Where in a text do keywords stand?
//!
//! A keyword is looked for by its **gram**, the three bytes of it that are rarest in source text. The text is gone through
//! once, whatever the number of keywords, and a table of [`SLOTS`] bits tells whether the next three bytes may be a gram.
//! Upper and lower case are the same. A search with the vector instructions of a library (Teddy) takes 64 keywords at a
//! time and knows no case; for these it would go through the text five times.

/// How many hashes of grams there are. As bits, they stay in a processor's first cache; one in 250 is taken.
const SLOTS: usize = 1 << 16;

/// The shift that leaves as many bits of a hash as there are slots.
const SHIFT: u32 = 32 - SLOTS.trailing_zeros();

/// Sets the bit that tells upper from lower case in each byte. What is no letter changes too, the same way in the text and in
/// keywords.
const FOLD: u64 = 0x2020_2020_2020_2020;

/// The bytes of a gram.
const GRAM: usize = 3;

/// The keywords of a set of rules.
pub(crate) struct Keywords {
    /// A bit for each hash of a gram: whether there is one.
    bits: Box<[u8; SLOTS / 8]>,
    /// Of each hash of a gram the place of its keywords.
    table: Box<[u8]>,
    buckets: Vec<Vec<Keyword>>,
}

struct Keyword {
    /// In lower case, at least a gram.
    text: &'static [u8],
    /// Where in the keyword its gram stands.
    gram_at: usize,
    /// Whatever the caller gave it.
    tag: u16,
}

impl Keywords {
    /// The keywords, each with what is told where it stands; a keyword may be there for several.
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
                // With more grams than a byte tells apart, some share a bucket, which costs a comparison each.
                table[slot] = taken;
                taken = taken.wrapping_add(1);
            }
            buckets[usize::from(table[slot])].push(Keyword { text, gram_at, tag });
        }
        Self { bits, table, buckets }
    }

    /// Tells of each keyword in the text where it begins and its tag, in the order of the grams.
    pub(crate) fn find(&self, text: &[u8], mut found: impl FnMut(usize, u16)) {
        let mut at = 0;
        // Eight bytes hold six grams; whether any of them is in the table is one branch.
        while let Some(bytes) = text.get(at..at + 8) {
            let word = u64::from_le_bytes(bytes.try_into().expect("eight bytes")) | FOLD;
            let slot = |nth: usize| slot((word >> (8 * nth)) as u32 & 0x00ff_ffff);
            let bit = |nth: usize| self.bits[slot(nth) / 8] >> (slot(nth) % 8) & 1;
            if bit(0) | bit(1) | bit(2) | bit(3) | bit(4) | bit(5) != 0 {
                for nth in (0..6).filter(|&nth| bit(nth) != 0) {
                    self.look(text, at + nth, slot(nth), &mut found);
                }
            }
            at += 6;
        }
        for (nth, bytes) in text[at.min(text.len())..].windows(GRAM).enumerate() {
            let slot = slot(gram(bytes.try_into().expect("three bytes")));
            if self.bits[slot / 8] >> (slot % 8) & 1 != 0 {
                self.look(text, at + nth, slot, &mut found);
            }
        }
    }

    /// Tells which keywords of a slot have their gram there.
    fn look(&self, text: &[u8], gram_at: usize, slot: usize, found: &mut impl FnMut(usize, u16)) {
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

/// Fibonacci hashing: the high bits of a product with 2³² divided by the golden ratio.
fn slot(gram: u32) -> usize {
    (gram.wrapping_mul(0x9e37_79b9) >> SHIFT) as usize
}

fn rarest_gram(text: &[u8]) -> usize {
    let commonness = |at: &usize| text[*at..at + GRAM].iter().map(|&byte| commonness(byte)).sum::<u32>();
    (0..=text.len() - GRAM).min_by_key(commonness).expect("a keyword has three bytes")
}

/// How common a byte is in source text, roughly.
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
    fn a_keyword_is_found_wherever_it_stands_and_in_any_case() {
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
    fn what_only_looks_like_a_keyword_is_none() {
        // `_` and the byte 0x7f, `@` and the backtick fold to the same.
        assert_eq!(places(&["a_b", "a@b"], "a\u{7f}b a`b"), []);
    }
}
