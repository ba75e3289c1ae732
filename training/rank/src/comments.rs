//! Which definitions are described by a comment, and what is left when the comment is taken away?
//!
//! A comment says in a person's words what the code below it does, as a question would. To ask for the code, the comment
//! must not stand there any more.

use recall_chunk::{ChunkLimits, Chunker, language_of};
use recall_core::words::is_stop_word;
use recall_core::{ByteSpan, DocPath, FileKind, Form, Limits};

/// A file whose comment was taken away.
pub(crate) struct Bared {
    /// The first sentence of the comment.
    pub(crate) sentence: String,
    /// The text without the comment.
    pub(crate) text: String,
}

/// The fewest telling words of a sentence that is asked for.
const FEWEST_WORDS: usize = 4;
/// The most words of a sentence: more is a paragraph.
const MOST_WORDS: usize = 25;

/// Takes one described definition of a file and its comment; `None` when it has none that says enough.
pub(crate) fn bare(path: &DocPath, text: &str) -> Option<Bared> {
    let language = language_of(path, text);
    if Form::of(language.as_ref()) != Form::Program {
        return None;
    }
    let parsed = Chunker::new(ChunkLimits::from(&Limits::default())).parse(path, language.as_ref(), text);
    if FileKind::of_parsed(path, language.as_ref(), text, &parsed) != FileKind::Main {
        return None;
    }
    let described: Vec<(ByteSpan, String)> = parsed
        .chunks
        .iter()
        .filter_map(|chunk| Some((chunk.doc_comment?, sentence(chunk.doc_comment?.of(text)?)?)))
        .collect();
    // The one in the middle: the first of a file is often about the file as a whole.
    let (span, sentence) = described.get(described.len() / 2)?.clone();
    let mut bared = text[..span.start as usize].to_owned();
    bared.push_str(&text[span.end as usize..]);
    Some(Bared { sentence, text: bared })
}

/// The first sentence of a comment, without the marks of the language.
fn sentence(comment: &str) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    'lines: for line in comment.lines() {
        let line = line.trim().trim_start_matches(['/', '*', '#', '-', '!', '%', ';', '"', '\'', '|', '{', '(']).trim();
        let line = line.trim_end_matches(['*', '/', '"', '}', ')']).trim();
        if line.starts_with('@') || line.starts_with('\\') || line.starts_with("Args") || line.starts_with("Param") {
            break;
        }
        if line.is_empty() {
            if words.is_empty() {
                continue;
            }
            break;
        }
        for word in line.split_whitespace() {
            words.push(word);
            if word.len() > 2 && word.ends_with(['.', '!', '?']) {
                break 'lines;
            }
        }
    }
    let is_telling = |word: &&&str| {
        word.chars().filter(|c| c.is_alphabetic()).count() > 2 && !is_stop_word(&word.to_ascii_lowercase())
    };
    let telling = words.iter().filter(is_telling).count();
    let says_licence = words.iter().any(|word| word.contains("opyright") || word.contains("icense"));
    let sentence = words.join(" ").trim_end_matches(['.', ':']).to_owned();
    (telling >= FEWEST_WORDS && words.len() <= MOST_WORDS && !says_licence).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_taken_without_marks() {
        for (comment, expected) in [
            ("/// Opens the store of a project for reading. Fails.", Some("Opens the store of a project for reading")),
            (
                "/**\n * Reads every header of a request,\n * line by line.\n * @param x y\n */",
                Some("Reads every header of a request, line by line"),
            ),
            ("# too short", None),
            ("// Copyright 2020 The Authors of this fine program", None),
        ] {
            assert_eq!(sentence(comment).as_deref(), expected, "{comment:?}");
        }
    }

    #[test]
    fn the_comment_is_gone_and_the_definition_stays() {
        let text = "/// Writes all pending records of the journal to disk.\npub fn flush(journal: &mut Journal) {\n    journal.sync();\n}\n";
        let bared = bare(&DocPath::new("src/journal.rs").expect("plain"), text).expect("described");
        assert_eq!(bared.sentence, "Writes all pending records of the journal to disk");
        assert!(bared.text.contains("pub fn flush") && !bared.text.contains("pending"));
    }
}
