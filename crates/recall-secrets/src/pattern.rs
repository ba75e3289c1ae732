//! Patterns, compiled when they are first needed.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

/// The most memory of one compiled pattern, of counted repetitions in the hundreds.
const MOST_BYTES: usize = 256 * 1024;

/// The most memory of a pattern's cache of states for one thread. What needs more is slower, not wrong.
const MOST_CACHE_BYTES: usize = 128 * 1024;

/// A pattern and, once it was needed, what it was compiled to.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: &'static str,
    compiled: OnceLock<Regex>,
}

impl Pattern {
    pub(crate) fn new(text: &'static str) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    /// What the pattern matches at the beginning of a text, and of that what its first group does.
    pub(crate) fn match_at_start(&self, text: &str) -> Option<Match> {
        let captures = self.compiled().captures(text)?;
        let whole = captures.get(0).expect("group 0 is the match").range();
        let secret = captures.get(1).map_or_else(|| whole.clone(), |group| group.range());
        Some(Match { whole, secret })
    }

    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    fn compiled(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            RegexBuilder::new(&format!("^(?:{})", self.text))
                .unicode(false)
                .size_limit(MOST_BYTES)
                .dfa_size_limit(MOST_CACHE_BYTES)
                .build()
                .expect("a test compiles every pattern within its bounds")
        })
    }
}

/// What a pattern matched, in bytes of the text that it was given.
pub(crate) struct Match {
    pub(crate) whole: Range<usize>,
    pub(crate) secret: Range<usize>,
}
