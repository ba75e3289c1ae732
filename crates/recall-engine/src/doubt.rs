//! Doubts about the instructions and memories of agents: sentences that name what is no longer there.

use std::path::PathBuf;

use recall_text::DocPath;

/// A name in a sentence that nothing in the project has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The file, as the client sees it.
    pub path: DocPath,
    /// The line of the name, from 1.
    pub line: u32,
    /// The sentence on one line.
    pub sentence: String,
    /// The name as written.
    pub name: String,
    /// What it would be the name of.
    pub kind: DoubtKind,
    /// Why it is doubted, in words: `deleted in 1a2b3c4`.
    pub reason: String,
    /// Where the same sentence is too: the files and lines; empty in a report, which has a doubt for each place.
    pub also_at: Vec<(DocPath, u32)>,
}

/// What a doubted name would be the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DoubtKind {
    /// A file or a directory.
    File,
    /// An identifier of code.
    Symbol,
    /// A command whose target the project declares, such as `make lint`.
    Command,
}

impl DoubtKind {
    /// Returns its name in interfaces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Symbol => "symbol",
            Self::Command => "command",
        }
    }
}

/// The check of the files that agents read as instructions or wrote as memories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdoptedReport {
    /// The number of files that were read.
    pub files: u64,
    /// The number of names that could be checked.
    pub claims: u64,
    /// The doubts, by file and line.
    pub doubts: Vec<Doubt>,
    /// Whether nothing was checked, because the project is still being indexed.
    pub is_too_early: bool,
}

impl AdoptedReport {
    /// Returns the doubts, those about one name in one sentence once, with the other places of the sentence.
    pub fn without_repeats(&self) -> Vec<Doubt> {
        let mut told: Vec<Doubt> = Vec::new();
        for doubt in &self.doubts {
            match told.iter_mut().find(|known| known.repeats(doubt)) {
                Some(known) => known.also_at.push((doubt.path.clone(), doubt.line)),
                None => told.push(doubt.clone()),
            }
        }
        told
    }
}

impl Doubt {
    fn repeats(&self, other: &Self) -> bool {
        self.name == other.name && self.kind == other.kind && is_one_statement(&self.sentence, &other.sentence)
    }
}

/// Returns whether two sentences differ at most in the marks of a list and in blanks.
fn is_one_statement(one: &str, other: &str) -> bool {
    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.trim_start_matches(['-', '*', '+', ' ']).split_whitespace()
    }
    words(one).eq(words(other))
}

/// What is known of a hit that is part of such a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdoptedHit {
    /// Whose file it is.
    pub owner: Owner,
    /// The agent that reads or wrote it, by the name that settings have; empty for a file that many agents read.
    pub agent: &'static str,
    /// The place of the file if it is outside of the project.
    pub file: Option<PathBuf>,
    /// The doubts about the lines of the hit.
    pub doubts: Vec<Doubt>,
}

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// In the user's own folder: written by the user's agent.
    User,
    /// In the repository, and committed.
    Repository,
    /// In the repository's folder, and not committed. Nothing proves who wrote it.
    Local,
}

impl Owner {
    /// Returns its name in interfaces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Repository => "repository",
            Self::Local => "local",
        }
    }
}
