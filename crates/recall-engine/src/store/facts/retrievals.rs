//! Counts of how often each item was returned as a hit, and in how many sessions it was used.
//!
//! The counts are in memory and in a file in the index folder. A kill loses the counts since the store last settled; deleting
//! the index loses all. Ranking uses the count of uses only; see [`ItemStats`](recall_core::ItemStats).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::PathBuf;

use parking_lot::Mutex;
use recall_core::{ItemId, UseCounts};

/// The file in the index folder. Each line has an id, the number of retrievals and, if there are some, that of uses.
const FILE: &str = "retrievals";

/// How often each item was returned as a hit, and used.
pub(crate) struct Retrievals {
    file: PathBuf,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    by_item: HashMap<ItemId, UseCounts>,
    /// The sum of the uses.
    uses: u64,
    is_changed: bool,
}

impl Retrievals {
    /// Reads the counts from an index folder. Lines that cannot be parsed are ignored.
    pub(crate) fn open(index: &std::path::Path) -> Self {
        let file = index.join(FILE);
        let text = fs::read_to_string(&file).unwrap_or_default();
        let by_item: HashMap<ItemId, UseCounts> = text.lines().filter_map(read_line).collect();
        let uses = by_item.values().map(|counts| counts.uses).sum();
        Self { file, counts: Mutex::new(Counts { by_item, uses, is_changed: false }) }
    }

    /// Adds one to the retrievals of each item.
    pub(crate) fn note(&self, items: impl IntoIterator<Item = ItemId>) {
        let mut counts = self.counts.lock();
        for item in items {
            counts.by_item.entry(item).or_default().retrievals += 1;
            counts.is_changed = true;
        }
    }

    /// Adds one to the uses of an item.
    pub(crate) fn note_use(&self, item: ItemId) {
        let mut counts = self.counts.lock();
        counts.by_item.entry(to_document(item)).or_default().uses += 1;
        counts.uses += 1;
        counts.is_changed = true;
    }

    /// Returns the number of uses of all items.
    pub(crate) fn count_uses(&self) -> u64 {
        self.counts.lock().uses
    }

    /// Returns the used items with their uses, in no particular order.
    pub(crate) fn used_items(&self) -> Vec<(ItemId, u64)> {
        let counts = self.counts.lock();
        let used = counts.by_item.iter().filter(|(_, counts)| counts.uses > 0);
        used.map(|(item, counts)| (*item, counts.uses)).collect()
    }

    /// Returns how often an item was returned as a hit, and used. A chunk has the counts of its document.
    pub(crate) fn count(&self, item: ItemId) -> UseCounts {
        self.counts.lock().by_item.get(&to_document(item)).copied().unwrap_or_default()
    }

    /// Writes the counts to the file if they have changed.
    pub(crate) fn keep(&self) {
        let mut counts = self.counts.lock();
        if !counts.is_changed {
            return;
        }
        let mut text = String::with_capacity(counts.by_item.len() * 24);
        for (item, UseCounts { retrievals, uses }) in &counts.by_item {
            let _ = match uses {
                0 => writeln!(text, "{item} {retrievals}"),
                uses => writeln!(text, "{item} {retrievals} {uses}"),
            };
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

fn read_line(line: &str) -> Option<(ItemId, UseCounts)> {
    let mut words = line.split(' ');
    let (item, retrievals) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let uses = words.next().map_or(Some(0), |uses| uses.parse().ok())?;
    Some((item, UseCounts { retrievals, uses }))
}

/// Returns the document of a chunk, or the item itself.
fn to_document(item: ItemId) -> ItemId {
    match item {
        ItemId::Chunk(chunk) => ItemId::Document(chunk.document),
        other => other,
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
        first.note_use(memory);
        drop(first);
        let again = Retrievals::open(folder.path());
        let chunk = ItemId::Chunk(ChunkId { document, ordinal: 3 });
        let counts = |retrievals, uses| UseCounts { retrievals, uses };
        assert_eq!((again.count(memory), again.count(chunk)), (counts(2, 1), counts(1, 0)));
        assert_eq!((again.count_uses(), again.used_items()), (1, vec![(memory, 1)]));
        std::fs::remove_dir_all(folder.path()).expect("there");
        again.note([memory]);
        again.keep();
        assert!(!folder.path().exists());
    }
}
