//! From a text to its syntax tree, within bounds.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, Parser, Tree};

use crate::grammar::Grammar;
use crate::guard::{self, Harm};
use crate::languages::SYNTAXES;

/// How much of a text a parser gets at a time: large enough that tokens seldom cross its end, small enough that a
/// scanner that goes over it again and again is done within a second.
const PAGE_BYTES: usize = 8 * 1024;

/// One parser a language, made at first use.
#[derive(Default)]
pub(crate) struct Parsers {
    parsers: Vec<Option<Parser>>,
}

/// No tree came of a text.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseError {
    /// The parser ran past its time.
    #[error("parsing took longer than {} ms", limit.as_millis())]
    Time { limit: Duration },
    /// The text is none that people write, and could crash the parser.
    #[error(transparent)]
    Harm(#[from] Harm),
    /// The grammar's tables were made for another version of tree-sitter.
    #[error("the {language} grammar does not fit the parser")]
    Grammar { language: &'static str },
}

impl Parsers {
    /// Parses a text with the grammar of that index.
    pub(crate) fn parse(
        &mut self,
        index: usize,
        grammar: &Grammar,
        text: &str,
        limit: Duration,
    ) -> Result<Tree, ParseError> {
        if let Some(harm) = guard::harm(text, grammar.syntax.memory) {
            return Err(harm.into());
        }
        self.parsers.resize_with(SYNTAXES.len(), || None);
        let language = grammar.syntax.name;
        let parser = match &mut self.parsers[index] {
            Some(parser) => parser,
            empty => {
                let mut parser = Parser::new();
                parser.set_language(&grammar.language).map_err(|_| ParseError::Grammar { language })?;
                empty.insert(parser)
            }
        };
        let start = Instant::now();
        let mut progress = |_: &tree_sitter::ParseState| {
            if start.elapsed() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let bytes = text.as_bytes();
        let mut is_late = false;
        let mut read = |at: usize, _| {
            // A scanner that looks for the end of a literal at every character never comes back to ask for progress.
            // It comes here for each page, and the end of the text is the end of its search.
            is_late = is_late || start.elapsed() > limit;
            let end = if is_late { at } else { bytes.len().min(at + PAGE_BYTES) };
            bytes.get(at..end).unwrap_or_default()
        };
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        // A parse that was broken off would be resumed by the next one, with another text.
        tree.filter(|_| !is_late).ok_or_else(|| {
            parser.reset();
            ParseError::Time { limit }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parse_that_takes_too_long_is_broken_off_and_forgotten() {
        let (index, grammar) = Grammar::of("rust").expect("a grammar");
        let mut parsers = Parsers::default();
        let long = "fn f() { g(1, 2, 3); }\n".repeat(10_000);
        let late = parsers.parse(index, grammar, &long, Duration::ZERO).map(|_| ());
        assert_eq!(late, Err(ParseError::Time { limit: Duration::ZERO }));
        let tree = parsers.parse(index, grammar, "fn g() {}\n", Duration::from_mins(10)).expect("enough time");
        assert_eq!(tree.root_node().to_sexp().matches("function_item").count(), 1);
    }
}
