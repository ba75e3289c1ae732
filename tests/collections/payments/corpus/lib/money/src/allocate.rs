use thiserror::Error;

use crate::Money;

/// The shares say nothing about how to split.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum AllocateError {
    /// There is no share, or all are zero.
    #[error("an amount cannot be split into no shares")]
    NoShares,
}

/// Splits an amount in proportion to the shares, so that the parts add up to it exactly.
///
/// Each part is cut down to a whole minor unit first; the units that are left over go one by one to the parts that lost
/// most by the cut (the largest remainder method, Hare and Niemeyer), the earlier of two equal ones first. One part a share, in
/// their order.
pub fn allocate(amount: Money, shares: &[u64]) -> Result<Vec<Money>, AllocateError> {
    let total: i128 = shares.iter().map(|&share| i128::from(share)).sum();
    if total == 0 {
        return Err(AllocateError::NoShares);
    }
    let minor = i128::from(amount.minor());
    let mut parts: Vec<i128> = Vec::with_capacity(shares.len());
    let mut remainders: Vec<(i128, usize)> = Vec::with_capacity(shares.len());
    for (index, &share) in shares.iter().enumerate() {
        let weighted = minor * i128::from(share);
        parts.push(weighted.div_euclid(total));
        remainders.push((weighted.rem_euclid(total), index));
    }
    remainders.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(&right.1)));
    let left_over = minor - parts.iter().sum::<i128>();
    for &(_, index) in remainders.iter().cycle().take(usize::try_from(left_over).unwrap_or(0)) {
        parts[index] += 1;
    }
    Ok(parts.into_iter().map(|part| to_money(part, amount)).collect())
}

fn to_money(minor: i128, like: Money) -> Money {
    let minor = i64::try_from(minor).expect("a part is no larger than the whole");
    Money::from_minor(minor, like.currency())
}
