//! Files that the next scan reads or rewrites although their stat is unchanged.

use std::collections::HashSet;

use recall_text::DocPath;

use crate::store::ordered::{OrderedMutex, Rank};

/// The files that the next scan does not judge by their stat alone.
#[derive(Debug)]
pub(crate) struct DirtyFiles {
    state: OrderedMutex<State>,
}

impl Default for DirtyFiles {
    fn default() -> Self {
        Self { state: OrderedMutex::new(Rank::Dirty, State::default()) }
    }
}

#[derive(Debug, Default)]
struct State {
    /// Read so soon after their last change that a further change may have the same time.
    racy: HashSet<DocPath>,
    /// Files and directories to be rewritten even if their content is unchanged, because their labels changed.
    to_rewrite: HashSet<DocPath>,
    /// Whether every file is to be rewritten.
    everything: bool,
}

/// How a file is compared with the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    Stat,
    /// By its content's hash.
    Hash,
    /// Not at all: it is rewritten.
    Rewrite,
}

impl DirtyFiles {
    pub(crate) fn racy(&self, path: &DocPath) {
        self.state.lock().racy.insert(path.clone());
    }

    pub(crate) fn rewrite(&self, path: &DocPath) {
        self.state.lock().to_rewrite.insert(path.clone());
    }

    /// Has every file rewritten.
    pub(crate) fn rewrite_everything(&self) {
        self.state.lock().everything = true;
    }

    /// Returns whether files are to be rewritten although none of them changed.
    pub(crate) fn is_awaited(&self) -> bool {
        let state = self.state.lock();
        state.everything || !state.to_rewrite.is_empty()
    }

    /// Takes everything that was noted so far. Later notes are for the next scan.
    pub(crate) fn take(&self) -> DirtySnapshot {
        let State { racy, to_rewrite, everything } = std::mem::take(&mut *self.state.lock());
        DirtySnapshot { racy, to_rewrite, everything }
    }

    /// Gives back what was taken for a scan that failed.
    pub(crate) fn put_back(&self, noted: DirtySnapshot) {
        let mut state = self.state.lock();
        state.racy.extend(noted.racy);
        state.to_rewrite.extend(noted.to_rewrite);
        state.everything |= noted.everything;
    }
}

/// What was noted for one scan.
#[derive(Debug, Default)]
pub(crate) struct DirtySnapshot {
    racy: HashSet<DocPath>,
    to_rewrite: HashSet<DocPath>,
    everything: bool,
}

impl DirtySnapshot {
    /// Returns whether every file is to be rewritten.
    pub(crate) fn covers_everything(&self) -> bool {
        self.everything
    }

    /// Returns how the file at a path is to be compared.
    pub(crate) fn check(&self, path: &DocPath) -> Check {
        if self.everything || (!self.to_rewrite.is_empty() && self.covers(path)) {
            Check::Rewrite
        } else if self.racy.contains(path) {
            Check::Hash
        } else {
            Check::Stat
        }
    }

    fn covers(&self, path: &DocPath) -> bool {
        self.to_rewrite.iter().any(|above| path.is_at_or_below(above.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_taken_once() {
        let path = |text: &str| DocPath::new(text).expect("plain");
        let dirty = DirtyFiles::default();
        dirty.racy(&path("a.rs"));
        dirty.rewrite(&path("docs"));
        let noted = dirty.take();
        assert_eq!(noted.check(&path("a.rs")), Check::Hash);
        assert_eq!(noted.check(&path("docs/b/c.md")), Check::Rewrite);
        assert_eq!(noted.check(&path("docs2/c.md")), Check::Stat);
        assert_eq!(dirty.take().check(&path("a.rs")), Check::Stat);
        dirty.put_back(noted);
        assert_eq!(dirty.take().check(&path("a.rs")), Check::Hash);
        dirty.rewrite_everything();
        assert_eq!(dirty.take().check(&path("z.rs")), Check::Rewrite);
        assert_eq!(dirty.take().check(&path("z.rs")), Check::Stat);
    }
}
