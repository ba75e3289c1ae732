//! Files that the next scan reads or rewrites although their stat is unchanged.

use std::collections::HashSet;

use parking_lot::Mutex;
use recall_core::DocPath;

/// The files that the next scan does not judge by their stat alone.
#[derive(Debug, Default)]
pub(crate) struct Attention {
    state: Mutex<State>,
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
pub(crate) enum Look {
    /// By its stat.
    Stat,
    /// By its content's hash.
    Hash,
    /// Not at all: it is rewritten.
    Rewrite,
}

impl Attention {
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
    pub(crate) fn take(&self) -> Noted {
        let State { racy, to_rewrite, everything } = std::mem::take(&mut *self.state.lock());
        Noted { racy, to_rewrite, everything }
    }

    /// Gives back what was taken for a scan that failed.
    pub(crate) fn put_back(&self, noted: Noted) {
        let mut state = self.state.lock();
        state.racy.extend(noted.racy);
        state.to_rewrite.extend(noted.to_rewrite);
        state.everything |= noted.everything;
    }
}

/// What was noted for one scan.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    racy: HashSet<DocPath>,
    to_rewrite: HashSet<DocPath>,
    everything: bool,
}

impl Noted {
    /// Returns whether every file is to be rewritten.
    pub(crate) fn covers_everything(&self) -> bool {
        self.everything
    }

    /// Returns how the file at a path is to be compared.
    pub(crate) fn look(&self, path: &DocPath) -> Look {
        if self.everything || (!self.to_rewrite.is_empty() && self.covers(path)) {
            Look::Rewrite
        } else if self.racy.contains(path) {
            Look::Hash
        } else {
            Look::Stat
        }
    }

    fn covers(&self, path: &DocPath) -> bool {
        self.to_rewrite.iter().any(|above| {
            path.as_str().strip_prefix(above.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_taken_once() {
        let path = |text: &str| DocPath::new(text).expect("plain");
        let attention = Attention::default();
        attention.racy(&path("a.rs"));
        attention.rewrite(&path("docs"));
        let noted = attention.take();
        assert_eq!(noted.look(&path("a.rs")), Look::Hash);
        assert_eq!(noted.look(&path("docs/b/c.md")), Look::Rewrite);
        assert_eq!(noted.look(&path("docs2/c.md")), Look::Stat);
        assert_eq!(attention.take().look(&path("a.rs")), Look::Stat);
        attention.put_back(noted);
        assert_eq!(attention.take().look(&path("a.rs")), Look::Hash);
        attention.rewrite_everything();
        assert_eq!(attention.take().look(&path("z.rs")), Look::Rewrite);
        assert_eq!(attention.take().look(&path("z.rs")), Look::Stat);
    }
}
