//! Forms of qualified names, and keys of whole phrases: titles, headings, and the first sentences of memories.
//!
//! Two phrases have the same key if they have the same words in the same order. Case, punctuation, marks and white space do
//! not count. Words are not stemmed. A run of a script without spaces counts as one word.

use recall_core::{Symbol, SymbolKind};
use recall_text::fold_case;
use recall_text::words::{is_letter, runs};

/// The separator between a name and the name that encloses it, in symbols.
pub(crate) const SCOPE: &str = "::";

/// The longest name that is indexed or looked up, in bytes. A longer one is a sentence in a heading, or data.
pub(crate) const MAX_NAME_BYTES: usize = 128;

/// The shortest prefix that is searched. A shorter one matches too many names.
pub(crate) const MIN_PREFIX_BYTES: usize = 3;

/// The most components of a path that are compared.
pub(crate) const MAX_COMPONENTS: usize = 32;

/// The text, and each suffix of it that begins after a separator: `a::b::c`, `b::c`, `c`. Empty ones are left out.
pub(crate) fn ends<'a>(text: &'a str, separator: &'a str) -> impl Iterator<Item = &'a str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let end = rest?;
        rest = end.split_once(separator).map(|(_, after)| after);
        Some(end)
    })
    .filter(|end| !end.is_empty())
}

/// The suffixes of a defined name: see [`ends`]. A module whose capitalised components are joined with points, as in Elixir, C# and
/// Haskell, has those of the form with `::` too, which is how queries write it: `Phoenix.Router` gives `Phoenix::Router` and `Router`.
pub(crate) fn each_end(name: &str, mut emit: impl FnMut(&str)) {
    ends(name, SCOPE).for_each(&mut emit);
    let is_module = |text: &str| {
        let is_component =
            |part: &str| part.starts_with(char::is_uppercase) && part.chars().all(|c| c.is_alphanumeric() || c == '_');
        text.contains('.') && text.split('.').all(is_component)
    };
    let (scopes, last) = name.rsplit_once(SCOPE).map_or(("", name), |(scopes, last)| (scopes, last));
    if is_module(last) {
        let joined = last.replace('.', SCOPE);
        ends(&joined, SCOPE).for_each(&mut emit);
        if !scopes.is_empty() {
            emit(&format!("{scopes}{SCOPE}{joined}"));
        }
    }
}

/// A name in the form in which the ways to write it are equal: `parse_tokens`, `parseTokens`, `ParseTokens`, `PARSE_TOKENS`,
/// `parse-tokens` and `parsetokens` are one name.
///
/// It is [folded](fold_case), without the underscores and hyphens between its words. Those at its ends stay, since they have a meaning:
/// `__init__` is not `init`.
pub(crate) fn fold_name(name: &str) -> String {
    let folded = fold_case(name);
    let mut joined = String::with_capacity(folded.len());
    let mut separators = String::new();
    for c in folded.chars() {
        if matches!(c, '_' | '-') {
            separators.push(c);
            continue;
        }
        let is_between_words = joined.ends_with(char::is_alphanumeric) && c.is_alphanumeric();
        if !is_between_words {
            joined.push_str(&separators);
        }
        separators.clear();
        joined.push(c);
    }
    joined + &separators
}

/// Returns whether a symbol is a field, a constant or a value of a type, which is found by its name, and whose words say little about what its
/// chunk does.
pub fn is_data_member(symbol: &Symbol) -> bool {
    matches!(symbol.kind, SymbolKind::Variable | SymbolKind::Constant) && symbol.qualified != symbol.name
}

/// Whether a name ends where a further word of it would begin: `parse_`. What begins with it is compared as written, since
/// [`fold_name`] drops the separator of a whole name.
pub(crate) fn is_cut_at_a_word(name: &str) -> bool {
    name.ends_with(['_', '-'])
}

/// The suffixes of [`each_end`], in the form of [`fold_name`].
pub(crate) fn folded_ends(name: &str) -> Vec<String> {
    let mut ends = Vec::new();
    each_end(name, |end| ends.push(fold_name(end)));
    ends
}

/// Writes an identifier of a query like a symbol: scopes joined with `::`, without surrounding punctuation.
///
/// `Store.open()`, `store->open`, `Store#open` and `Store::open` all name `open` in a scope.
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

/// Writes the beginning of an identifier like a symbol. Unlike a whole one, it may end with a separator.
pub(crate) fn prefix_as_symbol(prefix: &str) -> String {
    let name = written_as_symbol(prefix);
    let ends_with_scope = !name.is_empty() && prefix.ends_with(['.', '#', ':', '>']);
    if ends_with_scope { name + SCOPE } else { name }
}

/// The most words of a key. Phrases that share their first twelve words are taken to be the same phrase, so that a long
/// sentence is found if it is cut.
const MAX_WORDS: usize = 12;

/// The most bytes of a word in a key: a longer one is data.
const MAX_WORD_BYTES: usize = 64;

