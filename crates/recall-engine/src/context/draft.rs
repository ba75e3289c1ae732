//! The candidates of a context window: parts of documents, and single entries.

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
