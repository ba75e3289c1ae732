//! Links between documents: `../adr/0001-storage.md`, `/guide/`, `src/store.rs`.

use crate::links::path_text::join;
use crate::links::resolve::guess::{Guess, Reach, Thing, beside, guess};

/// The extensions of files that a link without one may lead to.
const PAGES: Thing = Thing::Module(&["md", "mdx", "markdown", "rst", "adoc", "html", "txt"]);

pub(crate) fn guesses(from: &str, target: &str) -> Vec<Guess> {
    let target = decode(target);
    let mut found = Vec::new();
    let from_root = join("", target.trim_start_matches('/'));
    let relative = if target.starts_with('/') { None } else { beside(from, &target) };
    for path in [relative, from_root].into_iter().flatten().filter(|path| !path.is_empty()) {
        found.push(guess(path.clone(), Reach::Here, Thing::File));
        found.push(guess(path, Reach::Here, PAGES));
    }
    found
}

/// Decodes percent-encoding in a link; unchanged if the result is not UTF-8.
fn decode(link: &str) -> String {
    let mut bytes = Vec::with_capacity(link.len());
    let mut rest = link.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind.get(..2).filter(|digits| byte == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let decoded = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(decoded.unwrap_or(byte));
        rest = if decoded.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| link.to_owned())
}
