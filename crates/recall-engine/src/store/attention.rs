//! Which files are to be read although their stat says that nothing changed?

use std::collections::HashSet;

use parking_lot::Mutex;
use recall_core::DocPath;

/// Files that the next comparison looks at more closely.
#[derive(Debug, Default)]
pub(crate) struct Attention {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Read so soon after their last change that another change may hide behind the same time.
    racy: HashSet<DocPath>,
    /// Files and directories to be written anew even when their content is the same: their labels changed.
    anew: HashSet<DocPath>,
    /// Whether that holds for every file.
    everything: bool,
}

/// How closely a file is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// By its stat.
    Stat,
    /// By its content's hash.
    Hash,
    /// Not at all: it is written anew.
    Anew,
}

impl Attention {
    pub(crate) fn racy(&self, path: &DocPath) {
        self.state.lock().racy.insert(path.clone());
    }

    pub(crate) fn anew(&self, path: &DocPath) {
        self.state.lock().anew.insert(path.clone());
    }

    /// Has every file written anew.
    pub(crate) fn everything_anew(&self) {
        self.state.lock().everything = true;
    }

    /// Whether something is to be written anew that no change of a file will bring.
    pub(crate) fn is_awaited(&self) -> bool {
        let state = self.state.lock();
        state.everything || !state.anew.is_empty()
    }

    /// Takes everything that was noted until now; what is noted meanwhile waits for the next comparison.
    pub(crate) fn take(&self) -> Noted {
        let State { racy, anew, everything } = std::mem::take(&mut *self.state.lock());
        Noted { racy, anew, everything }
    }

    /// Gives back what was taken for a comparison that came to nothing.
    pub(crate) fn put_back(&self, noted: Noted) {
        let mut state = self.state.lock();
        state.racy.extend(noted.racy);
        state.anew.extend(noted.anew);
        state.everything |= noted.everything;
    }
}

/// What was noted for one comparison.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    racy: HashSet<DocPath>,
    anew: HashSet<DocPath>,
    everything: bool,
}

impl Noted {
    /// Whether every file is to be written anew.
    pub(crate) fn covers_everything(&self) -> bool {
        self.everything
    }

    /// How closely the file at a path is to be looked at.
    pub(crate) fn look(&self, path: &DocPath) -> Look {
        if self.everything || (!self.anew.is_empty() && self.covers(path)) {
            Look::Anew
        } else if self.racy.contains(path) {
            Look::Hash
        } else {
            Look::Stat
        }
    }

    fn covers(&self, path: &DocPath) -> bool {
        self.anew.iter().any(|above| {
            path.as_str().strip_prefix(above.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_taken_once() {
        let path = |text: &str| DocPath::new(text).expect("plain");
        let attention = Attention::default();
        attention.racy(&path("a.rs"));
        attention.anew(&path("docs"));
        let noted = attention.take();
        assert_eq!(noted.look(&path("a.rs")), Look::Hash);
        assert_eq!(noted.look(&path("docs/b/c.md")), Look::Anew);
        assert_eq!(noted.look(&path("docs2/c.md")), Look::Stat);
        assert_eq!(attention.take().look(&path("a.rs")), Look::Stat);
        attention.put_back(noted);
        assert_eq!(attention.take().look(&path("a.rs")), Look::Hash);
        attention.everything_anew();
        assert_eq!(attention.take().look(&path("z.rs")), Look::Anew);
        assert_eq!(attention.take().look(&path("z.rs")), Look::Stat);
    }
}
