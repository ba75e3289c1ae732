//! Rules, one kind of secret each, and their lazily compiled patterns.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

/// A kind of secret: its name, the keywords that announce it, and its form.
#[derive(Debug)]
pub struct Rule {
    /// The name in masks and settings, for example `github-token`.
    pub id: &'static str,
    /// A description for people.
    pub what: &'static str,
    /// A link to the issuer's documentation of the format; empty if the secret has no format.
    pub documented: &'static str,
    /// Keywords in or before every secret of this kind, in lower case and matched in any case. The [`Shape`] may check
    /// the case.
    pub(crate) keywords: &'static [&'static str],
    pub(crate) shape: Shape,
}

/// How a secret is recognized in its surrounding text.
#[derive(Debug)]
pub(crate) enum Shape {
    /// A token of a format that begins with the keyword.
    Token(Format),
    /// A token of a format that begins at most that many bytes before its keyword.
    TokenAround(usize, Format),
    /// A value of a format, assigned to a name that contains one of these; they are in lower case without separators.
    AssignedTo(&'static [&'static str], Format),
    /// A value assigned to a name that denotes a password.
    Password,
    /// A value assigned to a name that denotes a token or a key.
    Key,
    /// The text between the markers of a private key.
    Block,
    /// The password of a URL.
    Url,
    /// The credentials of an HTTP header.
    Header,
    /// A user and a password in base64 under the key `auth`, as in the configuration of container tools.
    DockerAuth,
    /// The password in `credentials: user:password`.
    Pair,
    /// A password among the arguments of a command.
    Command,
    /// A password piped into a command.
    Piped,
    /// A password among the arguments of a function.
    Call,
    /// The password before the address in a Go data source name.
    DataSource,
    /// The last field of a `.pgpass` line.
    PgPass,
    /// A password hash in a line with its user.
    PasswordHash,
    /// Values of cookies.
    Cookies,
    /// The private members of a JSON Web Key.
    WebKey,
    /// The values of a Kubernetes Secret.
    Kubernetes,
    /// A secret recognized only by the name of its file.
    File,
}

/// A format given by a regular expression.
#[derive(Debug)]
pub(crate) struct Format {
    /// Matches ASCII only. The secret is the first group if there is one, otherwise the whole match.
    pub(crate) pattern: &'static str,
    /// The minimum entropy of the secret in bits per byte. A match with less is a placeholder.
    pub(crate) entropy: f64,
}

/// The minimum entropy of a token of random letters and digits. Twenty random ones fall below 3 once in many millions;
/// a placeholder such as `ghp_xxxxxxxx` or `AKIA0000` is well below.
pub(crate) const RANDOM: f64 = 3.0;

/// The minimum entropy of a token of hexadecimal digits, or of fewer than twenty characters. There some characters
/// repeat by chance.
pub(crate) const SHORT: f64 = 2.5;

/// Creates a rule for tokens that begin with their keyword.
pub(crate) const fn token(
    id: &'static str,
    what: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    entropy: f64,
    documented: &'static str,
) -> Rule {
    Rule { id, what, documented, keywords, shape: Shape::Token(Format { pattern, entropy }) }
}

/// Creates a rule for tokens that begin up to that many bytes before their keyword.
pub(crate) const fn token_around(
    id: &'static str,
    what: &'static str,
    (offset, keywords): (usize, &'static [&'static str]),
    pattern: &'static str,
    entropy: f64,
    documented: &'static str,
) -> Rule {
    Rule { id, what, documented, keywords, shape: Shape::TokenAround(offset, Format { pattern, entropy }) }
}

/// Creates a rule for tokens without a recognizable prefix, found only by the name that they are assigned to.
pub(crate) const fn assignment(
    id: &'static str,
    what: &'static str,
    names: &'static [&'static str],
    pattern: &'static str,
    entropy: f64,
    documented: &'static str,
) -> Rule {
    Rule { id, what, documented, keywords: &[], shape: Shape::AssignedTo(names, Format { pattern, entropy }) }
}

impl Rule {
    /// Returns whether the rule knows a format. The other rules guess from the context.
    pub(crate) fn is_certain(&self) -> bool {
        matches!(self.shape, Shape::Token(_) | Shape::TokenAround(..) | Shape::AssignedTo(..) | Shape::Block)
    }

    pub(crate) fn format(&self) -> Option<&Format> {
        match &self.shape {
            Shape::Token(format) | Shape::TokenAround(_, format) | Shape::AssignedTo(_, format) => Some(format),
            _ => None,
        }
    }
}

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
