//! The request for reminders, and the answer.

use std::collections::BTreeSet;
use std::time::Duration;

use recall_core::{MemoryId, Scope};

use crate::warning::Warning;

/// What happens in the session of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The user has sent a prompt.
    Prompt(String),
    /// A file is about to be read or edited: its path, in any form.
    File(String),
    /// A command is about to run: its command line.
    Command(String),
    /// Files are about to be searched for a pattern: a regular expression, a glob or a text.
    Search(String),
    /// A command has failed.
    Failure {
        /// The command line that failed.
        command: String,
        /// What it wrote; the end says what failed.
        output: String,
    },
}

/// A request for what an agent should know on an occasion.
#[derive(Clone, Debug, PartialEq)]
pub struct RemindRequest {
    /// What is happening in the session.
    pub occasion: Occasion,
    /// The most tokens of the whole text.
    pub budget_tokens: u32,
    /// The confidence, from 0 to 1, below which a place that a search finds is left out.
    pub place_confidence: f64,
    /// The confidence, from 0 to 1, below which a memory that a search finds is left out.
    pub memory_confidence: f64,
    /// The keys of the reminders that the session has seen. They are left out.
    pub shown: BTreeSet<String>,
    /// The session that asks; `None` if it is not known.
    pub session: Option<String>,
    /// How long ago another session may have edited a file to be named; zero for never.
    pub others_within: Duration,
    /// The stores to read.
    pub scope: Scope,
}

/// What an agent should know: texts for a model, which state facts and quote what others wrote.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reminders {
    /// The line before the reminders: what they are about. Empty if there are none.
    pub heading: String,
    /// The reminders, in the order of the text.
    pub reminders: Vec<Reminder>,
    /// The line after the reminders, which may be empty.
    pub footing: &'static str,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

/// One fact, as a text that can be shown alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Reminder {
    /// Its key: equal for the same fact in every answer.
    pub key: String,
    /// What it is about.
    pub subject: ReminderSubject,
    /// Why it is shown, in a few words.
    pub reason: String,
    /// Its text: whole lines.
    pub text: String,
}

/// What a reminder is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReminderSubject {
    /// A memory in force.
    Memory(MemoryId),
    /// A place in the file at a path, as the client sees it.
    Place(String),
    /// Another session that is at work, by its id.
    Session(String),
}
