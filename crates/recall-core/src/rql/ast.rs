//! The syntax tree of a statement, the objects that it selects, and its printing: parsing the printed text gives the
//! same tree.
//!
//! Names and values are as written; [`plan`](crate::rql::plan) gives them types.

use std::fmt;
use std::ops::Range;

/// A part of the tree with its place in the text. Equality ignores the place.
#[derive(Clone, Debug)]
pub struct Spanned<T> {
    /// The part itself.
    pub node: T,
    /// Its bytes in the text.
    pub bytes: Range<usize>,
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

/// A statement as it is written, clause by clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The clause `SELECT`.
    pub select: Select,
    /// The object after `FROM`.
    pub from: Object,
    /// The text after `AS OF`.
    pub as_of: Option<Spanned<String>>,
    /// How rows are ranked; empty for no ranking.
    pub using: Vec<Using>,
    /// The condition on a row.
    pub filter: Option<Expression>,
    /// The clause `ORDER BY`; `None` if there is none.
    pub order: Option<OrderBy>,
    /// The number after `LIMIT`; `None` if there is none.
    pub limit: Option<Spanned<u32>>,
    /// The number of rows to skip.
    pub offset: Option<Spanned<u32>>,
}

/// The clause `SELECT`.
#[derive(Clone, Debug, PartialEq)]
pub enum Select {
    /// `*`: every field of the rows.
    All,
    /// These, at least one.
    Fields(Vec<Spanned<String>>),
}

/// A retriever with its query.
#[derive(Clone, Debug, PartialEq)]
pub struct Using {
    /// How rows are compared with the query.
    pub retrieval: Retrieval,
    /// The text that rows are compared with.
    pub text: Spanned<String>,
}

/// A retriever that ranks rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retrieval {
    /// By the similarity of embeddings.
    Semantic,
    /// By the words that text and query have in common.
    Lexical,
}

impl Retrieval {
    /// Both, in the order of the grammar.
    pub const ALL: [Self; 2] = [Self::Semantic, Self::Lexical];

    /// Returns the name, as statements write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Semantic => "semantic",
            Self::Lexical => "lexical",
        }
    }
}

/// An order by one field.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderBy {
    /// The field, or `score`.
    pub field: Spanned<String>,
    /// Ascending if none is written.
    pub direction: Direction,
}

/// The direction of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// `ASC`: the least value first.
    #[default]
    Ascending,
    /// `DESC`: the greatest value first.
    Descending,
}

/// A condition on a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// At least two conditions, joined by one of `AND` and `OR`.
    Combined(Combined, Vec<Expression>),
    /// `NOT`: holds exactly if the condition does not.
    Not(Box<Expression>),
    /// A comparison of a field.
    Comparison(Comparison),
}

/// What joins conditions. `AND` binds more tightly than `OR`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combined {
    /// `AND`: all hold.
    And,
    /// `OR`: at least one holds.
    Or,
}

/// A comparison of a field with values.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The field's name.
    pub field: Spanned<String>,
    /// How the value of the field is compared with `values`.
    pub operator: Spanned<Operator>,
    /// The values: one, except for `IN`, which has at least one.
    pub values: Vec<Spanned<Literal>>,
}

/// An operator of comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// `=`: equal.
    Equal,
    /// `!=`: not equal.
    NotEqual,
    /// `<`: less, or earlier.
    Less,
    /// `<=`: not greater, or not later.
    LessOrEqual,
    /// `>`: greater, or later.
    Greater,
    /// `>=`: not less, or not earlier.
    GreaterOrEqual,
    /// `LIKE`: `%` is any text, `_` any character.
    Like,
    /// `GLOB`: `*` is any text without `/`, `?` any character but `/`, `**` any text.
    Glob,
    /// `IN`: equal to one of several values.
    In,
}

impl Operator {
    /// All operators, in the order of the enum.
    pub const ALL: [Self; 9] = [
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::LessOrEqual,
        Self::Greater,
        Self::GreaterOrEqual,
        Self::Like,
        Self::Glob,
        Self::In,
    ];

