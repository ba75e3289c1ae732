//! Patterns of `LIKE` and `GLOB`.
//!
//! Matching needs no memory beyond two positions to return to, and no preparation beyond the list of parts, so that a filter of
//! thousands of patterns is cheap. A library for globs compiles each to an automaton, which takes far longer than this
//! matches.

/// A pattern over a whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    parts: Vec<Part>,
    /// The text that each match begins with.
    prefix: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// This character.
    One(char),
    /// Any character.
    Any,
    /// Any character but `/`.
    AnyInName,
    /// Any text.
    Many,
    /// Any text without `/`.
    ManyInName,
    /// No text, or any text that ends with `/`.
    Folders,
}

/// A position to return to if the rest does not match.
#[derive(Clone, Copy)]
struct Return {
    part: usize,
    /// The byte in the text from which the rest is tried next.
    byte: usize,
}

impl Pattern {
    /// Reads a pattern of `LIKE`: `%` is any text, `_` any character.
    pub fn like(text: &str) -> Self {
        Self::new(text.chars().map(|one| match one {
            '%' => Part::Many,
            '_' => Part::Any,
            other => Part::One(other),
        }))
    }

    /// Reads a pattern of `GLOB`: `?` is any character but `/`, `*` any text without `/`, `**` any text. `**/` after `/` or at the
    /// beginning is also no folder at all.
    pub fn glob(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut rest = text;
        let mut is_at_name = true;
        while let Some(first) = rest.chars().next() {
            let (part, length) = if is_at_name && rest.starts_with("**/") {
                (Part::Folders, 3)
            } else if rest.starts_with("**") {
                (Part::Many, 2)
            } else {
                let part = match first {
                    '*' => Part::ManyInName,
                    '?' => Part::AnyInName,
                    other => Part::One(other),
                };
                (part, first.len_utf8())
            };
            is_at_name = matches!(part, Part::One('/') | Part::Folders);
            parts.push(part);
            rest = &rest[length..];
        }
        Self::new(parts)
    }

    fn new(parts: impl IntoIterator<Item = Part>) -> Self {
        let parts: Vec<Part> = parts.into_iter().collect();
        let literal = |part: &Part| if let Part::One(one) = part { Some(*one) } else { None };
        let prefix = parts.iter().map_while(literal).collect();
        Self { parts, prefix }
    }

    /// Returns the text that each match begins with.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns what stands between its wildcards of any length, in order: characters, and `None` for a wildcard of one character. Each
    /// match contains all of these runs.
    pub fn runs(&self) -> impl Iterator<Item = Vec<Option<char>>> + '_ {
        let runs = self.parts.split(|part| matches!(part, Part::Many | Part::ManyInName | Part::Folders));
        let characters = |run: &[Part]| {
            let character = |part: &Part| if let Part::One(one) = part { Some(*one) } else { None };
            run.iter().map(character).collect()
        };
        runs.map(characters).filter(|run: &Vec<Option<char>>| run.iter().any(Option::is_some))
    }

    /// Whether the whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        if !text.starts_with(&self.prefix) {
            return false;
        }
        // Where the last `Many` or `Folders`, and after it the last `ManyInName`, can take more text. The leftmost match of
        // what is between two of them leaves the most for the rest, so earlier ones need not be tried again.
        let (mut wide, mut narrow): (Option<Return>, Option<Return>) = (None, None);
        let (mut part, mut byte) = (0, 0);
        loop {
            let next = text[byte..].chars().next();
            let step = match (self.parts.get(part), next) {
                (None, None) => return true,
                (Some(Part::Many | Part::Folders), _) => {
                    (wide, narrow) = (Some(Return { part, byte }), None);
                    Some(0)
                }
                (Some(Part::ManyInName), _) => {
                    narrow = Some(Return { part, byte });
                    Some(0)
                }
                (Some(Part::One(one)), Some(found)) if *one == found => Some(found.len_utf8()),
                (Some(Part::Any), Some(found)) => Some(found.len_utf8()),
                (Some(Part::AnyInName), Some(found)) if found != '/' => Some(found.len_utf8()),
                _ => None,
            };
            if let Some(length) = step {
                (part, byte) = (part + 1, byte + length);
                continue;
            }
            narrow = narrow.and_then(|from| more_of_name(text, from));
            if narrow.is_none() {
                wide = wide.and_then(|from| self.more(text, from));
            }
            let Some(Return { part: from, byte: at }) = narrow.or(wide) else { return false };
            (part, byte) = (from + 1, at);
        }
    }

    /// Lets `Many` take one more character, and `Folders` one more folder.
    fn more(&self, text: &str, from: Return) -> Option<Return> {
        let rest = &text[from.byte..];
        let length = match self.parts[from.part] {
            Part::Folders => rest.find('/')? + 1,
            _ => rest.chars().next()?.len_utf8(),
        };
        Some(Return { byte: from.byte + length, ..from })
    }
}

