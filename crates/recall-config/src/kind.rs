//! The kind of a setting's values: a parser, and the shape of the values that it accepts.

use std::fmt;

use toml::Value;

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
