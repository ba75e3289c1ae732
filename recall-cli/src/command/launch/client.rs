//! The agents that can be launched, and how each takes a file of instructions.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use recall_api::Reason;
use serde_json::json;

use crate::Exit;
use crate::error::{CliError, CommandError};

/// How an agent takes a file of instructions in addition to its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Means {
    /// An option with the file's path.
    Option(&'static str),
    /// A variable with a configuration in JSON, whose `instructions` are paths of files.
    ConfigVariable(&'static str),
}

/// An agent that can be launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AgentClient {
    /// Its name, which is that of its program too.
    pub(super) name: &'static str,
    means: Means,
    /// Its option that names the conversation, which must be a UUID.
    session_option: Option<&'static str>,
    /// Its options that continue a conversation, which excludes a new name for it.
    continuing: &'static [&'static str],
}

/// The agents that can be launched.
const CLIENTS: [AgentClient; 3] = [
    AgentClient {
        name: "claude",
        means: Means::Option("--append-system-prompt-file"),
        session_option: Some("--session-id"),
        continuing: &["-c", "--continue", "-r", "--resume", "--session-id", "--fork-session", "--from-pr"],
    },
    AgentClient {
        name: "opencode",
        means: Means::ConfigVariable("OPENCODE_CONFIG_CONTENT"),
        session_option: None,
        continuing: &[],
    },
    AgentClient { name: "aider", means: Means::Option("--read"), session_option: None, continuing: &[] },
];

/// Agents that cannot be launched, and why.
const NOT_LAUNCHED: [(&str, &str); 3] = [
    ("codex", "its `model_instructions_file` replaces its own instructions, and nothing adds a file to them"),
    ("gemini", "its `GEMINI_SYSTEM_MD` replaces its own instructions, and nothing adds a file to them"),
    ("cursor-agent", "it reads instructions from rules of the project only"),
];

/// What is added to the command line and the environment of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Additions {
    pub(super) arguments: Vec<OsString>,
    pub(super) variables: Vec<(&'static str, OsString)>,
}

impl AgentClient {
    /// Finds an agent by its name.
    ///
    /// # Errors
    /// It cannot be launched.
    pub(super) fn find(name: &str) -> Result<Self, CommandError> {
        if let Some(client) = CLIENTS.into_iter().find(|client| client.name == name) {
            return Ok(client);
        }
        let known = CLIENTS.map(|client| client.name).join(", ");
        let why = NOT_LAUNCHED.iter().find(|(known, _)| *known == name);
        let message = match why {
            Some((_, why)) => format!("`{name}` cannot be launched with a context file: {why}"),
            None => format!("`{name}` is not an agent that `recall launch` knows"),
        };
        let hint = format!(
            "supported are {known}; for other agents use `recall mcp install`, or give them what `recall launch --print` prints"
        );
        Err(CliError::new(Exit::Usage, Reason::Unsupported, message).with_hint(hint).into())
    }

    /// Returns what passes a file of instructions and the session to the agent.
    ///
    /// `variable` reads the environment, `given` are the arguments of the user.
    ///
    /// # Errors
    /// The variable for the file is set already.
    pub(super) fn additions(
        &self,
        file: &Path,
        session: &str,
        given: &[OsString],
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Additions, CommandError> {
        let mut added = Additions::default();
        match self.means {
            Means::Option(option) => added.arguments.extend([OsString::from(option), file.into()]),
            Means::ConfigVariable(name) => {
                if variable(name).is_some_and(|value| !value.is_empty()) {
                    let message = format!("the variable {name} is set, and {} reads its context file there", self.name);
                    return Err(CliError::usage(message).with_hint(format!("run `unset {name}`")).into());
                }
                let config = json!({ "instructions": [file.to_string_lossy()] });
                added.variables.push((name, config.to_string().into()));
            }
        }
        let continues = given.iter().any(|argument| self.continuing.iter().any(|option| is_option(argument, option)));
        if let Some(option) = self.session_option.filter(|_| !continues) {
            added.arguments.extend([OsString::from(option), session.into()]);
        }
        Ok(added)
    }
}

/// Whether an argument is an option, with or without a value after `=`.
fn is_option(argument: &OsStr, option: &str) -> bool {
    let Some(argument) = argument.to_str() else { return false };
    argument.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(client: &str, given: &[&str]) -> String {
        let given: Vec<OsString> = given.iter().map(OsString::from).collect();
        let client = AgentClient::find(client).expect("known");
        let added = client.additions(Path::new("/c/x.md"), "id", &given, |_| None).expect("free");
        let variables = added.variables.iter().map(|(name, value)| format!("{name}={}", value.display()));
        let arguments = added.arguments.iter().map(|argument| argument.display().to_string());
        variables.chain(arguments).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_agent_gets_the_file_in_its_own_way() {
        assert_eq!(line("claude", &["-p", "x"]), "--append-system-prompt-file /c/x.md --session-id id");
        assert_eq!(line("aider", &[]), "--read /c/x.md");
        assert_eq!(line("opencode", &[]), "OPENCODE_CONFIG_CONTENT={\"instructions\":[\"/c/x.md\"]}");
    }

    #[test]
    fn a_continued_conversation_keeps_its_name() {
        for given in [["--resume"], ["-c"], ["--session-id=9"]] {
            assert_eq!(line("claude", &given), "--append-system-prompt-file /c/x.md", "{given:?}");
        }
    }

    #[test]
    fn another_agent_is_refused_with_what_is_supported() {
        for (name, why) in [("codex", "replaces its own"), ("novel", "not an agent")] {
            let Err(CommandError::Failed(error)) = AgentClient::find(name) else { panic!("{name} is refused") };
            assert!(error.message.contains(why), "{error:?}");
            assert!(error.hint.expect("a hint").contains("claude, opencode, aider"));
        }
    }

    #[test]
    fn a_set_variable_is_not_replaced() {
        let client = AgentClient::find("opencode").expect("known");
        let refused = client.additions(Path::new("/c"), "id", &[], |_| Some("{}".into()));
        assert!(refused.is_err());
    }
}
