//! The entry of recall in a list of MCP servers.

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
    /// `command` is a list with the arguments.
    CommandList,
    /// `cmd` instead of `command`.
    Goose,
}

impl Shape {
    /// Returns the entry that starts a command.
    pub(crate) fn entry(self, command: &str) -> Value {
        match self {
            Self::Plain => json!({ "command": command, "args": [] }),
            Self::Stdio => json!({ "type": "stdio", "command": command, "args": [] }),
            Self::ClaudeCode => json!({ "type": "stdio", "command": command, "args": [], "alwaysLoad": true }),
            Self::Copilot => json!({ "type": "local", "command": command, "args": [], "tools": ["*"] }),
            Self::Zed => json!({ "source": "custom", "command": command, "args": [], "env": {} }),
            Self::CommandList => json!({ "type": "local", "command": [command], "enabled": true }),
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
pub fn snippet(command: &str) -> Value {
    json!({ "mcpServers": { NAME: Shape::ClaudeCode.entry(command) } })
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
    fn the_command_is_found_in_every_shape() {
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
            let entry = shape.entry("/opt/bin/recall-shim");
            assert_eq!(command(&entry), Some("/opt/bin/recall-shim"), "{shape:?}");
            assert!(is_ours(&entry), "{shape:?}");
        }
        assert!(is_ours(&json!({ "command": r"C:\bin\recall-shim.exe" })));
        for other in [json!({"command": "npx"}), json!({"url": "https://x"}), json!({"command": "my-recall-shim"})] {
            assert!(!is_ours(&other), "{other}");
        }
    }
}
