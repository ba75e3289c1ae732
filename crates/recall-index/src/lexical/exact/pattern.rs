//! A compiled pattern.
//!
//! A literal is compiled as an expression too, so there is one matcher. It takes time linear in the text, and its size is bounded: an
//! expression comes from a model and may be hostile. From the same syntax tree follows what a text must contain to match, by which
//! most documents are left out unread (ADR 49).

use std::ops::Range;

use recall_core::{Case, Needle};
use recall_text::TextSignature;
use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition,
};

use crate::lexical::exact::line::MatchedLines;
use crate::lexical::exact::needs::Needs;

/// The most bytes of a pattern, as of a query.
pub const MOST_PATTERN_BYTES: usize = 10 * 1024;

/// The most bytes of a compiled expression. `\w{100}` takes about 2 MB; what takes more is a mistake or an attack.
const MOST_PROGRAM_BYTES: usize = 8 << 20;

/// The most bytes of the automaton that is built while texts are read. If it is full it is emptied.
const MOST_AUTOMATON_BYTES: usize = 4 << 20;

/// How deep an expression may be nested.
const MOST_DEPTH: u32 = 100;

/// What is searched for, compiled. Matching takes time linear in the text.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: Regex,
    needs: Needs,
}

impl Pattern {
    /// Compiles what a request asks for.
    ///
    /// # Errors
    /// See [`Pattern::literal`] and [`Pattern::regex`].
    pub fn compile(needle: &Needle, case: Case) -> Result<Self, PatternError> {
        match needle {
            Needle::Literal(text) => Self::literal(text, case),
            Needle::Regex(expression) => Self::regex(expression, case),
        }
    }

    /// Compiles a literal: the texts that contain it contiguously match.
    ///
    /// # Errors
    /// It is empty or longer than [`MOST_PATTERN_BYTES`].
    pub fn literal(text: &str, case: Case) -> Result<Self, PatternError> {
        Self::new(&parse(&regex_syntax::escape(check_syntax(text)?), case)?)
    }

    /// Compiles several literals: the texts that contain one of them match.
    ///
    /// # Errors
    /// There is none, or they are together longer than [`MOST_PATTERN_BYTES`].
    pub fn any_of(texts: &[&str], case: Case) -> Result<Self, PatternError> {
        let escaped: Vec<String> = texts.iter().map(|text| regex_syntax::escape(text)).collect();
        Self::new(&parse(check_syntax(&escaped.join("|"))?, case)?)
    }

    /// Compiles a regular expression: the texts with a line that has a match of it match.
    ///
    /// # Errors
    /// It is empty, longer than [`MOST_PATTERN_BYTES`], no regular expression, matches the empty text or a line break, or takes
    /// too much memory.
    pub fn regex(expression: &str, case: Case) -> Result<Self, PatternError> {
        let hir = without_line_breaks(&parse(check_syntax(expression)?, case)?)?;
        if hir.properties().minimum_len().is_none_or(|least| least == 0) {
            return Err(PatternError::MatchesEmpty);
        }
        Self::new(&hir)
    }

    fn new(hir: &Hir) -> Result<Self, PatternError> {
        let mut builder = RegexBuilder::new(&hir.to_string());
        builder.size_limit(MOST_PROGRAM_BYTES).dfa_size_limit(MOST_AUTOMATON_BYTES);
        let regex = builder.build().map_err(|error| match error {
            regex::Error::CompiledTooBig(limit) => PatternError::TooLarge { limit },
            other => PatternError::Syntax { reason: other.to_string(), column: 1 },
        })?;
        Ok(Self { regex, needs: Needs::from_hir(hir) })
    }

    /// Returns whether the text with that signature may match; `false` only if it does not.
    pub fn may_match(&self, signature: &TextSignature) -> bool {
        self.needs.may_be_met(signature)
    }

    /// Returns whether [`may_match`](Self::may_match) excludes any text.
    pub fn is_selective(&self) -> bool {
        self.needs != Needs::Nothing
    }

