//! The chunker of one thread: text in, chunks out.

use std::sync::Arc;
use std::time::Duration;

use recall_core::{DocPath, Language, Limits, ParseOutcome, ParsedDocument};

use crate::grammar::Grammar;
use crate::lines::Lines;
use crate::parse::Parsers;
use crate::parts::{self, Joined};
use crate::prose::{Division, Markup};
use crate::{CodeParser, CodeParserError, code, outline, prose, window};

/// The stack that a thread needs to call [`Chunker::parse`] on any input.
///
/// tree-sitter's own code and the scanners of some grammars recurse on nested input. Nesting is bounded before they see
/// it; this covers what the bound lets through, many times over. Untouched stack costs address space only.
pub const PARSE_STACK_BYTES: usize = 64 * 1024 * 1024;

/// Limits on the parse of one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkLimits {
    /// The largest chunk, in estimated tokens.
    pub max_tokens: u32,
    /// The largest part of source code that is parsed at once. A longer text is parsed in parts.
    pub part_bytes: u64,
    /// The time after which a parse is given up and the document is cut in windows instead.
    pub parse_time: Duration,
    /// The deepest nesting that is walked. Deeper nodes are neither cut nor searched for names.
    pub parse_depth: u32,
}

impl From<&Limits> for ChunkLimits {
    fn from(limits: &Limits) -> Self {
        let &Limits { chunk_tokens: max_tokens, parse_bytes: part_bytes, parse_time, parse_depth, .. } = limits;
        Self { max_tokens, part_bytes, parse_time, parse_depth }
    }
}

/// Cuts documents one at a time. Caches one parser per language, so a thread should create one chunker and reuse it.
pub struct Chunker {
    limits: ChunkLimits,
    /// Parses source code elsewhere; `None` to parse it here.
    outside: Option<Arc<dyn CodeParser>>,
    parsers: Parsers,
}

impl Chunker {
    /// Creates a chunker with these limits.
    pub fn new(limits: ChunkLimits) -> Self {
        Self::with_code_parser(limits, None)
    }

    /// Creates a chunker that has source code parsed by `outside`. If that is `None` or unavailable, it parses itself.
    pub fn with_code_parser(limits: ChunkLimits, outside: Option<Arc<dyn CodeParser>>) -> Self {
        Self { limits, outside, parsers: Parsers::default() }
    }

    /// Cuts a document's text and finds the names in it.
    ///
    /// Never fails: a text, or a part of a large one, that cannot be parsed is cut in windows, and [`ParsedDocument::outcome`] gives the reason.
    /// Equal texts of the same language give equal results if the parse does not time out. The text of a notebook is
    /// the result of [`notebook_text`](crate::notebook_text) for its file.
    ///
    /// The calling thread needs a stack of [`PARSE_STACK_BYTES`].
    pub fn parse(&mut self, path: &DocPath, language: Option<&Language>, text: &str) -> ParsedDocument {
        let lines = Lines::of(text);
        let name = language.map_or("", Language::as_str);
        if let Some(markup) = Markup::of(name) {
            let is_notebook = path.extension() == Some("ipynb");
            let division = if is_notebook { Division::Cells } else { Division::Document };
            return prose::document(&lines, markup, division, self.limits.max_tokens);
        }
        let Some(language) = language.filter(|language| Grammar::exists(language.as_str())) else {
            return self.windows(&lines, ParseOutcome::NoParser);
        };
        let most_bytes = usize::try_from(self.limits.part_bytes).unwrap_or(usize::MAX);
        if text.len() <= most_bytes {
            return self.part(&lines, language);
        }
        drop(lines);
        let mut joined = Joined::new(text);
        for part in parts::cut(text, most_bytes) {
            let found = self.part(&Lines::of(&text[part.clone()]), language);
            joined.append(&part, found);
        }
        joined.finish()
    }

    /// Cuts source code and finds the names in it, elsewhere if possible.
    fn part(&mut self, lines: &Lines<'_>, language: &Language) -> ParsedDocument {
        let answer = self.outside.as_ref().map(|outside| outside.parse(&self.limits, language, lines.text()));
        match answer {
            Some(Ok(document)) => document,
            Some(Err(CodeParserError::Failed { reason })) => self.windows(lines, ParseOutcome::Failed { reason }),
            Some(Err(CodeParserError::Unavailable)) | None => self.code(lines, language),
        }
    }

    /// Cuts source code and finds the names in it, in this process.
    ///
    /// The calling thread needs a stack of [`PARSE_STACK_BYTES`].
    pub fn parse_code(&mut self, language: &Language, text: &str) -> ParsedDocument {
        self.code(&Lines::of(text), language)
    }

    fn code(&mut self, lines: &Lines<'_>, language: &Language) -> ParsedDocument {
        let Some((index, grammar)) = Grammar::of(language.as_str()) else {
            return self.windows(lines, ParseOutcome::NoParser);
        };
        match self.parsers.parse(index, grammar, lines.text(), self.limits.parse_time) {
            Ok(tree) => {
                let outline = outline::read(grammar, &tree, lines, self.limits.parse_depth);
                code::document(lines, &outline, self.limits.max_tokens)
            }
            Err(error) => self.windows(lines, ParseOutcome::Failed { reason: error.to_string() }),
        }
    }

    /// Whether a text parses within the limits. Does not cut it: this is the minimum cost of [`parse`](Self::parse).
    ///
    /// `false` for languages without a grammar.
    pub fn parses(&mut self, language: &Language, text: &str) -> bool {
        Grammar::of(language.as_str())
            .is_some_and(|(index, grammar)| self.parsers.parse(index, grammar, text, self.limits.parse_time).is_ok())
    }

    fn windows(&self, lines: &Lines<'_>, outcome: ParseOutcome) -> ParsedDocument {
        ParsedDocument {
            title: None,
            tags: Vec::new(),
            chunks: window::cut(lines, self.limits.max_tokens),
            symbols: Vec::new(),
            edges: Vec::new(),
            outcome,
        }
    }
}
