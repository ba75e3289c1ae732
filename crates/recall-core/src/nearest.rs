//! Which known name did somebody mean?

/// The known name that is nearest to the given one; `None` when none is near.
///
/// Near is a third of the name in wrong, missing, superfluous or swapped characters, and at least one; or one that
/// begins with the other.
pub fn nearest<'n>(given: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    near(given, known).first().copied()
}

/// The known names that are near the given one, as [`nearest`] means it; nearest first, equally near ones as they came.
pub fn near<'n>(given: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let bound = (given.chars().count() / 3).max(1);
    let distance_to = |name: &'n str| {
        let prefixed = given.len().min(name.len()) > 2 && (name.starts_with(given) || given.starts_with(name));
        (if prefixed { 0 } else { distance(given, name) }, name)
    };
    let mut near: Vec<_> = known.into_iter().map(distance_to).filter(|&(distance, _)| distance <= bound).collect();
    near.sort_by_key(|&(distance, _)| distance);
    near.into_iter().map(|(_, name)| name).collect()
}

/// How many characters must be changed, inserted, left out or swapped with their neighbour to make one of the other.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=right.len()).collect();
    for i in 1..=left.len() {
        for j in 1..=right.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut best = substituted.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_named() {
        let known = ["query", "limit", "types", "include_code", "include_memories"];
        for (given, expected) in [
            ("qeury", Some("query")),
            ("querry", Some("query")),
            ("type", Some("types")),
            ("include", Some("include_code")),
            ("q", None),
            ("", None),
            ("k", None),
            ("something_else", None),
        ] {
            assert_eq!(nearest(given, known), expected, "{given}");
        }
    }
}
