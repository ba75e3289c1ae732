//! The texts in which `OpenAI` Codex keeps its memories: which part concerns which working directory.
//!
//! Codex has one folder for all projects. `MEMORY.md` is divided into blocks, and each names the working directory it applies to; a
//! summary of a rollout names it in its first lines. A block without a path is about a way of working, in any project.

use std::ops::Range;
use std::path::Path;

/// The heading of a block.
const GROUP: &str = "# Task Group:";

/// The first line of the header of a block, as earlier versions wrote it between two lines of `---`.
const OLD_HEADER: &str = "rollout_summary_files:";

/// The heading of the index in `memory_summary.md`, which repeats what is in the other files about all projects.
const INDEX: &str = "## What's in Memory";

/// A block of `MEMORY.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodexBlock<'t> {
    /// Its name.
    pub heading: &'t str,
    /// Its lines in the text, from 0.
    pub lines: Range<usize>,
    /// Its text.
    pub text: &'t str,
    /// What it says about where it applies: a line, or the lines that name working directories.
    applies_to: Vec<&'t str>,
}

/// Splits `MEMORY.md` into its blocks. What stands before the first one belongs to none.
pub fn codex_blocks(text: &str) -> Vec<CodexBlock<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut starts: Vec<usize> = (0..lines.len()).filter(|at| begins_block(&lines[*at..])).collect();
    starts.push(lines.len());
    starts.windows(2).map(|bounds| read_block(text, &lines, bounds[0]..bounds[1])).collect()
}

/// Returns whether the first of these lines begins a block.
fn begins_block(lines: &[&str]) -> bool {
    let next = || lines.iter().skip(1).find(|line| !line.trim().is_empty());
    lines[0].starts_with(GROUP)
        || (lines[0].trim_end() == "---" && next().is_some_and(|line| line.starts_with(OLD_HEADER)))
}

