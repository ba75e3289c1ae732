//! A compiled pattern, and the lines of a text that match it.
//!
//! A literal is compiled as an expression too, so there is one matcher. It takes time linear in the text, and its size is bounded: an
//! expression comes from a model and may be hostile. From the same syntax tree follows what a text must contain to match, by which
//! most documents are left out unread (ADR 49).

use std::iter::Peekable;
use std::ops::Range;

use recall_core::{Case, Needle};
use recall_text::TextSignature;
use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::literal::{ExtractKind, Extractor};
use regex_syntax::hir::{
    Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition,
};

use crate::lexical::exact::needs::{MOST_FORMS, Needs};

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

    /// Compiles a word that may have punctuation in it: the texts that contain it contiguously match, if no letter, digit or underscore
    /// comes before or after it.
    ///
    /// # Errors
    /// It is empty or longer than [`MOST_PATTERN_BYTES`].
    pub fn word(text: &str, case: Case) -> Result<Self, PatternError> {
        Self::new(&parse(
            &format!(r"\b{{start-half}}{}\b{{end-half}}", regex_syntax::escape(check_syntax(text)?)),
            case,
        )?)
    }

    /// Compiles a run of characters, `None` for any one character: the texts that contain it contiguously match.
    ///
    /// # Errors
    /// It is empty or as an expression longer than [`MOST_PATTERN_BYTES`], or takes too much memory.
    pub fn run(characters: &[Option<char>]) -> Result<Self, PatternError> {
        let expression: String = characters
            .iter()
            .map(|one| {
                one.map_or_else(|| "(?s:.)".to_owned(), |one| regex_syntax::escape(one.encode_utf8(&mut [0; 4])))
            })
            .collect();
        Self::new(&parse(check_syntax(&expression)?, Case::Sensitive)?)
    }

    /// Compiles several literals: the texts that contain one of them match.
    ///
    /// # Errors
    /// There is none, or they are together longer than [`MOST_PATTERN_BYTES`].
    pub fn any_of(texts: &[&str], case: Case) -> Result<Self, PatternError> {
        let escaped: Vec<String> = texts.iter().map(|text| regex_syntax::escape(text)).collect();
        Self::new(&parse(check_syntax(&escaped.join("|"))?, case)?)
    }

    /// Returns the regular expression of exactly this text, to be put into a larger one.
    pub fn escape(text: &str) -> String {
        regex_syntax::escape(text)
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

    /// Returns fragments of which every text with a match contains at least one, for a store that can only look for literals. None if
    /// nothing is known.
    pub fn fragments(&self) -> Vec<String> {
        let Ok(hir) = regex_syntax::parse(self.regex.as_str()) else { return Vec::new() };
        let ends = [ExtractKind::Prefix, ExtractKind::Suffix].map(|end| fragments_at(&hir, &end));
        let shortest = |fragments: &Vec<String>| fragments.iter().map(String::len).min();
        ends.into_iter().rev().max_by_key(shortest).unwrap_or_default()
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

/// The most fragments of a pattern. Five letters in any case have as many forms.
const MOST_FRAGMENTS: usize = 32;

/// The most bytes of a fragment. A longer one leaves out hardly any more texts.
const MOST_FRAGMENT_BYTES: usize = 64;

/// Returns the beginnings or the ends of all matches; none if there are too many.
fn fragments_at(hir: &Hir, end: &ExtractKind) -> Vec<String> {
    let mut extractor = Extractor::new();
    extractor
        .kind(end.clone())
        .limit_class(MOST_FORMS)
        .limit_total(MOST_FRAGMENTS)
        .limit_literal_len(MOST_FRAGMENT_BYTES);
    let sequence = extractor.extract(hir);
    let Some(literals) = sequence.literals() else { return Vec::new() };
    let mut fragments: Vec<String> =
        literals.iter().map(|literal| whole_characters(literal.as_bytes()).to_owned()).collect();
    fragments.sort_unstable();
    fragments.dedup();
    if fragments.iter().any(String::is_empty) { Vec::new() } else { fragments }
}

/// Returns the characters in a run of bytes that was cut at one of its ends.
fn whole_characters(bytes: &[u8]) -> &str {
    let is_inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    let bytes = &bytes[bytes.iter().take_while(is_inside).count()..];
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
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

/// The lines in which matches begin that follow each other: one, or as many as a literal of several lines has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchedLine {
    /// The number of the line in which the matches begin, from 1.
    pub number: u32,
    /// The number of the line in which the last match ends.
    pub last_number: u32,
    /// The bytes of these lines, without the last line break.
    pub bytes: Range<usize>,
    /// The matches: bytes of the text, ascending.
    pub matches: Vec<Range<usize>>,
}

/// The lines of a text with matches, in order.
pub struct MatchedLines<'t> {
    text: &'t str,
    matches: Peekable<Box<dyn Iterator<Item = Range<usize>> + 't>>,
    /// A place in the text, and the number of its line.
    counted: (usize, u32),
}

impl<'t> MatchedLines<'t> {
    pub(crate) fn new(text: &'t str, matches: Box<dyn Iterator<Item = Range<usize>> + 't>) -> Self {
        Self { text, matches: matches.peekable(), counted: (0, 1) }
    }

    /// Returns the number of the line of a place that is not before the last one.
    fn number_at(&mut self, place: usize) -> u32 {
        let (counted, number) = self.counted;
        let breaks = memchr::memchr_iter(b'\n', &self.text.as_bytes()[counted..place]).count();
        self.counted = (place, number + breaks as u32);
        self.counted.1
    }
}

impl Iterator for MatchedLines<'_> {
    type Item = MatchedLine;

    fn next(&mut self) -> Option<MatchedLine> {
        let first = self.matches.next()?;
        let bytes = self.text.as_bytes();
        let start = memchr::memrchr(b'\n', &bytes[..first.start]).map_or(0, |at| at + 1);
        let first_end = line_end(bytes, first.start);
        let number = self.number_at(first.start);
        let mut matches = vec![first];
        while let Some(next) = self.matches.next_if(|next| next.start <= first_end) {
            matches.push(next);
        }
        let last_byte = matches.last().map_or(start, |last| last.end.saturating_sub(1).max(last.start));
        let last_number = self.number_at(last_byte);
        Some(MatchedLine { number, last_number, bytes: start..line_end(bytes, last_byte), matches })
    }
}

