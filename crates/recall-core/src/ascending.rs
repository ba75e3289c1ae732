//! Where among ascending numbers is one of them?

use std::cmp::Ordering;

/// The place of a number among ascending ones; `None` where it is not there.
///
/// The numbers of rows have few gaps, so the search begins where the number would be without any, and widens from there
/// (Bentley, Yao, Information Processing Letters 1976): where bisection misses the processor's cache ten times, this does once.
pub fn find_ascending(count: usize, at: impl Fn(usize) -> i64, wanted: i64) -> Option<usize> {
    let end = count.checked_sub(1)?;
    let (least, greatest) = (at(0), at(end));
    if wanted < least || wanted > greatest {
        return None;
    }
    let distance = |from: i64, to: i64| i128::from(to) - i128::from(from);
    // No more than the end.
    let guess = (distance(least, wanted) * end as i128 / distance(least, greatest).max(1)) as usize;
    // The number is at `low` or behind it, and before `high`.
    let (mut low, mut high) = match at(guess).cmp(&wanted) {
        Ordering::Equal => return Some(guess),
        Ordering::Less => {
            let (mut low, mut step) = (guess + 1, 1);
            while low + step < count && at(low + step) <= wanted {
                low += step;
                step *= 2;
            }
            (low, (low + step).min(count))
        }
        Ordering::Greater => {
            let (mut high, mut step) = (guess, 1);
            while step < high && at(high - step) > wanted {
                high -= step;
                step *= 2;
            }
            (high.saturating_sub(step), high)
        }
    };
    while low < high {
        let middle = usize::midpoint(low, high);
        match at(middle).cmp(&wanted) {
            Ordering::Equal => return Some(middle),
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    fn find(numbers: &[i64], wanted: i64) -> Option<usize> {
        find_ascending(numbers.len(), |place| numbers[place], wanted)
    }

    proptest! {
        #[test]
        fn it_finds_what_bisection_finds(
            steps in prop::collection::vec(prop_oneof![9 => Just(1_i64), 1 => 1..1_000_000_i64], 0..300),
            wanted in prop_oneof![-5..400_i64, any::<i64>()],
        ) {
            let numbers: Vec<i64> = steps.iter().scan(0, |sum, step| { *sum += step; Some(*sum) }).collect();
            prop_assert_eq!(find(&numbers, wanted), numbers.binary_search(&wanted).ok());
            for (place, number) in numbers.iter().enumerate() {
                prop_assert_eq!(find(&numbers, *number), Some(place));
            }
        }
    }

    #[test]
    fn the_greatest_distance_does_not_overflow() {
        assert_eq!(find(&[i64::MIN, 0, i64::MAX], 0), Some(1));
        assert_eq!(find(&[i64::MIN, 0, i64::MAX], 1), None);
        assert_eq!(find(&[7], 7), Some(0));
        assert_eq!(find(&[], 7), None);
    }

    #[test]
    fn without_gaps_one_look_is_enough() {
        let looks = Cell::new(0);
        let at = |place: usize| {
            looks.set(looks.get() + 1);
            place as i64 + 10
        };
        assert_eq!(find_ascending(100_000, at, 54_321), Some(54_311));
        // Both ends, and the place.
        assert_eq!(looks.get(), 3);
    }
}
