//! Exact strings: whether every line that ripgrep finds is found.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::recall::{CommandLine, Corpus};
use super::report::{Report, Table, figure};
use super::statistics::{self, Random};
use super::tree::{self, Checkout};
use super::{Bench, ripgrep};

/// A string that more lines have is drawn again: an answer has at most a thousand.
const MOST_LINES: usize = 900;

/// The letters of a string.
const LETTERS: std::ops::Range<usize> = 6..24;

/// Lines by path and number.
type Places = BTreeSet<(String, usize)>;

/// Draws strings out of the files of the repository and searches each with both.
pub(crate) fn measure(bench: &Bench) -> Result<Report, String> {
    let checkout = Checkout::clone(&bench.repository, bench.place.join("trees/literals"))?;
    checkout.switch("HEAD")?;
    let recall = bench.recall("literals", &[])?;
    recall.settle(&checkout.root)?;
    let texts = texts(&checkout.root)?;
    let mut random = Random::new(bench.seed);
    let mut report = Report {
        raw: Table::new(&["string", "rg_lines", "recall_lines", "missed", "more", "complete", "missed_in"]),
        ..Report::default()
    };
    let (mut lines, mut missed, mut more, mut incomplete) = (0, 0, 0, 0);
    let (mut ours_ms, mut missed_strings, mut missed_files) = (Vec::new(), 0, BTreeSet::new());
    while report.raw.rows.len() < bench.limit {
        let string = draw(&texts, &mut random);
        let expected = ripgrep::lines(&checkout.root, &string, Corpus::All, &["--hidden", "--glob", "!.git"])?;
        if expected.is_empty() || expected.len() > MOST_LINES {
            continue;
        }
        let expected: Places = expected.into_iter().map(|line| (line.path, line.number)).collect();
        let (found, is_complete, ms) = search(&recall, &checkout.root, &string)?;
        let of_string = expected.difference(&found).count();
        let files: BTreeSet<String> = expected.difference(&found).map(|(path, _)| path.clone()).collect();
        let beyond = found.difference(&expected).count();
        (lines, missed, more) = (lines + expected.len(), missed + of_string, more + beyond);
        missed_strings += usize::from(of_string > 0);
        incomplete += usize::from(!is_complete);
        ours_ms.push(ms);
        let numbers = [expected.len(), found.len(), of_string, beyond].map(|number| number.to_string());
        missed_files.extend(files.iter().cloned());
        report.raw.rows.push([&[string][..], &numbers, &[is_complete.to_string(), list(&files)]].concat());
    }
    let strings = report.raw.rows.len();
    let mut table = Table::new(&[
        "strings",
        "lines by rg",
        "missed by recall",
        "strings with a missed line",
        "lines that only recall has",
        "not said to be complete",
        "p50 ms",
    ]);
    let numbers = [strings, lines, missed, missed_strings, more, incomplete].map(|number| number.to_string());
    table.rows.push([&numbers[..], &[figure(statistics::percentile(&ours_ms, 0.5))]].concat());
    report.tables.push(table);
    if missed > 0 {
        report.losses.push(format!(
            "{missed} of {lines} lines that rg finds are not found, of {missed_strings} of {strings} strings; they are in {}",
            list(&missed_files)
        ));
    }
    report.summary = format!("{missed} of {lines} lines that rg finds are missed, {strings} strings");
    report.remarks.push(
        "Each string is 6 to 23 letters out of a random line of a random file that git tracks. `rg --fixed-strings --hidden` and `recall search \
         --exact` search the same checkout. *Complete* is what recall says of its answer, of the files that it indexes; \
         binary files and private keys are left out, and `recall status` says how many and why."
            .to_owned(),
    );
    Ok(report)
}

fn list(files: &BTreeSet<String>) -> String {
    files.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// Returns the texts that git tracks.
fn texts(root: &Path) -> Result<Vec<String>, String> {
    let paths = tree::read_git(root, &["ls-files", "-z"])?;
    let texts: Vec<String> = paths.split('\0').filter_map(|path| fs::read_to_string(root.join(path)).ok()).collect();
    if texts.is_empty() { Err("git tracks no text".to_owned()) } else { Ok(texts) }
}

/// Returns a string of a random line. Strings do not begin or end with space, which a shell's user would not search.
fn draw(texts: &[String], random: &mut Random) -> String {
    loop {
        let text = &texts[random.below(texts.len())];
        let lines: Vec<&str> = text.lines().collect();
        if lines.is_empty() {
            continue;
        }
        let letters: Vec<char> = lines[random.below(lines.len())].trim().chars().collect();
        let length = LETTERS.start + random.below(LETTERS.len());
        if letters.len() < length {
            continue;
        }
        let first = random.below(letters.len() - length + 1);
        let string: String = letters[first..first + length].iter().collect();
        if string.trim() == string {
            return string;
        }
    }
}

/// Returns the lines that recall finds, whether it says that these are all, and its time.
fn search(recall: &CommandLine, root: &Path, string: &str) -> Result<(Places, bool, f64), String> {
    let pattern = format!("--exact={string}");
    let answer = recall.ask(root, &["search", "--scope", "project", "--k", "1000", &pattern], "")?;
    let line = |hit: &serde_json::Value| {
        let path = hit["doc"]["path"].as_str()?.to_owned();
        Some((path, hit["chunk"]["start_line"].as_f64()? as usize))
    };
    let lines = answer.json["results"].as_array().into_iter().flatten().filter_map(line).collect();
    Ok((lines, answer.json["complete"] == true, answer.ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_a_part_of_a_line_without_space_around_it() {
        let texts = ["short\n    let some_longer_line = of(code);\n".to_owned(), String::new()];
        let mut random = Random::new(3);
        for _ in 0..100 {
            let string = draw(&texts, &mut random);
            assert!(texts[0].contains(&string) && string.trim() == string, "{string:?}");
            assert!(LETTERS.contains(&string.chars().count()), "{string:?}");
        }
    }
}
