//! What changed in the files and symbols that a memory is anchored to.
//!
//! An anchor keeps the hash of a text, and the commit of that time. The text itself is in git: at that commit, or at a later one if the
//! file had changes that were committed afterwards.

use std::collections::VecDeque;
use std::time::Duration;

use recall_chunk::{ChunkLimits, Chunker};
use recall_core::{Anchor, AnchorState, ContentHash};
use recall_text::{DocPath, Language};
use recall_watch::content;
use similar::TextDiff;

use crate::engine::MountedStore;
use crate::git::Git;
use crate::mask::{self, Whole};
use crate::store::Store;

/// The most anchors of one memory whose changes are shown.
const MOST_ANCHORS: usize = 20;

/// The most commits in which the anchored text is looked for.
const MOST_COMMITS: usize = 10;

/// The most lines of the differences of one anchor.
const MOST_LINES: usize = 400;

/// The most bytes of a line of them.
const LINE_BYTES: usize = 2_000;

/// The lines around each difference.
const CONTEXT_LINES: usize = 3;

/// The time after which differences are no longer minimal.
const DIFF_TIME: Duration = Duration::from_millis(300);

/// What changed in a file or symbol since a memory was anchored to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorChange {
    /// The file, below the client's project.
    pub path: String,
    /// The symbol, qualified; `None` for the whole file.
    pub symbol: Option<String>,
    /// The commit whose text is compared with the current one; `None` if no earlier text is known.
    pub commit: Option<String>,
    /// Whether that text is the one that the memory was anchored to. If not, the file had changes then that were never committed.
    pub is_exact: bool,
    /// The differences in unified format, with secrets masked. Empty if no earlier text is known.
    pub diff: String,
    /// Whether further differences were left out.
    pub is_cut: bool,
}

/// A text with its secrets masked.
struct ChangedPart {
    text: String,
    hash: ContentHash,
}

/// Returns what changed for the broken anchors of a memory, in their order.
pub(super) fn changes_of(store: &MountedStore, broken: &[(Anchor, AnchorState)]) -> Vec<AnchorChange> {
    // A parser that runs in this process needs the stack.
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("changes".to_owned()).stack_size(recall_chunk::PARSE_STACK_BYTES);
        let changes = || {
            let mut versions = Versions::new(store);
            let anchors = broken.iter().take(MOST_ANCHORS);
            anchors.map(|(anchor, _)| change_of(store, &mut versions, anchor)).collect()
        };
        match thread.spawn_scoped(scope, changes) {
            Ok(running) => running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => {
                tracing::warn!(%error, "no thread for the changes of a memory");
                Vec::new()
            }
        }
    })
}

fn change_of(store: &MountedStore, versions: &mut Versions<'_>, anchor: &Anchor) -> AnchorChange {
    let Anchor { path, symbol, hash, commit } = anchor;
    let shown = |text: &str| mask::shown_path(store.mount.outer(text));
    let mut change = AnchorChange {
        path: shown(path.as_str()),
        symbol: symbol.clone(),
        commit: None,
        is_exact: false,
        diff: String::new(),
        is_cut: false,
    };
    let Some(commit) = commit else { return change };
    let Some((commit, before)) = versions.before(path, symbol.as_deref(), *hash, commit) else { return change };
    let now = versions.now(path, symbol.as_deref()).map(|part| part.text).unwrap_or_default();
    change.is_exact = before.hash == *hash;
    (change.diff, change.is_cut) = differences(&before.text, &now);
    change.commit = Some(commit);
    change
}

/// Returns the differences between two texts in unified format, and whether some were left out.
fn differences(before: &str, now: &str) -> (String, bool) {
    let compared = TextDiff::configure().timeout(DIFF_TIME).diff_lines(before, now);
    let mut diff = String::new();
    let mut is_cut = false;
    let all = compared.unified_diff().context_radius(CONTEXT_LINES).missing_newline_hint(false).to_string();
    for (number, line) in all.lines().enumerate() {
        if number == MOST_LINES {
            is_cut = true;
            break;
        }
        let shown = line.get(..line.floor_char_boundary(LINE_BYTES)).unwrap_or_default();
        is_cut |= shown.len() < line.len();
        diff.push_str(shown);
        diff.push('\n');
    }
    (diff, is_cut)
}

