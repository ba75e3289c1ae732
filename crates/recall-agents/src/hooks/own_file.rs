//! The files of hooks that are recall's own: they hold nothing else, so that they are written and removed as a whole.

use serde_json::{Value, json};

/// What every file says of its origin. A file without it is somebody else's.
const MARK: &str = "Written by `recall mcp install`";

/// The plugin of `OpenCode` and Kilo Code, without the path of the program and the name of the client.
const OPENCODE_PLUGIN: &str = include_str!("opencode.js");

/// A kind of file.
#[derive(Clone, Copy, Debug)]
pub(super) enum OwnFile {
    /// The hooks of Kiro: a list in JSON, each with its trigger.
    KiroHooks,
    /// A plugin of `OpenCode` or of an agent that is made from it, which runs the hooks.
    OpenCodePlugin,
}

/// A hook in a list.
pub(super) struct HookLine {
    /// Its name.
    pub(super) name: String,
    /// The vendor's event.
    pub(super) event: &'static str,
    /// Its command line.
    pub(super) line: String,
    /// The seconds after which the agent ends it.
    pub(super) timeout_s: Option<u32>,
}

impl OwnFile {
    /// Returns the text of the file.
    pub(super) fn text(self, recall: &str, client: &str, lines: &[HookLine]) -> String {
        match self {
            Self::KiroHooks => {
                let hooks: Vec<Value> = lines.iter().map(kiro_hook).collect();
                let file = json!({"version": "v1", "hooks": hooks});
                serde_json::to_string_pretty(&file).expect("made of texts and numbers") + "\n"
            }
            Self::OpenCodePlugin => {
                let [recall, client] = [recall, client].map(|text| Value::from(text).to_string());
                let plugin = OPENCODE_PLUGIN.replace("MARK", MARK).replace("\"CLIENT\"", &client);
                plugin.replace("\"RECALL\"", &recall)
            }
        }
    }
}

fn kiro_hook(hook: &HookLine) -> Value {
    let HookLine { name, event, line, timeout_s } = hook;
    let description = format!("{MARK}, removed by `recall mcp uninstall`");
    let action = json!({"type": "command", "command": line});
    json!({"name": name, "description": description, "trigger": event, "action": action, "timeout": timeout_s})
}

/// Returns the script of Cline that runs a command line. Cline expects an answer in any case, even if the program is gone.
pub(super) fn script(line: &str) -> String {
    format!(
        "#!/bin/sh\n# {MARK}, removed by `recall mcp uninstall`.\n\
         answer=$({line})\n[ -n \"$answer\" ] || answer='{{\"cancel\": false}}'\nprintf '%s\\n' \"$answer\"\n"
    )
}

/// Whether a file of recall's own has this text, in this or another version.
pub(crate) fn is_ours(text: &str) -> bool {
    text.contains(MARK)
}
