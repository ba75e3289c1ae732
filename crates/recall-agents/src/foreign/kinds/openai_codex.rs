//! The memories of `OpenAI` Codex: Markdown files in `~/.codex/memories`.
//!
//! A block of `MEMORY.md` is a memory of the working directory that it names, and so is the summary of a rollout. What Codex knows of
//! the user, and blocks that name no directory, are global.

use std::path::Path;

use recall_core::{ForeignKind, MEMORY_BYTES, MemoryType, StoreScope, Timestamp};

use super::serena::{check_folder, title, unreadable};
use crate::codex_memory::{CodexBlock, codex_blocks, codex_index_lines, codex_rollout_directory, is_below};
use crate::foreign::item::{Belonging, ForeignMemory, ForeignOrigin};
use crate::foreign::text_file::{self, files_below};
use crate::foreign::{Item, ReadError, Sink};

/// The most bytes of a file: `MEMORY.md` has the blocks of all projects.
const FILE_BYTES: u64 = 8 * MEMORY_BYTES as u64;

/// The folder of summaries.
const ROLLOUTS: &str = "rollout_summaries/";

pub(super) fn read(path: &Path, root: Option<&Path>, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    check_folder(path, ForeignKind::OpenAiCodex)?;
    // The folder of Codex means the memories below it.
    let inside = path.join("memories");
    let folder = if inside.is_dir() { inside } else { path.to_owned() };
    for found in files_below(&folder, "md")? {
        let is_rollout = found.below.starts_with(ROLLOUTS);
        // What is left is derived from the others or an input of Codex.
        if !is_rollout && !matches!(&*found.below, "MEMORY.md" | "memory_summary.md") {
            continue;
        }
        let text = match text_file::read(&found.path, FILE_BYTES) {
            Ok(text) => text,
            Err(error) => {
                if sink(Item::LeftOut(unreadable(&found.below, &error))).is_break() {
                    break;
                }
                continue;
            }
        };
        let memories = match &*found.below {
            "MEMORY.md" => codex_blocks(&text).iter().map(|block| block_memory(block, found.modified, root)).collect(),
            "memory_summary.md" => vec![summary_memory(&text, found.modified)],
            below => vec![rollout_memory(below, &text, found.modified)],
        };
        let empty = |memory: &ForeignMemory| memory.content.is_empty();
        if memories.into_iter().filter(|memory| !empty(memory)).any(|memory| sink(item(memory)).is_break()) {
            break;
        }
    }
    Ok(())
}

fn block_memory(block: &CodexBlock<'_>, modified: Option<Timestamp>, root: Option<&Path>) -> ForeignMemory {
    let directories = block.directories();
    let own = directories.iter().find(|written| root.is_some_and(|root| is_below(written, root, None)));
    let project = own.or(directories.first()).map(|written| (*written).to_owned());
    ForeignMemory {
        id: format!("MEMORY.md {}", block.heading),
        title: block.heading.to_owned(),
        content: block.text.trim().to_owned(),
        belongs: belonging(project, block.is_general()),
        ..empty_memory(modified)
    }
}

fn summary_memory(text: &str, modified: Option<Timestamp>) -> ForeignMemory {
    let index = codex_index_lines(text);
    let lines = text.lines().enumerate().filter(|(at, line)| !index.contains(at) && *line != "v1");
    let content: Vec<&str> = lines.map(|(_, line)| line).collect();
    ForeignMemory {
        id: "memory_summary.md".to_owned(),
        title: "What Codex knows of the user".to_owned(),
        content: content.join("\n").trim().to_owned(),
        belongs: belonging(None, true),
        ..empty_memory(modified)
    }
}

fn rollout_memory(below: &str, text: &str, modified: Option<Timestamp>) -> ForeignMemory {
    let body = text.split_once("\n\n").map_or(text, |(_, body)| body);
    ForeignMemory {
        id: below.to_owned(),
        memory_type: Some(MemoryType::Context),
        title: title(body, below),
        content: body.trim().to_owned(),
        belongs: belonging(codex_rollout_directory(text).map(str::to_owned), false),
        ..empty_memory(modified)
    }
}

/// Returns a memory of Codex without its text.
fn empty_memory(modified: Option<Timestamp>) -> ForeignMemory {
    ForeignMemory {
        tags: vec![ForeignKind::OpenAiCodex.as_str().to_owned()],
        created: modified,
        origin: ForeignOrigin { agent: Some("codex".to_owned()), ..ForeignOrigin::default() },
        ..ForeignMemory::default()
    }
}

/// Describes where a memory applies. One that names no directory, and is not general either, belongs to no project that is known.
fn belonging(project: Option<String>, is_general: bool) -> Belonging {
    let scope = if is_general { StoreScope::Global } else { StoreScope::Project };
    Belonging {
        scope: Some(scope),
        project: project.or_else(|| (!is_general).then(|| "a project without a path".to_owned())),
    }
}

fn item(memory: ForeignMemory) -> Item {
    Item::Memory(Box::new(memory))
}
