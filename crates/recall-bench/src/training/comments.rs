//! Questions from the doc comments of definitions.
//!
//! A comment describes in a person's words what the code does, as a question would. To ask for the code, the comment
//! must be removed from it.

use recall_chunk::{ChunkLimits, Chunker};
use recall_core::{ByteSpan, Limits};
use recall_text::words::is_stop_word;
use recall_text::{DocPath, FileKind, Form, Language};

/// A file without one of its comments.
pub(crate) struct Uncommented {
    /// The first sentence of the comment.
    pub(crate) sentence: String,
    /// The text without the comment.
    pub(crate) text: String,
}

/// The minimum number of content words of a sentence.
const MIN_WORDS: usize = 4;
/// The maximum number of words of a sentence; more is a paragraph.
const MAX_WORDS: usize = 25;

/// Removes the comment of one definition of a file; `None` if no comment is suitable.
pub(crate) fn without_comment(path: &DocPath, text: &str) -> Option<Uncommented> {
    let language = Language::detect(path, text);
    if Form::for_language(language.as_ref()) != Form::Program {
        return None;
    }
    let parsed = Chunker::new(ChunkLimits::from(&Limits::default())).parse(path, language.as_ref(), text);
    if parsed.file_kind(path, language.as_ref(), text) != FileKind::Main {
        return None;
    }
    let described: Vec<(ByteSpan, String)> = parsed
        .chunks
        .iter()
        .filter_map(|chunk| Some((chunk.doc_comment?, sentence(chunk.doc_comment?.slice(text)?)?)))
        .collect();
    // The middle one, because the first often describes the whole file.
    let (span, sentence) = described.get(described.len() / 2)?.clone();
    let mut bared = text[..span.start as usize].to_owned();
    bared.push_str(&text[span.end as usize..]);
    Some(Uncommented { sentence, text: bared })
}

/// Returns the first sentence of a comment, without comment signs.
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
    let is_descriptive = |word: &&&str| {
        word.chars().filter(|c| c.is_alphabetic()).count() > 2 && !is_stop_word(&word.to_ascii_lowercase())
    };
    let telling = words.iter().filter(is_descriptive).count();
    let says_licence = words.iter().any(|word| word.contains("opyright") || word.contains("icense"));
    let sentence = words.join(" ").trim_end_matches(['.', ':']).to_owned();
    (telling >= MIN_WORDS && words.len() <= MAX_WORDS && !says_licence).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_has_no_comment_signs() {
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
    fn the_comment_is_removed_and_the_definition_kept() {
        let text = "/// Writes all pending records of the journal to disk.\npub fn flush(journal: &mut Journal) {\n    journal.sync();\n}\n";
        let bared = without_comment(&DocPath::new("src/journal.rs").expect("plain"), text).expect("described");
        assert_eq!(bared.sentence, "Writes all pending records of the journal to disk");
        assert!(bared.text.contains("pub fn flush") && !bared.text.contains("pending"));
    }
}
