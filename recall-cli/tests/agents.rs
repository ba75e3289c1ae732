//! Registration in every agent, with the program in an empty home folder.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

/// The agents with JSON: the name, the user's file, the pointer to the entry without its last step.
const JSON: &[(&str, &str, &str)] = &[
    ("claude-code", ".claude.json", "/mcpServers"),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", "/mcpServers"),
    ("gemini", ".gemini/settings.json", "/mcpServers"),
    ("antigravity", ".gemini/config/mcp_config.json", "/mcpServers"),
    ("qwen", ".qwen/settings.json", "/mcpServers"),
    ("cursor", ".cursor/mcp.json", "/mcpServers"),
    ("vscode", ".config/Code/User/mcp.json", "/servers"),
    ("copilot", ".copilot/mcp-config.json", "/mcpServers"),
    ("windsurf", ".codeium/windsurf/mcp_config.json", "/mcpServers"),
    ("zed", ".config/zed/settings.json", "/context_servers"),
    ("opencode", ".config/opencode/opencode.json", "/mcp"),
    ("kilo", ".config/kilo/kilo.jsonc", "/mcp"),
    ("cline", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "/mcpServers"),
    ("cline-cli", ".cline/data/settings/cline_mcp_settings.json", "/mcpServers"),
    ("kiro", ".kiro/settings/mcp.json", "/mcpServers"),
    ("amp", ".config/amp/settings.json", "/amp.mcpServers"),
    ("crush", ".config/crush/crush.json", "/mcp"),
    ("junie", ".junie/mcp/mcp.json", "/mcpServers"),
    ("droid", ".factory/mcp.json", "/mcpServers"),
];

/// The agents with other formats: the name, the user's file, a text, and the text with recall for the shim `SHIM`.
const OTHERS: &[(&str, &str, &str, &str)] = &[
    (
        "codex",
        ".codex/config.toml",
        "# mine\na = 1\n",
        "# mine\na = 1\n\n[mcp_servers.recall]\ncommand = \"SHIM\"\nargs = []\nenv = { RECALL_HOME = \"DATA\" }\n",
    ),
    (
        "goose",
        ".config/goose/config.yaml",
        "# mine\na: 1\nextensions:\n  other: {cmd: x} # y\n",
        "# mine\na: 1\nextensions:\n  recall:\n    name: \"recall\"\n    \
         description: \"Local memory and search of code, documents and decisions\"\n    type: \"stdio\"\n    \
         cmd: \"SHIM\"\n    args: []\n    envs:\n      RECALL_HOME: \"DATA\"\n    enabled: true\n    timeout: 300\n  other: {cmd: x} # y\n",
    ),
];

/// A user with recall's programs and no agent.
struct User {
    place: tempfile::TempDir,
}

impl User {
    fn new() -> Self {
        let user = Self { place: tempfile::tempdir().expect("a temporary folder") };
        for folder in ["bin", "home", "project"] {
            fs::create_dir(user.path(folder)).expect("made");
        }
        let built = Path::new(env!("CARGO_BIN_EXE_recall"));
        let program = user.path("bin/recall");
        fs::hard_link(built, &program).or_else(|_| fs::copy(built, &program).map(drop)).expect("installed");
        // Only its path is used.
        fs::hard_link(&program, user.shim()).or_else(|_| fs::copy(built, user.shim()).map(drop)).expect("installed");
        user
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn shim(&self) -> PathBuf {
        self.path("bin/recall-shim")
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path("home").join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path("home").join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(self.path("bin/recall"));
        command.args(arguments).env_clear().env("HOME", self.path("home")).env("PATH", self.path("bin"));
        command.env("RECALL_HOME", self.path("r")).current_dir(self.path("project"));
        command.output().expect("the program runs")
    }

    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).expect("text")
    }

    fn refused(&self, arguments: &[&str], code: i32) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
        String::from_utf8(output.stderr).expect("text")
    }

    /// Everything below the home folder.
    fn files(&self) -> Vec<PathBuf> {
        fn below(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in folder.read_dir().expect("readable") {
                let path = entry.expect("readable").path();
                found.push(path.clone());
                if path.is_dir() {
                    below(&path, found);
                }
            }
        }
        let mut found = Vec::new();
        below(&self.path("home"), &mut found);
        found.sort();
        found
    }
}

fn commented(section: &str) -> String {
    format!("// mine\n{{\n  \"a\": 1.50,\n  \"{section}\": {{\n    \"other\": {{}}\n    // y\n  }}\n}}\n")
}

