//! The table of all settings: for each its name, who may set it, when it is read, the kind of its values, its default
//! and its documentation.

use std::collections::BTreeMap;
use std::fmt;

use toml::Value;

use crate::{DEFAULT_FILE, Origin};

/// Who may set a setting, and when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Any layer may set it, because it concerns the project's own files and results. Each search has the newest value.
    Project,
    /// All layers except the project's file: the setting decides about work of the daemon or about what may be read, and an
    /// untrusted repository must not. Each search has the newest value.
    Search,
    /// All layers except the project's file. The daemon reads it when it starts.
    Daemon,
    /// All layers except the project's file. Each command and MCP server reads it when it starts.
    Client,
}

impl Reach {
    /// Returns who may set it, in interfaces.
    pub fn who(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Search | Self::Daemon | Self::Client => "user",
        }
    }

    /// Returns what reads it, in interfaces.
    pub fn read_by(self) -> &'static str {
        match self {
            Self::Project | Self::Search => "search",
            Self::Daemon => "daemon",
            Self::Client => "command",
        }
    }
}

/// A setting with the value in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name in all layers: `daemon.idle_exit`.
    pub key: &'static str,
    /// Who may set it, and when it is read.
    pub reach: Reach,
    /// The shape of its values.
    pub shape: Shape,
    /// The value in force, in TOML.
    pub value: String,
    /// Where the value in force was set.
    pub origin: Origin,
    /// The default, in TOML.
    pub default: &'static str,
    /// What it decides, from the comment in the default file.
    pub doc: String,
}

/// All settings, ordered by name.
#[derive(Clone, PartialEq)]
pub struct Table(BTreeMap<&'static str, Row>);

impl Table {
    /// Returns a setting such as `daemon.idle_exit`; `None` if the name is unknown.
    pub fn row(&self, key: &str) -> Option<&Row> {
        self.0.get(key)
    }

    /// Iterates over all settings, ordered by name.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.0.values()
    }

    /// Returns the known name that is nearest to an unknown one.
    pub fn nearest(&self, key: &str) -> Option<&'static str> {
        nearest(key, &self.0.keys().copied())
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.values().map(|row| (row.key, &row.value))).finish()
    }
}

impl FromIterator<Row> for Table {
    fn from_iter<T: IntoIterator<Item = Row>>(rows: T) -> Self {
        Self(rows.into_iter().map(|row| (row.key, row)).collect())
    }
}

/// Returns the setting whose name is nearest to `key`; a name without its section counts too.
pub(crate) fn nearest<'n>(key: &str, known: &(impl Iterator<Item = &'n str> + Clone)) -> Option<&'n str> {
    let bare = key.rsplit_once('.').map_or(key, |(_, name)| name);
    let in_section = recall_text::nearest(key, known.clone());
    in_section.or_else(|| {
        let names = known.clone().filter_map(|name| name.rsplit_once('.')).map(|(_, name)| name);
        let name = recall_text::nearest(bare, names)?;
        known.clone().find(|known| known.rsplit_once('.').is_some_and(|(_, own)| own == name))
    })
}

/// The default and the description of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Described<'t> {
    /// The default, in TOML.
    pub(crate) default: &'t str,
    /// The lines of its comment.
    pub(crate) comment: &'t str,
}

impl Described<'_> {
    /// Returns the comment as one line, without what [`Reach`] says.
    pub(crate) fn doc(&self) -> String {
        let lines: Vec<&str> = self.comment.lines().map(|line| line.trim_start_matches("# ")).collect();
        let text = lines.join(" ");
        text.trim_end_matches(" User only.").trim_end_matches(" Read when the daemon starts.").to_owned()
    }
}

/// Returns the settings of the default file by their names.
pub(crate) fn descriptions() -> BTreeMap<String, Described<'static>> {
    let mut found = BTreeMap::new();
    let (mut section, mut comment) = ("", None);
    let mut start = 0;
    for line in DEFAULT_FILE.split_inclusive('\n') {
        let (from, text) = (start, line.trim_end());
        start += line.len();
        if text.starts_with("# ") {
            comment.get_or_insert(from);
            continue;
        }
        let comment = comment.take().map_or("", |begin| DEFAULT_FILE[begin..from].trim_end());
        if let Some(name) = text.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if let Some((key, default)) = text.split_once(" = ") {
            found.insert(format!("{section}.{key}"), Described { default, comment });
        }
    }
    found
}

/// A description of valid values, as a noun phrase.
pub(crate) type Expected = String;

/// The shape of the values that a setting accepts, for a schema. A value of this shape may still be refused, for example for a
/// glob that is empty.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A whole number within bounds.
    Whole {
        /// The smallest value that is accepted.
        least: u64,
        /// The largest value that is accepted.
        most: u64,
    },
    /// A number within bounds.
    Number {
        /// The smallest value that is accepted.
        least: f64,
        /// The largest value that is accepted.
        most: f64,
    },
    /// A size: a text with a unit, or a number of bytes.
    Size,
    /// A duration: a text with units.
    Duration,
    /// `true` or `false`.
    Bool,
    /// Any text.
    Text,
    /// One of these texts.
    OneOf(Vec<&'static str>),
    /// A list whose entries have this shape.
    List(Box<Shape>),
    /// A table from any name to this shape.
    Table(Box<Shape>),
    /// A value of one of these shapes.
    Any(Vec<Shape>),
}

type Parse<T> = dyn Fn(&Value) -> Result<T, Expected>;

/// One kind of value: how it is parsed, and its shape.
pub(crate) struct Kind<T> {
    shape: Shape,
    parse: Box<Parse<T>>,
}

impl<T> Kind<T> {
    pub(crate) fn new(shape: Shape, parse: impl Fn(&Value) -> Result<T, Expected> + 'static) -> Self {
        Self { shape, parse: Box::new(parse) }
    }

    pub(crate) fn parse(&self, value: &Value) -> Result<T, Expected> {
        (self.parse)(value)
    }

    /// Returns the shape of the values.
    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }
}

impl<T> fmt::Debug for Kind<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kind").field("shape", &self.shape).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_may_be_in_another_section() {
        let known = ["daemon.idle_exit", "index.wait", "search.per_document"];
        let check =
            |given: &str, expected: Option<&str>| assert_eq!(nearest(given, &known.into_iter()), expected, "{given}");
        check("daemon.idel_exit", Some("daemon.idle_exit"));
        check("per_document", Some("search.per_document"));
        check("index.per_documents", Some("search.per_document"));
        check("colour", None);
    }

    #[test]
    fn a_comment_becomes_a_description() {
        let described = descriptions();
        let of = |key: &str| described[key].doc();
        assert!(
            of("limits.parse_time").ends_with("split into windows of lines instead."),
            "{}",
            of("limits.parse_time")
        );
        assert!(of("index.at_once").ends_with("share of the memory for indexing."), "{}", of("index.at_once"));
        assert_eq!(described["search.ranker"].default, "\"built-in\"");
    }
}