    /// Returns the operator as statements write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Like => "LIKE",
            Self::Glob => "GLOB",
            Self::In => "IN",
        }
    }
}

/// A value as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A text in quotes.
    Text(String),
    /// The digits of a number: `-?[0-9]+(\.[0-9]+)?`.
    Number(String),
}

/// What a statement selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Object {
    /// Documents: files and memories.
    Doc,
    /// Chunks of documents.
    Chunk,
    /// Memories alone, with what was recorded about them.
    Memory,
}

impl Object {
    /// All objects, in the order of the enum.
    pub const ALL: [Self; 3] = [Self::Doc, Self::Chunk, Self::Memory];

    /// Returns the object's name, as statements write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Doc => "doc",
            Self::Chunk => "chunk",
            Self::Memory => "memory",
        }
    }

    /// Returns the object that statements write like this, in lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|object| object.as_str() == name)
    }

    /// Returns the objects whose fields a row of this object has, its own first. A chunk has the fields of its document.
    pub fn visible(self) -> &'static [Self] {
        match self {
            Self::Doc => &[Self::Doc],
            Self::Chunk => &[Self::Chunk, Self::Doc],
            Self::Memory => &[Self::Memory],
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { select, from, as_of, using, filter, order, limit, offset } = self;
        write!(f, "SELECT {select} FROM {from}")?;
        if let Some(as_of) = as_of {
            write!(f, " AS OF {}", Quoted(&as_of.node))?;
        }
        for (place, using) in using.iter().enumerate() {
            write!(f, "{}{using}", if place == 0 { " USING " } else { ", " })?;
        }
        if let Some(filter) = filter {
            write!(f, " FILTER {filter}")?;
        }
        if let Some(OrderBy { field, direction }) = order {
            write!(f, " ORDER BY {}", field.node)?;
            if *direction == Direction::Descending {
                f.write_str(" DESC")?;
            }
        }
        if let Some(limit) = limit {
            write!(f, " LIMIT {}", limit.node)?;
        }
        if let Some(offset) = offset {
            write!(f, " OFFSET {}", offset.node)?;
        }
        Ok(())
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::Fields(fields) => list(f, fields.iter().map(|field| &field.node)),
        }
    }
}

impl fmt::Display for Using {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { retrieval, text } = self;
        write!(f, "{}({})", retrieval.as_str(), Quoted(&text.node))
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Combined(how, parts) => {
                for (place, part) in parts.iter().enumerate() {
                    if place > 0 {
                        f.write_str(if *how == Combined::And { " AND " } else { " OR " })?;
                    }
                    // `AND` binds tighter than `OR`, so only an `AND` inside an `OR` needs no parentheses.
                    match part {
                        Self::Combined(Combined::And, _) if *how == Combined::Or => write!(f, "{part}")?,
                        Self::Combined(..) => write!(f, "({part})")?,
                        Self::Not(_) | Self::Comparison(_) => write!(f, "{part}")?,
                    }
                }
                Ok(())
            }
            Self::Not(part) => match **part {
                Self::Comparison(_) => write!(f, "NOT {part}"),
                Self::Combined(..) | Self::Not(_) => write!(f, "NOT ({part})"),
            },
            Self::Comparison(comparison) => write!(f, "{comparison}"),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, operator, values } = self;
        write!(f, "{} {} ", field.node, operator.node.as_str())?;
        let values = values.iter().map(|value| &value.node);
        if operator.node == Operator::In {
            f.write_str("(")?;
            list(f, values)?;
            f.write_str(")")
        } else {
            list(f, values)
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{}", Quoted(text)),
            Self::Number(digits) => f.write_str(digits),
        }
    }
}

/// A text in quotes.
pub(crate) struct Quoted<'a>(pub(crate) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.replace('\'', "''"))
    }
}

fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: impl Iterator<Item = T>) -> fmt::Result {
    for (place, item) in items.enumerate() {
        write!(f, "{}{item}", if place == 0 { "" } else { ", " })?;
    }
    Ok(())
}
