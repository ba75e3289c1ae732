//! The entry of recall in a list of MCP servers.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

/// The name under which recall is registered.
pub const NAME: &str = "recall";

/// The program that speaks MCP.
pub const SHIM: &str = "recall-shim";

/// What agents that show a description are told.
const DESCRIPTION: &str = "Local memory and search of code, documents and decisions";

/// The seconds that Goose waits for an answer; its own default.
const GOOSE_TIMEOUT_S: u32 = 300;

/// The option of the shim that lists the tools without the prefix of their names.
pub const PLAIN_NAMES: &str = "--plain-names";

/// The variables of the environment that the server needs to find the user's files, by name.
pub type ServerVariables = BTreeMap<String, String>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `command` and `args`.
    Plain,
    /// `type: stdio`, `command` and `args`.
    Stdio,
    /// As `Stdio`, and the tools are visible to the model from the start.
    ClaudeCode,
    /// `type: local`, and the list of the tools that are offered.
    Copilot,
    /// `source: custom`.
    Zed,
    /// `command` is a list with the arguments. These agents call a tool `<server>_<tool>`, so its own name has no prefix.
    CommandList,
    /// `cmd` instead of `command`.
    Goose,
}

impl Shape {
    /// Returns the entry that starts a command with variables.
    pub(crate) fn entry(self, command: &str, variables: &ServerVariables) -> Value {
        let mut entry = self.bare_entry(command);
        if !variables.is_empty() {
            entry[self.variables_key()] = json!(variables);
        }
        entry
    }

    /// Returns whether an entry starts a command with variables, whatever else it says.
    pub(crate) fn is_entry(self, entry: &Value, command: &str, variables: &ServerVariables) -> bool {
        let wanted = self.bare_entry(command);
        let key = if wanted.get("cmd").is_some() { "cmd" } else { "command" };
        let given = entry.get(self.variables_key());
        let has = |(name, value): (&String, &String)| {
            given.and_then(|given| given.get(name)).and_then(Value::as_str) == Some(value)
        };
        entry.get(key) == wanted.get(key) && variables.iter().all(has)
    }

    fn variables_key(self) -> &'static str {
        match self {
            Self::CommandList => "environment",
            Self::Goose => "envs",
            Self::Plain | Self::Stdio | Self::ClaudeCode | Self::Copilot | Self::Zed => "env",
        }
    }

    fn bare_entry(self, command: &str) -> Value {
        match self {
            Self::Plain => json!({ "command": command, "args": [] }),
            Self::Stdio => json!({ "type": "stdio", "command": command, "args": [] }),
            Self::ClaudeCode => json!({ "type": "stdio", "command": command, "args": [], "alwaysLoad": true }),
            Self::Copilot => json!({ "type": "local", "command": command, "args": [], "tools": ["*"] }),
            Self::Zed => json!({ "source": "custom", "command": command, "args": [], "env": {} }),
            Self::CommandList => json!({ "type": "local", "command": [command, PLAIN_NAMES], "enabled": true }),
            Self::Goose => json!({
                "name": NAME,
                "description": DESCRIPTION,
                "type": "stdio",
                "cmd": command,
                "args": [],
                "envs": {},
                "enabled": true,
                "timeout": GOOSE_TIMEOUT_S,
            }),
        }
    }
}

/// Returns a whole configuration file of Claude Code that holds only recall.
pub fn snippet(command: &str, variables: &ServerVariables) -> Value {
    json!({ "mcpServers": { NAME: Shape::ClaudeCode.entry(command, variables) } })
}

/// Returns the command of an entry, whatever its shape.
pub(crate) fn command(entry: &Value) -> Option<&str> {
    let command = entry.get("command").or_else(|| entry.get("cmd"))?;
    match command {
        Value::Array(words) => words.first()?.as_str(),
        command => command.as_str(),
    }
}

/// Whether an entry starts recall's server.
pub(crate) fn is_ours(entry: &Value) -> bool {
    // A path of Windows is recognised on every system, so that shared files are.
    let file = command(entry).map(|command| command.rsplit(['/', '\\']).next().unwrap_or(command));
    file.and_then(|file| Path::new(file).file_stem()) == Some(SHIM.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_and_its_variables_are_found_in_every_shape() {
        let none = ServerVariables::new();
        let home = ServerVariables::from([("RECALL_HOME".to_owned(), "/data/recall".to_owned())]);
        let shapes = [
            Shape::Plain,
            Shape::Stdio,
            Shape::ClaudeCode,
            Shape::Copilot,
            Shape::Zed,
            Shape::CommandList,
            Shape::Goose,
        ];
        for shape in shapes {
            let shim = "/opt/bin/recall-shim";
            let (bare, entry) = (shape.entry(shim, &none), shape.entry(shim, &home));
            assert!(entry.to_string().contains(r#""RECALL_HOME":"/data/recall""#), "{entry}");
            assert!(!bare.to_string().contains("RECALL_HOME"), "{bare}");
            assert!(shape.is_entry(&entry, shim, &home) && shape.is_entry(&entry, shim, &none), "{shape:?}");
            assert!(!shape.is_entry(&bare, shim, &home) && !shape.is_entry(&entry, "/bin/recall-shim", &none));
            assert_eq!(command(&entry), Some("/opt/bin/recall-shim"), "{shape:?}");
            assert!(is_ours(&entry), "{shape:?}");
        }
        assert!(is_ours(&json!({ "command": r"C:\bin\recall-shim.exe" })));
        for other in [json!({"command": "npx"}), json!({"url": "https://x"}), json!({"command": "my-recall-shim"})] {
            assert!(!is_ours(&other), "{other}");
        }
    }
}
