//! Weights of the retrievers.

use recall_core::Weights;

use crate::{InvalidRequest, Problem, v1};

/// Reads weights; those that are not given default to the ones of the query's class.
///
/// # Errors
/// A weight is negative, infinite or not a number.
pub fn from_proto(message: Option<v1::Weights>) -> Result<Weights, InvalidRequest> {
    let v1::Weights { vector, bm25 } = message.unwrap_or_default();
    Ok(Weights { vector: check("weights.vector", vector)?, bm25: check("weights.bm25", bm25)? })
}

/// Writes weights; those that are not given stay absent.
pub fn to_proto(weights: &Weights) -> v1::Weights {
    let Weights { vector, bm25 } = *weights;
    v1::Weights { vector, bm25 }
}

fn check(field: &'static str, weight: Option<f32>) -> Result<Option<f32>, InvalidRequest> {
    match weight {
        Some(value) if !value.is_finite() || value < 0.0 => {
            Err(InvalidRequest::new(field, Problem::NotAWeight { value: value.to_string() }))
        }
        _ => Ok(weight),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_finite_and_not_negative() {
        for bad in [-0.1, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let message = v1::Weights { bm25: Some(bad), ..v1::Weights::default() };
            assert_eq!(from_proto(Some(message)).map_err(|error| error.field), Err("weights.bm25"), "{bad}");
        }
        let message = v1::Weights { vector: Some(0.0), bm25: Some(3.5) };
        assert_eq!(from_proto(Some(message)), Ok(Weights { vector: Some(0.0), bm25: Some(3.5) }));
    }
}
