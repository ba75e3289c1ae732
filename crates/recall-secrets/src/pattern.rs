//! Lazily compiled patterns.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

/// The memory limit of one compiled pattern, in bytes. Patterns with counted repetitions in the hundreds need the most.
const MOST_BYTES: usize = 256 * 1024;

/// The limit of a pattern's lazy DFA cache per thread, in bytes. A pattern that needs more is slower, but correct.
const MOST_CACHE_BYTES: usize = 128 * 1024;

/// A pattern and, once it was used, its compiled form.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: &'static str,
    compiled: OnceLock<Regex>,
}

impl Pattern {
    pub(crate) fn new(text: &'static str) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    /// Matches the pattern at the beginning of a text. The secret is the first group if there is one, otherwise the
    /// whole match.
    pub(crate) fn match_at_start(&self, text: &str) -> Option<Match> {
        let captures = self.compile().captures(text)?;
        let whole = captures.get(0).expect("group 0 is the match").range();
        let secret = captures.get(1).map_or_else(|| whole.clone(), |group| group.range());
        Some(Match { whole, secret })
    }

    #[cfg(test)]
    pub(crate) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    fn compile(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            RegexBuilder::new(&format!("^(?:{})", self.text))
                .unicode(false)
                .size_limit(MOST_BYTES)
                .dfa_size_limit(MOST_CACHE_BYTES)
                .build()
                .expect("a test compiles every pattern within these limits")
        })
    }
}

/// The byte ranges of a match.
pub(crate) struct Match {
    pub(crate) whole: Range<usize>,
    pub(crate) secret: Range<usize>,
}