/// Returns the end of the line of a place, before its line break.
fn line_end(bytes: &[u8], place: usize) -> usize {
    let end = memchr::memchr(b'\n', &bytes[place..]).map_or(bytes.len(), |length| place + length);
    if end > place && bytes[end - 1] == b'\r' { end - 1 } else { end }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use recall_core::Case;

    use super::*;
    use crate::lexical::exact::Pattern;

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

    #[test]
    fn fragments_are_those_of_the_more_telling_end() {
        let check = |pattern: Result<Pattern, PatternError>, expected: &[&str]| {
            assert_eq!(pattern.unwrap().fragments(), expected);
        };
        let exact = |text: &str| Pattern::literal(text, Case::Sensitive);
        let regex = |text: &str| Pattern::regex(text, Case::Sensitive);
        check(exact("a.b\nc"), &["a.b\nc"]);
        check(Pattern::literal("ab", Case::Insensitive), &["AB", "Ab", "aB", "ab"]);
        check(regex(r"fn \w+_with"), &["_with"]);
        check(regex(r"(TODO|FIXME)\(\w+"), &["FIXME(", "TODO("]);
        check(regex(r"^use\s"), &["use"]);
        check(regex(r"\w+"), &[]);
        check(exact(&"é".repeat(40)), &[&"é".repeat(32)]);
        check(exact(&format!("a{}b", "é".repeat(40))), &[&format!("a{}", "é".repeat(31))]);
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
            let fragments = pattern.fragments();
            let has_one = fragments.is_empty() || fragments.iter().any(|one| text.contains(one));
            proptest::prop_assert!(has_one || numbers.is_empty(), "{expression} {fragments:?}");
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

    fn lines(literal: &str, text: &str) -> Vec<(u32, u32, String, usize)> {
        let pattern = Pattern::literal(literal, Case::Sensitive).unwrap();
        let line = |line: crate::lexical::exact::MatchedLine| {
            (line.number, line.last_number, text[line.bytes].to_owned(), line.matches.len())
        };
        pattern.lines(text).map(line).collect()
    }

    #[test]
    fn matches_are_grouped_by_line() {
        let text = "one a a\r\nno\na\n\nlast a";
        let expected = [(1, 1, "one a a", 2), (3, 3, "a", 1), (5, 5, "last a", 2)];
        assert_eq!(lines("a", "bcd"), []);
        let expected: Vec<_> = expected.into_iter().map(|(a, b, line, count)| (a, b, line.to_owned(), count)).collect();
        assert_eq!(lines("a", text), expected);
    }

    #[test]
    fn a_match_of_several_lines_has_all_of_them() {
        assert_eq!(lines("b\nc", "a b\nc d\ne"), [(1, 2, "a b\nc d".to_owned(), 1)]);
        assert_eq!(lines("b\n", "a b\nc"), [(1, 1, "a b".to_owned(), 1)]);
        assert_eq!(lines("\n\n", "a\n\nb"), [(1, 2, "a\n".to_owned(), 1)]);
    }

    proptest! {
        #[test]
        fn the_lines_are_those_that_contain_the_literal(text in "[ab\n]{0,80}", literal in "[ab]{1,3}") {
            let numbers: Vec<u32> = lines(&literal, &text).into_iter().map(|line| line.0).collect();
            let expected = text.split('\n').zip(1..).filter(|(line, _)| line.contains(&literal));
            let expected: Vec<u32> = expected.map(|(_, number)| number).collect();
            prop_assert_eq!(numbers, expected);
        }
    }
}
