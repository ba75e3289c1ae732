//! Bodies of commit messages, used as memories.

use std::error::Error;
use std::path::Path;

use recall_os::git::Program;

use crate::training::sources::spread;

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
const MIN_WORDS: usize = 10;
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
    let says_something = text.split_whitespace().count() >= MIN_WORDS && !text.starts_with("Bumps ");
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