/// The earlier and current texts of a store's files and symbols.
struct Versions<'s> {
    store: &'s Store,
    chunker: Chunker,
}

impl<'s> Versions<'s> {
    fn new(store: &'s Store) -> Self {
        let limits = ChunkLimits::from(&store.settings().limits);
        Self { store, chunker: Chunker::with_code_parser(limits, store.files.code_parser().cloned()) }
    }

    /// Returns the text that has this hash, from a commit or a later one, with the commit that has it. Without such a text, that of the
    /// commit itself.
    fn before(
        &mut self,
        path: &DocPath,
        symbol: Option<&str>,
        hash: ContentHash,
        commit: &str,
    ) -> Option<(String, ChangedPart)> {
        let git = Git::at(&self.store.root);
        let mut commits = VecDeque::from([commit.to_owned()]);
        let mut first = None;
        let mut is_listed = false;
        while let Some(commit) = commits.pop_front() {
            let part = git.file_at(&commit, path).and_then(|bytes| self.part(path, symbol, bytes, hash));
            if let Some(part) = part {
                if part.hash == hash {
                    return Some((commit, part));
                }
                first = first.or(Some((commit.clone(), part)));
            }
            if !is_listed {
                is_listed = true;
                commits.extend(git.changes_after(&commit, path, MOST_COMMITS));
            }
        }
        first
    }

    /// Returns the current text; `None` if the file or the symbol is gone, or the file is not one that is shown.
    fn now(&mut self, path: &DocPath, symbol: Option<&str>) -> Option<ChangedPart> {
        let (content, _) = self.store.files.read_file(path, &self.store.settings().limits).ok()?;
        self.cut(path, symbol, content.text, content.hash, None)
    }

    fn part(&mut self, path: &DocPath, symbol: Option<&str>, bytes: Vec<u8>, hash: ContentHash) -> Option<ChangedPart> {
        if bytes.len() as u64 > self.store.settings().limits.file_bytes {
            return None;
        }
        let content = content::version(path, self.store.files.tracking(path), bytes).ok()?;
        self.cut(path, symbol, content.text, content.hash, Some(hash))
    }

    /// Cuts a symbol out of the text of its file. Of several definitions, that with the wanted hash is taken, otherwise the first.
    fn cut(
        &mut self,
        path: &DocPath,
        symbol: Option<&str>,
        text: String,
        hash: ContentHash,
        wanted: Option<ContentHash>,
    ) -> Option<ChangedPart> {
        let Some(symbol) = symbol else {
            let end = text.len();
            return Some(ChangedPart { text: Whole::new(path, text).mask_range(0..end), hash });
        };
        let language = Language::detect(path, &text);
        let parsed = self.chunker.parse(path, language.as_ref(), &text);
        let spans = parsed.symbols.iter().filter(|found| found.qualified == symbol).map(|found| found.span.bytes);
        let parts =
            spans.filter_map(|span| Some((span.slice(&text).map(|part| ContentHash::hash(part.as_bytes()))?, span)));
        let mut parts: Vec<_> = parts.collect();
        parts.sort_by_key(|(hash, _)| wanted != Some(*hash));
        let (hash, span) = parts.into_iter().next()?;
        let range = span.start as usize..span.end as usize;
        Some(ChangedPart { text: Whole::new(path, text).mask_range(range), hash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_their_surroundings_and_an_end() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let (diff, is_cut) = differences(before, &before.replace("e\n", "E\n"));
        assert_eq!((diff.as_str(), is_cut), ("@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n", false));
        let many = "a line\n".repeat(1_000);
        let (diff, is_cut) = differences("", &many);
        assert_eq!((diff.lines().count(), is_cut), (MOST_LINES, true));
        let (diff, is_cut) = differences("", &"ä".repeat(LINE_BYTES));
        assert!(is_cut && diff.lines().all(|line| line.len() <= LINE_BYTES), "{}", diff.len());
        assert_eq!(differences("a\n", "a\n"), (String::new(), false));
    }
}
