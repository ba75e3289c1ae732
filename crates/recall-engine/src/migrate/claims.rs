//! What a text claims about a project: the files and symbols that it names.

use std::collections::BTreeSet;

/// A name in a text, with its line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Claim<'t> {
    pub(super) line: u32,
    pub(super) name: &'t str,
}

/// The longest name that is looked up.
const NAME_BYTES: usize = 256;

/// Returns the paths that a text names: words with a `/` and a file extension, without URLs and paths of the user's home.
pub(super) fn files(text: &str) -> BTreeSet<Claim<'_>> {
    let mut claims = BTreeSet::new();
    for (line, words) in lines(text) {
        let words = words.split(|c: char| {
            c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(' | ')' | '[' | ']' | '<' | '>' | ',')
        });
        for word in words {
            let word = word.strip_prefix("./").unwrap_or(word);
            let path = without_position(word.trim_matches(|c: char| matches!(c, '.' | ':' | ';' | '*' | '!' | '?')));
            if path.len() <= NAME_BYTES && is_path(path) {
                claims.insert(Claim { line, name: path });
            }
        }
    }
    claims
}

/// Returns the symbols that a text names: identifiers between backticks that are no plain words.
pub(super) fn symbols(text: &str) -> BTreeSet<Claim<'_>> {
    let mut claims = BTreeSet::new();
    let mut is_fenced = false;
    for (line, words) in lines(text) {
        if words.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        }
        if is_fenced {
            continue;
        }
        for code in words.split('`').skip(1).step_by(2) {
            let name = code.trim_end_matches("()");
            if name.len() <= NAME_BYTES && is_symbol(name, name.len() < code.len()) {
                claims.insert(Claim { line, name });
            }
        }
    }
    claims
}

fn lines(text: &str) -> impl Iterator<Item = (u32, &str)> {
    (1..).zip(text.lines())
}

/// Cuts off the line of a citation: `src/a.rs:10-20`.
fn without_position(path: &str) -> &str {
    match path.split_once(':') {
        Some((path, position)) if position.starts_with(|c: char| c.is_ascii_digit()) => path,
        _ => path,
    }
}

fn is_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@');
    path.contains('/')
        && !path.contains("//")
        && !path.starts_with(['/', '~', '@'])
        && !path.starts_with("www.")
        && path.chars().all(is_plain)
        && !stem.is_empty()
        && (1..=6).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension.chars().all(|c| c.is_ascii_alphanumeric())
        // The first part of `example.com/a.html` is a host.
        && path.split('/').next().is_some_and(|first| first.is_empty() || first.starts_with('.') || !first.contains('.'))
}

fn is_symbol(name: &str, is_called: bool) -> bool {
    let is_identifier = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let parts: Vec<&str> = name.split("::").flat_map(|part| part.split(['.', '#'])).collect();
    let is_compound = |part: &&str| {
        let has_inner_capital =
            part.chars().zip(part.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
        part.trim_matches('_').contains('_') || has_inner_capital
    };
    parts.iter().all(|part| is_identifier(part)) && (is_called || name.contains("::") || parts.iter().any(is_compound))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_urls_hosts_and_prose() {
        let text = "See src/db.rs:10-20, `docs/a b`, (crates/x/lib.rs).\nhttps://x.org/a.rs and/or ~/x/y.rs, /etc/p.conf\n\
                    example.com/a.html v1.2/3.4 ./tools/run.sh";
        let found: Vec<_> = files(text).into_iter().map(|claim| (claim.line, claim.name)).collect();
        assert_eq!(found, [(1, "crates/x/lib.rs"), (1, "src/db.rs"), (3, "tools/run.sh")]);
    }

    #[test]
    fn symbols_are_identifiers_in_backticks() {
        let text = "`open_store` and `Store::open()` but `main`, `true`, `a b`; `retry()` getUser\n```\n`no_code`\n```\n`getUser` `x.yZ`";
        let found: Vec<_> = symbols(text).into_iter().map(|claim| claim.name).collect();
        assert_eq!(found, ["Store::open", "open_store", "retry", "getUser", "x.yZ"]);
    }
}
