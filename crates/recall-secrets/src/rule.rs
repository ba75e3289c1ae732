//! What is known about one kind of secret?

/// A kind of secret: what it is called, what its presence is told by, and how it looks.
#[derive(Debug)]
pub struct Rule {
    /// The name in masks and settings: `github-token`.
    pub id: &'static str,
    /// What it is, for a person.
    pub what: &'static str,
    /// Where its maker tells how it looks; empty where nobody does, because it has no format.
    pub documented: &'static str,
    /// What stands in or before every secret of the kind, in lower case and found in any; [`Shape`] decides about case.
    pub(crate) keywords: &'static [&'static str],
    pub(crate) shape: Shape,
}

/// How a secret is told from the text around it.
#[derive(Debug)]
pub(crate) enum Shape {
    /// A format of its own, which begins with the keyword.
    Token(Format),
    /// A format of its own, which begins at most that many bytes before its keyword.
    TokenAround(usize, Format),
    /// What is assigned to a name in which one of these stands, in lower case and without separators, if it has the format.
    AssignedTo(&'static [&'static str], Format),
    /// What is assigned to a name that means a password.
    Password,
    /// What is assigned to a name that means a token or a key.
    Key,
    /// The text between the marks of a private key.
    Block,
    /// The password of a URL.
    Url,
    /// The credentials of an HTTP header.
    Header,
    /// A user and a password in base64 after the key `auth`, as in the configuration of container tools.
    DockerAuth,
    /// A password among the arguments of a command.
    Command,
    /// A password that is written into the input of a command.
    Piped,
    /// A password among the arguments of a function.
    Call,
    /// The password before the address of a data source name of Go.
    DataSource,
    /// The last field of a line of `.pgpass`.
    PgPass,
    /// The hash of a password in a line with its user.
    PasswordHash,
    /// The values of cookies.
    Cookies,
    /// The secret members of a JSON Web Key.
    WebKey,
    /// The values of a Secret of Kubernetes.
    Kubernetes,
    /// What only the name of its file tells.
    File,
}

/// A format that a regular expression tells.
#[derive(Debug)]
pub(crate) struct Format {
    /// Matches ASCII only. What its first group matched is the secret, or all where it has none.
    pub(crate) pattern: &'static str,
    /// The least entropy of the secret, in bits a byte: less is a placeholder of the right shape.
    pub(crate) entropy: f64,
}

/// The least entropy of a token of random letters and digits. Twenty of them fall below 3 once in many millions, a
/// placeholder such as `ghp_xxxxxxxx` or `AKIA0000` is well below.
pub(crate) const RANDOM: f64 = 3.0;

/// The least entropy of a token of hexadecimal digits or of fewer than twenty characters, of which a few may repeat.
pub(crate) const SHORT: f64 = 2.5;

/// A rule for tokens that begin with their keyword.
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

/// A rule for tokens whose keyword stands up to that many bytes behind their beginning.
pub(crate) const fn token_around(
    id: &'static str,
    what: &'static str,
    (behind, keywords): (usize, &'static [&'static str]),
    pattern: &'static str,
    entropy: f64,
    documented: &'static str,
) -> Rule {
    Rule { id, what, documented, keywords, shape: Shape::TokenAround(behind, Format { pattern, entropy }) }
}

/// A rule for tokens without a mark, which only the name that they are assigned to tells.
pub(crate) const fn assigned(
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
    /// Whether the rule tells its secrets by a format; the others guess by what stands around.
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
