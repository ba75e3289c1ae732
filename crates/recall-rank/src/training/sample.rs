//! Random samples of indexes.

use oorandom::Rand64;

/// Draws a fraction of the indexes below `count`, at least one, in ascending order.
pub(crate) fn fraction(rng: &mut Rand64, count: usize, share: f64) -> Vec<usize> {
    let taken = ((count as f64 * share).round() as usize).clamp(count.min(1), count);
    let mut chosen = shuffle(rng, count);
    chosen.truncate(taken);
    chosen.sort_unstable();
    chosen
}

/// Returns the indexes below `count` in random order (Fisher–Yates shuffle).
pub(crate) fn shuffle(rng: &mut Rand64, count: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        numbers.swap(at, rng.rand_range(0..at as u64 + 1) as usize);
    }
    numbers
}
