//! Parsing of a text to a syntax tree, within bounds.

use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use recall_os::thread_time;
use tree_sitter::{ParseOptions, Parser, Point, Tree};

use crate::grammar::Grammar;
use crate::guard::{self, Rejection};
use crate::languages::SYNTAXES;
use crate::lines::Lines;
use crate::macros;

/// The bytes a parser gets at a time: large enough that few tokens cross a page, small enough that a scanner that
/// rescans its page for every character finishes within a second.
const PAGE_BYTES: usize = 8 * 1024;

/// One parser per language, created at first use.
#[derive(Default)]
pub(crate) struct Parsers {
    parsers: Vec<Option<Parser>>,
}

/// The reason why a text has no tree.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseError {
    /// The parser used more processor time than the limit.
    #[error("parsing took more than {} ms of processor time", limit.as_millis())]
    Timeout { limit: Duration },
    /// The text is unlike anything people write and could crash the parser.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The grammar's tables were generated for an incompatible version of tree-sitter.
    #[error("the {language} grammar is incompatible with this version of tree-sitter")]
    Grammar { language: &'static str },
}

impl Parsers {
    /// Parses a text with the grammar of this index.
    pub(crate) fn parse(
        &mut self,
        index: usize,
        grammar: &Grammar,
        text: &str,
        limit: Duration,
    ) -> Result<Tree, ParseError> {
        let blanked = if grammar.syntax.has_macros { macros::blank_macros(text) } else { None };
        let text = blanked.as_deref().unwrap_or(text);
        if let Some(rejection) = guard::rejection(text, grammar.syntax.hazard) {
            return Err(rejection.into());
        }
        run(self.parser(index, grammar)?, text, limit)
    }

    /// Parses some bytes of a text with the grammar of this index. The positions in the tree are those in the whole text.
    pub(crate) fn parse_part(
        &mut self,
        index: usize,
        grammar: &Grammar,
        lines: &Lines<'_>,
        bytes: &Range<usize>,
        limit: Duration,
    ) -> Result<Tree, ParseError> {
        let part = lines.text().get(bytes.clone()).unwrap_or_default();
        if let Some(rejection) = guard::rejection(part, grammar.syntax.hazard) {
            return Err(rejection.into());
        }
        let point = |byte| {
            let row = lines.line_of(byte);
            Point { row, column: byte - lines.start(row) }
        };
        let range = tree_sitter::Range {
            start_byte: bytes.start,
            end_byte: bytes.end,
            start_point: point(bytes.start),
            end_point: point(bytes.end),
        };
        let parser = self.parser(index, grammar)?;
        parser.set_included_ranges(&[range]).expect("one range that is in order");
        let tree = run(parser, lines.text(), limit);
        parser.set_included_ranges(&[]).expect("no range is the whole text");
        tree
    }

    fn parser(&mut self, index: usize, grammar: &Grammar) -> Result<&mut Parser, ParseError> {
        self.parsers.resize_with(SYNTAXES.len(), || None);
        let language = grammar.syntax.name;
        match &mut self.parsers[index] {
            Some(parser) => Ok(parser),
            empty => {
                let mut parser = Parser::new();
                parser.set_language(&grammar.language).map_err(|_| ParseError::Grammar { language })?;
                Ok(empty.insert(parser))
            }
        }
    }
}

/// Measures the work of the calling thread. Time in which the machine was stopped, or ran something else, does not count.
pub(crate) struct WorkClock {
    /// The time by a clock, which is cheap to read and never less than that of the processor.
    began: Instant,
    work_before: Duration,
}

impl WorkClock {
    pub(crate) fn start() -> Self {
        Self { began: Instant::now(), work_before: thread_time() }
    }

    /// Returns whether the thread has worked for at least this time.
    fn has_reached(&self, limit: Duration) -> bool {
        self.began.elapsed() >= limit && self.work() >= limit
    }

    /// Returns the processor time that the thread used since the start.
    pub(crate) fn work(&self) -> Duration {
        thread_time().saturating_sub(self.work_before)
    }
}

fn run(parser: &mut Parser, text: &str, limit: Duration) -> Result<Tree, ParseError> {
    let clock = WorkClock::start();
    let mut progress = |_: &tree_sitter::ParseState| {
        if clock.has_reached(limit) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut is_late = false;
    let mut read = |at: usize, _| {
        // A scanner that searches for the end of a literal at every character never calls the progress callback. It
        // does read pages, so check the time here; an empty page ends its search.
        is_late = is_late || clock.has_reached(limit);
        let end = if is_late { at } else { bytes.len().min(at + PAGE_BYTES) };
        bytes.get(at..end).unwrap_or_default()
    };
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    // Without a reset the parser would resume the cancelled parse with the next text.
    tree.filter(|_| !is_late).ok_or_else(|| {
        parser.reset();
        ParseError::Timeout { limit }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_work_counts() {
        let (limit, clock) = (Duration::from_millis(20), WorkClock::start());
        std::thread::sleep(2 * limit);
        assert!(!clock.has_reached(limit), "it slept");
        // Ends only if the clock advances.
        while !clock.has_reached(limit) {
            std::hint::spin_loop();
        }
        assert!(clock.work() >= limit);
    }

    #[test]
    fn a_text_is_judged_as_the_parser_sees_it() {
        let (index, grammar) = Grammar::for_language("cpp").expect("a grammar");
        let text = "a < : MACRO(>) int ".repeat(300);
        let parsed = Parsers::default().parse(index, grammar, &text, Duration::from_mins(10)).map(|_| ());
        assert_eq!(parsed, Err(Rejection::Angles.into()), "without the macros nothing is closed");
    }

    #[test]
    fn a_parse_that_takes_too_long_is_cancelled_and_forgotten() {
        let (index, grammar) = Grammar::for_language("rust").expect("a grammar");
        let mut parsers = Parsers::default();
        let long = "fn f() { g(1, 2, 3); }\n".repeat(10_000);
        let late = parsers.parse(index, grammar, &long, Duration::ZERO).map(|_| ());
        assert_eq!(late, Err(ParseError::Timeout { limit: Duration::ZERO }));
        let tree = parsers.parse(index, grammar, "fn g() {}\n", Duration::from_mins(10)).expect("enough time");
        assert_eq!(tree.root_node().to_sexp().matches("function_item").count(), 1);
    }
}
