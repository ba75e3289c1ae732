//! The candidates of a context window, that is parts of documents and single entries, and their text: one line, or a
//! block.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::mask;

/// A document whose parts may be packed, the best part first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Source {
    /// The section that it belongs to.
    pub(crate) section: ContextSection,
    /// Its path, on one line.
    pub(crate) label: String,
    /// The name of its language; empty if unknown.
    pub(crate) language: String,
    /// What a reader has to know about its state; empty for nothing.
    pub(crate) state: String,
    /// Whether it is shown in depth: with more of its parts before further documents have their turn.
    pub(crate) is_deep: bool,
    /// Its parts, the best first. Not empty.
    pub(crate) parts: Vec<Part>,
}

/// Consecutive lines of a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    /// The number of the first line, from 1.
    pub(crate) first_line: u32,
    /// The lines, cleaned and without line feeds. Not empty.
    pub(crate) lines: Vec<String>,
    /// The indexes of the lines that are kept first if not all fit: the most telling first.
    pub(crate) key_lines: Vec<usize>,
    /// The most lines that are shown: all of them, or the key lines of an outline.
    pub(crate) most_lines: usize,
    /// What stands for the part in one line: its signature or its most telling line.
    pub(crate) gist: String,
}

impl Part {
    /// Returns the number of the last line.
    pub(crate) fn last_line(&self) -> u32 {
        self.first_line + self.lines.len() as u32 - 1
    }
}

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Whole lines, cleaned and masked.
    pub(crate) text: String,
}

impl Entry {
    /// Creates an entry of one line, with its secrets masked.
    pub(crate) fn line(text: &str) -> Self {
        Self::lines(format!("- {text}\n"))
    }

    /// Creates an entry of whole lines, with its secrets masked.
    pub(crate) fn lines(mut text: String) -> Self {
        mask::text(&mut text);
        Self { text }
    }
}

/// A kind of content in a context window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContextSection {
    /// Code that answers the task.
    Code,
    /// Documentation that answers it.
    Documentation,
    /// Architecture decision records (ADRs).
    Adrs,
    /// Decisions, lessons and other memories about the task or its files.
    Decisions,
    /// Signatures of the definitions that the code uses.
    Signatures,
    /// Tests that cover the code.
    Tests,
    /// Recent commits of the files.
    Changes,
    /// Who owns the files.
    Owners,
}

impl ContextSection {
    /// The sections of a window for which none are named, in order of priority. Owners are named only on request.
    pub const DEFAULT: [Self; 7] =
        [Self::Code, Self::Documentation, Self::Adrs, Self::Decisions, Self::Signatures, Self::Tests, Self::Changes];

    /// Returns the heading of the section.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Code => "## Code\n",
            Self::Documentation => "## Documentation\n",
            Self::Adrs => "## Decision records\n",
            Self::Decisions => "## Decisions and lessons\n",
            Self::Signatures => "## Used definitions\n",
            Self::Tests => "## Tests\n",
            Self::Changes => "## Recent commits\n",
            Self::Owners => "## Owners\n",
        }
    }
}

/// The mark of left-out lines between two runs of a block.
const GAP: &str = "…\n";

/// The most runs of a block whose lines are named one by one.
const MOST_PLACES: usize = 4;

/// The lines of a document that a block shows: for each line number, the part and the index of the line in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines(BTreeMap<u32, (usize, usize)>);

impl Lines {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the lines with the first `keep` lines of a part: its key lines, then the others from the top. Parts that touch
    /// or overlap become one run.
    pub(crate) fn with(&self, place: usize, part: &Part, keep: usize) -> Self {
        let mut lines = self.clone();
        let others = (0..part.lines.len()).filter(|index| !part.key_lines.contains(index));
        for index in part.key_lines.iter().copied().chain(others).take(keep) {
            lines.0.entry(part.first_line + index as u32).or_insert((place, index));
        }
        lines
    }

    /// Returns the runs of consecutive lines, without blank lines at their ends.
    pub(crate) fn runs<'s>(&self, source: &'s Source) -> Vec<Run<'s>> {
        let mut runs: Vec<Run<'s>> = Vec::new();
        for (&number, &(place, index)) in &self.0 {
            let line = source.parts[place].lines[index].as_str();
            match runs.last_mut() {
                Some(run) if run.first_line + run.lines.len() as u32 == number => run.lines.push(line),
                _ => runs.push(Run { first_line: number, lines: vec![line] }),
            }
        }
        for run in &mut runs {
            while run.lines.last().is_some_and(|line| line.trim().is_empty()) {
                run.lines.pop();
            }
            let blank = run.lines.iter().take_while(|line| line.trim().is_empty()).count();
            run.lines.drain(..blank);
            run.first_line += blank as u32;
        }
        runs.retain(|run| !run.lines.is_empty());
        runs
    }
}

/// Consecutive lines of a block.
pub(crate) struct Run<'s> {
    pub(crate) first_line: u32,
    lines: Vec<&'s str>,
}

impl Run<'_> {
    pub(crate) fn last_line(&self) -> u32 {
        self.first_line + self.lines.len() as u32 - 1
    }

    pub(crate) fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line, "\n"]).collect()
    }
}

/// Returns the line that stands for a document.
pub(crate) fn pointer(source: &Source) -> String {
    let part = &source.parts[0];
    let gist = if part.gist.is_empty() { String::new() } else { format!(" {}", part.gist) };
    format!("- {}:{}-{}{}{gist}\n", source.label, part.first_line, part.last_line(), source.state)
}

/// Returns the block with lines of a document: its place, and its text in a fence that no line of it can close.
pub(crate) fn block(source: &Source, lines: &Lines) -> String {
    let runs = lines.runs(source);
    let mut text = format!("### {}:{}{}\n", source.label, places(&runs), source.state);
    let longest = runs.iter().flat_map(|run| &run.lines).map(|line| longest_run(line)).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let _ = writeln!(text, "{fence}{}", source.language);
    for (at, run) in runs.iter().enumerate() {
        text.push_str(if at > 0 { GAP } else { "" });
        text.push_str(&run.text());
    }
    let _ = writeln!(text, "{fence}");
    text
}

/// Returns the lines of runs: each of a few, or the first and the last of many.
fn places(runs: &[Run<'_>]) -> String {
    let place = |run: &Run<'_>| format!("{}-{}", run.first_line, run.last_line());
    match runs {
        [first, .., last] if runs.len() > MOST_PLACES => format!("{}-{}", first.first_line, last.last_line()),
        _ => runs.iter().map(place).collect::<Vec<_>>().join(","),
    }
}

/// Returns the length of the longest run of backticks.
fn longest_run(line: &str) -> usize {
    line.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
