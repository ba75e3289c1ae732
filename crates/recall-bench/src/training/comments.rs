//! Questions from the doc comments of definitions and from the headings of Markdown sections, and memories from the bodies of
//! commit messages.
//!
//! A comment describes in a person's words what the code does, as a question would. To ask for the code, the comment
//! must be removed from it.
//!
//! A heading summarises its section in a few words. To ask for the section, it is stored in a file of its own without
//! the heading.

use std::error::Error;
use std::path::Path;

use recall_chunk::{ChunkLimits, Chunker};
use recall_core::{ByteSpan, Limits};
use recall_os::git::Program;
use recall_text::words::is_stop_word;
use recall_text::{DocPath, FileKind, Form, Language};

use crate::training::sources::spread;

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

/// A commit message with a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Body {
    /// The first line of the message.
    pub(crate) subject: String,
    /// The body, without trailers.
    pub(crate) text: String,
    /// The changed files, up to a limit.
    pub(crate) files: Vec<String>,
}

/// The minimum number of words of a body.
const MIN_BODY_WORDS: usize = 10;
/// The maximum length of a body in bytes, about what a person writes as one memory.
const MAX_BYTES: usize = 1_500;
/// The maximum number of changed files of a memory.
const MAX_FILES: usize = 5;

/// Reads bodies, sampled evenly from the newest 3,000 commits, except those whose subject contains one of `without`.
pub(crate) fn read(git_dir: &Path, most: usize, without: &[&str]) -> Result<Vec<Body>, Box<dyn Error + Send + Sync>> {
    let mut git = Program::find(git_dir)?.command();
    git.arg("--git-dir").arg(git_dir);
    git.args(["log", "-3000", "--no-merges", "--name-only", "--format=%x1e%s%x1f%b%x1f", "HEAD"]);
    let output = git.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let log = String::from_utf8_lossy(&output.stdout);
    let mut bodies: Vec<Body> = log.split('\x1e').filter_map(body).collect();
    bodies.retain(|body| !without.iter().any(|subject| body.subject.contains(subject)));
    bodies.dedup_by(|a, b| a.text == b.text);
    let places: Vec<usize> = spread(&(0..bodies.len()).collect::<Vec<_>>(), most).copied().collect();
    let mut numbered = bodies.into_iter().enumerate();
    Ok(numbered.by_ref().filter(|(number, _)| places.binary_search(number).is_ok()).map(|(_, body)| body).collect())
}

/// Parses an entry of the log: the subject, the body, the files.
fn body(entry: &str) -> Option<Body> {
    let mut parts = entry.split('\x1f');
    let (subject, text, files) = (parts.next()?.trim(), parts.next()?, parts.next()?);
    let mut kept: String = text.lines().filter(|line| !is_trailer(line)).collect::<Vec<_>>().join("\n");
    kept.truncate(kept.floor_char_boundary(MAX_BYTES));
    let text = kept.trim();
    let says_something = text.split_whitespace().count() >= MIN_BODY_WORDS && !text.starts_with("Bumps ");
    let files = files.lines().map(str::trim).filter(|file| !file.is_empty()).take(MAX_FILES);
    let files = files.map(ToOwned::to_owned).collect();
    says_something.then(|| Body { subject: subject.to_owned(), text: text.to_owned(), files })
}

/// Whether a line is a trailer: a sign-off, a closed issue or a link to the discussion.
fn is_trailer(line: &str) -> bool {
    let says = |(key, value): (&str, &str)| {
        let is_key = key.len() > 2 && key.starts_with(char::is_uppercase);
        let is_one_word = key.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
        is_key && is_one_word && (key.contains('-') || key == "Closes" || key == "Fixes" || value.contains("//"))
    };
    let begins = ["Closes #", "Fixes #", "Fixes: ", "Refs ", "See #", "PiperOrigin", "(cherry picked"];
    line.split_once(": ").is_some_and(says) || begins.iter().any(|begin| line.trim_start().starts_with(begin))
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

    #[test]
    fn trailers_are_removed_from_a_body() {
        let text = "Retries were sent at once, which a busy server answers with more errors. They wait now.";
        let entry = format!(
            "net: wait between retries\x1f{text}\n\nCloses #12\nSigned-off-by: A <a@b.c>\nReviewed-on: https://x/1\n\x1f\n\nsrc/net.rs\nsrc/a.rs\n"
        );
        let expected = Body {
            subject: "net: wait between retries".to_owned(),
            text: text.to_owned(),
            files: vec!["src/net.rs".to_owned(), "src/a.rs".to_owned()],
        };
        assert_eq!(body(&entry), Some(expected));
    }

    #[test]
    fn a_few_words_are_not_a_body() {
        assert_eq!(body("x\x1fToo short to say anything.\x1f"), None);
        assert_eq!(body(""), None);
    }
}
