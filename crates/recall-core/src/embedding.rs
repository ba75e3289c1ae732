//! Embeddings as they are stored: model fingerprints, text hashes and quantised components.

use std::fmt;

use crate::ids::write_hex;

/// The identity of a model: a hash of its weights, its tokenizer and its pooling.
///
/// Embeddings of two fingerprints are never compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelFingerprint(pub [u8; 32]);

impl ModelFingerprint {
    /// Hashes the parts of a model. Each part is hashed with its length, so moving bytes between parts changes the
    /// result.
    pub fn hash(parts: &[&[u8]]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The key of a text's embedding by this model, unique among all texts and models.
    pub fn key_of(&self, text: TextHash) -> [u8; 32] {
        *blake3::keyed_hash(&self.0, &text.0).as_bytes()
    }
}

impl fmt::Display for ModelFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

/// The BLAKE3 hash of a text as the model reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextHash(pub [u8; 32]);

impl TextHash {
    /// Hashes the bytes of a text. Equal texts have equal embeddings by one model.
    pub fn hash(text: &str) -> Self {
        Self(*blake3::hash(text.as_bytes()).as_bytes())
    }
}

/// An embedding quantised to one byte per component. The direction is kept, the length is not.
///
/// The largest component becomes 127 or -127; the others are scaled in proportion and rounded. Cosines do not depend on
/// length, so no scale factor is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantised(Box<[i8]>);

impl Quantised {
    /// The maximum number of dimensions. With more, the integer dot product would overflow 32 bits.
    pub const MOST_DIMENSIONS: usize = 4096;

    /// The magnitude of the largest component.
    const GREATEST: f32 = 127.0;

    /// Quantises an embedding.
    ///
    /// The cosine to any other vector changes by at most [`error_bound`](Self::error_bound).
    ///
    /// # Errors
    /// The embedding is all zero, has a component that is not finite, or has too many components.
    pub fn quantise(embedding: &[f32]) -> Result<Self, QuantiseError> {
        check_dimensions(embedding.len())?;
        if let Some(component) = embedding.iter().position(|component| !component.is_finite()) {
            return Err(QuantiseError::NotFinite { component });
        }
        let greatest = greatest(embedding);
        if greatest == 0.0 {
            return Err(QuantiseError::Zero);
        }
        // Divided first: the reciprocal of a tiny number is infinite.
        Ok(Self(embedding.iter().map(|component| (component / greatest * Self::GREATEST).round() as i8).collect()))
    }

    /// Decodes the bytes written by [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// The bytes are not a quantised embedding.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, QuantiseError> {
        check_dimensions(bytes.len())?;
        let components: Box<[i8]> = bytes.iter().map(|byte| *byte as i8).collect();
        match components.iter().map(|component| component.unsigned_abs()).max() {
            Some(127) => Ok(Self(components)),
            Some(0) => Err(QuantiseError::Zero),
            _ => Err(QuantiseError::NotScaled),
        }
    }

    /// The components as bytes in two's complement, in order.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().map(|component| *component as u8).collect()
    }

    /// The components, from -127 to 127. The greatest one in magnitude is 127.
    pub fn components(&self) -> &[i8] {
        &self.0
    }

    /// The largest difference between a cosine of the quantised embedding and of the original one.
    ///
    /// Rounding moves each component by at most half a step; a step is the largest component divided by 127.
    /// Relative to its length, the embedding moves by at most `step × √dimensions / 2`, which bounds the sine of the
    /// angle. A cosine changes by at most the chord of that angle, which is at most √2 times the sine.
    pub fn error_bound(embedding: &[f32]) -> f32 {
        let greatest = greatest(embedding);
        let length = embedding.iter().map(|component| (component / greatest).powi(2)).sum::<f32>().sqrt();
        std::f32::consts::SQRT_2 * (embedding.len() as f32).sqrt() / (2.0 * Self::GREATEST * length)
    }
}

