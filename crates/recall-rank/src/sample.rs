//! Which of these are taken this time?

use oorandom::Rand64;

/// Takes a share of the numbers below `count`, at least one of them, in ascending order.
pub(crate) fn share(rng: &mut Rand64, count: usize, fraction: f64) -> Vec<usize> {
    let taken = ((count as f64 * fraction).round() as usize).clamp(count.min(1), count);
    let mut chosen = shuffled(rng, count);
    chosen.truncate(taken);
    chosen.sort_unstable();
    chosen
}

/// The numbers below `count` in random order (Fisher and Yates).
pub(crate) fn shuffled(rng: &mut Rand64, count: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    for at in (1..count).rev() {
        numbers.swap(at, rng.rand_range(0..at as u64 + 1) as usize);
    }
    numbers
}
