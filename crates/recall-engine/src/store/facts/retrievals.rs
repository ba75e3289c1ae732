//! A count of how often each item was returned as a hit.
//!
//! The counts are in memory and in a file in the index folder. A kill loses the counts since the store last settled; deleting
//! the index loses all. Ranking does not use them; see [`ItemStats`](recall_core::ItemStats).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::PathBuf;

use parking_lot::Mutex;
use recall_core::ItemId;

/// The file in the index folder. Each line has an id and a number.
const FILE: &str = "retrievals";

/// How often each item was returned as a hit.
pub(crate) struct Retrievals {
    file: PathBuf,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    by_item: HashMap<ItemId, u64>,
    is_changed: bool,
}

impl Retrievals {
    /// Reads the counts from an index folder. Lines that cannot be parsed are ignored.
    pub(crate) fn open(index: &std::path::Path) -> Self {
        let file = index.join(FILE);
        let text = fs::read_to_string(&file).unwrap_or_default();
        let read = |line: &str| {
            let (item, count) = line.split_once(' ')?;
            Some((item.parse().ok()?, count.parse().ok()?))
        };
        let by_item = text.lines().filter_map(read).collect();
        Self { file, counts: Mutex::new(Counts { by_item, is_changed: false }) }
    }

    /// Adds one to the count of each item.
    pub(crate) fn note(&self, items: impl IntoIterator<Item = ItemId>) {
        let mut counts = self.counts.lock();
        for item in items {
            *counts.by_item.entry(item).or_default() += 1;
            counts.is_changed = true;
        }
    }

    /// Returns how often an item was returned as a hit. A chunk has the count of its document.
    pub(crate) fn count(&self, item: ItemId) -> u64 {
        let item = match item {
            ItemId::Chunk(chunk) => ItemId::Document(chunk.document),
            other => other,
        };
        self.counts.lock().by_item.get(&item).copied().unwrap_or_default()
    }

    /// Writes the counts to the file if they have changed.
    pub(crate) fn keep(&self) {
        let mut counts = self.counts.lock();
        if !counts.is_changed {
            return;
        }
        let mut text = String::with_capacity(counts.by_item.len() * 24);
        for (item, count) in &counts.by_item {
            let _ = writeln!(text, "{item} {count}");
        }
        match self.replace(&text) {
            Ok(()) => counts.is_changed = false,
            // The index was deleted, and the folder with it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => tracing::warn!(file = %self.file.display(), %error, "retrievals are not kept"),
        }
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        let temporary = self.file.with_extension("new");
        fs::write(&temporary, text)?;
        fs::rename(&temporary, &self.file)
    }
}

impl Drop for Retrievals {
    fn drop(&mut self) {
        self.keep();
    }
}

#[cfg(test)]
mod tests {
    use recall_core::{ChunkId, DocumentId};
    use recall_text::DocPath;

    use super::*;

    #[test]
    fn counts_survive_reopening() {
        let folder = tempfile::tempdir().expect("a folder");
        let document = DocumentId::from_path(&DocPath::new("src/a.rs").expect("plain"));
        let memory: ItemId = "L-0123abcd".parse().expect("an id");
        let first = Retrievals::open(folder.path());
        first.note([ItemId::Document(document), memory]);
        first.note([memory]);
        drop(first);
        let again = Retrievals::open(folder.path());
        let chunk = ItemId::Chunk(ChunkId { document, ordinal: 3 });
        assert_eq!((again.count(memory), again.count(chunk)), (2, 1));
        std::fs::remove_dir_all(folder.path()).expect("there");
        again.note([memory]);
        again.keep();
        assert!(!folder.path().exists());
    }
}
