//! Splitting an amount neither loses nor invents a cent.

use ledgerline_money::{allocate, AllocateError, Currency, Money};
use proptest::prelude::*;

fn check(minor: i64, shares: &[u64], expected: &[i64]) {
    let parts = allocate(Money::from_minor(minor, Currency::Eur), shares).unwrap();
    assert_eq!(parts.into_iter().map(Money::minor).collect::<Vec<_>>(), expected);
}

#[test]
fn the_cent_that_is_left_goes_to_whom_the_cut_cost_most() {
    check(100, &[1, 1, 1], &[34, 33, 33]);
    check(5, &[3, 7], &[2, 3]);
    check(-100, &[1, 1, 1], &[-33, -33, -34]);
}

#[test]
fn without_shares_there_is_nothing_to_split() {
    assert_eq!(allocate(Money::from_minor(1, Currency::Eur), &[0, 0]), Err(AllocateError::NoShares));
}

proptest! {
    #[test]
    fn the_parts_add_up(minor in -1_000_000_000i64..1_000_000_000, shares in prop::collection::vec(0u64..1000, 1..20)) {
        prop_assume!(shares.iter().any(|&share| share > 0));
        let parts = allocate(Money::from_minor(minor, Currency::Eur), &shares).unwrap();
        prop_assert_eq!(parts.into_iter().map(Money::minor).sum::<i64>(), minor);
    }
}
