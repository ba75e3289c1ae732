//! The query of a prompt or a message, which nobody wrote in the query language.

use recall_core::{Ablation, Recording, Scope, SearchRequest};

/// The hits that are considered. A later one is hardly ever confident.
const HITS: u32 = 10;

/// The most bytes of a text that are searched for: its beginning says what it is about, and a pasted log follows.
const QUERY_BYTES: usize = 600;

/// Returns the search for a text; `None` if the text has no words.
pub(super) fn search_for(text: &str, scope: Scope) -> Option<SearchRequest> {
    let query = query(text);
    query.chars().any(char::is_alphanumeric).then(|| SearchRequest {
        // A cross-encoder or a language model takes longer than an agent waits.
        without: vec![Ablation::Prerank, Ablation::Rerank, Ablation::Judge],
        // The agent has not asked for these hits, so they do not count as used.
        recording: Recording::Off,
        ..SearchRequest::new(query, scope, HITS)
    })
}

/// Returns the beginning of a text as a query without inline filters: `path:src` is not a filter in a sentence.
fn query(text: &str) -> String {
    let start = &text[..text.floor_char_boundary(QUERY_BYTES)];
    let end =
        if start.len() < text.len() { start.rfind(char::is_whitespace).unwrap_or(start.len()) } else { start.len() };
    let mut query = String::with_capacity(end);
    let mut before = ' ';
    let mut rest = start[..end].chars().peekable();
    while let Some(c) = rest.next() {
        let is_lone_colon = c == ':' && before != ':' && rest.peek() != Some(&':');
        query.push(if is_lone_colon || c.is_control() { ' ' } else { c });
        before = c;
    }
    query.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use recall_core::{Filters, understand};

    use super::*;

    #[test]
    fn a_prompt_has_no_inline_filters() {
        let check = |prompt: &str, expected: &str| {
            let query = query(prompt);
            assert_eq!(query, expected);
            let understood = understand(&query);
            assert!(understood.filters == Filters::default() && understood.scope.is_none(), "{understood:?}");
        };
        check("Why does path:src/a.rs:10 fail in Store::open?", "Why does path src/a.rs 10 fail in Store::open?");
        check("lang:rust type: adr \u{1b}[2J", "lang rust type  adr  [2J");
        let long = format!("word {}", "x".repeat(5_000_000));
        assert_eq!(query(&long), "word");
        assert!(search_for(" ?!\n", Scope::All).is_none());
    }
}