fn check_dimensions(dimensions: usize) -> Result<(), QuantiseError> {
    match dimensions {
        0 => Err(QuantiseError::Zero),
        dimensions if dimensions > Quantised::MOST_DIMENSIONS => Err(QuantiseError::TooManyDimensions { dimensions }),
        _ => Ok(()),
    }
}

fn greatest(embedding: &[f32]) -> f32 {
    embedding.iter().fold(0.0, |greatest: f32, component| greatest.max(component.abs()))
}

/// The reasons why an embedding cannot be quantised.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantiseError {
    /// Every component is zero, or there are none. A text without a known word has such an embedding.
    #[error("the embedding has no direction")]
    Zero,
    /// A component is infinite or not a number.
    #[error("component {component} of the embedding is not a finite number")]
    NotFinite {
        /// The index of the component, from 0.
        component: usize,
    },
    /// The embedding has more components than [`Quantised::MOST_DIMENSIONS`].
    #[error("the embedding has {dimensions} dimensions; at most {most} are supported", most = Quantised::MOST_DIMENSIONS)]
    TooManyDimensions {
        /// The number of dimensions.
        dimensions: usize,
    },
    /// The largest component is not 127: the bytes are damaged, or are not a quantised embedding.
    #[error("the bytes are not a quantised embedding: the largest component is not 127")]
    NotScaled,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cosine(left: &[f32], right: &[f32]) -> f32 {
        let dot = |left: &[f32], right: &[f32]| -> f64 {
            left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
        };
        (dot(left, right) / (dot(left, left) * dot(right, right)).sqrt()) as f32
    }

    #[test]
    fn an_embedding_without_a_direction_is_refused() {
        assert_eq!(Quantised::quantise(&[]), Err(QuantiseError::Zero));
        assert_eq!(Quantised::quantise(&[0.0, -0.0]), Err(QuantiseError::Zero));
        assert_eq!(Quantised::quantise(&[1.0, f32::NAN]), Err(QuantiseError::NotFinite { component: 1 }));
        assert_eq!(Quantised::quantise(&[f32::INFINITY, 1.0]), Err(QuantiseError::NotFinite { component: 0 }));
        assert_eq!(Quantised::quantise(&vec![1.0; 4097]), Err(QuantiseError::TooManyDimensions { dimensions: 4097 }));
    }

    #[test]
    fn bytes_that_are_not_a_quantised_embedding_are_refused() {
        assert_eq!(Quantised::from_bytes(&[0, 0]), Err(QuantiseError::Zero));
        assert_eq!(Quantised::from_bytes(&[126, 3]), Err(QuantiseError::NotScaled));
        assert_eq!(Quantised::from_bytes(&[128, 127]), Err(QuantiseError::NotScaled));
    }

    #[test]
    fn tiny_and_huge_embeddings_keep_their_direction() {
        for length in [1e-44, 1e-30, 1e30, 3e38] {
            let quantised = Quantised::quantise(&[length, 0.0, -length]).expect("it has a direction");
            assert_eq!(quantised.components(), [127, 0, -127], "{length}");
        }
    }

    #[test]
    fn the_boundaries_between_parts_of_a_model_are_hashed() {
        assert_ne!(ModelFingerprint::hash(&[b"ab", b"c"]), ModelFingerprint::hash(&[b"a", b"bc"]));
    }

    proptest! {
        #[test]
        fn quantising_changes_a_cosine_by_at_most_the_bound(
            pair in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 1..300)
        ) {
            let (embedding, other): (Vec<f32>, Vec<f32>) = pair.into_iter().unzip();
            prop_assume!(greatest(&embedding) > 1e-3 && greatest(&other) > 1e-3);
            let quantised = Quantised::quantise(&embedding).expect("it has a direction");
            let rounded: Vec<f32> = quantised.components().iter().map(|component| f32::from(*component)).collect();
            let moved = (cosine(&rounded, &other) - cosine(&embedding, &other)).abs();
            prop_assert!(moved <= Quantised::error_bound(&embedding) + 1e-6, "{moved}");
            prop_assert_eq!(Quantised::from_bytes(&quantised.to_bytes()), Ok(quantised));
        }
    }
}
