//! What git says about the files of a store.

use std::sync::Arc;

use recall_core::DocPath;
use recall_watch::{GitFacts, Tracking};

use super::Files;
use crate::store::settings::Configuration;

impl Files {
    /// Returns what git says about its files. Reads git's files again if their stamps have changed.
    pub(crate) fn git_facts(&self) -> Arc<GitFacts> {
        self.follow_git();
        self.git.load_full().unwrap_or_default()
    }

    /// Reads git's files again if their stamps have changed. Costs one `stat` per file; returns whether git says something
    /// else about a file.
    pub(crate) fn follow_git(&self) -> Configuration {
        let before = self.git.load_full();
        if before.as_ref().is_some_and(|before| before.is_current()) {
            return Configuration::Same;
        }
        // The memory of another program is read as a whole; a repository around it does not decide.
        let facts = if self.is_adopted { GitFacts::default() } else { GitFacts::read(&self.root, &self.user_git) };
        let is_same = before.is_some_and(|before| before.agrees_with(&facts));
        self.git.store(Some(Arc::new(facts)));
        if is_same { Configuration::Same } else { Configuration::Changed }
    }

    /// Returns whether git tracks a file, as far as that is known.
    pub(crate) fn tracking(&self, path: &DocPath) -> Tracking {
        let facts = self.git.load_full().unwrap_or_else(|| self.git_facts());
        if facts.tracks(path.as_str()) { Tracking::Tracked } else { Tracking::Untracked }
    }
}
