//! Phrases that the house style rules out, in documents and string literals.

use super::File;

/// A phrase that a reader must read twice, and the plain one.
struct Banned {
    phrase: &'static str,
    plain: &'static str,
}

/// Each phrase is matched in any case and between word boundaries.
const BANNED: &[Banned] = &[
    Banned { phrase: "nobody had done it", plain: "first search in this project" },
    Banned { phrase: "anew", plain: "again, or `re…`: rebuild, reopen, reread" },
    Banned { phrase: "whoever", plain: "the caller, the reader, anyone who" },
    Banned { phrase: "tell the meaning", plain: "embed, compare by meaning" },
    Banned { phrase: "tells the meaning", plain: "embeds, compares by meaning" },
    Banned { phrase: "has its say", plain: "counts, takes part" },
    Banned { phrase: "had its say", plain: "counted, took part" },
    Banned { phrase: "have their say", plain: "count, take part" },
    Banned { phrase: "makes up for", plain: "replaces, recovers" },
    Banned { phrase: "cannot be told", plain: "cannot be determined, is not known" },
    Banned { phrase: "words alone decide", plain: "keyword results only" },
    Banned { phrase: "which there is not", plain: "which does not exist, unknown" },
    Banned { phrase: "a defect of recall", plain: "a bug in recall" },
    Banned { phrase: "and was given up", plain: "failed, was cancelled" },
    Banned { phrase: "such a one", plain: "one" },
    Banned { phrase: "set aside", plain: "quarantined" },
    Banned { phrase: "is passed over", plain: "is skipped, is ignored" },
    Banned { phrase: "are passed over", plain: "are skipped, are ignored" },
    Banned { phrase: "passed over for", plain: "replaced by" },
    Banned { phrase: "nothing is known as", plain: "not found" },
    Banned { phrase: "is no directory", plain: "is not a directory" },
    Banned { phrase: "is no file", plain: "is not a file" },
    Banned { phrase: "is no folder", plain: "is not a folder" },
    Banned { phrase: "is no id", plain: "is not an id" },
    Banned { phrase: "is no model", plain: "is not a model" },
    Banned { phrase: "is no name", plain: "is not a name" },
    Banned { phrase: "is no number", plain: "is not a number" },
    Banned { phrase: "is no path", plain: "is not a path" },
    Banned { phrase: "is no socket", plain: "is not a socket" },
    Banned { phrase: "is no text", plain: "is not text" },
];

/// The number of phrases that the string literals of each package still contain. A number may only decrease, and a line
/// is removed with the last one. Counted by package, so that files can be moved.
const STILL_HELD: &[(&str, usize)] = &[("crates/recall-engine", 1)];

/// Returns the banned phrases of a document, with their replacements.
pub(super) fn in_document(file: &File) -> Vec<String> {
    found(&file.path, &file.text)
}

/// The banned phrases in the string literals of a Rust file, each once.
pub(super) fn in_literals(file: &File) -> Vec<String> {
    // The bar keeps a phrase from beginning in one literal and ending in the next.
    found(&file.path, &literals(&file.text).join(" | "))
}

/// Returns the number of phrases that the literals of a folder may still contain.
pub(super) fn still_held(folder: &str) -> usize {
    STILL_HELD.iter().find(|(held, _)| *held == folder).map_or(0, |(_, count)| *count)
}

/// The folder that a file is counted in: its package.
pub(super) fn folder(path: &str) -> &str {
    let parts = if path.starts_with("crates/") { 2 } else { 1 };
    let end = path.match_indices('/').nth(parts - 1).map_or(path.len(), |(at, _)| at);
    &path[..end]
}

fn found(path: &str, text: &str) -> Vec<String> {
    // A phrase may go over the end of a line.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let holds = |banned: &&Banned| text.match_indices(banned.phrase).any(|(at, _)| is_whole(&text, at, banned.phrase));
    let report = |banned: &Banned| format!("{path}: write \"{}\" instead of \"{}\"", banned.plain, banned.phrase);
    BANNED.iter().filter(holds).map(report).collect()
}

