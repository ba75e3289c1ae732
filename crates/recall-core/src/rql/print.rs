//! Printing of the syntax tree. Parsing the printed text gives the same tree.

use std::fmt;

use crate::rql::ast::{
    Combined, Comparison, Direction, Expression, Literal, Operator, OrderBy, Select, Statement, Using,
};

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { select, from, using, filter, order, limit, offset } = self;
        write!(f, "SELECT {select} FROM {from}")?;
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
