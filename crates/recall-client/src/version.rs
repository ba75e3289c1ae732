//! Comparison of release versions.

use std::cmp::Ordering;

/// Compares two release versions numerically: `0.10.0` is after `0.9.2`. Suffixes after `-` or `+` are ignored.
///
/// Returns `None` if one of them is not a version.
fn compare(left: &str, right: &str) -> Option<Ordering> {
    Some(numbers(left)?.cmp(&numbers(right)?))
}

/// Whether one release version is before another. An unknown version is not.
pub(crate) fn is_older(left: &str, right: &str) -> bool {
    compare(left, right) == Some(Ordering::Less)
}

fn numbers(version: &str) -> Option<[u64; 3]> {
    let release = version.split(['-', '+']).next()?;
    let mut parts = release.split('.').map(str::parse);
    let numbers = [parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?];
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_ordered_by_number() {
        for (left, right, expected) in [
            ("0.1.0", "0.1.0", Some(Ordering::Equal)),
            ("0.9.2", "0.10.0", Some(Ordering::Less)),
            ("1.0.0", "0.99.99", Some(Ordering::Greater)),
            ("1.0.0-rc.1", "1.0.0+abc", Some(Ordering::Equal)),
            ("1.0", "1.0.0", None),
            ("1.0.0.0", "1.0.0", None),
            ("", "1.0.0", None),
            ("x.y.z", "1.0.0", None),
        ] {
            assert_eq!(compare(left, right), expected, "{left} against {right}");
        }
    }
}
