//! Vectors that are computed from the words of a text.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Returns the vector of a text: each word adds to some components. Equal texts have equal vectors, texts with common words similar
/// ones, and no text has the zero vector. It is not of length 1.
pub fn fake_vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut vector = vec![0.0; dimensions];
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        for salt in 0..3_u8 {
            let mut hasher = DefaultHasher::new();
            (word.to_lowercase(), salt).hash(&mut hasher);
            let hash = hasher.finish();
            let place = (hash % dimensions as u64) as usize;
            vector[place] += if hash >> 63 == 0 { 1.0 } else { -1.0 };
        }
    }
    vector[0] += 0.125;
    vector
}
