//! Interpolation search in ascending numbers.

/// Returns the index of the last number that is at most `wanted`, among `count` ascending ones; `None` if all are
/// greater.
///
/// Row numbers have few gaps, so the search starts at the interpolated index and widens from there by doubling steps
/// (Bentley, Yao, Information Processing Letters 1976). Where bisection misses the CPU cache ten times, this search
/// misses it once.
pub fn last_at_most(count: usize, at: impl Fn(usize) -> i64, wanted: i64) -> Option<usize> {
    let end = count.checked_sub(1)?;
    let (least, greatest) = (at(0), at(end));
    if wanted < least {
        return None;
    }
    if wanted >= greatest {
        return Some(end);
    }
    let distance = |from: i64, to: i64| i128::from(to) - i128::from(from);
    let guess = (distance(least, wanted) * end as i128 / distance(least, greatest)) as usize;
    // Invariant: `at(low) <= wanted < at(high)`.
    let (mut low, mut high, mut step) = (guess, guess, 1);
    if at(guess) <= wanted {
        while low + step < end && at(low + step) <= wanted {
            low += step;
            step *= 2;
        }
        high = end.min(low + step);
    } else {
        while step < high && at(high - step) > wanted {
            high -= step;
            step *= 2;
        }
        low = high.saturating_sub(step);
    }
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if at(middle) <= wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

/// Returns the index of a number among ascending ones without repetition; `None` if it is absent.
pub fn find_ascending(count: usize, at: impl Fn(usize) -> i64, wanted: i64) -> Option<usize> {
    last_at_most(count, &at, wanted).filter(|&place| at(place) == wanted)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    fn find(numbers: &[i64], wanted: i64) -> Option<usize> {
        find_ascending(numbers.len(), |place| numbers[place], wanted)
    }

    fn last(numbers: &[i64], wanted: i64) -> Option<usize> {
        last_at_most(numbers.len(), |place| numbers[place], wanted)
    }

    proptest! {
        #[test]
        fn it_finds_what_bisection_finds(
            steps in prop::collection::vec(prop_oneof![9 => Just(1_i64), 1 => 1..1_000_000_i64], 0..300),
            wanted in prop_oneof![-5..400_i64, any::<i64>()],
        ) {
            let numbers: Vec<i64> = steps.iter().scan(0, |sum, step| { *sum += step; Some(*sum) }).collect();
            prop_assert_eq!(find(&numbers, wanted), numbers.binary_search(&wanted).ok());
            let at_most = numbers.partition_point(|number| *number <= wanted);
            prop_assert_eq!(last(&numbers, wanted), at_most.checked_sub(1));
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
    fn without_gaps_the_first_guess_is_right() {
        let looks = Cell::new(0);
        let at = |place: usize| {
            looks.set(looks.get() + 1);
            place as i64 + 10
        };
        assert_eq!(find_ascending(100_000, at, 54_321), Some(54_311));
        // Both ends, the guess, the next one, and the guess once more to compare.
        assert_eq!(looks.get(), 5);
    }
}