/// The key of a phrase; `None` if it has no word.
pub(crate) fn phrase_key(text: &str) -> Option<String> {
    let mut key = String::new();
    let text = fold_case(text);
    // A combining mark after an underscore is not a word of its own, even one that counts as a letter.
    let words = runs(&text).map(|run| run.trim_start_matches(|c| c == '_' || !is_letter(c)));
    let words = words.map(|word| word[..word.floor_char_boundary(MAX_WORD_BYTES)].trim_end_matches('_'));
    for (count, word) in words.filter(|word| !word.is_empty()).take(MAX_WORDS).enumerate() {
        if count > 0 {
            key.push(' ');
        }
        key.push_str(word);
    }
    (!key.is_empty()).then_some(key)
}

/// The first sentence of a text. It ends at a blank line, or at a mark that ends a sentence and is followed by white space.
pub fn first_sentence(text: &str) -> &str {
    let text = text.trim_start();
    let blank = text.find("\n\n").unwrap_or(text.len());
    let text = &text[..blank];
    let ends = |at: &usize| {
        text[*at..].starts_with(['.', '!', '?']) && text[at + 1..].starts_with(|next: char| next.is_whitespace())
    };
    let end = text.match_indices(['.', '!', '?']).map(|(at, _)| at).find(ends);
    end.map_or(text, |at| &text[..=at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffixes_of_a_name() {
        for (text, expected) in
            [("open", "open"), ("a::b::c", "a::b::c b::c c"), ("", ""), ("a::", "a::"), ("::a", "::a a")]
        {
            assert_eq!(ends(text, SCOPE).collect::<Vec<_>>().join(" "), expected, "{text:?}");
        }
    }

    #[test]
    fn the_ways_to_write_a_name_are_one() {
        for written in ["parse_tokens", "parseTokens", "ParseTokens", "PARSE_TOKENS", "parse-tokens", "parse__tokens"] {
            assert_eq!(fold_name(written), "parsetokens", "{written}");
        }
        for (name, expected) in [
            ("__init__", "__init__"),
            ("_next_id", "_nextid"),
            ("Frame_Reader::read_all", "framereader::readall"),
            ("a::_b", "a::_b"),
            ("empty?", "empty?"),
            ("x-", "x-"),
            ("_", "_"),
        ] {
            assert_eq!(fold_name(name), expected);
            assert_eq!(fold_name(expected), expected, "a folded name stays as it is");
        }
    }

    #[test]
    fn a_module_is_found_by_its_last_component() {
        let of = |name: &str| {
            let mut all = Vec::new();
            each_end(name, |end| all.push(end.to_owned()));
            all.join(" ")
        };
        assert_eq!(of("Phoenix.Router"), "Phoenix.Router Phoenix::Router Router");
        assert_eq!(of("Store::open"), "Store::open open");
        assert_eq!(of("Release 1.2"), "Release 1.2");
        assert_eq!(of("setup.py"), "setup.py");
    }

    #[test]
    fn the_beginning_of_a_name_may_end_with_a_separator() {
        for (prefix, expected) in
            [("Sto", "Sto"), ("Store.", "Store::"), ("Store::op", "Store::op"), ("a->b", "a::b"), ("store:", "store::")]
        {
            assert_eq!(prefix_as_symbol(prefix), expected, "{prefix:?}");
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

    #[test]
    fn phrases_of_the_same_words_have_the_same_key() {
        let check = |text, expected: Option<&str>| assert_eq!(phrase_key(text).as_deref(), expected, "{text:?}");
        check("Minimum `supported` Rust version", Some("minimum supported rust version"));
        check("minimum   supported Rust-version!", Some("minimum supported rust version"));
        check("Use HttpClient, not reqwest", Some("use httpclient not reqwest"));
        check("***", None);
        check("", None);
        let long = "one two three four five six seven eight nine ten eleven twelve";
        assert_eq!(phrase_key(&format!("{long} thirteen")), phrase_key(&format!("{long} fourteen")));
    }

    #[test]
    fn a_sentence_ends_at_a_mark_or_a_blank_line() {
        for (text, expected) in [
            ("Retries use jitter. Always.", "Retries use jitter."),
            ("Version 1.2 is the floor! Why?", "Version 1.2 is the floor!"),
            ("no mark\nat all", "no mark\nat all"),
            ("a list\n\nthen. more", "a list"),
            ("\n  Ends.", "Ends."),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_mark_after_an_underscore_is_not_a_word() {
        assert_eq!(phrase_key("_\u{1133b}"), None);
        assert_eq!(phrase_key("_\u{11940}_x").as_deref(), Some("x"), "a mark that counts as a letter");
        assert_eq!(phrase_key("_\u{1133b}a b_").as_deref(), Some("a b"));
    }

    proptest::proptest! {
        #[test]
        fn a_key_is_its_own_key(text in "\\PC{0,200}") {
            let once = phrase_key(&text);
            proptest::prop_assert_eq!(once.as_deref().and_then(phrase_key), once.clone());
            proptest::prop_assert!(text.contains(first_sentence(&text)));
        }
    }
}