/// Lets `ManyInName` take one more character.
fn more_of_name(text: &str, from: Return) -> Option<Return> {
    let next = text[from.byte..].chars().next().filter(|one| *one != '/')?;
    Some(Return { byte: from.byte + next.len_utf8(), ..from })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn like_matches_the_whole_text() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("", "a", false),
            ("%", "", true),
            ("a%", "abc", true),
            ("%c", "abc", true),
            ("%b%", "abc", true),
            ("_b_", "abc", true),
            ("_b_", "ab", false),
            ("%ab%ab", "abcab", true),
            ("%é_", "caféx", true),
            ("A%", "abc", false),
            ("src/%", "src/a/b", true),
            ("[a]%", "[a]b", true),
        ] {
            assert_eq!(Pattern::like(pattern).matches(text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_star_stays_within_a_name() {
        for (pattern, text, expected) in [
            ("src/*.rs", "src/lib.rs", true),
            ("src/*.rs", "src/a/lib.rs", false),
            ("src/**/*.rs", "src/lib.rs", true),
            ("src/**/*.rs", "src/a/b/lib.rs", true),
            ("src/**", "src/a/b", true),
            ("src/**", "src", false),
            ("**/lib.rs", "lib.rs", true),
            ("**/lib.rs", "a/b/lib.rs", true),
            ("**/lib.rs", "a/notlib.rs", false),
            ("**.rs", "a/b/c.rs", true),
            ("*", "a/b", false),
            ("?", "/", false),
            ("a?c", "abc", true),
            ("a*b/c*d", "axxb/cyyd", true),
            ("a*b/c*d", "axb/xb/cd", false),
            ("**/a*/b", "x/a1/c/a2/b", true),
            ("[ab].rs", "[ab].rs", true),
            ("[ab].rs", "a.rs", false),
        ] {
            assert_eq!(Pattern::glob(pattern).matches(text), expected, "{pattern} {text}");
        }
    }

    /// Tries every split.
    fn naive(parts: &[Part], text: &str) -> bool {
        let Some((part, rest)) = parts.split_first() else { return text.is_empty() };
        let next = text.chars().next();
        let tails = || (0..=text.len()).filter(|at| text.is_char_boundary(*at));
        match part {
            Part::One(one) => next == Some(*one) && naive(rest, &text[one.len_utf8()..]),
            Part::Any => next.is_some_and(|one| naive(rest, &text[one.len_utf8()..])),
            Part::AnyInName => next.is_some_and(|one| one != '/' && naive(rest, &text[one.len_utf8()..])),
            Part::Many => tails().any(|at| naive(rest, &text[at..])),
            Part::ManyInName => tails().any(|at| !text[..at].contains('/') && naive(rest, &text[at..])),
            Part::Folders => tails().any(|at| (at == 0 || text[..at].ends_with('/')) && naive(rest, &text[at..])),
        }
    }

    proptest! {
        #[test]
        fn matching_agrees_with_trying_every_split(pattern in "[ab/*?é]{0,10}", text in "[ab/é]{0,12}") {
            let glob = Pattern::glob(&pattern);
            prop_assert_eq!(glob.matches(&text), naive(&glob.parts, &text), "{:?}", glob);
            let like = Pattern::like(&pattern.replace('*', "%").replace('?', "_"));
            prop_assert_eq!(like.matches(&text), naive(&like.parts, &text));
        }
    }
}
