//! Reminders: what an agent should know on an occasion of its session, without having asked.
//!
//! An occasion is a prompt, a file that is about to be read or edited, a command or a search that is about to run, or a command that
//! failed. The idea: an agent pays for every
//! text that it gets unasked, so only what is certain enough is shown, within a budget, each fact once a session, and nothing
//! otherwise. The client keeps what a session was shown, since the daemon keeps no state about clients; it sends the keys with each
//! request.
//!
//! A reminder states a fact, quotes what others wrote, and says why it is shown. It gives no instructions.

mod action;
mod command;
mod cue;
mod file;
mod memory;
mod others;
mod place;
mod prompt;
mod relevance;
mod request;
mod written;

use crate::Engine;
use crate::error::SearchError;
use crate::origin::Origin;

pub use request::{Occasion, RemindRequest, Reminder, ReminderSubject, Reminders};

impl Engine {
    /// Returns what an agent should know on an occasion. Empty if nothing is certain or everything was shown.
    ///
    /// # Errors
    /// The scope has no store, or a store cannot be opened or read.
    pub fn remind(&self, origin: &Origin, request: &RemindRequest) -> Result<Reminders, SearchError> {
        self.repairing(|| match &request.occasion {
            Occasion::Prompt(prompt) => prompt::remind(self, origin, request, prompt),
            Occasion::File(file) => file::remind(self, origin, request, file),
            Occasion::Edit(file) => file::remind_of_edit(self, origin, request, file),
            Occasion::Command(line) => action::remind_of_command(self, origin, request, line),
            Occasion::Search(pattern) => action::remind_of_search(self, origin, request, pattern),
            Occasion::Failure { command, output } => action::remind_of_failure(self, origin, request, command, output),
        })
    }
}
