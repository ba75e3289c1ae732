//! The files of a project in which people and agents keep instructions for agents.

/// Names that agents read in any directory.
const NAMES: [&str; 4] = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md"];

/// Directories that hold such files, with the endings of the files. A directory `a/b` may be anywhere in the project.
const FOLDERS: [(&str, &str, &[&str]); 3] = [
    (".claude", "rules", &[".md"]),
    (".cursor", "rules", &[".mdc", ".md"]),
    (".github", "instructions", &[".instructions.md"]),
];

/// The file of GitHub Copilot, in the directory `.github`.
const COPILOT: (&str, &str) = (".github", "copilot-instructions.md");

/// Returns whether a path below a root is that of a file with instructions for agents.
pub fn is_agent_file(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    if NAMES.contains(&name) {
        return true;
    }
    if name == COPILOT.1 && directory.rsplit('/').next() == Some(COPILOT.0) {
        return true;
    }
    folder(directory).is_some_and(|endings| endings.iter().any(|ending| name.ends_with(ending)))
}

/// Returns whether a directory may hold such files although rules for other files leave it out: it is the hidden directory of an
/// agent, or is below the part of it with the instructions.
pub fn leads_to_agent_files(directory: &str) -> bool {
    let name = directory.rsplit('/').next().unwrap_or_default();
    FOLDERS.iter().any(|(hidden, ..)| *hidden == name) || folder(directory).is_some()
}

/// Returns the endings of the instructions in a directory; `None` if it has none.
fn folder(directory: &str) -> Option<&'static [&'static str]> {
    let parts: Vec<&str> = directory.split('/').collect();
    let known = |pair: &[&str]| FOLDERS.iter().find(|(hidden, below, _)| pair == [*hidden, *below]);
    parts.windows(2).find_map(known).map(|(_, _, endings)| *endings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_recognised_by_their_paths() {
        for path in [
            "CLAUDE.md",
            "packages/api/AGENTS.md",
            "CLAUDE.local.md",
            "GEMINI.md",
            ".claude/CLAUDE.md",
            ".claude/rules/tests.md",
            "web/.claude/rules/style/css.md",
            ".cursor/rules/api.mdc",
            ".github/copilot-instructions.md",
            ".github/instructions/rust.instructions.md",
        ] {
            assert!(is_agent_file(path), "{path}");
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
        ] {
            assert!(!is_agent_file(path), "{path}");
        }
    }

    #[test]
    fn the_way_to_the_instructions_is_known() {
        for directory in [".claude", ".claude/rules", ".claude/rules/style", "web/.cursor", ".github/instructions"] {
            assert!(leads_to_agent_files(directory), "{directory}");
        }
        for directory in ["", "rules", ".claude/commands", ".github/workflows", "src"] {
            assert!(!leads_to_agent_files(directory), "{directory}");
        }
    }
}
