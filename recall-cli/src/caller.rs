//! The calling agent and session, from the environment variables that agents set.

use recall_api::v1::Provenance;

/// The agent session that the command runs in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The session's id; empty outside a session.
    pub(crate) session_id: String,
    /// Whether EDI named the session.
    pub(crate) is_edi_session: bool,
    /// The agent; empty for a person.
    pub(crate) agent: String,
    /// The source recorded with what this caller writes.
    pub(crate) provenance: Provenance,
}

impl Caller {
    /// Reads the variables, of which `variable` gives the value.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let text = |name: &str| variable(name).unwrap_or_default();
        let edis = variable("EDI_SESSION_ID");
        Self {
            is_edi_session: edis.is_some(),
            session_id: edis.or_else(|| variable("CLAUDE_CODE_SESSION_ID")).unwrap_or_default(),
            agent: if variable("CLAUDECODE").is_some() { "claude-code".to_owned() } else { String::new() },
            provenance: Provenance {
                agent_mode: text("EDI_AGENT_MODE"),
                git_branch: text("EDI_GIT_BRANCH"),
                git_commit: text("EDI_GIT_SHA"),
                project_path: text("EDI_PROJECT_PATH"),
                project_name: text("EDI_PROJECT_NAME"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(variables: &[(&str, &str)]) -> Caller {
        Caller::read(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_person_at_a_shell_has_no_session() {
        assert_eq!(caller(&[("HOME", "/h")]), Caller::default());
    }

    #[test]
    fn an_agent_is_known_by_its_variables() {
        let read = caller(&[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "c"), ("EDI_GIT_BRANCH", "main")]);
        assert_eq!((read.session_id.as_str(), read.agent.as_str()), ("c", "claude-code"));
        assert_eq!(read.provenance.git_branch, "main");
        assert_eq!(caller(&[("CLAUDE_CODE_SESSION_ID", "c"), ("EDI_SESSION_ID", "e")]).session_id, "e");
    }
}