fn uncommented(text: &str) -> Value {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    serde_json::from_str(&lines.join("\n")).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn every_agent_with_json_is_registered_once_and_its_file_is_restored() {
    let user = User::new();
    for (client, file, pointer) in JSON {
        let theirs = commented(pointer.trim_start_matches('/'));
        user.write(file, &theirs);
        user.done(&["mcp", "install", "--client", client]);
        let text = user.text(file);
        let value = uncommented(&text);
        let entry = &value.pointer(pointer).expect("the section")["recall"];
        let command = entry["command"].as_str().or_else(|| entry["command"][0].as_str());
        assert_eq!(command.map(Path::new), Some(&*user.shim()), "{client}: {text}");
        let variables = entry.get("env").or_else(|| entry.get("environment")).expect("variables");
        assert_eq!(variables["RECALL_HOME"].as_str().map(Path::new), Some(&*user.path("r")), "{client}: {text}");
        assert_eq!(value.pointer(pointer).expect("the section")["other"], json!({}), "{client}");
        assert!(text.starts_with("// mine\n{\n  \"a\": 1.50,\n") && text.contains("    // y\n"), "{client}: {text}");
        let again = user.done(&["mcp", "install", "--client", client]);
        assert!(again.contains("nothing to do") && user.text(file) == text, "{client}: {again}");
        user.done(&["mcp", "uninstall", "--client", client]);
        assert_eq!(user.text(file), theirs, "{client}");

        user.done(&["mcp", "install", "--client", client]);
        user.write(file, &user.text(file).replace("1.50", "2.50"));
        user.done(&["mcp", "uninstall", "--client", client]);
        assert_eq!(user.text(file), theirs.replace("1.50", "2.50"), "{client}: only the entry is gone");

        user.write(file, "{\"a\": ");
        let said = user.refused(&["mcp", "install", "--client", client], 4);
        assert!(said.contains("it is not valid JSON") && said.contains("nothing was changed"), "{client}: {said}");
        assert_eq!(user.text(file), "{\"a\": ", "{client}");

        let link = user.path("home").join(file);
        fs::remove_file(&link).expect("removed");
        fs::write(user.path("outside.json"), "{}").expect("written");
        std::os::unix::fs::symlink(user.path("outside.json"), &link).expect("linked");
        let said = user.refused(&["mcp", "install", "--client", client], 4);
        assert!(said.contains("is a link to") && said.contains("outside of"), "{client}: {said}");
        assert_eq!(fs::read_to_string(user.path("outside.json")).expect("readable"), "{}", "{client}");
        fs::remove_file(&link).expect("removed");
    }
}

#[test]
fn toml_and_yaml_keep_every_byte_of_the_rest() {
    let user = User::new();
    for (client, file, theirs, expected) in OTHERS {
        user.write(file, theirs);
        user.done(&["mcp", "install", "--client", client]);
        let expected = expected.replace("SHIM", &user.shim().display().to_string());
        let expected = expected.replace("DATA", &user.path("r").display().to_string());
        assert_eq!(user.text(file), expected, "{client}");
        user.done(&["mcp", "uninstall", "--client", client]);
        assert_eq!(user.text(file), *theirs, "{client}");
        user.write(file, "a: [\n= 1");
        let said = user.refused(&["mcp", "install", "--client", client], 4);
        assert!(said.contains("it is not valid"), "{client}: {said}");
    }
}

#[test]
fn all_means_the_agents_that_are_there_and_uninstall_leaves_nothing() {
    let user = User::new();
    let said = user.refused(&["mcp", "install", "--all"], 1);
    assert!(said.contains("no agent was found"), "{said}");
    for file in [".cursor/x", ".codex/x", ".claude/x", ".config/opencode/x", ".qwen/x"] {
        user.write(file, "");
    }
    user.write(".claude/settings.json", "{\n  \"model\": \"x\" // mine\n}\n");
    let before = user.files();
    let shown = user.done(&["mcp", "install", "--all", "--hooks", "--dry-run"]);
    assert!(
        shown.contains("Codex: would add the MCP server to") && shown.contains("    +[mcp_servers.recall]"),
        "{shown}"
    );
    assert_eq!(user.files(), before, "a dry run changes nothing");

    let done: Value =
        serde_json::from_str(&user.done(&["mcp", "install", "--all", "--hooks", "--json"])).expect("JSON");
    let registered = |done: &Value, action: &str| {
        let agents = done["agents"].as_array().expect("agents").clone();
        let named = agents.iter().filter(|agent| agent["action"] == action);
        named.map(|agent| format!("{} {}", agent["agent"], agent["part"]).replace('"', "")).collect::<Vec<_>>()
    };
    let expected = [
        "claude-code mcp",
        "claude-code hooks",
        "codex mcp",
        "codex hooks",
        "qwen mcp",
        "qwen hooks",
        "cursor mcp",
        "cursor hooks",
        "opencode mcp",
        "opencode hooks",
    ];
    assert_eq!(registered(&done, "register"), expected, "{done}");
    let settings = user.text(".claude/settings.json");
    assert!(settings.contains("// mine") && settings.contains("\"SessionStart\""), "{settings}");
    let listed: Value = serde_json::from_str(&user.done(&["mcp", "list", "--json"])).expect("JSON");
    let claude = &listed["agents"][0];
    assert_eq!(
        (&claude["agent"], &claude["server"], &claude["hooks"]),
        (&json!("claude-code"), &json!(true), &json!(true))
    );
    let prompt = json!({"event": "prompt", "names": ["UserPromptSubmit"], "adds_context": true});
    assert_eq!(claude["hook_events"][1], prompt, "{listed}");

    user.done(&["mcp", "install", "--target", "project"]);
    let shown = user.done(&["uninstall", "--dry-run"]);
    assert!(shown.contains("Cursor: would remove the MCP server from") && shown.contains(".mcp.json"), "{shown}");
    let done: Value = serde_json::from_str(&user.done(&["uninstall", "--json"])).expect("JSON");
    assert_eq!(registered(&done, "unregister").len(), expected.len() + 1, "{done}");
    assert_eq!(user.files(), before);
    assert!(!user.path("project/.mcp.json").exists());
    assert_eq!(user.text(".claude/settings.json"), "{\n  \"model\": \"x\" // mine\n}\n");
    assert!(user.done(&["uninstall"]).contains("nothing to undo"));
}

#[test]
fn a_failure_in_one_agent_does_not_keep_the_others_from_being_registered() {
    let user = User::new();
    user.write(".cursor/mcp.json", "{\n\"a\": ");
    user.write(".codex/config.toml", "a = 1\nb = = 2\n");
    user.write(".junie/mcp/mcp.json", "{}");
    let output = user.run(&["mcp", "install", "--all"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(said.contains("Junie: added the MCP server"), "{said}");
    for (agent, file) in [("Cursor", ".cursor/mcp.json"), ("Codex", ".codex/config.toml")] {
        let line = said.lines().find(|line| line.starts_with(&format!("{agent}: failed: cannot edit")));
        let line = line.unwrap_or_else(|| panic!("{agent}: {said}"));
        assert!(line.contains(file) && line.contains("line 2"), "the file and the line in it: {line}");
    }
    assert_eq!(user.text(".cursor/mcp.json"), "{\n\"a\": ");
    // The broken file has no entry of recall, so there is nothing to undo in it.
    assert_eq!(user.done(&["uninstall"]).matches("removed").count(), 1);
}

#[test]
fn an_agent_without_hooks_does_not_keep_the_others_from_having_theirs() {
    let user = User::new();
    let output = user.run(&["mcp", "install", "--client", "claude-code", "--client", "junie", "--hooks"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(said.contains("Junie: failed: Junie has no hooks"), "{said}");
    assert!(
        user.text(".claude/settings.json").contains("SessionStart")
            && user.text(".junie/mcp/mcp.json").contains("recall")
    );
}

#[test]
fn a_mistake_in_the_file_of_the_server_and_the_hooks_is_said_once() {
    let user = User::new();
    user.write(".gemini/settings.json", "{\n\"a\": ");
    let output = user.run(&["mcp", "install", "--client", "gemini", "--client", "cursor", "--hooks"]);
    let said = String::from_utf8(output.stdout).expect("text");
    assert_eq!(said.matches("line 2").count(), 1, "{said}");
    assert!(user.text(".cursor/mcp.json").contains("recall"), "{said}");
}

#[test]
fn wrong_names_and_combinations_are_refused() {
    let user = User::new();
    let said = user.refused(&["mcp", "install", "--client", "kursor"], 2);
    assert!(said.contains("cursor"), "{said}");
    let said = user.refused(&["mcp", "install", "--client", "windsurf", "--target", "project"], 2);
    assert!(said.contains("Windsurf has no configuration in projects"), "{said}");
    let said = user.refused(&["mcp", "install", "--client", "junie", "--hooks"], 2);
    assert!(said.contains("Junie has no hooks"), "{said}");
    let said = user.refused(&["mcp", "install", "--hooks", "--target", "project"], 2);
    assert!(said.contains("not for a project"), "{said}");
    assert!(user.files().is_empty(), "nothing was changed: {:?}", user.files());
}

#[test]
fn a_hook_of_the_plugin_stands_down_if_the_settings_have_the_hooks() {
    let user = User::new();
    let said = |arguments: &[&str]| {
        let output = user.run(arguments);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{output:?}");
        String::from_utf8(output.stderr).expect("text")
    };
    let plugin = ["hook", "session-start", "--from-plugin"];
    assert!(said(&plugin).contains("recall hook: "), "it tries to answer, and there is no event");
    user.done(&["mcp", "install", "--client", "claude-code", "--hooks"]);
    assert_eq!(said(&plugin), "");
    assert!(said(&plugin[..2]).contains("recall hook: "), "the hook of the settings answers");
    user.done(&["mcp", "uninstall"]);
    assert!(said(&plugin).contains("recall hook: "));
}
