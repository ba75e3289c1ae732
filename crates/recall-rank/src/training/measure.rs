//! Measures of ranking quality.

/// The gain of a label (Burges, MSR-TR-2010-82): one step more about doubles it.
pub(crate) fn gain(label: f32) -> f64 {
    f64::from(label).exp2() - 1.0
}

/// The discount of a rank, counted from 0.
pub(crate) fn discount(rank: usize) -> f64 {
    1.0 / ((rank + 2) as f64).log2()
}

/// The discounted gain of the ideal order of all relevant items, found or `missed`, up to rank `k`.
pub(crate) fn ideal(k: usize, labels: &[f32], missed: u32) -> f64 {
    let mut gains: Vec<f64> = labels.iter().map(|label| gain(*label)).filter(|gain| *gain > 0.0).collect();
    gains.extend(std::iter::repeat_n(gain(1.0), k.min(missed as usize)));
    gains.sort_by(|left, right| right.total_cmp(left));
    gains.iter().take(k).enumerate().map(|(rank, gain)| gain * discount(rank)).sum()
}

/// The candidates by descending score; equal scores keep their order.
pub(crate) fn order_by_score(scores: &[f32]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|left, right| scores[*right].total_cmp(&scores[*left]));
    order
}

/// Returns the normalised discounted cumulative gain of the first `k` candidates by score (Järvelin, Kekäläinen, TOIS
/// 2002).
///
/// The result is between 0 and 1. Candidates of equal score keep their order. The ideal order contains the labels of
/// all candidates and `missed` further items with label 1, so items that retrieval missed lower the result. `None` if
/// nothing is relevant.
///
/// # Panics
/// If the numbers of labels and scores differ.
pub fn ndcg_at(k: usize, scores: &[f32], labels: &[f32], missed: u32) -> Option<f64> {
    assert_eq!(scores.len(), labels.len(), "every score has a label");
    let ideal = ideal(k, labels, missed);
    let order = order_by_score(scores);
    let found: f64 = order.iter().take(k).enumerate().map(|(rank, at)| gain(labels[*at]) * discount(rank)).sum();
    (ideal > 0.0).then(|| found / ideal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_discounted_by_rank() {
        #[track_caller]
        fn check(k: usize, scores: &[f32], labels: &[f32], missed: u32, expected: Option<f64>) {
            let found = ndcg_at(k, scores, labels, missed);
            let is_near = |(found, expected): (f64, f64)| (found - expected).abs() < 1e-12;
            assert!(found.is_some() == expected.is_some() && found.zip(expected).is_none_or(is_near), "{found:?}");
        }
        let second = 1.0 / 3_f64.log2();
        check(10, &[3.0, 2.0], &[1.0, 0.0], 0, Some(1.0));
        check(10, &[2.0, 3.0], &[1.0, 0.0], 0, Some(second));
        check(1, &[2.0, 3.0], &[1.0, 0.0], 0, Some(0.0));
        check(10, &[1.0, 1.0], &[0.0, 1.0], 0, Some(second));
        check(10, &[2.0, 1.0], &[1.0, 2.0], 0, Some((1.0 + 3.0 * second) / (3.0 + second)));
        check(10, &[3.0, 2.0], &[1.0, 0.0], 1, Some(1.0 / (1.0 + second)));
        check(1, &[3.0, 2.0], &[1.0, 0.0], 1, Some(1.0));
        check(10, &[], &[], 1, Some(0.0));
        check(10, &[3.0], &[0.0], 0, None);
    }
}