fn read_block<'t>(text: &'t str, lines: &[&'t str], range: Range<usize>) -> CodexBlock<'t> {
    let own = &lines[range.clone()];
    let value = |key: &str| own.iter().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let applies_to = match value("applies_to:") {
        Some(line) => vec![line],
        None => own.iter().copied().filter(|line| line.contains("cwd=")).collect(),
    };
    let heading = value(GROUP).or_else(|| value("description:")).unwrap_or_default();
    CodexBlock { heading, text: part(text, lines, &range), lines: range, applies_to }
}

/// Returns the part of a text from one line up to another.
fn part<'t>(text: &'t str, lines: &[&'t str], range: &Range<usize>) -> &'t str {
    let offset = |at: usize| lines.get(at).map_or(text.len(), |line| line.as_ptr() as usize - text.as_ptr() as usize);
    &text[offset(range.start)..offset(range.end)]
}

impl<'t> CodexBlock<'t> {
    /// Returns the working directories that the block applies to, as it writes them.
    pub fn directories(&self) -> Vec<&'t str> {
        self.applies_to.iter().flat_map(|line| directories(line)).collect()
    }

    /// Returns whether the block applies to no directory in particular.
    pub fn is_general(&self) -> bool {
        self.directories().is_empty() && self.applies_to.iter().all(|line| names_no_directory(line))
    }
}

/// Returns whether a line says that it is about no directory in particular.
fn names_no_directory(line: &str) -> bool {
    let after = line.split_once("cwd=").map_or("", |(_, after)| after);
    let value = after.split([';', ',', ')']).next().unwrap_or_default().trim();
    matches!(value.to_ascii_lowercase().as_str(), "" | "unknown" | "any" | "all" | "global" | "n/a" | "*")
}

/// Returns the working directory that the first lines of the summary of a rollout name.
pub fn codex_rollout_directory(text: &str) -> Option<&str> {
    let header = text.lines().take_while(|line| !line.trim().is_empty());
    header.filter_map(|line| line.strip_prefix("cwd:")).map(str::trim).find(|value| is_path(value))
}

/// Returns the lines of `memory_summary.md` that are its index of all projects, from 0.
pub fn codex_index_lines(text: &str) -> Range<usize> {
    let mut lines = text.lines().enumerate();
    let Some((start, _)) = lines.find(|(_, line)| line.trim_end() == INDEX) else { return 0..0 };
    let end = lines.find(|(_, line)| line.starts_with("## ") || line.starts_with("# "));
    start..end.map_or_else(|| text.lines().count(), |(end, _)| end)
}

/// Returns whether a directory, as it was written, is a folder or below it. `~` means the home folder.
pub fn is_below(written: &str, folder: &Path, home: Option<&Path>) -> bool {
    let written = written.strip_prefix(r"\\?\").unwrap_or(written);
    match (written.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => home.join(below).starts_with(folder),
        _ => Path::new(written).starts_with(folder),
    }
}

/// Returns the paths after each `cwd=` in a line.
fn directories(line: &str) -> Vec<&str> {
    let values = line.split("cwd=").skip(1).filter_map(|value| value.split([';', ',', ')', '"', '`']).next());
    let names = values.flat_map(|value| value.split(" and ")).flat_map(|name| name.split(" or "));
    let bare = names.map(|name| name.split(" (").next().unwrap_or(name).trim());
    bare.map(|name| name.strip_suffix(" family").unwrap_or(name)).filter(|name| is_path(name)).collect()
}

fn is_path(text: &str) -> bool {
    let is_drive = text.as_bytes().get(1..3).is_some_and(|rest| rest == br":\" || rest == b":/");
    text.starts_with(['/', '~']) || text.starts_with(r"\\") || is_drive
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEMORY: &str = "\
# Task Group: shop: releases
scope: publish from a clean checkout
applies_to: cwd=/home/ada/shop; reuse_rule=re-check the registry

## Task 1: publish, success

### rollout_summary_files

- rollout_summaries/a.md (cwd=/home/ada/other, updated_at=2026-09-09T13:31:42+00:00)

## Reusable knowledge

- The tag is made by `make tag`.

# Task Group: two checkouts
applies_to: cwd=/home/ada/api and /home/ada/shop/.claude/worktrees/x; reuse_rule=verify first

- Ports differ.

# Task Group: reviews
applies_to: cwd=unknown; reuse_rule=workflow-scoped

- Review in small steps.

# Task Group: a label
applies_to: cwd=the shop repositories; reuse_rule=x

- Nobody knows which.
";

    #[test]
    fn a_block_names_the_directories_that_it_applies_to() {
        let blocks = codex_blocks(MEMORY);
        let read: Vec<_> =
            blocks.iter().map(|block| (block.heading, block.directories(), block.is_general())).collect();
        assert_eq!(
            read,
            [
                ("shop: releases", vec!["/home/ada/shop"], false),
                ("two checkouts", vec!["/home/ada/api", "/home/ada/shop/.claude/worktrees/x"], false),
                ("reviews", vec![], true),
                ("a label", vec![], false),
            ]
        );
        assert_eq!((blocks[1].lines.clone(), blocks[1].text.lines().count()), (14..19, 5));
        assert!(blocks[1].text.starts_with("# Task Group: two") && blocks[1].text.ends_with("differ.\n\n"));
    }

    #[test]
    fn a_block_of_an_earlier_version_has_its_directories_in_its_header() {
        let text = "---\nrollout_summary_files:\n  - a.md (success, cwd=/w/a b, updated_at=2026-02-12T10:30:00Z)\n\
                    description: walk through the store\nkeywords: x\n---\n\n- It opens twice.\n";
        let blocks = codex_blocks(text);
        assert_eq!(blocks.len(), 1);
        assert_eq!((blocks[0].heading, blocks[0].directories()), ("walk through the store", vec!["/w/a b"]));
        assert_eq!(codex_blocks("- free text\n"), []);
    }

    #[test]
    fn a_rollout_names_its_directory_in_its_header() {
        let text = "thread_id: 1\nupdated_at: 2026-09-09\nrollout_path: /x.jsonl\ncwd: /home/ada/shop\n\ncwd: /evil\n";
        assert_eq!(codex_rollout_directory(text), Some("/home/ada/shop"));
        assert_eq!(codex_rollout_directory("# Title\n\ncwd: /home/ada/shop\n"), None);
    }

    #[test]
    fn the_index_of_a_summary_ends_at_the_next_section() {
        let text = "v1\n\n## User Profile\nAda.\n## What's in Memory\n### /home/ada/shop\n- x\n## More\ny\n";
        assert_eq!((codex_index_lines(text), codex_index_lines("v1\n")), (4..7, 0..0));
    }

    #[test]
    fn a_directory_is_compared_by_whole_names() {
        let folder = Path::new("/home/ada/shop");
        for (written, expected) in [
            ("/home/ada/shop", true),
            ("/home/ada/shop/web", true),
            ("~/shop/web", true),
            ("/home/ada/shop2", false),
            ("/home/ada", false),
            ("shop", false),
        ] {
            assert_eq!(is_below(written, folder, Some(Path::new("/home/ada"))), expected, "{written}");
        }
    }
}
