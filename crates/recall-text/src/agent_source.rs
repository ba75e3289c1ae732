//! The places where coding agents keep instructions and memories, as one table.
//!
//! A place in a project is part of its files. A place in the user's home concerns all projects, or the one that its folder or its
//! text names. Here are only names: what is in a place, and which project it concerns, is read elsewhere.

/// A place where an agent looks for instructions or keeps memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentSource {
    /// The agent, by the name that settings and answers have; empty for a file that many agents read.
    pub agent: &'static str,
    /// Where the texts are.
    pub place: AgentPlace,
}

/// Where the texts of a source are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentPlace {
    /// A file with this name, in any directory of a project.
    Name(&'static str),
    /// The file `name` in the directory `hidden`, which may be anywhere in a project.
    File {
        /// The directory.
        hidden: &'static str,
        /// The name of the file.
        name: &'static str,
    },
    /// The files with these endings anywhere below `hidden/below`, which may be anywhere in a project.
    Folder {
        /// The directory of the agent.
        hidden: &'static str,
        /// The directory in it.
        below: &'static str,
        /// The endings of the names.
        endings: &'static [&'static str],
    },
    /// A file, or the files below a folder, in the agent's folder in the user's home.
    Home(HomePlace),
}

/// A place in the folder that an agent has in the user's home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HomePlace {
    /// The path of the file or folder below the agent's folder. `{project}` stands for the folder's name for a project.
    pub below: &'static str,
    /// The endings of the files in a folder; `None` if `below` is a file.
    pub endings: Option<&'static [&'static str]>,
    /// The path at which clients see the file or folder.
    pub seen_at: &'static str,
    /// Which projects the texts concern.
    pub concern: Concern,
}

/// Which projects a text in the user's home concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// All.
    Every,
    /// All, but for the parts that are an index of what is kept about projects.
    EveryButIndex,
    /// The one that has the folder: by the path of its root with a `-` for each character that is not a letter or a digit.
    Slug,
    /// The one that has the folder: by the agent's file of projects.
    Registry,
    /// Each block of the text concerns the working directory that it names, or all projects if it says that it names none.
    Blocks,
    /// The working directory that the first lines name.
    Header,
}

const MARKDOWN: &[&str] = &[".md"];

/// All sources but Claude Code's auto memory, whose folder the user's settings may name.
pub const AGENT_SOURCES: &[AgentSource] = &[
    // Agents read these in any directory.
    name("", "AGENTS.md"),
    name("claude", "CLAUDE.md"),
    name("claude", "CLAUDE.local.md"),
    name("gemini", "GEMINI.md"),
    name("qwen", "QWEN.md"),
    name("qwen", "QWEN.local.md"),
    name("cursor", ".cursorrules"),
    name("windsurf", ".windsurfrules"),
    folder("claude", ".claude", "rules", MARKDOWN),
    folder("cursor", ".cursor", "rules", &[".mdc", ".md"]),
    folder("windsurf", ".windsurf", "rules", MARKDOWN),
    folder("copilot", ".github", "instructions", &[".instructions.md"]),
    AgentSource { agent: "copilot", place: AgentPlace::File { hidden: ".github", name: "copilot-instructions.md" } },
    folder("qwen", ".qwen", "team-memory", MARKDOWN),
    folder("", ".agents", "memory", MARKDOWN),
    // In the user's home.
    home("claude", "CLAUDE.md", None, "claude-home/CLAUDE.md", Concern::Every),
    home("claude", "rules", Some(MARKDOWN), "claude-home/rules", Concern::Every),
    home("codex", "AGENTS.md", None, "codex-home/AGENTS.md", Concern::Every),
    home("codex", "memories/memory_summary.md", None, "codex-memory/memory_summary.md", Concern::EveryButIndex),
    home("codex", "memories/MEMORY.md", None, "codex-memory/MEMORY.md", Concern::Blocks),
    home("codex", "memories/rollout_summaries", Some(MARKDOWN), "codex-memory/rollout_summaries", Concern::Header),
    home("copilot", "copilot-instructions.md", None, "copilot-home/copilot-instructions.md", Concern::Every),
    home("copilot", "instructions", Some(&[".instructions.md"]), "copilot-home/instructions", Concern::Every),
    home("gemini", "GEMINI.md", None, "gemini-home/GEMINI.md", Concern::Every),
    home("gemini", "tmp/{project}/memory", Some(MARKDOWN), "gemini-memory", Concern::Registry),
    home("qwen", "QWEN.md", None, "qwen-home/QWEN.md", Concern::Every),
    home("qwen", "memories", Some(MARKDOWN), "qwen-home/memories", Concern::Every),
    home("qwen", "projects/{project}/memory", Some(MARKDOWN), "qwen-memory", Concern::Slug),
    home("windsurf", "memories/global_rules.md", None, "windsurf-home/global_rules.md", Concern::Every),
];

