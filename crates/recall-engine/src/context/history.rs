//! What is recorded about a context window's files: their commits, their owners, and memories.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use recall_text::DocPath;

use crate::context::draft::Entry;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::git::{FileCommit, Git};
use crate::mask;
use crate::memory::about::words_of;
use crate::memory::memories_about;
use recall_core::{MemoryId, MemoryView, Timestamp};
use recall_text::quote::{inline, quote};

/// The most commits that are listed.
const MOST_COMMITS: usize = 8;

/// The most files whose owners are named, and the most authors of each.
const MOST_OWNED: usize = 6;
const MOST_AUTHORS: usize = 3;

/// The files in which owners are stated, in the order in which hosts look for them.
const OWNER_FILES: [&str; 3] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"];

/// The most bytes of such a file that are read.
const OWNER_BYTES: u64 = 256 * 1024;

/// Returns the latest commits that changed one of the files.
pub(crate) fn commits(history: &[FileCommit], files: &BTreeSet<DocPath>) -> Vec<Entry> {
    let touching = history.iter().filter_map(|commit| {
        let of_it: Vec<String> = commit
            .files
            .iter()
            .filter(|path| files.contains(*path))
            .take(2)
            .map(|path| mask::shown_path(inline(path.as_str())))
            .collect();
        (!of_it.is_empty()).then(|| {
            Entry::line(&format!(
                "{} {} {} [{}]",
                inline(&commit.id),
                inline(&commit.day),
                inline(&commit.subject),
                of_it.join(", ")
            ))
        })
    });
    touching.take(MOST_COMMITS).collect()
}

/// Returns who owns the files: by the file of owners of the project, and by the lines of their last version.
pub(crate) fn owners(root: &Path, files: &[DocPath]) -> Vec<Entry> {
    let rules = owner_rules(root);
    let git = Git::at(root);
    let mut entries = Vec::new();
    for path in files.iter().take(MOST_OWNED) {
        // The last matching rule decides, as hosts define it.
        let stated =
            rules.iter().rev().find(|(glob, _)| glob.is_match(path.as_str())).map(|(_, owners)| owners.clone());
        let authors = git.line_authors(path);
        let lines: usize = authors.iter().map(|(_, lines)| lines).sum();
        let shares: Vec<String> = authors
            .iter()
            .take(MOST_AUTHORS)
            .map(|(author, own)| format!("{} {} %", inline(author), (own * 100).div_ceil(lines.max(1)).min(100)))
            .collect();
        let mut said = Vec::new();
        said.extend(
            stated.filter(|owners| !owners.is_empty()).map(|owners| format!("{} (CODEOWNERS)", inline(&owners))),
        );
        if !shares.is_empty() {
            said.push(format!("lines by {}", shares.join(", ")));
        }
        if !said.is_empty() {
            entries.push(Entry::line(&format!("{}: {}", mask::shown_path(inline(path.as_str())), said.join("; "))));
        }
    }
    entries
}

/// Reads the rules of the project's file of owners, in their order.
fn owner_rules(root: &Path) -> Vec<(GlobMatcher, String)> {
    let read = |name: &&str| {
        let path = DocPath::new(name).ok()?;
        recall_watch::content::read(root, &path, &recall_watch::content::ReadOptions::up_to(OWNER_BYTES))
            .ok()
            .map(|content| content.text)
    };
    let Some(text) = OWNER_FILES.iter().find_map(read) else { return Vec::new() };
    let rule = |line: &str| {
        let line = line.split_once('#').map_or(line, |(rule, _)| rule).trim();
        let (pattern, owners) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let glob = GlobBuilder::new(&owner_glob(pattern)?).literal_separator(true).build().ok()?;
        Some((glob.compile_matcher(), owners.split_whitespace().collect::<Vec<_>>().join(" ")))
    };
    text.lines().filter_map(rule).collect()
}

/// Converts a pattern of a file of owners, which is one of `.gitignore`, into a glob over whole paths.
fn owner_glob(pattern: &str) -> Option<String> {
    if pattern.is_empty() {
        return None;
    }
    let (anchored, rest) = pattern.strip_prefix('/').map_or((false, pattern), |rest| (true, rest));
    let is_directory = rest.ends_with('/');
    let rest = rest.trim_end_matches('/');
    let start = if anchored || rest.contains('/') { "" } else { "**/" };
    let below = if rest.ends_with('*') { "" } else { "{,/**}" };
    Some(if rest.is_empty() {
        "**".to_owned()
    } else if is_directory {
        format!("{start}{rest}/**")
    } else {
        format!("{start}{rest}{below}")
    })
}

/// The most characters that are quoted of a memory.
const MEMORY_CHARS: usize = 400;

/// The most memories that are considered. Checking the files of one takes some microseconds.
const MOST_MEMORIES: usize = 12;

/// Returns the memories about the files, after those that the search found.
pub(crate) fn list_memories(
    stores: &[MountedStore],
    found: Vec<MemoryView>,
    files: &BTreeSet<DocPath>,
    now: Timestamp,
) -> Result<Vec<Entry>, StoreError> {
    let mut seen: BTreeSet<MemoryId> = found.iter().map(|recalled| recalled.memory.id).collect();
    let mut all = found;
    for store in stores {
        all.extend(memories_about(store, files, &mut seen, MOST_MEMORIES, now)?);
    }
    Ok(all.iter().take(MOST_MEMORIES).map(memory).collect())
}

fn memory(recalled: &MemoryView) -> Entry {
    let memory = &recalled.memory;
    let id = memory.id;
    let mut line = format!("- {id} {} ({}): {}", id.memory_type, words_of(recalled), inline(&memory.title));
    let files: Vec<String> = memory.related_files.iter().take(3).map(|path| inline(path.as_str())).collect();
    if !files.is_empty() {
        let _ = write!(line, " [{}]", files.join(", "));
    }
    Entry::lines(format!("{line}\n{}", quote(&memory.content, MEMORY_CHARS)))
}
