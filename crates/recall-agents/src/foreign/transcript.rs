//! Conversations of people with coding agents, as the agents' transcripts have them.

use std::fmt;
use std::path::PathBuf;

use recall_core::Timestamp;

/// The agent that wrote a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TranscriptClient {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// OpenCode.
    OpenCode,
    /// GitHub Copilot CLI.
    Copilot,
}

impl TranscriptClient {
    /// Returns the agent's name, as `recall install` has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Copilot => "copilot",
        }
    }

    /// Returns the words of the command that goes on with a session, before its id.
    pub fn resume_words(self) -> [&'static str; 2] {
        match self {
            Self::ClaudeCode => ["claude", "--resume"],
            Self::Codex => ["codex", "resume"],
            Self::Gemini => ["gemini", "--resume"],
            Self::OpenCode => ["opencode", "--session"],
            Self::Copilot => ["copilot", "--resume"],
        }
    }

    /// Returns the agent with a name of [`as_str`](Self::as_str).
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::OpenCode, Self::Copilot]
            .into_iter()
            .find(|client| client.as_str() == name)
    }
}

impl fmt::Display for TranscriptClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One conversation. Its texts are cut to bounds, and secrets in them are not masked.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    /// The agent that wrote it.
    pub client: TranscriptClient,
    /// The id of the session, by which the agent resumes it.
    pub session: String,
    /// The file that holds it.
    pub path: PathBuf,
    /// The time of its first record; `None` if no record has one.
    pub started: Option<Timestamp>,
    /// The time of its last record.
    pub ended: Option<Timestamp>,
    /// The git branch that was checked out, if the transcript says so.
    pub branch: Option<String>,
    /// The turns, in order. A session that goes on adds turns at the end, so the number of a turn names it.
    pub turns: Vec<Turn>,
}

/// A request and what the agent did until the next one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// When it was asked.
    pub time: Option<Timestamp>,
    /// The request; empty if the agent did something before the first one.
    pub prompt: String,
    /// What followed, in order.
    pub steps: Vec<Step>,
}

/// Something that an agent did in a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// When.
    pub time: Option<Timestamp>,
    /// What.
    pub action: Action,
}

/// What an agent did.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// It said this.
    Said(String),
    /// It edited this file, whose path is as the transcript has it.
    Edited(String),
    /// It ran a command.
    Ran(CommandRun),
}

/// A command with its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRun {
    /// The command line.
    pub command: String,
    /// What it wrote. The middle of a long output is left out.
    pub output: String,
    /// Whether it failed, as the agent or the exit code says.
    pub has_failed: bool,
}
