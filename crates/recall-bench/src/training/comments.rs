//! Questions from the doc comments of definitions and from the headings of Markdown sections.
//!
//! A comment describes in a person's words what the code does, as a question would. To ask for the code, the comment
//! must be removed from it.
//!
//! A heading summarises its section in a few words. To ask for the section, it is stored in a file of its own without
//! the heading.

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

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) heading: String,
    pub(crate) text: String,
}

/// The minimum length of a section in bytes.
const MIN_BYTES: usize = 120;

/// The minimum number of content words of a heading.
const MIN_HEADING_WORDS: usize = 2;

/// Returns the sections of a Markdown text, in order, without short ones and those without a heading.
pub(crate) fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut is_fenced = false;
    for line in text.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        match line.strip_prefix('#').map(|rest| rest.trim_start_matches('#')) {
            Some(heading) if !is_fenced && heading.starts_with(' ') => {
                let heading = heading.split(" {#").next().unwrap_or_default().trim().trim_end_matches('#').trim();
                sections.push(Section { heading: heading.to_owned(), text: String::new() });
            }
            _ => {
                if let Some(section) = sections.last_mut() {
                    section.text.push_str(line);
                    section.text.push('\n');
                }
            }
        }
    }
    sections.retain(|section| section.text.trim().len() >= MIN_BYTES);
    sections
}

/// Whether a heading is descriptive enough to be a question.
pub(crate) fn is_descriptive(heading: &str) -> bool {
    let words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
    let telling = words.filter(|word| !is_stop_word(&word.to_ascii_lowercase()) && !word.starts_with(char::is_numeric));
    telling.count() >= MIN_HEADING_WORDS
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

    #[test]
    fn a_section_ends_at_the_next_heading() {
        let body = "words ".repeat(30);
        let text = format!("# One thing\n{body}\n```\n# no heading\n```\n## Another {{#id}}\n{body}\n### Short\nx\n");
        let sections = sections(&text);
        let headings: Vec<&str> = sections.iter().map(|section| section.heading.as_str()).collect();
        assert_eq!(headings, ["One thing", "Another"]);
        assert!(sections[0].text.contains("# no heading"));
    }

    #[test]
    fn a_heading_of_one_word_is_not_descriptive() {
        assert!(
            is_descriptive("Rotating the signing key") && !is_descriptive("Usage") && !is_descriptive("Version 1.2")
        );
    }
}
