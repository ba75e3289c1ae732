//! Which words are in an identifier, and which words say nothing?

/// Calls `emit` with each word of a text, in order, with its byte range.
///
/// A word is a maximal run of letters and digits, `_` included when it stands inside. A word that is made of parts
/// (`parseHTTPHeader2`, `snake_case`) is emitted as [`Word::Compound`] first, and then part by part.
pub fn split(text: &str, mut emit: impl FnMut(Word<'_>)) {
    let mut rest = 0;
    let bytes = text.as_bytes();
    while rest < bytes.len() {
        let Some(start) = text[rest..].find(is_word_char).map(|at| rest + at) else { return };
        let end = text[start..].find(|c| !is_word_char(c)).map_or(text.len(), |at| start + at);
        rest = end;
        let run = text[start..end].trim_matches('_');
        if run.is_empty() {
            continue;
        }
        let first = first_part(run);
        if first.len() == run.len() {
            emit(Word::Plain(run));
            continue;
        }
        emit(Word::Compound(run));
        let mut tail = run;
        while !tail.is_empty() {
            let part = first_part(tail);
            emit(Word::Part(part));
            tail = tail[part.len()..].trim_start_matches('_');
        }
    }
}

/// A word of a text; see [`split`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// A word that has no parts.
    Plain(&'a str),
    /// An identifier that is made of several parts, whole.
    Compound(&'a str),
    /// One part of the compound emitted before.
    Part(&'a str),
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first part of a non-empty identifier that does not begin with `_`.
///
/// Parts end before `_`, between a lower-case letter or digit and an upper-case letter (`camelCase`), before the last
/// capital of a run that a lower-case letter follows (`HTTPServer`), and between letters and digits on neither side:
/// `utf8`, `server2` and `v1` stay whole.
fn first_part(identifier: &str) -> &str {
    let mut chars = identifier.char_indices().peekable();
    let Some((_, mut previous)) = chars.next() else { return identifier };
    while let Some((at, c)) = chars.next() {
        if c == '_' {
            return &identifier[..at];
        }
        let next_is_lower = chars.peek().is_some_and(|&(_, next)| next.is_lowercase());
        let humps = c.is_uppercase() && (!previous.is_uppercase() || next_is_lower);
        if humps {
            return &identifier[..at];
        }
        previous = c;
    }
    identifier
}

/// Whether a lower-case English word is so common that it tells documents apart in no collection.
///
/// Articles, pronouns, auxiliaries, prepositions, and the words questions are asked with.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "been", "before", "being", "both",
    "but", "by", "can", "could", "did", "do", "does", "doing", "during", "each", "for", "from", "had", "has", "have",
    "having", "he", "her", "here", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of",
    "on", "or", "our", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there",
    "these", "they", "this", "those", "through", "to", "under", "until", "us", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "whom", "whose", "why", "will", "with", "would", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        split(text, |word| {
            out.push(match word {
                Word::Plain(w) => w.to_owned(),
                Word::Compound(w) => format!("<{w}>"),
                Word::Part(w) => format!("+{w}"),
            });
        });
        out
    }

    #[test]
    fn identifiers_fall_into_their_parts() {
        for (text, expected) in [
            ("", ""),
            ("open the file", "open the file"),
            ("camelCase", "<camelCase> +camel +Case"),
            ("HTTPServer2", "<HTTPServer2> +HTTP +Server2"),
            ("parse_http_header", "<parse_http_header> +parse +http +header"),
            ("__init__ _x", "init x"),
            ("utf8 v1", "utf8 v1"),
            ("MAX_SIZE", "<MAX_SIZE> +MAX +SIZE"),
            ("a__b", "<a__b> +a +b"),
            ("std::io::Error", "std io Error"),
            ("größeÄndern", "<größeÄndern> +größe +Ändern"),
            ("日本語 text", "日本語 text"),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text:?}");
        }
    }

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("query"));
    }

    proptest::proptest! {
        #[test]
        fn splitting_never_panics_and_emits_no_empty_word(text in "\\PC*") {
            split(&text, |word| match word {
                Word::Plain(w) | Word::Compound(w) | Word::Part(w) => assert!(!w.is_empty()),
            });
        }
    }
}
