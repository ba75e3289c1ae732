//! The parts of what stands between two blanks.

use std::borrow::Cow;

use recall_core::Understood;
use recall_text::normalize_text;
use recall_text::words::{Piece, pieces, runs, unspaced_letters};

/// A part of what stands between two blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A name of code, a path or a number, which is the same in every language.
    Name(&'a str),
    Word(&'a str),
    /// Words of a script without spaces.
    Run(&'a str),
}

/// The parts of a question, in order. `text` is its normalized text. Its paths, and its identifiers in scripts with spaces, are names.
pub(super) fn parts_of_question<'a>(question: &Understood, text: &'a str) -> Vec<Part<'a>> {
    let identifiers = question.identifiers.iter().filter(|name| unspaced_letters(name) == 0);
    let names = question.paths.iter().chain(&question.possible_paths).chain(identifiers);
    let names: Vec<Cow<'_, str>> = names.map(|name| normalize_text(name)).collect();
    let parts = text.split_whitespace().flat_map(|word| match names.iter().find(|name| word.contains(name.as_ref())) {
        Some(name) => {
            let start = word.find(name.as_ref()).unwrap_or_default();
            vec![Part::Name(&word[start..start + name.len()])]
        }
        None => split(word),
    });
    parts.collect()
}

/// The parts of what stands between two blanks, in order: `Handler-Funktionen`, `Redisの接続`, `l'index`.
pub(super) fn split(word: &str) -> Vec<Part<'_>> {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    if bare.is_ascii() && bare.contains(['.', '_', ':', '@', '#']) {
        return vec![Part::Name(bare)];
    }
    let mut parts = Vec::new();
    for part in bare.split('-') {
        if is_name(part) {
            parts.push(Part::Name(part));
            continue;
        }
        parts.extend(runs(part).flat_map(pieces).map(|piece| match piece {
            Piece::Spaced(word) if is_name(word) => Part::Name(word),
            Piece::Spaced(word) => Part::Word(word),
            Piece::Unspaced(run) => Part::Run(run),
        }));
    }
    parts
}

/// Whether a word is written like a name of code.
fn is_name(word: &str) -> bool {
    let has_inner_capital = || word.chars().skip(1).any(char::is_uppercase);
    let has_sign = || word.chars().any(|c| !c.is_ascii_alphabetic() && c != '\'');
    word.is_ascii() && (has_sign() || has_inner_capital())
}