const fn name(agent: &'static str, name: &'static str) -> AgentSource {
    AgentSource { agent, place: AgentPlace::Name(name) }
}

const fn folder(
    agent: &'static str,
    hidden: &'static str,
    below: &'static str,
    endings: &'static [&'static str],
) -> AgentSource {
    AgentSource { agent, place: AgentPlace::Folder { hidden, below, endings } }
}

const fn home(
    agent: &'static str,
    below: &'static str,
    endings: Option<&'static [&'static str]>,
    seen_at: &'static str,
    concern: Concern,
) -> AgentSource {
    AgentSource { agent, place: AgentPlace::Home(HomePlace { below, endings, seen_at, concern }) }
}

/// The agents whose files in the user's home are read, with the folder of each below the home and the variable that replaces it.
pub const AGENT_FOLDERS: &[AgentFolder] = &[
    AgentFolder { agent: "claude", below_home: ".claude", variable: Some(("CLAUDE_CONFIG_DIR", "")) },
    AgentFolder { agent: "codex", below_home: ".codex", variable: Some(("CODEX_HOME", "")) },
    AgentFolder { agent: "copilot", below_home: ".copilot", variable: Some(("COPILOT_HOME", "")) },
    // The variable replaces the home folder, not the folder of the agent.
    AgentFolder { agent: "gemini", below_home: ".gemini", variable: Some(("GEMINI_CLI_HOME", ".gemini")) },
    AgentFolder { agent: "qwen", below_home: ".qwen", variable: None },
    AgentFolder { agent: "windsurf", below_home: ".codeium/windsurf", variable: None },
];

/// The folder of an agent's files of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentFolder {
    /// The agent.
    pub agent: &'static str,
    /// The folder below the home folder.
    pub below_home: &'static str,
    /// The variable that replaces it, and the folder below what the variable names.
    pub variable: Option<(&'static str, &'static str)>,
}

/// Returns the source of a file in a project, by its path below the root; `None` if it is not one with instructions or memories.
pub fn agent_source(path: &str) -> Option<&'static AgentSource> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    AGENT_SOURCES.iter().find(|source| match source.place {
        AgentPlace::Name(known) => known == name,
        AgentPlace::File { hidden, name: known } => known == name && directory.rsplit('/').next() == Some(hidden),
        AgentPlace::Folder { hidden, below, endings } => {
            endings.iter().any(|ending| name.ends_with(ending)) && is_at_or_below_pair(directory, hidden, below)
        }
        AgentPlace::Home(_) => false,
    })
}

/// Returns whether a path below a root is that of a file with instructions for agents or memories of agents.
pub fn is_agent_file(path: &str) -> bool {
    agent_source(path).is_some()
}

