//! Judged queries as text, in the line format of SVMrank, LETOR and LightGBM:
//!
//! ```text
//! # features: words names
//! 1 qid:1 1:0.5 2:nan # org/project commit weight=2 missed=1
//! 0 qid:1 1:0.25 # org/project commit weight=2 missed=1
//! # qid:2 org/project commit missed=3
//! ```
//!
//! Features are numbered from 1; an omitted one is 0, a missing one is `nan`. After the `#` come the group and the
//! kind, then the weight if it is not 1, then the number of missed items if it is not 0. All lines of a query agree in
//! these. A query without candidates is a comment. In names, each byte of white space, control characters, `#` and `%`
//! is written as `%` and two hexadecimal digits; an empty name is `%`.

use std::fmt::Write as _;
use std::str::FromStr;

use recall_rank::{Judged, JudgedQuery};
use thiserror::Error;

const FEATURES: &str = "# features:";
const EMPTY_QUERY: &str = "# qid:";

/// The text does not contain judged queries.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("line {line}: {problem}")]
pub(crate) struct LetorError {
    /// The number of the line, from 1.
    pub(crate) line: usize,
    pub(crate) problem: LetorProblem,
}

/// A problem in a line of judged queries.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum LetorProblem {
    /// No line names the features before the first query.
    #[error("the features are not named: expected `# features:` followed by their names")]
    NoFeatures,
    /// A second line names the features.
    #[error("the features are named twice")]
    SecondFeatures,
    /// The line does not begin with a label.
    #[error("`{0}` is not a label")]
    Label(String),
    /// The query number does not follow the label.
    #[error("`{0}` is not a query number: expected `qid:` and a number")]
    Query(String),
    /// A field is not a feature with its value.
    #[error("`{0}` is not a feature number, a colon and a value")]
    Value(String),
    /// A feature has no name, or does not follow the one before it in order.
    #[error("feature {0} is out of order or has no name")]
    Feature(usize),
    /// The group and the kind are missing.
    #[error("the group and the kind are missing: expected `#` and two words")]
    Origin,
    /// A word after the kind is neither a weight nor a number of missed items.
    #[error("`{0}` is not `weight=` or `missed=` followed by a number")]
    Setting(String),
    /// A name is not encoded correctly.
    #[error("the name `{0}` is malformed")]
    Name(String),
    /// The lines of a query disagree.
    #[error("the lines of query {0} differ in group, kind, weight or missed")]
    Differs(u64),
    /// The lines of a query are not adjacent.
    #[error("the lines of query {0} are not adjacent")]
    SecondQuery(u64),
}

/// Writes the queries as text, numbered from 1.
///
/// Each float has the fewest digits that identify it.
pub(crate) fn write(judged: &Judged) -> String {
    let mut text = FEATURES.to_owned();
    for name in &judged.features {
        text.push(' ');
        write_name(&mut text, name);
    }
    text.push('\n');
    for (at, query) in judged.queries.iter().enumerate() {
        write_query(&mut text, at + 1, query, judged.features.len());
    }
    text
}

/// Parses text written by [`write()`] or by another program in the same format.
///
/// Other comments and blank lines are skipped. The values are not validated: see [`Judged::check`].
///
/// # Errors
/// Fails at the first malformed line.
pub(crate) fn read(text: &str) -> Result<Judged, LetorError> {
    let mut reader = Reader::default();
    for (at, line) in text.lines().enumerate() {
        reader.line(line.trim()).map_err(|problem| LetorError { line: at + 1, problem })?;
    }
    let features = reader.features.ok_or(LetorError { line: 1, problem: LetorProblem::NoFeatures })?;
    Ok(Judged { features, queries: reader.queries })
}

fn write_query(text: &mut String, number: usize, query: &JudgedQuery, features: usize) {
    let mut origin = String::new();
    write_name(&mut origin, &query.group);
    origin.push(' ');
    write_name(&mut origin, &query.kind);
    if query.weight.to_bits() != 1.0_f32.to_bits() {
        push(&mut origin, format_args!(" weight={}", query.weight));
    }
    if query.missed > 0 {
        push(&mut origin, format_args!(" missed={}", query.missed));
    }
    if query.labels.is_empty() {
        push(text, format_args!("{EMPTY_QUERY}{number} {origin}\n"));
    }
    for (label, row) in query.labels.iter().zip(query.rows.chunks_exact(features.max(1))) {
        push(text, format_args!("{label} qid:{number}"));
        for (feature, value) in row.iter().enumerate() {
            if value.is_nan() {
                push(text, format_args!(" {}:nan", feature + 1));
            } else if *value != 0.0 {
                push(text, format_args!(" {}:{value}", feature + 1));
            }
        }
        push(text, format_args!(" # {origin}\n"));
    }
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("writing to a string cannot fail");
}

fn write_name(text: &mut String, name: &str) {
    if name.is_empty() {
        text.push('%');
    }
    for c in name.chars() {
        if c.is_whitespace() || c.is_control() || matches!(c, '#' | '%') {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                push(text, format_args!("%{byte:02x}"));
            }
        } else {
            text.push(c);
        }
    }
}

