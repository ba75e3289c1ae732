//! The request for reminders, the answer, and the selection of the reminders that fit a budget.

use std::collections::BTreeSet;
use std::time::Duration;

use recall_core::{MemoryId, Replacement, Scope};
use recall_text::tokens::count;

use crate::warning::Warning;

/// What happens in the session of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// The user has sent a prompt.
    Prompt(String),
    /// A file is about to be read or edited: its path, in any form.
    File(String),
    /// A file that the session was reminded of is about to be edited: its path, in any form. Only the other sessions are named that
    /// edited the same definitions, and the memory that was made with the replaced lines.
    Edit(String),
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
    /// What the edit of the file replaces, as far as it is known.
    pub replacements: Vec<Replacement>,
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

/// Returns as many reminders as the budget allows, in their order. One that does not fit is left out, and a shorter one after it may
/// fit.
pub(super) fn pack(
    heading: String,
    candidates: impl IntoIterator<Item = Reminder>,
    footing: &'static str,
    budget_tokens: u32,
) -> Reminders {
    let mut left = budget_tokens.saturating_sub(count(&heading) + count(footing));
    let mut reminders = Vec::new();
    for reminder in candidates {
        // A line feed between two parts may cost a token.
        let Some(rest) = left.checked_sub(count(&reminder.text) + 1) else { continue };
        left = rest;
        reminders.push(reminder);
    }
    if reminders.is_empty() {
        return Reminders::default();
    }
    Reminders { heading, reminders, footing, warnings: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remind::request::ReminderSubject;

    #[test]
    fn an_answer_keeps_to_its_budget() {
        let texts = ["word ".repeat(400), "a short one\n".to_owned(), "word ".repeat(40), "the last\n".to_owned()];
        for budget_tokens in [1, 20, 60, 200, 20_000] {
            let candidates = texts.iter().map(|text| Reminder {
                key: text.clone(),
                subject: ReminderSubject::Place("a.rs".to_owned()),
                reason: String::new(),
                text: text.clone(),
            });
            let Reminders { heading, reminders, footing, .. } =
                pack("A heading.\n".to_owned(), candidates, "A footing.\n", budget_tokens);
            let texts: String = reminders.iter().map(|reminder| reminder.text.as_str()).collect();
            let used = count(&format!("{heading}{texts}{footing}"));
            assert!(used <= budget_tokens, "{budget_tokens}: {used}");
            assert_eq!(reminders.is_empty(), heading.is_empty());
            assert_eq!(reminders.len() == 4, budget_tokens == 20_000);
        }
    }
}
