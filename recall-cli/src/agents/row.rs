//! The state of one agent.

use recall_agents::{Agent, Folders};
use serde::Serialize;

use crate::process_env::Programs;

/// An agent, whether it is on this machine, and whether recall is registered in it for the user.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct AgentRow {
    pub(crate) agent: &'static str,
    pub(crate) title: &'static str,
    pub(crate) found: bool,
    pub(crate) server: bool,
    /// Whether recall's hooks are registered; `None` if the agent has no hooks that recall can use.
    pub(crate) hooks: Option<bool>,
    pub(crate) file: String,
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
            file: agent.user_file(folders).display().to_string(),
        }
    }
}

/// Whether an agent is on this machine.
pub(crate) fn is_present(agent: &Agent, folders: &Folders, programs: &Programs) -> bool {
    agent.is_present(folders, |name| programs.on_path(name))
}
