//! A change in one agent, as it is reported.

use recall_agents::{Agent, Change, How, Ledger, Outcome, Part, RegisterError};
use recall_text::error_chain;
use serde::Serialize;
use similar::TextDiff;

use crate::error::CliError;

/// The unchanged lines around a change that a difference shows.
const CONTEXT_LINES: usize = 3;

/// Whether changes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// They are made.
    Make,
    /// They are only shown.
    DryRun,
}

/// What is done in an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Action {
    /// It is registered.
    Register,
    /// It is unregistered.
    Unregister,
    /// Nothing is to be done.
    None,
    /// It failed.
    Failed,
}

/// A change in one agent.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AgentChange {
    pub(crate) agent: &'static str,
    #[serde(skip)]
    pub(crate) title: &'static str,
    pub(crate) part: Part,
    pub(crate) action: Action,
    pub(crate) file: Option<String>,
    /// The vendor's commands, if they are used.
    pub(crate) commands: Vec<String>,
    /// The difference of the file, if it is edited.
    pub(crate) diff: Option<String>,
    pub(crate) error: Option<String>,
    #[serde(skip)]
    pub(crate) cli_error: Option<CliError>,
}

impl AgentChange {
    /// Makes a planned change, unless it is only shown, and reports it.
    pub(crate) fn make(
        agent: &Agent,
        part: Part,
        planned: Result<Option<Change>, RegisterError>,
        mode: Mode,
        ledger: &mut Ledger,
    ) -> Self {
        let mut reported = Self {
            agent: agent.name,
            title: agent.title,
            part,
            action: Action::None,
            file: None,
            commands: Vec::new(),
            diff: None,
            error: None,
            cli_error: None,
        };
        let outcome = planned.and_then(|change| {
            let Some(change) = change else { return Ok(()) };
            reported.part = change.part;
            reported.file = Some(change.file.display().to_string());
            reported.action = match change.outcome {
                Outcome::Register => Action::Register,
                Outcome::Unregister => Action::Unregister,
            };
            match change.how() {
                How::Vendor(lines) => reported.commands = lines,
                How::Edit(before, after) => reported.diff = Some(difference(before.as_deref(), after.as_deref())),
            }
            if mode == Mode::Make { change.make(ledger) } else { Ok(()) }
        });
        if let Err(error) = outcome {
            reported.action = Action::Failed;
            // With the cause, which names the line; on one line, as each agent has one.
            reported.error = Some(error_chain(&error).split_whitespace().collect::<Vec<_>>().join(" "));
            reported.cli_error = Some(CliError::from(&error));
        }
        reported
    }

    /// Whether something was changed, or would be.
    pub(crate) fn is_change(&self) -> bool {
        matches!(self.action, Action::Register | Action::Unregister)
    }
}

/// Returns the changed lines of a file with those around them.
fn difference(before: Option<&str>, after: Option<&str>) -> String {
    let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    diff.unified_diff().context_radius(CONTEXT_LINES).to_string()
}
