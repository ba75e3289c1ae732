/// What becomes of a half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// To the even neighbour: 2.5 is 2, 3.5 is 4. Over many amounts nobody gains. What we use everywhere (ADR 0005).
    HalfEven,
    /// Away from zero: 2.5 is 3. For reports that a tax office prescribes.
    HalfUp,
}

/// Rounds `numerator / denominator` to a whole number.
///
/// Exact for all values whose double fits 128 bits; the denominator is positive.
///
/// # Panics
/// If the denominator is zero or negative.
#[must_use]
pub fn round_ratio(numerator: i128, denominator: i128, rounding: Rounding) -> i128 {
    assert!(denominator > 0, "a ratio has a positive denominator");
    let (quotient, rest) = (numerator.div_euclid(denominator), numerator.rem_euclid(denominator));
    let goes_up = match (rest * 2).cmp(&denominator) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => match rounding {
            Rounding::HalfEven => quotient % 2 != 0,
            Rounding::HalfUp => numerator > 0,
        },
    };
    quotient + i128::from(goes_up)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(numerator: i128, denominator: i128, half_even: i128, half_up: i128) {
        assert_eq!(round_ratio(numerator, denominator, Rounding::HalfEven), half_even);
        assert_eq!(round_ratio(numerator, denominator, Rounding::HalfUp), half_up);
    }

    #[test]
    fn halves_go_to_the_even_neighbour_or_away_from_zero() {
        check(5, 2, 2, 3);
        check(7, 2, 4, 4);
        check(-5, 2, -2, -3);
        check(-7, 2, -4, -4);
        check(1, 3, 0, 0);
        check(2, 3, 1, 1);
    }
}
