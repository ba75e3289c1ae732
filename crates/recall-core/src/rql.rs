//! RQL, the query language: parsing, typing, and evaluation of filters.
//!
//! A statement selects fields of documents, chunks or memories; its filter is also the expression language of `recall search
//! --filter`. [`Query::parse`] and [`Filter::parse`] read text into a typed form. The module does not know where rows come from:
//! a caller implements [`Row`] and asks [`Filter::holds`].
//!
//! A filter holds or does not hold on a row; there is no third value, so `NOT` means what it says. Rows are evaluated here and not by
//! SQL, because some fields are masked, derived or in journals; a caller may let a database narrow the rows down first.
//!
//! Begin with `field` (the table of what can be asked), `parser`, `plan` (types and limits) and `condition`.

mod ast;
mod condition;
mod error;
mod field;
mod lexer;
mod parser;
mod pattern;
mod plan;

pub use ast::{
    Combined, Comparison, Direction, Expression, Literal, Object, Operator, OrderBy, Retrieval, Select, Spanned,
    Statement, Using,
};
pub use condition::{Check, Condition, Moment, Row, Value};
pub use error::{
    DEFAULT_ROWS, Location, MOST_BYTES, MOST_COMPARISONS, MOST_DEPTH, MOST_OFFSET, MOST_QUERY_BYTES, MOST_ROWS,
    MOST_TERMS, Problem, RqlError,
};
pub use field::{Field, IgnoredField, Kind};
pub use parser::{parse_expression, parse_statement};
pub use pattern::Pattern;
pub use plan::{Filter, Order, OrderKey, Query, Selected};