/// Whether the phrase at this place is not a part of longer words, nor of "there is no …".
fn is_whole(text: &str, at: usize, phrase: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let is_absence = phrase.starts_with("is no ") && text[..at].ends_with("there ");
    !is_absence && !text[..at].ends_with(is_word) && !text[at + phrase.len()..].starts_with(is_word)
}

/// The contents of the string literals of Rust source, as they are written. Comments and characters are left out.
fn literals(source: &str) -> Vec<String> {
    let mut literals = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let taken = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some((literal, length)) = raw(rest).or_else(|| plain(rest)) {
            literals.push(literal.to_owned());
            length
        } else {
            character(rest).or_else(|| word(rest)).unwrap_or(first.len_utf8())
        };
        rest = &rest[taken..];
    }
    literals
}

/// A raw string at the start of the text, with the length of the whole literal.
fn raw(text: &str) -> Option<(&str, usize)> {
    let hashes_and_more = text.strip_prefix('r')?;
    let opened = hashes_and_more.trim_start_matches('#').strip_prefix('"')?;
    let hashes = hashes_and_more.len() - opened.len() - 1;
    let length = opened.find(&format!("\"{}", "#".repeat(hashes)))?;
    Some((&opened[..length], text.len() - opened.len() + length + 1 + hashes))
}

/// A string with escapes at the start of the text, with the length of the whole literal.
fn plain(text: &str) -> Option<(&str, usize)> {
    let opened = text.strip_prefix('"')?;
    let mut is_escaped = false;
    let length = opened.find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    Some((&opened[..length], length + 2))
}

/// The length of a character literal at the start of the text; `None` for a lifetime.
fn character(text: &str) -> Option<usize> {
    let opened = text.strip_prefix('\'')?;
    if let Some(escaped) = opened.strip_prefix('\\') {
        let escape = escaped.chars().next()?.len_utf8();
        return escaped[escape..].find('\'').map(|end| 2 + escape + end + 1);
    }
    let length = opened.chars().next()?.len_utf8();
    opened[length..].starts_with('\'').then_some(length + 2)
}

/// The length of a name at the start of the text, so that an `r` at its end begins no raw string.
fn word(text: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.starts_with(is_word).then(|| text.find(|c| !is_word(c)).unwrap_or(text.len()))
}

#[test]
fn every_banned_phrase_is_found() {
    let file = |path: &str, text: String| File { path: path.to_owned(), text };
    for Banned { phrase, .. } in BANNED {
        let wrapped = phrase.replacen(' ', "\n", 1);
        for text in [format!("It {phrase}."), format!("It {}.", phrase.to_uppercase()), format!("It {wrapped}, too.")] {
            assert_eq!(in_document(&file("a.md", text.clone())).len(), 1, "{text}");
        }
        for source in [
            format!("fn a() {{ say(\"it {phrase}\") }}"),
            format!("fn a() {{ say(r#\"\"it\" {phrase}\"#) }}"),
            format!("const QUOTE: char = '\"'; const TEXT: &str = \"\\\"{phrase}\\\"\";"),
            format!("fn a<'a>(it: &'a str) -> &'a str {{ it }} // it's\nconst TEXT: &str = \"{phrase}\";"),
        ] {
            assert_eq!(in_literals(&file("a.rs", source.clone())).len(), 1, "{source}");
        }
        assert!(in_literals(&file("a.rs", format!("// {phrase}\nlet it = \"\"; /* {phrase} */"))).is_empty());
        assert!(in_document(&file("a.md", format!("{phrase}x, x{phrase}"))).is_empty(), "{phrase}");
    }
    assert!(in_document(&file("a.md", "There is no file, and there is no id.".to_owned())).is_empty());
}

#[test]
fn a_file_is_counted_in_its_package() {
    for (path, expected) in [
        ("crates/recall-core/src/lib.rs", "crates/recall-core"),
        ("recalld/src/service/get.rs", "recalld"),
        ("README.md", "README.md"),
    ] {
        assert_eq!(folder(path), expected);
    }
}
