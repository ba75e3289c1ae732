//! The text about agents for people.

use std::fmt::Write as _;
use std::path::{MAIN_SEPARATOR, Path};

use anstyle::Style;
use recall_agents::{Agent, Folders, HookEvent, Part};
use serde::Serialize;

use super::change::{Action, AgentChange, Mode};
use crate::output::human::style::STRONG;
use crate::output::human::table::{Align, Column, render as table};
use crate::process_env::Programs;

/// Formats the changes, a line each; a dry run shows the differences.
pub(crate) fn change_text(changes: &[AgentChange], mode: Mode) -> String {
    let mut text = String::new();
    for change in changes {
        let AgentChange { title, part, action, file, commands, diff, error, .. } = change;
        let file = file.as_deref().unwrap_or_default();
        let what = match part {
            Part::Mcp => "the MCP server",
            Part::Hooks => "the hooks",
            Part::Rules => "the rules",
        };
        let _ = match (action, mode) {
            (Action::None, _) => writeln!(text, "{title}: nothing to do for {what}"),
            (Action::Failed, _) => writeln!(text, "{title}: failed: {}", error.as_deref().unwrap_or_default()),
            (_, Mode::DryRun) if !commands.is_empty() => {
                writeln!(text, "{title}: would run `{}`", commands.join("`, `"))
            }
            (_, Mode::Make) if !commands.is_empty() => writeln!(text, "{title}: ran `{}`", commands.join("`, `")),
            (Action::Register, Mode::DryRun) => writeln!(text, "{title}: would add {what} to {file}"),
            (Action::Register, Mode::Make) => writeln!(text, "{title}: added {what} to {file}"),
            (Action::Unregister, Mode::DryRun) => writeln!(text, "{title}: would remove {what} from {file}"),
            (Action::Unregister, Mode::Make) => writeln!(text, "{title}: removed {what} from {file}"),
        };
        if let Some(diff) = diff.as_ref().filter(|_| mode == Mode::DryRun) {
            text.extend(diff.lines().map(|line| format!("    {line}\n")));
        }
    }
    text
}

/// Formats the agents with their state. Paths below the home folder begin with `~`.
pub(crate) fn list_text(rows: &[AgentRow], home: &Path, width: Option<usize>) -> String {
    let plain = |heading, align| Column { heading, align, style: Style::new() };
    let layout = [
        Column { style: STRONG, ..plain("CLIENT", Align::Left) },
        plain("AGENT", Align::Left),
        plain("FOUND", Align::Left),
        plain("SERVER", Align::Left),
        plain("HOOKS", Align::Left),
        plain("FILE", Align::Path),
    ];
    let yes = |is: bool| if is { "yes" } else { "-" }.to_owned();
    let rows: Vec<[String; 6]> = rows
        .iter()
        .map(|row| {
            let file = Path::new(&row.file).strip_prefix(home);
            let file = file.map_or_else(|_| row.file.clone(), |below| format!("~{MAIN_SEPARATOR}{}", below.display()));
            [row.agent.to_owned(), row.title.to_owned(), yes(row.found), yes(row.server), hooks_text(row), file]
        })
        .collect();
    table(&layout, &rows, width)
}

/// Formats whether the hooks and the rules are registered, and how many events the hooks answer.
fn hooks_text(row: &AgentRow) -> String {
    let count = row.hook_events.len();
    let events = if count == 1 { "1 event".to_owned() } else { format!("{count} events") };
    let what = match (row.hooks, row.rules) {
        (None, None) => return "none".to_owned(),
        (Some(_), None) => events,
        (None, Some(_)) => "rules".to_owned(),
        (Some(_), Some(_)) => format!("{events}, rules"),
    };
    let is_complete = row.hooks != Some(false) && row.rules != Some(false);
    format!("{}, {what}", if is_complete { "yes" } else { "-" })
}

/// An agent, whether it is on this machine, and whether recall is registered in it for the user.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AgentRow {
    pub(crate) agent: &'static str,
    pub(crate) title: &'static str,
    pub(crate) found: bool,
    pub(crate) server: bool,
    /// Whether recall's hooks are registered; `None` if the agent has no hooks that recall can use.
    pub(crate) hooks: Option<bool>,
    /// The events that the hooks answer, in the order of a session.
    pub(crate) hook_events: Vec<HookEventRow>,
    /// Whether recall's block is in the user's rules; `None` if the agent has no rules for it.
    pub(crate) rules: Option<bool>,
    pub(crate) file: String,
}

/// An event of an agent.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct HookEventRow {
    /// The event, as `recall hook` names it.
    pub(crate) event: &'static str,
    /// The agent's own names of it.
    pub(crate) names: Vec<&'static str>,
    /// Whether the agent adds the answer to the model's context.
    pub(crate) adds_context: bool,
}

impl AgentRow {
    /// Looks at an agent. A file that cannot be read has no registration.
    pub(crate) fn new(agent: &Agent, folders: &Folders, programs: &Programs) -> Self {
        Self {
            agent: agent.name,
            title: agent.title,
            found: is_present(agent, folders, programs),
            server: agent.has_server(folders),
            hooks: agent.has_hooks(folders),
            rules: agent.has_rules(folders),
            hook_events: HookEvent::ALL.into_iter().filter_map(|event| HookEventRow::new(agent, event)).collect(),
            file: agent.user_file(folders).display().to_string(),
        }
    }
}

impl HookEventRow {
    /// Returns the row of an event; `None` if the agent does not have it.
    fn new(agent: &Agent, event: HookEvent) -> Option<Self> {
        let mut names: Vec<&str> = agent.hook_event_names(event).collect();
        // Some events have a hook for each kind of tool.
        names.dedup();
        let adds_context = agent.adds_context(event);
        (!names.is_empty()).then_some(Self { event: event.as_str(), names, adds_context })
    }
}

/// Whether an agent is on this machine.
pub(crate) fn is_present(agent: &Agent, folders: &Folders, programs: &Programs) -> bool {
    agent.is_present(folders, |name| programs.on_path(name))
}
