//! The words and the phrases in quotation marks of a query.

/// A piece of a query.
pub(super) enum QueryPiece<'a> {
    Word(&'a str),
    Phrase(&'a str),
}

/// Quotation marks of typography, which also open in the middle of a word: Japanese has no blanks before them. Each with those that close it.
const QUOTATION_MARKS: [(char, &[char]); 5] =
    [('“', &['”', '"']), ('„', &['“', '”', '"']), ('«', &['»']), ('「', &['」']), ('『', &['』'])];

/// Splits a text behind the quotation mark of typography that it begins with and at the one that closes it; `None` if it begins with none, or
/// if none closes it.
fn split_quotation(text: &str) -> Option<(&str, &str)> {
    let first = text.chars().next()?;
    let (_, closing) = QUOTATION_MARKS.into_iter().find(|(opening, _)| *opening == first)?;
    let (phrase, after) = text[first.len_utf8()..].split_once(closing)?;
    Some((phrase.trim(), after))
}

/// Splits a query at white space, except between quotation marks.
pub(super) fn pieces(query: &str) -> impl Iterator<Item = QueryPiece<'_>> {
    let mut rest = query;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        if let Some((phrase, after)) = rest.strip_prefix('"').and_then(|open| open.split_once('"')) {
            rest = after;
            return Some(QueryPiece::Phrase(phrase));
        }
        if let Some((phrase, after)) = split_quotation(rest).filter(|(phrase, _)| !phrase.is_empty()) {
            rest = after;
            return Some(QueryPiece::Phrase(phrase));
        }
        // A filter's value may be quoted: `path:"a b/c.rs"`.
        let mut quoted = false;
        let end = rest
            .find(|c: char| {
                quoted ^= c == '"';
                c.is_whitespace() && !quoted
            })
            .or_else(|| rest.find(char::is_whitespace))
            .unwrap_or(rest.len());
        let opens = |&(at, _): &(usize, char)| at > 0 && split_quotation(&rest[at..]).is_some();
        let end = rest[..end].char_indices().find(opens).map_or(end, |(at, _)| at);
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(QueryPiece::Word(word))
    })
}
