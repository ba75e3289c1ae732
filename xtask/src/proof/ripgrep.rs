//! ripgrep with a fixed recipe, and the lines that have a word.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::recall::Corpus;
use super::{tree, words};

/// At most this many words of a question are searched: the first, since the beginning of a report says what it is about.
const MOST_WORDS: usize = 24;

/// The matches of a word, by file.
type Counts = BTreeMap<String, usize>;

/// A line that has a word.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Line {
    pub(crate) path: String,
    pub(crate) number: usize,
    pub(crate) text: String,
}

/// Returns ripgrep for a literal, as it behaves without settings.
pub(crate) fn command(root: &Path, literal: &str, corpus: Corpus) -> Command {
    let mut command = Command::new("rg");
    command
        .args(["--no-config", "--no-messages", "--no-heading", "--with-filename", "--fixed-strings"])
        .current_dir(root);
    if corpus == Corpus::Code {
        command.args(["--glob", &format!("*.{{{}}}", tree::CODE.join(","))]);
    }
    command.args(["-e", literal, "."]);
    command
}

fn read(mut command: Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("cannot start rg: {error}"))?;
    // 1: nothing found; 2: some files could not be read.
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the lines that have a literal, by path and number.
pub(crate) fn lines(root: &Path, literal: &str, corpus: Corpus, flags: &[&str]) -> Result<Vec<Line>, String> {
    let mut command = command(root, literal, corpus);
    command.args(["--line-number", "--null"]).args(flags);
    let mut lines: Vec<Line> = read(command)?.lines().filter_map(line).collect();
    lines.sort();
    Ok(lines)
}

/// Reads `./path`, a zero byte, `number:text`.
fn line(row: &str) -> Option<Line> {
    let (path, rest) = row.split_once('\0')?;
    let (number, text) = rest.split_once(':')?;
    let path = path.strip_prefix("./").unwrap_or(path).to_owned();
    Some(Line { path, number: number.parse().ok()?, text: text.to_owned() })
}

/// Returns how many matches of a word each file has, in any case of the letters.
pub(crate) fn counts(root: &Path, word: &str, corpus: Corpus) -> Result<Counts, String> {
    let mut command = command(root, word, corpus);
    command.args(["--ignore-case", "--count-matches", "--null"]);
    let rows = read(command)?;
    let count = |row: &str| {
        let (path, count) = row.split_once('\0')?;
        Some((path.strip_prefix("./").unwrap_or(path).to_owned(), count.parse().ok()?))
    };
    Ok(rows.lines().filter_map(count).collect())
}

/// Returns the words of a question that any file has, those of the fewest files first.
pub(crate) fn by_rarity(root: &Path, question: &str, corpus: Corpus) -> Result<Vec<(String, Counts)>, String> {
    let mut found = Vec::new();
    for word in words::split_question(question).into_iter().take(MOST_WORDS) {
        let files = counts(root, &word, corpus)?;
        if !files.is_empty() {
            found.push((word, files));
        }
    }
    found.sort_by_key(|(_, files)| files.len());
    Ok(found)
}

/// Ranks the files by the number of the question's words that they have, then by the matches of the rarest word, of the next, and so on;
/// then by path.
pub(crate) fn rank(root: &Path, question: &str, corpus: Corpus) -> Result<Vec<String>, String> {
    Ok(order(&by_rarity(root, question, corpus)?))
}

fn order(found: &[(String, Counts)]) -> Vec<String> {
    let mut matches: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
    for (at, (_, files)) in found.iter().enumerate() {
        for (path, count) in files {
            matches.entry(path).or_insert_with(|| vec![0; found.len()])[at] = *count;
        }
    }
    let mut files: Vec<(&String, Vec<usize>)> = matches.into_iter().collect();
    let distinct = |counts: &[usize]| counts.iter().filter(|count| **count > 0).count();
    files.sort_by(|(left, a), (right, b)| {
        distinct(b).cmp(&distinct(a)).then_with(|| b.cmp(a)).then_with(|| left.cmp(right))
    });
    files.into_iter().map(|(path, _)| path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_more_words_come_first_then_those_with_more_of_the_rarest() {
        let counts = |rows: &[(&str, usize)]| rows.iter().map(|(path, count)| ((*path).to_owned(), *count)).collect();
        let found = [
            ("rare".to_owned(), counts(&[("b", 1), ("d", 2)])),
            ("common".to_owned(), counts(&[("a", 9), ("b", 1), ("c", 3)])),
        ];
        assert_eq!(order(&found), ["b", "d", "a", "c"]);
    }

    #[test]
    fn a_row_has_a_path_a_number_and_a_text() {
        let expected = Line { path: "a:b.rs".to_owned(), number: 12, text: "x: y".to_owned() };
        assert_eq!(line("./a:b.rs\u{0}12:x: y"), Some(expected));
        assert_eq!(line("nothing"), None);
    }
}
