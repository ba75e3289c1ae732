//! The chunker of one thread: text in, chunks out.

use std::sync::Arc;
use std::time::Duration;

use recall_core::{Limits, ParseOutcome, ParsedDocument};
use recall_text::{DocPath, Language};

use crate::embedded::{self, Host, NOTEBOOK};
use crate::grammar::Grammar;
use crate::lines::Lines;
use crate::outline::{self, Outline};
use crate::parse::{ParseError, Parsers};
use crate::parts::{self, Joined};
use crate::prose::{Division, Markup};
use crate::{c_words, code, prose, window};

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
    /// The processor time after which a parse is given up and the document is cut in windows instead.
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
        let lines = Lines::new(text);
        let name = language.map_or("", Language::as_str);
        if let Some(markup) = Markup::for_language(name) {
            return prose::document(&lines, markup, Division::Document, self.limits.max_tokens);
        }
        let Some(language) = language.filter(|language| holds_code(language.as_str())) else {
            return self.windows(&lines, ParseOutcome::NoParser);
        };
        let most_bytes = usize::try_from(self.limits.part_bytes).unwrap_or(usize::MAX);
        let mut document = if text.len() <= most_bytes {
            self.part(&lines, language)
        } else {
            drop(lines);
            let mut joined = Joined::new(text);
            for part in parts::cut(text, most_bytes) {
                let found = self.part(&Lines::new(&text[part.clone()]), language);
                joined.append(&part, found);
            }
            joined.finish()
        };
        // Only here the path is known.
        if document.outcome == ParseOutcome::Parsed
            && let Some(component) = embedded::component(path, language.as_str(), text)
        {
            document.symbols.insert(0, component);
        }
        document
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
        self.code(&Lines::new(text), language)
    }

    fn code(&mut self, lines: &Lines<'_>, language: &Language) -> ParsedDocument {
        let outline = match language.as_str() {
            NOTEBOOK => return self.notebook(lines),
            name => self.outline(lines, name),
        };
        match outline {
            Some(Ok(outline)) => code::document(lines, &outline, self.limits.max_tokens),
            Some(Err(error)) => self.windows(lines, ParseOutcome::Failed { reason: error.to_string() }),
            None => self.windows(lines, ParseOutcome::NoParser),
        }
    }

    /// Returns the outline of a text by its own grammar and by those of the code in it. `None` if it has neither.
    fn outline(&mut self, lines: &Lines<'_>, language: &str) -> Option<Result<Outline, ParseError>> {
        let spoken = if language == "c" && c_words::is_cpp(lines.text()) { "cpp" } else { language };
        let own = Grammar::for_language(spoken).map(|(index, grammar)| {
            let tree = self.parsers.parse(index, grammar, lines.text(), self.limits.parse_time)?;
            Ok(outline::read(grammar, &tree, lines, self.limits.parse_depth))
        });
        let Some(host) = Host::for_language(language) else { return own };
        Some(match own.transpose() {
            Ok(own) => embedded::read(&mut self.parsers, lines, host, own, &self.limits),
            Err(error) => Err(error),
        })
    }

    fn notebook(&mut self, lines: &Lines<'_>) -> ParsedDocument {
        match embedded::cells(&mut self.parsers, lines, &self.limits) {
            Ok(outline) => {
                let mut document = prose::document(lines, Markup::Markdown, Division::Cells, self.limits.max_tokens);
                code::add_names(lines, &outline, &mut document);
                document
            }
            Err(error) => self.windows(lines, ParseOutcome::Failed { reason: error.to_string() }),
        }
    }

    /// Whether a text parses within the limits. Does not cut it: this is the minimum cost of [`parse`](Self::parse).
    ///
    /// `false` for languages without a grammar.
    pub fn parses(&mut self, language: &Language, text: &str) -> bool {
        Grammar::for_language(language.as_str())
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

/// Whether a grammar reads texts of a language, or code in them.
fn holds_code(language: &str) -> bool {
    language == NOTEBOOK || Grammar::exists(language) || Host::for_language(language).is_some()
}

/// A parser of source code that may crash or hang without harm to the caller.
pub trait CodeParser: Send + Sync {
    /// Parses the text of a language that has a grammar. Returns what [`Chunker::parse_code`](crate::Chunker::parse_code)
    /// would return.
    ///
    /// # Errors
    /// The parser crashed or did not answer, or there is none.
    fn parse(&self, limits: &ChunkLimits, language: &Language, text: &str) -> Result<ParsedDocument, CodeParserError>;
}

/// A [`CodeParser`] returned no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeParserError {
    /// The text crashed the parser, or it exceeded its time.
    #[error("{reason}")]
    Failed {
        /// What happened, for a person.
        reason: String,
    },
    /// No parser can be started.
    #[error("no parser can be started")]
    Unavailable,
}
