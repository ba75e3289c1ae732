//! Cues: what has to happen for a memory to be shown unasked.

use std::fmt;
use std::str::FromStr;

/// The longest text of a cue. A longer one would never match.
pub const CUE_BYTES: usize = 300;

/// A cue of a memory. Its written form is `kind:text`, such as `command:cargo test`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cue {
    /// What the text describes.
    pub kind: CueKind,
    /// The text, on one line, not blank; at most [`CUE_BYTES`].
    pub text: String,
}

/// The kinds of cues, in the order of their names, so that cues are in the order of their written forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CueKind {
    /// A session works on a branch: its name, or a glob.
    Branch,
    /// A command is about to run: its first words.
    Command,
    /// The first prompt on this day or later: `2026-12-01`.
    Date,
    /// A command has failed, with this class or message in its output.
    Error,
    /// A file is read or edited: its path below the root, or a glob.
    Path,
    /// A name is searched for: the last part of a symbol's name.
    Symbol,
}

impl CueKind {
    /// All kinds, in a fixed order.
    pub const ALL: [Self; 6] = [Self::Branch, Self::Command, Self::Date, Self::Error, Self::Path, Self::Symbol];

    /// Returns the kind's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Symbol => "symbol",
            Self::Command => "command",
            Self::Error => "error",
            Self::Branch => "branch",
            Self::Date => "date",
        }
    }
}

impl Cue {
    /// Creates a cue from a text that may have line breaks; `None` if the text is blank, too long, or not a date where one is needed.
    pub fn new(kind: CueKind, text: &str) -> Option<Self> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_valid = !text.is_empty() && text.len() <= CUE_BYTES && (kind != CueKind::Date || is_date(&text));
        is_valid.then_some(Self { kind, text })
    }
}

/// Whether a text has the form `2026-12-01`.
fn is_date(text: &str) -> bool {
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}

impl fmt::Display for Cue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.as_str(), self.text)
    }
}

impl FromStr for Cue {
    type Err = InvalidCue;

    fn from_str(text: &str) -> Result<Self, InvalidCue> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let kind = CueKind::ALL.into_iter().find(|known| known.as_str() == kind.trim());
        kind.and_then(|kind| Self::new(kind, rest)).ok_or_else(|| InvalidCue { text: text.to_owned() })
    }
}

/// The text is not a cue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a cue: write `path:`, `symbol:`, `command:`, `error:` or `branch:` and a text of at most {CUE_BYTES} bytes, or \
     `date:` and a day such as 2026-12-01"
)]
pub struct InvalidCue {
    /// The text as it was given.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_written_form_is_read_back() {
        for text in
            ["path:src/*.rs", "symbol:retry", "command:cargo test", "error:E0382", "branch:fix/*", "date:2026-12-01"]
        {
            assert_eq!(text.parse::<Cue>().expect("a cue").to_string(), text);
        }
        assert_eq!("command: make\n  all ".parse::<Cue>().expect("a cue").to_string(), "command:make all");
        assert_eq!("error:a: b".parse::<Cue>().expect("a cue").text, "a: b");
    }

    #[test]
    fn what_cannot_match_is_refused() {
        let long = format!("path:{}", "x".repeat(CUE_BYTES + 1));
        for text in ["", "make", "command:", "command: \n", "date:tomorrow", "date:2026-1-1", "color:red", &long] {
            assert!(text.parse::<Cue>().is_err(), "{text}");
        }
    }
}