fn read_name(word: &str) -> Result<String, LetorProblem> {
    let malformed = || LetorProblem::Name(word.to_owned());
    if word == "%" {
        return Ok(String::new());
    }
    let mut parts = word.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).ok_or_else(malformed)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| malformed())?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).map_err(|_| malformed())
}

#[derive(Default)]
struct Reader {
    features: Option<Vec<String>>,
    queries: Vec<JudgedQuery>,
    /// The numbers of all queries read so far.
    seen: std::collections::HashSet<u64>,
    /// The number of the last query, if more rows may follow.
    open: Option<u64>,
}

/// The properties of a query that the end of each line repeats.
#[derive(PartialEq)]
struct Origin {
    group: String,
    kind: String,
    weight: f32,
    missed: u32,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), LetorProblem> {
        if let Some(names) = line.strip_prefix(FEATURES) {
            if self.features.is_some() {
                return Err(LetorProblem::SecondFeatures);
            }
            self.features = Some(names.split_whitespace().map(read_name).collect::<Result<_, _>>()?);
        } else if let Some(rest) = line.strip_prefix(EMPTY_QUERY) {
            let (number, origin) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            let number = parse(number, LetorProblem::Query)?;
            self.begin(number, read_origin(origin)?)?;
            self.open = None;
        } else if !line.is_empty() && !line.starts_with('#') {
            self.row(line)?;
        }
        Ok(())
    }

    fn row(&mut self, line: &str) -> Result<(), LetorProblem> {
        let features = self.features.as_ref().ok_or(LetorProblem::NoFeatures)?.len();
        let (data, origin) = line.split_once('#').ok_or(LetorProblem::Origin)?;
        let mut words = data.split_whitespace();
        let label: f32 = parse(words.next().unwrap_or_default(), LetorProblem::Label)?;
        let word = words.next().unwrap_or_default();
        let number = word.strip_prefix("qid:").and_then(|number| number.parse().ok());
        let number: u64 = number.ok_or_else(|| LetorProblem::Query(word.to_owned()))?;
        let row = read_row(words, features)?;
        let origin = read_origin(origin)?;
        if self.open != Some(number) {
            self.begin(number, origin)?;
        } else if !self.queries.last().is_some_and(|query| origin.is_of(query)) {
            return Err(LetorProblem::Differs(number));
        }
        let query = self.queries.last_mut().expect("a row follows the start of its query");
        query.labels.push(label);
        query.rows.extend_from_slice(&row);
        Ok(())
    }

    fn begin(&mut self, number: u64, origin: Origin) -> Result<(), LetorProblem> {
        if !self.seen.insert(number) {
            return Err(LetorProblem::SecondQuery(number));
        }
        let Origin { group, kind, weight, missed } = origin;
        self.queries.push(JudgedQuery { group, kind, weight, rows: Vec::new(), labels: Vec::new(), missed });
        self.open = Some(number);
        Ok(())
    }
}

impl Origin {
    fn is_of(&self, query: &JudgedQuery) -> bool {
        self.group == query.group
            && self.kind == query.kind
            && self.weight.to_bits() == query.weight.to_bits()
            && self.missed == query.missed
    }
}

fn read_row<'a>(words: impl Iterator<Item = &'a str>, features: usize) -> Result<Vec<f32>, LetorProblem> {
    let mut row = vec![0.0; features];
    let mut last = 0;
    for word in words {
        let malformed = || LetorProblem::Value(word.to_owned());
        let (number, value) = word.split_once(':').ok_or_else(malformed)?;
        let number: usize = number.parse().map_err(|_| malformed())?;
        if number <= last || number > features {
            return Err(LetorProblem::Feature(number));
        }
        last = number;
        row[number - 1] = value.parse().map_err(|_| malformed())?;
    }
    Ok(row)
}

fn read_origin(text: &str) -> Result<Origin, LetorProblem> {
    let mut words = text.split_whitespace();
    let (Some(group), Some(kind)) = (words.next(), words.next()) else { return Err(LetorProblem::Origin) };
    let mut origin = Origin { group: read_name(group)?, kind: read_name(kind)?, weight: 1.0, missed: 0 };
    for word in words {
        if let Some(weight) = word.strip_prefix("weight=") {
            origin.weight = weight.parse().map_err(|_| LetorProblem::Setting(word.to_owned()))?;
        } else if let Some(missed) = word.strip_prefix("missed=") {
            origin.missed = missed.parse().map_err(|_| LetorProblem::Setting(word.to_owned()))?;
        } else {
            return Err(LetorProblem::Setting(word.to_owned()));
        }
    }
    Ok(origin)
}

fn parse<T: FromStr>(word: &str, problem: fn(String) -> LetorProblem) -> Result<T, LetorProblem> {
    word.parse().map_err(|_| problem(word.to_owned()))
}

#[cfg(test)]
mod tests;
