//! Random embeddings that resemble those of texts.
//!
//! With independent components all pairs would be equally far apart. Embeddings of texts are not, and no graph can
//! serve such data. Texts cluster around subjects and subjects around fields, and most of the variance is in the first
//! dimensions.

use fastrand::Rng;

/// The number of texts per subject.
const TEXTS_PER_SUBJECT: usize = 40;

/// The number of subjects per field.
const SUBJECTS_PER_FIELD: usize = 25;

/// The decay of the variance over the dimensions: dimension 32 has half the deviation of the first.
const DECAY: f32 = 32.0;

/// A mixture of subjects, from which embeddings are drawn.
pub(crate) struct Clusters {
    subjects: Vec<Vec<f32>>,
    rng: Rng,
}

impl Clusters {
    /// Creates subjects for about `texts` texts. Equal seeds give equal embeddings.
    pub(crate) fn new(dimensions: usize, texts: usize, seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let subjects = texts.div_ceil(TEXTS_PER_SUBJECT).max(2);
        let origin = vec![0.0; dimensions];
        let fields: Vec<_> = (0..subjects.div_ceil(SUBJECTS_PER_FIELD)).map(|_| near(&origin, 1.0, &mut rng)).collect();
        let subjects = (0..subjects).map(|_| near(&fields[rng.usize(..fields.len())], 0.8, &mut rng)).collect();
        Self { subjects, rng }
    }

    /// Draws the embedding of a text, of length 1.
    pub(crate) fn draw(&mut self) -> Vec<f32> {
        let subject = self.rng.usize(..self.subjects.len());
        near(&self.subjects[subject], 0.8, &mut self.rng)
    }
}

/// A vector of length 1 near another. `spread` is the length of the added noise.
fn near(centre: &[f32], spread: f32, rng: &mut Rng) -> Vec<f32> {
    let noise: Vec<f32> = (0..centre.len()).map(|place| normal(rng) / (1.0 + place as f32 / DECAY)).collect();
    let scale = spread / length(&noise);
    let sum: Vec<f32> = centre.iter().zip(&noise).map(|(centre, noise)| centre + noise * scale).collect();
    let whole = length(&sum);
    sum.iter().map(|component| component / whole).collect()
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|component| component * component).sum::<f32>().sqrt()
}

fn normal(rng: &mut Rng) -> f32 {
    let (radius, angle) = ((-2.0 * rng.f32().max(1e-9).ln()).sqrt(), rng.f32() * std::f32::consts::TAU);
    radius * angle.cos()
}
