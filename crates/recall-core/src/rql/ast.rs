//! The syntax tree of a statement.
//!
//! Names and values are as written; [`plan`](crate::rql::plan) gives them types.

use std::ops::Range;

use crate::rql::object::Object;

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
