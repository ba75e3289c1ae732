//! The quantised embedding of a query.

use recall_core::{NearestError, Quantised};

use crate::vector::{kernel, record};

/// The value of a query's largest component after quantisation.
///
/// The sum of 4096 products with components of 7 bits then fits in 32 bits. At 256 dimensions the rounding of the query
/// changes a cosine by a thirtieth of what the rounding of the embedding does.
const MAX_COMPONENT: f32 = 4095.0;

/// The number of records multiplied before their sums are used: 16 KiB at 256 dimensions, which stay in the cache.
const BLOCK: usize = 64;

pub(crate) struct Query {
    components: Vec<i16>,
    /// The factor that normalises its length to 1.
    factor: f32,
    /// The query as a record, because the graph compares records.
    record: Vec<u8>,
}

impl Query {
    pub(crate) fn new(embedding: &[f32], dimensions: usize) -> Result<Self, NearestError> {
        if embedding.len() != dimensions {
            return Err(NearestError::Dimensions { expected: dimensions, found: embedding.len() });
        }
        let quantised = Quantised::quantise(embedding).map_err(|_| NearestError::NoDirection)?;
        let mut record = Vec::with_capacity(record::stride(dimensions));
        record::push(&mut record, &quantised);
        let greatest = embedding.iter().fold(0.0, |greatest: f32, component| greatest.max(component.abs()));
        let components: Vec<i16> =
            embedding.iter().map(|component| (component / greatest * MAX_COMPONENT).round() as i16).collect();
        let squares: i64 = components.iter().map(|component| i64::from(*component).pow(2)).sum();
        Ok(Self { components, factor: (1.0 / (squares as f64).sqrt()) as f32, record })
    }

    pub(crate) fn cosine(&self, record: &[u8]) -> f32 {
        self.scale(kernel::dot(&self.components, record::components(record)), record)
    }

    /// Calls `look` with the index and the cosine of each record.
    pub(crate) fn scan(&self, records: &[u8], mut look: impl FnMut(usize, f32)) {
        let stride = record::stride(self.components.len());
        let mut sums = [0; BLOCK];
        for (number, block) in records.chunks(BLOCK * stride).enumerate() {
            kernel::dots(&self.components, block, stride, &mut sums);
            for (place, (record, sum)) in block.chunks_exact(stride).zip(sums).enumerate() {
                look(number * BLOCK + place, self.scale(sum, record));
            }
        }
    }

    pub(crate) fn record(&self) -> &[u8] {
        &self.record
    }

    #[inline]
    fn scale(&self, dot: i32, record: &[u8]) -> f32 {
        dot as f32 * self.factor * record::factor(record)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_cosine_is_within_the_bound_of_the_rounding(
            pairs in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 1..300)
        ) {
            let (query, embedding): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            prop_assume!(query.iter().any(|c| c.abs() > 1e-3) && embedding.iter().any(|c| c.abs() > 1e-3));
            let length = |vector: &[f32]| vector.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt();
            let dot: f64 = query.iter().zip(&embedding).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            let exact = dot / length(&query) / length(&embedding);
            let mut record = Vec::new();
            record::push(&mut record, &Quantised::quantise(&embedding).expect("a direction"));
            let cosine = Query::new(&query, query.len()).expect("a direction").cosine(&record);
            let bound = Quantised::error_bound(&embedding) + Quantised::error_bound(&query) * 127.0 / MAX_COMPONENT;
            prop_assert!((f64::from(cosine) - exact).abs() <= f64::from(bound) + 1e-6, "{cosine} {exact} {bound}");
        }
    }

    #[test]
    fn an_invalid_query_is_rejected() {
        assert!(matches!(Query::new(&[1.0], 2), Err(NearestError::Dimensions { expected: 2, found: 1 })));
        for query in [[0.0, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 1.0]] {
            assert!(matches!(Query::new(&query, 2), Err(NearestError::NoDirection)), "{query:?}");
        }
    }
}
