//! Sets of slots of a base.

/// A set of slots, with one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SlotSet {
    words: Vec<u64>,
    len: usize,
}

impl SlotSet {
    pub(crate) fn insert(&mut self, slot: usize) -> bool {
        let (word, bit) = (slot / 64, 1 << (slot % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        self.len += usize::from(is_new);
        is_new
    }

    #[inline]
    pub(crate) fn contains(&self, slot: usize) -> bool {
        self.words.get(slot / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bits of the first `places` slots, in little-endian words.
    pub(crate) fn to_bytes(&self, places: usize) -> Vec<u8> {
        let words = places.div_ceil(64);
        let mut bytes: Vec<u8> = self.words.iter().take(words).flat_map(|word| word.to_le_bytes()).collect();
        bytes.resize(words * 8, 0);
        bytes
    }

    /// Reads the result of [`to_bytes`](Self::to_bytes).
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let words: Vec<u64> = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        Self { words, len }
    }
}
