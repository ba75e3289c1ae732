//! The conversion of an encoder's cosines to the scale of the built-in model.
//!
//! One encoder gives .05 to texts that have nothing in common, another .78. The thresholds of candidates, the rankers and the verdict on
//! an answer were learnt from cosines of the built-in model. So what counts is by how many standard deviations a cosine exceeds the mean
//! of the same question's cosines to chunks that are drawn from the whole store. This number is higher for questions with an answer than
//! for those without, also where the cosine is not (ADR 81).
//!
//! The scale is measured for each question: that takes microseconds, needs no file, and holds for a question that is near to or far from
//! everything in the store. Candidates are no measure, since they were chosen for their cosines.

use crate::embeddings::model_vectors::EmbeddedQuery;
use crate::ranking::ZScore;

/// The number of chunks that are drawn. The mean of 512 is within a twentieth of a standard deviation.
const DRAWN: usize = 512;

/// With fewer chunks than this, nothing is converted.
const LEAST_DRAWN: usize = 30;

/// Below this standard deviation, all chunks count as equally near.
const LEAST_DEVIATION: f32 = 1e-3;

/// The cosines of the built-in model between a question and code that does not answer it. Three deviations above the mean is .38, which the
/// nearest of a few thousand chunks reaches by chance.
const TYPICAL: ZScore<f32> = ZScore { mean: 0.14, deviation: 0.08 };

/// A scale on which every cosine is its own standard score.
const OWN: ZScore<f32> = ZScore { mean: 0.0, deviation: 1.0 };

/// A linear conversion of cosines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Conversion {
    from: ZScore<f32>,
    to: ZScore<f32>,
}

impl Conversion {
    /// The conversion that changes nothing.
    pub(super) const NONE: Self = Self { from: OWN, to: OWN };

    /// Measures the scale of an encoder. In a store of a few chunks, its cosines stay as they are: their mean says nothing about other texts,
    /// and what the encoder alone knows must be found there too.
    pub(super) fn measure(encoder: &EmbeddedQuery) -> Self {
        let rows = encoder.space.vectors.sample(DRAWN);
        let cosines: Vec<f32> = encoder.cosines(&rows).into_iter().flatten().collect();
        if cosines.len() < LEAST_DRAWN {
            return Self::NONE;
        }
        Self { from: ZScore::compute(&cosines), to: TYPICAL }
    }

    /// Returns the converted cosine, from -1 to 1. It is never greater than the cosine: among texts that are nearly the same, a small
    /// difference is many deviations.
    pub(super) fn convert(self, cosine: f32) -> f32 {
        self.to.value(standard(self.from, cosine)).min(cosine).clamp(-1.0, 1.0)
    }
}

/// Returns the standard score of a cosine; 0 if the deviation is negligible.
pub(super) fn standard(scale: ZScore<f32>, cosine: f32) -> f32 {
    if scale.deviation < LEAST_DEVIATION { 0.0 } else { scale.score(cosine) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cosine_keeps_its_distance_from_the_mean_in_deviations() {
        let conversion = Conversion { from: ZScore { mean: 0.78, deviation: 0.02 }, to: TYPICAL };
        for (cosine, expected) in [(0.78, 0.14), (0.84, 0.38), (0.76, 0.06), (1.0, 1.0), (0.1, -1.0)] {
            let found = conversion.convert(cosine);
            assert!((found - expected).abs() < 1e-4, "{cosine}: {found}, expected {expected}");
        }
        assert!((Conversion::NONE.convert(0.3) - 0.3).abs() < 1e-6);
    }

    #[test]
    fn a_cosine_never_grows() {
        let conversion = Conversion { from: ZScore { mean: 0.2, deviation: 0.01 }, to: TYPICAL };
        assert!((conversion.convert(0.25) - 0.25).abs() < 1e-6, "five deviations above the mean, but not near");
    }

    #[test]
    fn cosines_that_do_not_differ_are_at_the_mean() {
        let conversion = Conversion { from: ZScore { mean: 0.8, deviation: 0.0 }, to: TYPICAL };
        assert!((conversion.convert(0.9) - TYPICAL.mean).abs() < 1e-6);
    }
}