    /// Returns the matches in a text: byte ranges, ascending, not overlapping, not empty.
    pub fn matches<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + use<'t> {
        self.regex.find_iter(text).map(|found| found.range())
    }

    /// Returns the lines of a text with their matches, in order.
    pub fn lines<'t>(&'t self, text: &'t str) -> MatchedLines<'t> {
        MatchedLines::new(text, Box::new(self.matches(text)))
    }
}

fn check_syntax(text: &str) -> Result<&str, PatternError> {
    match text.len() {
        0 => Err(PatternError::Empty),
        bytes if bytes > MOST_PATTERN_BYTES => Err(PatternError::TooLong { bytes, limit: MOST_PATTERN_BYTES }),
        _ => Ok(text),
    }
}

fn parse(expression: &str, case: Case) -> Result<Hir, PatternError> {
    let mut builder = ParserBuilder::new();
    // With `crlf`, a `$` is before the line break of Windows too.
    builder.multi_line(true).crlf(true).nest_limit(MOST_DEPTH).case_insensitive(case == Case::Insensitive);
    builder.build().parse(expression).map_err(|error| match error {
        regex_syntax::Error::Parse(error) => syntax(expression, error.kind().to_string(), error.span().start.offset),
        regex_syntax::Error::Translate(error) => {
            syntax(expression, error.kind().to_string(), error.span().start.offset)
        }
        other => syntax(expression, other.to_string(), 0),
    })
}

fn syntax(expression: &str, reason: String, offset: usize) -> PatternError {
    let before = expression.get(..offset).unwrap_or_default();
    PatternError::Syntax { reason, column: before.chars().count() + 1 }
}

/// A text that cannot be searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There is nothing to search for.
    #[error("the text to search for is empty")]
    Empty,
    /// The text is longer than a pattern may be.
    #[error("a pattern has at most {limit} bytes, and this one has {bytes}")]
    TooLong {
        /// The length of the text in bytes.
        bytes: usize,
        /// The most bytes that a pattern may have.
        limit: usize,
    },
    /// The expression has an error in its syntax.
    #[error("the regular expression is invalid at character {column}: {reason}")]
    Syntax {
        /// What is wrong with it, in words.
        reason: String,
        /// The place of the error, counted from 1.
        column: usize,
    },
    /// The expression asks for a line break.
    #[error("the regular expression asks for a line break, but a match is within one line")]
    LineBreak,
    /// The expression matches everywhere.
    #[error("the regular expression matches the empty text, which is everywhere")]
    MatchesEmpty,
    /// The expression is too large when it is compiled.
    #[error("the regular expression takes more than {limit} bytes when it is compiled")]
    TooLarge {
        /// The most bytes that a compiled expression may take.
        limit: usize,
    },
}

