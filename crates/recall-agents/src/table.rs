//! The agents that recall can be registered in.

use crate::agent::{Agent, HookContract};
use crate::document::Format;
use crate::entry::Shape;
use crate::hooks::contract;
use crate::place::{Base, Place};
use crate::vendor::Vendor;

const MCP_SERVERS: &str = "mcpServers";

const CLAUDE: Base = Base::Variable("CLAUDE_CONFIG_DIR", ".claude");
const CODEX: Base = Base::Variable("CODEX_HOME", ".codex");
const COPILOT: Base = Base::Variable("COPILOT_HOME", ".copilot");
const CLINE: Base = Base::Variable("CLINE_DIR", ".cline");
/// The variable names a folder that replaces the home folder.
const GEMINI: Base = Base::Variable("GEMINI_CLI_HOME", "");

/// An agent that has nothing but a JSON file. The rows below name what differs.
const JSON: Agent = Agent {
    name: "",
    title: "",
    user: &[],
    project: &[],
    format: Format::Json,
    section: MCP_SERVERS,
    shape: Shape::Plain,
    programs: &[],
    signs: &[],
    vendor: None,
    hooks: None,
    rules: None,
};

const AGENTS: &[Agent] = &[
    Agent {
        name: "claude-code",
        title: "Claude Code",
        // With the variable the file is in its folder, without it in the home folder.
        user: &[Place::new(Base::Variable("CLAUDE_CONFIG_DIR", ""), ".claude.json")],
        project: &[".mcp.json"],
        shape: Shape::ClaudeCode,
        programs: &["claude"],
        signs: &[Place::new(Base::Variable("CLAUDE_CONFIG_DIR", ""), ".claude.json"), Place::new(CLAUDE, "")],
        vendor: Some(Vendor {
            program: "claude",
            // `mcp add` cannot set `alwaysLoad`.
            add: &["mcp", "add-json", "--scope", "user", "recall", "{entry}"],
            remove: &["mcp", "remove", "--scope", "user", "recall"],
        }),
        hooks: Some(HookContract { place: Place::new(CLAUDE, "settings.json"), contract: &contract::CLAUDE }),
        ..JSON
    },
    Agent {
        name: "claude-desktop",
        title: "Claude Desktop",
        user: &[Place::new(Base::Support, "Claude/claude_desktop_config.json")],
        signs: &[Place::new(Base::Support, "Claude")],
        ..JSON
    },
    Agent {
        name: "codex",
        title: "Codex",
        user: &[Place::new(CODEX, "config.toml")],
        project: &[".codex/config.toml"],
        format: Format::Toml,
        section: "mcp_servers",
        programs: &["codex"],
        signs: &[Place::new(CODEX, "")],
        vendor: Some(Vendor {
            program: "codex",
            add: &["mcp", "add", "recall", "--", "{command}"],
            remove: &["mcp", "remove", "recall"],
        }),
        hooks: Some(HookContract { place: Place::new(CODEX, "hooks.json"), contract: &contract::CODEX }),
        ..JSON
    },
    Agent {
        name: "gemini",
        title: "Gemini CLI",
        user: &[Place::new(GEMINI, ".gemini/settings.json")],
        project: &[".gemini/settings.json"],
        programs: &["gemini"],
        signs: &[Place::new(GEMINI, ".gemini/settings.json")],
        vendor: Some(Vendor {
            program: "gemini",
            add: &["mcp", "add", "--scope", "user", "recall", "{command}"],
            remove: &["mcp", "remove", "--scope", "user", "recall"],
        }),
        hooks: Some(HookContract { place: Place::new(GEMINI, ".gemini/settings.json"), contract: &contract::GEMINI }),
        ..JSON
    },
    Agent {
        name: "antigravity",
        title: "Antigravity",
        user: &[
            Place::new(Base::Home, ".gemini/config/mcp_config.json"),
            Place::new(Base::Home, ".gemini/antigravity/mcp_config.json"),
        ],
        project: &[".agents/mcp_config.json"],
        programs: &["antigravity"],
        signs: &[Place::new(Base::Home, ".gemini/config"), Place::new(Base::Home, ".gemini/antigravity")],
        ..JSON
    },
    Agent {
        name: "qwen",
        title: "Qwen Code",
        user: &[Place::new(Base::Home, ".qwen/settings.json")],
        project: &[".qwen/settings.json"],
        programs: &["qwen"],
        signs: &[Place::new(Base::Home, ".qwen")],
        vendor: Some(Vendor {
            program: "qwen",
            add: &["mcp", "add", "--scope", "user", "recall", "{command}"],
            remove: &["mcp", "remove", "--scope", "user", "recall"],
        }),
        hooks: Some(HookContract { place: Place::new(Base::Home, ".qwen/settings.json"), contract: &contract::QWEN }),
        ..JSON
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        user: &[Place::new(Base::Home, ".cursor/mcp.json")],
        project: &[".cursor/mcp.json"],
        programs: &["cursor", "cursor-agent"],
        signs: &[Place::new(Base::Home, ".cursor")],
        hooks: Some(HookContract { place: Place::new(Base::Home, ".cursor/hooks.json"), contract: &contract::CURSOR }),
        ..JSON
    },
    Agent {
        name: "vscode",
        title: "VS Code",
        user: &[Place::new(Base::Support, "Code/User/mcp.json")],
        project: &[".vscode/mcp.json"],
        section: "servers",
        shape: Shape::Stdio,
        programs: &["code"],
        signs: &[Place::new(Base::Support, "Code/User")],
        hooks: Some(HookContract { place: Place::new(COPILOT, "hooks/recall.json"), contract: &contract::VSCODE }),
        ..JSON
    },
    Agent {
        name: "copilot",
        title: "Copilot CLI",
        user: &[Place::new(COPILOT, "mcp-config.json")],
        project: &[".github/mcp.json"],
        shape: Shape::Copilot,
        programs: &["copilot"],
        signs: &[Place::new(COPILOT, "")],
        vendor: Some(Vendor {
            program: "copilot",
            add: &["mcp", "add", "recall", "--", "{command}"],
            remove: &["mcp", "remove", "recall"],
        }),
        hooks: Some(HookContract { place: Place::new(COPILOT, "hooks/recall.json"), contract: &contract::COPILOT }),
        ..JSON
    },
    Agent {
        name: "windsurf",
        title: "Windsurf",
        user: &[Place::new(Base::Home, ".codeium/windsurf/mcp_config.json")],
        programs: &["windsurf"],
        signs: &[Place::new(Base::Home, ".codeium/windsurf")],
        hooks: Some(HookContract {
            place: Place::new(Base::Home, ".codeium/windsurf/hooks.json"),
            contract: &contract::WINDSURF,
        }),
        rules: Some(Place::new(Base::Home, ".codeium/windsurf/memories/global_rules.md")),
        ..JSON
    },
    Agent {
        name: "zed",
        title: "Zed",
        user: &[Place::new(Base::Config, "zed/settings.json").on_windows(Base::Support, "Zed/settings.json")],
        project: &[".zed/settings.json"],
        section: "context_servers",
        shape: Shape::Zed,
        programs: &["zed", "zeditor"],
        signs: &[Place::new(Base::Config, "zed").on_windows(Base::Support, "Zed")],
        rules: Some(Place::new(Base::Config, "zed/AGENTS.md").on_windows(Base::Support, "Zed/AGENTS.md")),
        ..JSON
    },
    Agent {
        name: "opencode",
        title: "OpenCode",
        user: &[
            Place::new(Base::Config, "opencode/opencode.json"),
            Place::new(Base::Config, "opencode/opencode.jsonc"),
        ],
        project: &["opencode.json", "opencode.jsonc"],
        section: "mcp",
        shape: Shape::CommandList,
        programs: &["opencode"],
        signs: &[Place::new(Base::Config, "opencode")],
        hooks: Some(HookContract {
            place: Place::new(Base::Config, "opencode/plugins/recall.js"),
            contract: &contract::OPENCODE,
        }),
        ..JSON
    },
    Agent {
        name: "kilo",
        title: "Kilo Code",
        user: &[Place::new(Base::Config, "kilo/kilo.jsonc"), Place::new(Base::Config, "kilo/kilo.json")],
        project: &[".kilo/kilo.jsonc", ".kilo/kilo.json", "kilo.jsonc", "kilo.json"],
        section: "mcp",
        shape: Shape::CommandList,
        programs: &["kilo"],
        signs: &[Place::new(Base::Config, "kilo")],
        hooks: Some(HookContract {
            place: Place::new(Base::Config, "kilo/plugin/recall.js"),
            contract: &contract::KILO,
        }),
        ..JSON
    },
    Agent {
        name: "cline",
        title: "Cline",
        user: &[Place::new(
            Base::Support,
            "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        )],
        signs: &[Place::new(Base::Support, "Code/User/globalStorage/saoudrizwan.claude-dev")],
        hooks: Some(HookContract {
            place: Place::new(Base::Home, "Documents/Cline/Hooks"),
            contract: &contract::CLINE,
        }),
        ..JSON
    },
    Agent {
        name: "cline-cli",
        title: "Cline CLI",
        user: &[Place::new(CLINE, "data/settings/cline_mcp_settings.json")],
        programs: &["cline"],
        signs: &[Place::new(CLINE, "")],
        hooks: Some(HookContract {
            place: Place::new(Base::Home, "Documents/Cline/Hooks"),
            contract: &contract::CLINE_CLI,
        }),
        ..JSON
    },
    Agent {
        name: "goose",
        title: "Goose",
        user: &[
            Place::new(Base::Config, "goose/config.yaml").on_windows(Base::Support, "Block/goose/config/config.yaml")
        ],
        format: Format::Yaml,
        section: "extensions",
        shape: Shape::Goose,
        programs: &["goose"],
        signs: &[Place::new(Base::Config, "goose").on_windows(Base::Support, "Block/goose")],
        rules: Some(
            Place::new(Base::Config, "goose/.goosehints").on_windows(Base::Support, "Block/goose/config/.goosehints"),
        ),
        ..JSON
    },
    Agent {
        name: "kiro",
        title: "Kiro",
        user: &[Place::new(Base::Home, ".kiro/settings/mcp.json")],
        project: &[".kiro/settings/mcp.json"],
        programs: &["kiro", "kiro-cli"],
        signs: &[Place::new(Base::Home, ".kiro")],
        hooks: Some(HookContract {
            place: Place::new(Base::Home, ".kiro/hooks/recall.json"),
            contract: &contract::KIRO,
        }),
        ..JSON
    },
    Agent {
        name: "amp",
        title: "Amp",
        user: &[Place::new(Base::Config, "amp/settings.json"), Place::new(Base::Config, "amp/settings.jsonc")],
        project: &[".amp/settings.json"],
        // One key with a dot in its name.
        section: "amp.mcpServers",
        programs: &["amp"],
        signs: &[Place::new(Base::Config, "amp")],
        rules: Some(Place::new(Base::Config, "amp/AGENTS.md")),
        ..JSON
    },
    Agent {
        name: "crush",
        title: "Crush",
        user: &[Place::new(Base::Config, "crush/crush.json")],
        project: &[".crush.json", "crush.json"],
        section: "mcp",
        shape: Shape::Stdio,
        programs: &["crush"],
        signs: &[Place::new(Base::Config, "crush")],
        hooks: Some(HookContract { place: Place::new(Base::Config, "crush/crush.json"), contract: &contract::CRUSH }),
        ..JSON
    },
    Agent {
        name: "junie",
        title: "Junie",
        user: &[Place::new(Base::Home, ".junie/mcp/mcp.json")],
        project: &[".junie/mcp/mcp.json"],
        programs: &["junie"],
        signs: &[Place::new(Base::Home, ".junie")],
        ..JSON
    },
    Agent {
        name: "droid",
        title: "Factory Droid",
        user: &[Place::new(Base::Home, ".factory/mcp.json")],
        project: &[".factory/mcp.json"],
        shape: Shape::Stdio,
        programs: &["droid"],
        signs: &[Place::new(Base::Home, ".factory")],
        hooks: Some(HookContract {
            place: Place::new(Base::Home, ".factory/settings.json"),
            contract: &contract::DROID,
        }),
        ..JSON
    },
];

/// Returns all agents, in the order in which they are shown.
pub fn agents() -> &'static [Agent] {
    AGENTS
}

/// Returns the agent of a name on the command line; `None` for an unknown one.
pub fn agent(name: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    use super::*;
    use crate::hook_event::HookEvent;
    use crate::place::{Folders, System};

    fn user_file(name: &str, system: System, variables: &[(&str, &str)]) -> String {
        let variables = variables.iter().map(|(name, path)| ((*name).to_owned(), (*path).into()));
        let folders = Folders { system, home: "/h".into(), variables: variables.collect::<BTreeMap<_, _>>() };
        agent(name).expect("known").user_file(&folders).display().to_string().replace('\\', "/")
    }

    #[test]
    fn files_are_where_each_system_has_them() {
        let check = |name: &str, expected: [&str; 3]| {
            let systems = [System::Linux, System::Macos, System::Windows];
            assert_eq!(systems.map(|system| user_file(name, system, &[])), expected, "{name}");
        };
        let support = ["/h/.config", "/h/Library/Application Support", "/h/AppData/Roaming"];
        check("cursor", ["/h/.cursor/mcp.json"; 3]);
        check("claude-code", ["/h/.claude.json"; 3]);
        check("vscode", support.map(|folder| format!("{folder}/Code/User/mcp.json")).each_ref().map(String::as_str));
        check(
            "zed",
            ["/h/.config/zed/settings.json", "/h/.config/zed/settings.json", "/h/AppData/Roaming/Zed/settings.json"],
        );
        check(
            "goose",
            [
                "/h/.config/goose/config.yaml",
                "/h/.config/goose/config.yaml",
                "/h/AppData/Roaming/Block/goose/config/config.yaml",
            ],
        );
    }

    #[test]
    fn variables_move_the_files() {
        let linux = System::Linux;
        assert_eq!(user_file("codex", linux, &[("CODEX_HOME", "/c")]), "/c/config.toml");
        assert_eq!(user_file("claude-code", linux, &[("CLAUDE_CONFIG_DIR", "/c")]), "/c/.claude.json");
        assert_eq!(user_file("gemini", linux, &[("GEMINI_CLI_HOME", "/g")]), "/g/.gemini/settings.json");
        assert_eq!(user_file("zed", linux, &[("XDG_CONFIG_HOME", "/x")]), "/x/zed/settings.json");
        assert_eq!(user_file("vscode", System::Windows, &[("APPDATA", "/a")]), "/a/Code/User/mcp.json");
    }

    #[test]
    fn every_agent_has_a_name_of_its_own_and_a_row_in_the_documentation() {
        let names: BTreeSet<&str> = AGENTS.iter().map(|agent| agent.name).collect();
        assert_eq!(names.len(), AGENTS.len());
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mcp.md");
        let page = std::fs::read_to_string(page).expect("the page");
        for agent in AGENTS {
            assert!(!agent.user.is_empty() && !agent.signs.is_empty(), "{}", agent.name);
            let row = page.lines().find(|line| line.starts_with(&format!("| `{}` | {} |", agent.name, agent.title)));
            let row = row.unwrap_or_else(|| panic!("{} has no row", agent.name));
            assert_eq!(row.contains("mcp add"), agent.vendor.is_some(), "{row}");
            let has_hooks = !row.trim_end_matches([' ', '|']).ends_with('–');
            assert_eq!(has_hooks, agent.hooks.is_some(), "{row}");
            assert!(agent.project.first().is_none_or(|file| row.contains(&format!("`{file}`"))), "{row}");
        }
    }

    #[test]
    fn the_events_of_every_agent_are_documented() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hooks.md");
        let page = std::fs::read_to_string(page).expect("the page");
        for agent in AGENTS.iter().filter(|agent| agent.has_hook_contract()) {
            let cells = HookEvent::ALL.map(|event| match agent.hook_event_names(event).next() {
                None => "–",
                Some(_) if agent.adds_context(event) => "context",
                Some(_) => "record",
            });
            let row = format!("| {} | {} |", agent.title, cells.join(" | "));
            assert!(page.lines().any(|line| line == row), "{row}");
        }
    }
}