/// Returns whether a directory may hold such files although rules for other files leave it out: it is the hidden directory of an
/// agent, or is below the part of it with the instructions.
pub fn leads_to_agent_files(directory: &str) -> bool {
    let name = directory.rsplit('/').next().unwrap_or_default();
    AGENT_SOURCES.iter().any(|source| match source.place {
        AgentPlace::File { hidden, .. } => hidden == name,
        AgentPlace::Folder { hidden, below, .. } => hidden == name || is_at_or_below_pair(directory, hidden, below),
        AgentPlace::Name(_) | AgentPlace::Home(_) => false,
    })
}

/// Returns the patterns of such files in a project, as git writes them.
pub fn agent_file_patterns() -> Vec<String> {
    let patterns = AGENT_SOURCES.iter().filter_map(|source| match source.place {
        AgentPlace::Name(name) => Some(format!("*{name}")),
        AgentPlace::File { hidden, name } => Some(format!("*{hidden}/{name}")),
        AgentPlace::Folder { hidden, below, .. } => Some(format!("*{hidden}/{below}/*")),
        AgentPlace::Home(_) => None,
    });
    patterns.collect()
}

/// Returns whether a directory is `hidden/below`, or below such a one.
fn is_at_or_below_pair(directory: &str, hidden: &str, below: &str) -> bool {
    let mut before = "";
    directory.split('/').any(|part| std::mem::replace(&mut before, part) == hidden && part == below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_recognised_by_their_paths() {
        for (path, agent) in [
            ("CLAUDE.md", "claude"),
            ("packages/api/AGENTS.md", ""),
            ("CLAUDE.local.md", "claude"),
            ("GEMINI.md", "gemini"),
            (".claude/CLAUDE.md", "claude"),
            (".claude/rules/tests.md", "claude"),
            ("web/.claude/rules/style/css.md", "claude"),
            (".cursor/rules/api.mdc", "cursor"),
            ("web/.cursorrules", "cursor"),
            (".windsurf/rules/style.md", "windsurf"),
            (".windsurfrules", "windsurf"),
            (".github/copilot-instructions.md", "copilot"),
            (".github/instructions/rust.instructions.md", "copilot"),
            (".github/instructions/web/css.instructions.md", "copilot"),
            (".agents/memory/MEMORY.md", ""),
            (".agents/memory/notes/build.md", ""),
            ("QWEN.md", "qwen"),
            (".qwen/team-memory/build.md", "qwen"),
        ] {
            assert_eq!(agent_source(path).map(|source| source.agent), Some(agent), "{path}");
        }
        for path in [
            "README.md",
            "docs/claude.md",
            ".claude/settings.json",
            ".claude/commands/x.md",
            "rules/tests.md",
            ".cursor/rules/run.sh",
            "copilot-instructions.md",
            ".github/instructions/notes.md",
            ".agents/skills/x.md",
            ".agents/x/memory/x.md",
            "codex-memory/MEMORY.md",
            "claude-home/rules/x.md",
        ] {
            assert!(!is_agent_file(path), "{path}");
        }
    }

    #[test]
    fn the_way_to_the_instructions_is_known() {
        for directory in [
            ".claude",
            ".claude/rules",
            ".claude/rules/style",
            "web/.cursor",
            ".github/instructions",
            ".agents/memory/x",
        ] {
            assert!(leads_to_agent_files(directory), "{directory}");
        }
        for directory in ["", "rules", ".claude/commands", ".github/workflows", "src", ".agents/skills"] {
            assert!(!leads_to_agent_files(directory), "{directory}");
        }
    }

    #[test]
    fn every_place_in_the_home_belongs_to_an_agent_with_a_folder() {
        let homes = AGENT_SOURCES.iter().filter(|source| matches!(source.place, AgentPlace::Home(_)));
        for source in homes {
            assert!(AGENT_FOLDERS.iter().any(|folder| folder.agent == source.agent), "{source:?}");
        }
        assert!(agent_file_patterns().contains(&"*.github/instructions/*".to_owned()));
    }
}
