//! Pooling and normalization of outputs.

use super::RunError;
use crate::manifest::Pooling;

/// The tolerated deviation from length 1 of an embedding scaled by the network.
const UNIT_TOLERANCE: f32 = 1e-3;

/// Pools the outputs of one text: `dimensions` numbers for each token, followed by those of padding, which are ignored.
///
/// Without tokens the result is zero.
pub(crate) fn pool(outputs: &[f32], dimensions: usize, tokens: usize, pooling: Pooling) -> Vec<f32> {
    let of_token = |token: usize| &outputs[token * dimensions..(token + 1) * dimensions];
    match (tokens, pooling) {
        (0, _) => vec![0.0; dimensions],
        (_, Pooling::Cls) => of_token(0).to_vec(),
        (_, Pooling::Last) => of_token(tokens - 1).to_vec(),
        (_, Pooling::Mean) => {
            let mut mean = of_token(0).to_vec();
            for token in 1..tokens {
                for (mean, output) in mean.iter_mut().zip(of_token(token)) {
                    *mean += output;
                }
            }
            for mean in &mut mean {
                *mean /= tokens as f32;
            }
            mean
        }
    }
}

/// Fails with the first output that is not finite.
pub(crate) fn check_finite(outputs: &[f32]) -> Result<(), RunError> {
    match outputs.iter().position(|output| !output.is_finite()) {
        Some(component) => Err(RunError::NotFinite { component }),
        None => Ok(()),
    }
}

/// Scales an embedding to length 1. A zero vector stays zero.
pub(crate) fn to_unit(embedding: &mut [f32]) {
    let length = length(embedding);
    if length > 0.0 {
        for component in embedding {
            *component = (f64::from(*component) / length) as f32;
        }
    }
}

/// Fails if the embedding's length is neither 1 nor 0.
pub(crate) fn check_unit(embedding: &[f32]) -> Result<(), RunError> {
    let length = length(embedding) as f32;
    let is_unit = length == 0.0 || (length - 1.0).abs() <= UNIT_TOLERANCE;
    if is_unit { Ok(()) } else { Err(RunError::NotUnit { length: length.to_string() }) }
}

/// Uses double precision, since the squares of large outputs overflow single precision.
fn length(embedding: &[f32]) -> f64 {
    embedding.iter().map(|component| f64::from(*component).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_ignored() {
        let outputs = [1.0, 2.0, 3.0, 6.0, 90.0, 90.0];
        for (tokens, pooling, expected) in [
            (2, Pooling::Mean, [2.0, 4.0]),
            (2, Pooling::Cls, [1.0, 2.0]),
            (2, Pooling::Last, [3.0, 6.0]),
            (0, Pooling::Mean, [0.0, 0.0]),
        ] {
            assert_eq!(pool(&outputs, 2, tokens, pooling), expected, "{pooling:?}");
        }
    }

    #[test]
    fn vectors_of_any_length_are_scaled_to_one() {
        for component in [1e-30, 1.0, 3e38] {
            let mut embedding = [component, component];
            to_unit(&mut embedding);
            assert!((embedding[0] - 0.5_f32.sqrt()).abs() < 1e-6, "{embedding:?}");
            assert_eq!(check_unit(&embedding), Ok(()));
        }
        assert!(check_unit(&[0.5, 0.5]).is_err());
        assert_eq!(check_finite(&[1.0, f32::NAN]), Err(RunError::NotFinite { component: 1 }));
    }
}
