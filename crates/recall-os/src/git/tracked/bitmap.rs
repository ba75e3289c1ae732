//! The compressed bitmaps of a split index: EWAH with words of 64 bits.
//!
//! A word of control tells how many words follow that are all zeros or all ones, and then how many literal words are
//! stored after it.

const WORD_BITS: usize = 64;

/// Returns the places of the ones in the first bitmap of `bytes`; `None` if it is damaged.
pub(super) fn places(bytes: &[u8]) -> Option<Vec<usize>> {
    let (bits, rest) = bytes.split_first_chunk::<4>()?;
    let (words, rest) = rest.split_first_chunk::<4>()?;
    let (bits, words) = (u32::from_be_bytes(*bits) as usize, u32::from_be_bytes(*words) as usize);
    let stored = rest.get(..words.checked_mul(WORD_BITS / 8)?)?;
    let mut stored = stored.chunks_exact(WORD_BITS / 8).map(|word| word.try_into().map_or(0, u64::from_be_bytes));
    let mut places = Vec::new();
    let mut at = 0_usize;
    while let Some(control) = stored.next() {
        let run = ((control >> 1) & 0xffff_ffff) as usize;
        let run_end = at.checked_add(run.checked_mul(WORD_BITS)?)?;
        if control & 1 == 1 {
            // A run ends with the bitmap, but for the rest of its last word.
            places.extend(at..run_end.min(bits));
        }
        at = run_end;
        for _ in 0..control >> 33 {
            let word = stored.next()?;
            places.extend((0..WORD_BITS).filter(|bit| (word >> bit) & 1 == 1).map(|bit| at + bit));
            at = at.checked_add(WORD_BITS)?;
        }
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bitmap(bits: u32, words: &[u64]) -> Vec<u8> {
        let mut bytes = [bits.to_be_bytes(), (words.len() as u32).to_be_bytes()].concat();
        bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        bytes
    }

    #[test]
    fn runs_and_literal_words_are_places() {
        let literals = |count: u64| count << 33;
        assert_eq!(places(&bitmap(64, &[literals(1), 0b101])), Some(vec![0, 2]));
        let run_of_zeros = 2 << 1;
        assert_eq!(places(&bitmap(200, &[run_of_zeros | literals(1), 1])), Some(vec![128]));
        let run_of_ones = 1 | (1 << 1);
        assert_eq!(places(&bitmap(70, &[run_of_ones | literals(1), 1])), Some((0..65).collect()));
        assert_eq!(places(&bitmap(3, &[run_of_ones])), Some(vec![0, 1, 2]), "no further than the bitmap");
    }

    #[test]
    fn a_damaged_bitmap_has_no_places() {
        assert_eq!(places(&[]), None);
        assert_eq!(places(&bitmap(64, &[5 << 33, 1])), None, "literal words are missing");
        assert_eq!(places(&bitmap(64, &[1])[..10]), None);
        assert_eq!(places(&bitmap(u32::MAX, &[1])), Some(Vec::new()), "an empty run");
    }
}
