//! Suggestions for misspelt names.

use strsim::osa_distance;

/// Returns the known name nearest to the given one; `None` if none is near.
///
/// A name is near if at most a third of the given characters (at least one) are wrong, missing, superfluous or swapped,
/// or if one name is a prefix of the other.
pub fn nearest<'n>(given: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    near(given, known).first().copied()
}

/// Returns the known names near the given one, as defined at [`nearest`]; nearest first, equally near ones in input
/// order.
pub fn near<'n>(given: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let bound = (given.chars().count() / 3).max(1);
    let distance_to = |name: &'n str| {
        let prefixed = given.len().min(name.len()) > 2 && (name.starts_with(given) || given.starts_with(name));
        (if prefixed { 0 } else { osa_distance(given, name) }, name)
    };
    let mut near: Vec<_> = known.into_iter().map(distance_to).filter(|&(distance, _)| distance <= bound).collect();
    near.sort_by_key(|&(distance, _)| distance);
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
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
