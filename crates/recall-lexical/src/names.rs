//! How is a name written, and what is left of it without its outer parts?

/// What stands between a name and the name that encloses it, as symbols are written.
pub(crate) const SCOPE: &str = "::";

/// The longest name that is indexed or looked up, in bytes. A longer one is a heading's sentence or data.
pub(crate) const MAX_NAME_BYTES: usize = 128;

/// A shorter prefix begins too many names to say anything.
pub(crate) const MIN_PREFIX_BYTES: usize = 3;

/// The most components of a path that are compared. Deeper ones tell nothing more.
pub(crate) const MAX_COMPONENTS: usize = 32;

/// The text, and each of its ends that begins behind a separator: `a::b::c`, `b::c`, `c`. Never an empty one.
pub(crate) fn ends<'a>(text: &'a str, separator: &'a str) -> impl Iterator<Item = &'a str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let end = rest?;
        rest = end.split_once(separator).map(|(_, behind)| behind);
        Some(end)
    })
    .filter(|end| !end.is_empty())
}

/// Writes an identifier of a query as symbols are written: scopes joined with `::`, nothing but the name around it.
///
/// `Store.open()`, `store->open`, `Store#open` and `Store::open` are all a name `open` in a scope.
pub(crate) fn written_as_symbol(identifier: &str) -> String {
    let bare = identifier.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let mut name = String::with_capacity(bare.len() + 2);
    for part in bare.split(['.', '#', ':', '>', '/']) {
        let part = part.trim_end_matches('-');
        if part.is_empty() {
            continue;
        }
        if !name.is_empty() {
            name.push_str(SCOPE);
        }
        name.push_str(part);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_name() {
        for (text, expected) in
            [("open", "open"), ("a::b::c", "a::b::c b::c c"), ("", ""), ("a::", "a::"), ("::a", "::a a")]
        {
            assert_eq!(ends(text, SCOPE).collect::<Vec<_>>().join(" "), expected, "{text:?}");
        }
    }

    #[test]
    fn identifiers_are_written_as_symbols() {
        for (identifier, expected) in [
            ("open", "open"),
            ("Store::open", "Store::open"),
            ("Store.open()", "Store::open"),
            ("store->open", "store::open"),
            ("Store#open", "Store::open"),
            ("$user", "user"),
            ("_private", "_private"),
            ("...", ""),
        ] {
            assert_eq!(written_as_symbol(identifier), expected, "{identifier:?}");
        }
    }
}
