//! Splitting of a normalized text into the words of the index.
//!
//! Words of scripts with spaces are those of [`recall_text::words::split`], with marks that have no composed letter. A run of a
//! script without spaces gives each of its letters and each pair of neighbours: any part of it that is a word has the same
//! pairs wherever it is. A dictionary of words finds fewer of them, because it cuts a sentence and a word of the sentence
//! differently (`docs/adr/0052-words-without-spaces-are-pairs-of-letters.md`).

use recall_text::words::{self, Piece, letters, pieces, runs};

/// A word of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// A word without parts.
    Plain(&'a str),
    /// An identifier with several parts, whole.
    Compound(&'a str),
    /// One part of the preceding compound.
    Part(&'a str),
    /// Two neighbouring letters of a script without spaces. It comes before the first of the two.
    Pair(&'a str),
    /// One letter of a longer run of a script without spaces.
    Letter(&'a str),
    /// A run of a script without spaces that has one letter.
    Alone(&'a str),
}

impl<'a> Word<'a> {
    /// The word as written.
    pub(crate) fn text(self) -> &'a str {
        let (Self::Plain(text)
        | Self::Compound(text)
        | Self::Part(text)
        | Self::Pair(text)
        | Self::Letter(text)
        | Self::Alone(text)) = self;
        text
    }

    /// Whether it is of a script without spaces between words.
    pub(crate) fn is_unspaced(self) -> bool {
        matches!(self, Self::Pair(_) | Self::Letter(_) | Self::Alone(_))
    }

    /// Whether a query looks for it. The letters of a longer run are in its pairs.
    pub(crate) fn is_asked_for(self) -> bool {
        !matches!(self, Self::Letter(_))
    }

    /// Whether the next word is at the next position. A compound has the position of its first part, a pair that of its
    /// first letter.
    pub(crate) fn advances(self) -> bool {
        !matches!(self, Self::Compound(_) | Self::Pair(_))
    }
}

impl<'a> From<words::Word<'a>> for Word<'a> {
    fn from(word: words::Word<'a>) -> Self {
        match word {
            words::Word::Plain(text) => Self::Plain(text),
            words::Word::Compound(text) => Self::Compound(text),
            words::Word::Part(text) => Self::Part(text),
        }
    }
}

/// Calls `emit` with each word of a normalized text, in order. Each is a slice of the text.
pub(crate) fn split(text: &str, mut emit: impl FnMut(Word<'_>)) {
    if text.is_ascii() {
        return words::split(text, |word| emit(word.into()));
    }
    for run in runs(text) {
        if run.is_ascii() {
            words::split(run, |word| emit(word.into()));
            continue;
        }
        for piece in pieces(run) {
            match piece {
                Piece::Spaced(piece) => split_spaced(piece, &mut emit),
                Piece::Unspaced(piece) => split_unspaced(piece, &mut emit),
            }
        }
    }
}

fn split_spaced(piece: &str, emit: &mut impl FnMut(Word<'_>)) {
    let has_marks = letters(piece).any(|letter| letter.chars().nth(1).is_some());
    if !has_marks {
        return words::split(piece, |word| emit(word.into()));
    }
    // Letters with marks are of scripts without case, so `_` alone separates parts.
    let whole = piece.trim_matches('_');
    if !whole.contains('_') {
        if !whole.is_empty() {
            emit(Word::Plain(whole));
        }
        return;
    }
    emit(Word::Compound(whole));
    whole.split('_').filter(|part| !part.is_empty()).for_each(|part| emit(Word::Part(part)));
}

fn split_unspaced(piece: &str, emit: &mut impl FnMut(Word<'_>)) {
    let mut at = 0;
    let mut rest = letters(piece).peekable();
    while let Some(letter) = rest.next() {
        match rest.peek() {
            Some(next) => {
                emit(Word::Pair(&piece[at..at + letter.len() + next.len()]));
                emit(Word::Letter(letter));
            }
            None if at == 0 => emit(Word::Alone(letter)),
            None => emit(Word::Letter(letter)),
        }
        at += letter.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut found = Vec::new();
        split(text, |word| {
            found.push(match word {
                Word::Plain(text) => text.to_owned(),
                Word::Compound(text) => format!("<{text}>"),
                Word::Part(text) => format!("+{text}"),
                Word::Pair(text) => format!("[{text}]"),
                Word::Letter(text) => format!("'{text}"),
                Word::Alone(text) => format!("={text}"),
            });
        });
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn runs_without_spaces_give_letters_and_pairs() {
        for (text, expected) in [
            ("日本語 text", "[日本] '日 [本語] '本 '語 text"),
            ("锁 超时", "=锁 [超时] '超 '时"),
            ("使用httpClient缓存", "[使用] '使 '用 <httpClient> +http +Client [缓存] '缓 '存"),
            ("값을", "[값을] '값 '을"),
            ("งิน", "[งิน] 'งิ 'น"),
            ("größeÄndern", "<größeÄndern> +größe +Ändern"),
            ("हिन्दी_नाम", "<हिन्दी_नाम> +हिन्दी +नाम"),
            ("_हिन्दी_", "हिन्दी"),
            ("表_user", "=表 user"),
        ] {
            check(text, expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn the_words_of_ascii_are_those_of_the_core(text in "[ -~\n]{0,60}", beyond in "[é日–]?") {
            let mut expected = Vec::new();
            words::split(&text, |word| expected.push(format!("{:?}", Word::from(word))));
            let mut found = Vec::new();
            split(&format!("{beyond} {text}"), |word| found.push(format!("{word:?}")));
            let before = found.len() - expected.len();
            assert!(before <= 1);
            assert_eq!(&found[before..], expected);
        }
    }
}