/// Returns the expression so that no match contains a line break: `[^a]` and `\s` match everything else that they matched.
///
/// # Errors
/// A line break is named.
pub(crate) fn without_line_breaks(hir: &Hir) -> Result<Hir, PatternError> {
    Ok(match hir.kind() {
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => return Err(PatternError::LineBreak),
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) => hir.clone(),
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut class = class.clone();
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Repetition(repetition) => {
            let sub = Box::new(without_line_breaks(&repetition.sub)?);
            Hir::repetition(Repetition { sub, ..repetition.clone() })
        }
        HirKind::Capture(capture) => {
            let sub = Box::new(without_line_breaks(&capture.sub)?);
            Hir::capture(Capture { sub, ..capture.clone() })
        }
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(without_line_breaks).collect::<Result<_, _>>()?),
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.iter().map(without_line_breaks).collect::<Result<_, _>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &Pattern, text: &str) -> Vec<String> {
        assert!(pattern.may_match(&TextSignature::compute(text)) || pattern.matches(text).next().is_none());
        pattern.matches(text).map(|range| text[range].to_owned()).collect()
    }

    #[test]
    fn a_literal_is_matched_as_it_is_written() {
        let check = |literal: &str, text: &str, expected: usize| {
            let pattern = Pattern::literal(literal, Case::Sensitive).unwrap();
            assert_eq!(matches(&pattern, text).len(), expected, "{literal} in {text}");
        };
        check("<=>", "def <=>(other); a <=> b", 2);
        check("?.", "u?.zip ?? 1", 1);
        check("a.b", "a.b axb", 1);
        check("名前", "この名前は名前", 2);
        check("🦀", "a 🦀 b", 1);
        check("two\nlines", "has two\nlines", 1);
        check("Case", "case", 0);
    }

    #[test]
    fn the_case_of_letters_counts_unless_it_is_said_not_to() {
        let check = |literal: &str, text: &str, expected: usize| {
            let pattern = Pattern::literal(literal, Case::Insensitive).unwrap();
            assert_eq!(matches(&pattern, text).len(), expected, "{literal} in {text}");
        };
        check("readAll", "READALL readall", 2);
        check("straße", "STRAßE", 1);
        check("ÉTAT", "l'état", 1);
        check("kelvin", "\u{212A}elvin", 1);
        check("σας", "ΣΑΣ", 1);
    }

    #[test]
    fn an_expression_matches_within_a_line() {
        let check = |expression: &str, text: &str, expected: &[&str]| {
            assert_eq!(matches(&Pattern::regex(expression, Case::Sensitive).unwrap(), text), expected, "{expression}");
        };
        check(r"^fn \w+", "fn one\n  fn two\nfn three", &["fn one", "fn three"]);
        check(r"a[^b]*b", "a\nb a1b", &["a1b"]);
        check(r"x\s*y", "x\ny x y", &["x y"]);
        check(r";$", "a;\r\nb;\nc", &[";", ";"]);
        check(r"(?i)état|other", "ÉTAT", &["ÉTAT"]);
        check(r"(?s)a.+b", "a\nb a.b", &["a.b"]);
        check(r"\bTODO\(\w+\)", "// TODO(ann): x", &["TODO(ann)"]);
    }

    #[test]
    fn any_of_several_literals_is_matched() {
        let pattern = Pattern::any_of(&["|>", "?."], Case::Sensitive).unwrap();
        assert_eq!(matches(&pattern, "x |> f; u?.zip"), ["|>", "?."]);
        assert!(!pattern.may_match(&TextSignature::compute("plain words")));
    }

    const PARTS: &[&str] =
        &["a", "b", "[ab]", "A", "é", r"\.", "abc", "(ab|cd)", "[^b]", "(?i:cdé)", "b+", "d?", r"\s", "^", "$"];

    proptest::proptest! {
        #[test]
        fn the_lines_that_match_are_those_that_match_alone(
            text in "[a-dA-D .é\n]{0,80}",
            parts in proptest::collection::vec(proptest::sample::select(PARTS), 1..6),
        ) {
            let expression = parts.concat();
            let Ok(pattern) = Pattern::regex(&expression, Case::Sensitive) else { return Ok(()) };
            let alone = Regex::new(&expression).unwrap();
            let numbers: Vec<u32> = pattern.lines(&text).map(|line| line.number).collect();
            let expected = text.split('\n').zip(1..).filter(|(line, _)| alone.is_match(line)).map(|(_, number)| number);
            proptest::prop_assert_eq!(&numbers, &expected.collect::<Vec<u32>>());
            let is_found = pattern.may_match(&TextSignature::compute(&text));
            proptest::prop_assert!(is_found || numbers.is_empty());
        }
    }

    #[test]
    fn a_bad_expression_is_explained() {
        let check = |expression: &str, expected: &str| {
            let error = Pattern::regex(expression, Case::Sensitive).unwrap_err();
            assert!(error.to_string().starts_with(expected), "{expression}: {error}");
        };
        check("", "the text to search for is empty");
        check("a(b", "the regular expression is invalid at character 2: unclosed group");
        check("ä[z-a]", "the regular expression is invalid at character 3: invalid character class range");
        check(r"a\nb", "the regular expression asks for a line break");
        check("x*", "the regular expression matches the empty text");
        check(r"(\w{300}){300}", "the regular expression takes more than");
        check(&"(".repeat(200), "the regular expression is invalid");
        check(&"a".repeat(20_000), "a pattern has at most 10240 bytes");
        check(r"(?-u)\xff", "the regular expression is invalid");
    }
}
