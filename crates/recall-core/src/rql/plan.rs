//! Typed statements: names resolved, values read, limits checked.

use std::collections::HashSet;
use std::ops::{Bound, Range};

use crate::DocumentType;
use crate::rql::ast::{
    Combined, Comparison, Direction, Expression, Literal, Object, Operator, OrderBy, Quoted, Retrieval, Select,
    Spanned, Statement,
};
use crate::rql::condition::{Check, Condition, Moment, Row};
use crate::rql::error::{
    DEFAULT_ROWS, Fault, MOST_COMPARISONS, MOST_OFFSET, MOST_QUERY_BYTES, MOST_ROWS, Problem, RqlError,
};
use crate::rql::field::{Field, IgnoredField, Kind};
use crate::rql::parser;
use crate::rql::pattern::Pattern;

/// The name of the score in `SELECT` and `ORDER BY`.
const SCORE: &str = "score";

/// A statement whose names and values were checked and typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The object that each row is.
    pub from: Object,
    /// The time or commit as of which the project is read; `None` for now. See [`When`](crate::When).
    pub as_of: Option<String>,
    /// The selected columns, in order, without repetition; at least one.
    pub columns: Vec<Selected>,
    /// The query by the similarity of embeddings.
    pub semantic: Option<String>,
    /// The query by words.
    pub lexical: Option<String>,
    /// The condition on a row; `None` for all rows.
    pub filter: Option<Filter>,
    /// The order, if one is given.
    pub order: Option<Order>,
    /// The most rows, 1 to [`MOST_ROWS`].
    pub limit: u32,
    /// The number of rows to skip, at most [`MOST_OFFSET`].
    pub offset: u32,
    /// The names in `SELECT` that are no fields.
    pub ignored: Vec<IgnoredField>,
}

/// A column of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selected {
    /// The value of a field.
    Field(Field),
    /// The score of the ranking; only with `USING`.
    Score,
}

impl Selected {
    /// Returns the name, qualified.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Field(field) => field.as_str(),
            Self::Score => SCORE,
        }
    }

    /// Returns the column with that qualified name.
    pub fn from_name(name: &str) -> Option<Self> {
        if name == SCORE { Some(Self::Score) } else { Field::from_name(name).map(Self::Field) }
    }
}

/// An order of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// What rows are ordered by.
    pub by: OrderKey,
    /// Whether the least or the greatest is first.
    pub direction: Direction,
}

/// What rows are ordered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKey {
    /// The value of a field. A row without it is the least.
    Field(Field),
    /// The score of the ranking; only with `USING`.
    Score,
}

/// A filter whose names and values were checked and typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// The conditions, all of which hold, each with its text.
    parts: Vec<(Condition, String)>,
}

impl Query {
    /// Reads a statement.
    ///
    /// # Errors
    /// See [`Problem`].
    pub fn parse(text: &str) -> Result<Self, RqlError> {
        let read = |text: &str| query(&parser::statement(text)?);
        read(text).map_err(|fault| fault.report(text, |text| read(text).is_ok()))
    }

    /// Whether rows are ranked.
    pub fn is_ranked(&self) -> bool {
        self.semantic.is_some() || self.lexical.is_some()
    }
}

impl Filter {
    /// Reads a filter of chunks, whose document may be a memory: all fields are allowed.
    ///
    /// # Errors
    /// See [`Problem`].
    pub fn parse(text: &str) -> Result<Self, RqlError> {
        let read = |text: &str| filter(&parser::expression(text)?, &Fields::OfHits);
        read(text).map_err(|fault| fault.report(text, |text| read(text).is_ok()))
    }

    /// Whether a row passes.
    pub fn holds(&self, row: &impl Row) -> bool {
        self.parts.iter().all(|(condition, _)| condition.holds(row))
    }

    /// Returns the conditions, all of which hold, each with its text; the cheapest first.
    pub fn parts(&self) -> impl Iterator<Item = (&Condition, &str)> {
        self.parts.iter().map(|(condition, text)| (condition, text.as_str()))
    }
}

/// The fields that a filter may name.
enum Fields {
    /// Those of the rows of a statement.
    From(Object),
    /// Those of hits: of chunks, documents and memories.
    OfHits,
}

impl Fields {
    fn objects(&self) -> &'static [Object] {
        match self {
            Self::From(object) => object.visible(),
            Self::OfHits => &[Object::Doc, Object::Chunk, Object::Memory],
        }
    }

    /// Returns a valid text with a condition.
    fn example(&self, condition: &str) -> String {
        match self {
            Self::From(object) => format!("SELECT * FROM {object} FILTER {condition}"),
            Self::OfHits => condition.to_owned(),
        }
    }

    fn list(&self) -> String {
        let all = Field::ALL.iter().filter(|field| self.objects().contains(&field.object()));
        all.map(|field| field.as_str()).collect::<Vec<_>>().join(", ")
    }
}

fn query(statement: &Statement) -> Result<Query, Fault> {
    let Statement { select, from, as_of, using, filter: condition, order, limit, offset } = statement;
    let retrieval = |retrieval: Retrieval| -> Result<Option<String>, Fault> {
        let Some(using) = using.iter().find(|using| using.retrieval == retrieval) else { return Ok(None) };
        let text = using.text.node.trim();
        if !(1..=MOST_QUERY_BYTES).contains(&text.len()) {
            let expected = format!("a text of at most {MOST_QUERY_BYTES} bytes that is not blank");
            let example = format!("SELECT * FROM {from} USING {}('parse a date')", retrieval.as_str());
            return Err(Fault::new(using.text.bytes.clone(), Problem::Query { bytes: text.len() }, expected, example));
        }
        Ok(Some(text.to_owned()))
    };
    let (semantic, lexical) = (retrieval(Retrieval::Semantic)?, retrieval(Retrieval::Lexical)?);
    let is_ranked = semantic.is_some() || lexical.is_some();
    let (columns, ignored) = columns(select, *from, is_ranked)?;
    Ok(Query {
        from: *from,
        as_of: as_of.as_ref().map(|text| text.node.trim().to_owned()),
        columns,
        semantic,
        lexical,
        filter: condition.as_ref().map(|condition| filter(condition, &Fields::From(*from))).transpose()?,
        order: order.as_ref().map(|order| plan_order(order, *from, is_ranked)).transpose()?,
        limit: count(limit.as_ref(), "LIMIT", 1, MOST_ROWS)?.unwrap_or(DEFAULT_ROWS),
        offset: count(offset.as_ref(), "LIMIT 100 OFFSET", 0, MOST_OFFSET)?.unwrap_or(0),
        ignored,
    })
}

fn count(given: Option<&Spanned<u32>>, keyword: &str, least: u32, most: u32) -> Result<Option<u32>, Fault> {
    let Some(Spanned { node, bytes }) = given else { return Ok(None) };
    if (least..=most).contains(node) {
        return Ok(Some(*node));
    }
    let nearest = if *node < least { least } else { most };
    let problem = Problem::OutOfBounds { found: node.to_string() };
    let example = format!("SELECT * FROM chunk {keyword} {nearest}");
    Err(Fault::new(bytes.clone(), problem, format!("{least} to {most}"), example).replaced_by(nearest.to_string()))
}

fn columns(select: &Select, from: Object, is_ranked: bool) -> Result<(Vec<Selected>, Vec<IgnoredField>), Fault> {
    let objects = from.visible();
    let score = is_ranked.then_some(Selected::Score);
    let names = match select {
        Select::All => {
            let of = |object| Field::ALL.iter().copied().filter(move |field| field.object() == object);
            let all = objects.iter().copied().flat_map(of).map(Selected::Field);
            return Ok((all.chain(score).collect(), Vec::new()));
        }
        Select::Fields(names) => names,
    };
    let (mut columns, mut ignored) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for name in names {
        let score = score.filter(|score| score.as_str() == name.node);
        let Some(column) = Field::resolve(&name.node, objects).map(Selected::Field).or(score) else {
            let near = Field::nearest(&name.node, objects);
            ignored.push(IgnoredField { name: name.node.clone(), near });
            continue;
        };
        if seen.insert(column.as_str()) {
            columns.push(column);
        }
    }
    let (Some(first), true) = (names.first(), columns.is_empty()) else { return Ok((columns, ignored)) };
    Err(unknown_field(first, &Fields::From(from), format!("SELECT * FROM {from}")))
}

fn plan_order(order: &OrderBy, from: Object, is_ranked: bool) -> Result<Order, Fault> {
    let OrderBy { field: Spanned { node: name, bytes }, direction } = order;
    let direction = *direction;
    let own = from.visible()[0];
    let example = format!("SELECT * FROM {from} ORDER BY {own}.id");
    if name == SCORE {
        if is_ranked {
            return Ok(Order { by: OrderKey::Score, direction });
        }
        let example = format!("SELECT * FROM {from} USING lexical('parse a date') ORDER BY score DESC");
        return Err(Fault::new(bytes.clone(), Problem::NoScore, "a field, or `USING` before", example));
    }
    let fields = Fields::From(from);
    let Some(field) = Field::resolve(name, from.visible()) else {
        return Err(unknown_field(&order.field, &fields, example));
    };
    if !field.kind().is_ordered() {
        let expected = "a field with one short value";
        return Err(Fault::new(bytes.clone(), Problem::NoOrder { field }, expected, example));
    }
    Ok(Order { by: OrderKey::Field(field), direction })
}

fn unknown_field(name: &Spanned<String>, fields: &Fields, example: String) -> Fault {
    let Spanned { node, bytes } = name;
    if let (Some(field), Fields::From(from)) = (Field::from_name(node), fields) {
        let expected = format!("one of {}", fields.list());
        let example = format!("SELECT * FROM {} FILTER {}", field.object(), example_of(field));
        return Fault::new(bytes.clone(), Problem::ForeignField { field, from: *from }, expected, example);
    }
    let near = Field::nearest(node, fields.objects());
    let problem = Problem::UnknownField { name: node.clone(), near };
    let fault = Fault::new(bytes.clone(), problem, format!("one of {}", fields.list()), example);
    near.map(Field::as_str).into_iter().fold(fault, Fault::replaced_by)
}

fn filter(expression: &Expression, fields: &Fields) -> Result<Filter, Fault> {
    let terms = match expression {
        Expression::Combined(Combined::And, terms) => terms.as_slice(),
        other => std::slice::from_ref(other),
    };
    let conditions = terms.iter().map(|term| condition(term, fields)).collect::<Result<Vec<_>, _>>()?;
    let mut parts: Vec<(Condition, String)> = if conditions.len() > MOST_PRINTED {
        // Equalities are combined, so that a long list of them is one check.
        combine(Combined::And, conditions).into_iter().map(|one| (one, "several".to_owned())).collect()
    } else {
        conditions.into_iter().zip(terms.iter().map(print_expression)).collect()
    };
    let found = parts.iter().map(|(part, _)| part.checks()).sum();
    if found > MOST_COMPARISONS {
        let expected = format!("at most {MOST_COMPARISONS} comparisons, and `IN` for several values of one field");
        let own = fields.objects()[0];
        let example = fields.example(&format!("{own}.id IN ('first', 'second')"));
        return Err(Fault::new(0..0, Problem::TooManyComparisons { found }, expected, example));
    }
    parts.sort_by_key(|(part, _)| part.depends_on(&|field| field.kind() == Kind::LongText));
    Ok(Filter { parts })
}

/// The most conditions of a filter that keep their texts for the explanation of a plan.
const MOST_PRINTED: usize = 64;

/// The longest text of a condition in the explanation of a plan.
const MOST_PRINTED_CHARACTERS: usize = 120;

fn print_expression(expression: &Expression) -> String {
    let shown = |expression: &Expression| {
        let text = expression.to_string();
        match text.char_indices().nth(MOST_PRINTED_CHARACTERS) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    };
    match expression {
        Expression::Combined(Combined::Or, _) => format!("({})", shown(expression)),
        other => shown(other),
    }
}

fn condition(expression: &Expression, fields: &Fields) -> Result<Condition, Fault> {
    match expression {
        Expression::Combined(how, parts) => {
            let parts = parts.iter().map(|part| condition(part, fields)).collect::<Result<Vec<_>, _>>()?;
            let mut parts = combine(*how, parts);
            parts.sort_by_key(|part| part.depends_on(&|field| field.kind() == Kind::LongText));
            Ok(match (how, parts.len()) {
                (_, 1) => parts.remove(0),
                (Combined::And, _) => Condition::All(parts),
                (Combined::Or, _) => Condition::Any(parts),
            })
        }
        Expression::Not(part) => Ok(Condition::Not(Box::new(condition(part, fields)?))),
        Expression::Comparison(comparison) => compare(comparison, fields),
    }
}

/// Combines alternative equalities of one field into one check, and so their negations, all of which hold.
fn combine(how: Combined, parts: Vec<Condition>) -> Vec<Condition> {
    let mut combined: Vec<Condition> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for part in parts {
        let field = match (&part, how) {
            (Condition::Is(field, Check::Among(_) | Check::Numbers(_)), Combined::Or) => Some(*field),
            (Condition::Not(inner), Combined::And) => match **inner {
                Condition::Is(field, Check::Among(_) | Check::Numbers(_)) => Some(field),
                _ => None,
            },
            _ => None,
        };
        let Some(field) = field else {
            combined.push(part);
            continue;
        };
        let Some(&place) = places.get(&field) else {
            places.insert(field, combined.len());
            combined.push(part);
            continue;
        };
        let check = match part {
            Condition::Not(inner) => *inner,
            other => other,
        };
        let known = match &mut combined[place] {
            Condition::Not(inner) => &mut **inner,
            other => other,
        };
        match (known, check) {
            (Condition::Is(_, Check::Among(known)), Condition::Is(_, Check::Among(more))) => known.extend(more),
            (Condition::Is(_, Check::Numbers(known)), Condition::Is(_, Check::Numbers(more))) => known.extend(more),
            _ => unreachable!("a field has checks of one type"),
        }
    }
    for part in &mut combined {
        let part = match part {
            Condition::Not(inner) => &mut **inner,
            other => other,
        };
        if let Condition::Is(_, Check::Numbers(numbers)) = part {
            numbers.sort_by(f64::total_cmp);
        }
    }
    combined
}

fn compare(comparison: &Comparison, fields: &Fields) -> Result<Condition, Fault> {
    let Comparison { field: name, operator: Spanned { node: operator, bytes: at }, values } = comparison;
    let Some(field) = Field::from_name(&name.node).filter(|field| fields.objects().contains(&field.object())) else {
        let near = Field::nearest(&name.node, fields.objects()).unwrap_or(match fields.objects()[0] {
            Object::Doc => Field::DocPath,
            Object::Chunk => Field::ChunkKind,
            Object::Memory => Field::MemoryTitle,
        });
        return Err(unknown_field(name, fields, fields.example(&example_of(near))));
    };
    let kind = field.kind();
    if !kind.operators().contains(operator) {
        let operators = kind.operators().iter().map(|known| known.as_str()).collect::<Vec<_>>().join(" ");
        let problem = Problem::WrongOperator { field, operator: *operator };
        let example = fields.example(&example_of(field));
        return Err(Fault::new(at.clone(), problem, format!("one of {operators}"), example).replaced_by("="));
    }
    let operator = *operator;
    let check = match kind {
        Kind::Text | Kind::LongText | Kind::Set => texts(operator, field, values, fields)?,
        Kind::Number => numbers(operator, field, values, fields)?,
        Kind::Time => times(operator, field, values, fields)?,
    };
    let condition = Condition::Is(field, check);
    Ok(if operator == Operator::NotEqual { Condition::Not(Box::new(condition)) } else { condition })
}

fn example_of(field: Field) -> String {
    format!("{field} = {}", field.kind().example())
}

fn wrong(value: &Spanned<Literal>, field: Field, fields: &Fields) -> Fault {
    let found = value.node.to_string();
    let replacement = match (&value.node, field.kind()) {
        (Literal::Number(digits), Kind::Text | Kind::LongText | Kind::Set) => Quoted(digits).to_string(),
        (Literal::Text(text), Kind::Number) if is_number(text) => text.clone(),
        (_, kind) => kind.example().to_owned(),
    };
    let expected = match field.kind() {
        Kind::Time => format!("{} like '2026-01-31' or '2026-01-31T10:00:00Z'", field.kind().expected_values()),
        kind => kind.expected_values().to_owned(),
    };
    let problem = Problem::WrongValue { field, found };
    Fault::new(value.bytes.clone(), problem, expected, fields.example(&example_of(field))).replaced_by(replacement)
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    [whole, fraction].iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn texts(operator: Operator, field: Field, values: &[Spanned<Literal>], fields: &Fields) -> Result<Check, Fault> {
    if let Some(value) = unindexed_type(field, values) {
        return Err(Fault::not_indexed(value.bytes.clone(), fields.example("doc.type = 'session'")));
    }
    let text = |value: &Spanned<Literal>| match &value.node {
        Literal::Text(text) => Ok(text.clone()),
        Literal::Number(_) => Err(wrong(value, field, fields)),
    };
    let all = values.iter().map(text).collect::<Result<Vec<String>, Fault>>()?;
    let first = || all[0].clone();
    Ok(match operator {
        Operator::Equal | Operator::NotEqual | Operator::In => Check::Among(all.into_iter().collect()),
        Operator::Less => Check::Between(Bound::Unbounded, Bound::Excluded(first())),
        Operator::LessOrEqual => Check::Between(Bound::Unbounded, Bound::Included(first())),
        Operator::Greater => Check::Between(Bound::Excluded(first()), Bound::Unbounded),
        Operator::GreaterOrEqual => Check::Between(Bound::Included(first()), Bound::Unbounded),
        Operator::Like => Check::Matches(Pattern::like(&all[0])),
        Operator::Glob => Check::Matches(Pattern::glob(&all[0])),
    })
}

/// Returns the value that names a type of documents that no index has.
fn unindexed_type(field: Field, values: &[Spanned<Literal>]) -> Option<&Spanned<Literal>> {
    let unindexed = Literal::Text(DocumentType::Transcript.to_string());
    values.iter().find(|value| field == Field::DocType && value.node == unindexed)
}

fn numbers(operator: Operator, field: Field, values: &[Spanned<Literal>], fields: &Fields) -> Result<Check, Fault> {
    let number = |value: &Spanned<Literal>| match &value.node {
        // Adding 0 turns -0 into 0, which no number of a row is distinguished from.
        Literal::Number(digits) => {
            let number = digits.parse::<f64>().ok().filter(|number| number.is_finite());
            number.map(|number| number + 0.0).ok_or_else(|| wrong(value, field, fields))
        }
        Literal::Text(_) => Err(wrong(value, field, fields)),
    };
    let mut all = values.iter().map(number).collect::<Result<Vec<f64>, Fault>>()?;
    let first = all[0];
    Ok(match operator {
        Operator::Less => Check::Within(Bound::Unbounded, Bound::Excluded(first)),
        Operator::LessOrEqual => Check::Within(Bound::Unbounded, Bound::Included(first)),
        Operator::Greater => Check::Within(Bound::Excluded(first), Bound::Unbounded),
        Operator::GreaterOrEqual => Check::Within(Bound::Included(first), Bound::Unbounded),
        Operator::Equal | Operator::NotEqual | Operator::In | Operator::Like | Operator::Glob => {
            all.sort_by(f64::total_cmp);
            Check::Numbers(all)
        }
    })
}

fn times(operator: Operator, field: Field, values: &[Spanned<Literal>], fields: &Fields) -> Result<Check, Fault> {
    let moment = |value: &Spanned<Literal>| match &value.node {
        Literal::Text(text) => Moment::parse(text).ok_or_else(|| wrong(value, field, fields)),
        Literal::Number(_) => Err(wrong(value, field, fields)),
    };
    let all = values.iter().map(moment).collect::<Result<Vec<Moment>, Fault>>()?;
    let Moment { start, end } = all[0];
    let during = |Range { start, end }: Range<i64>| Check::During(vec![Moment { start, end }]);
    Ok(match operator {
        Operator::Less => during(i64::MIN..start),
        Operator::LessOrEqual => during(i64::MIN..end),
        Operator::Greater => during(end..i64::MAX),
        Operator::GreaterOrEqual => during(start..i64::MAX),
        Operator::Equal | Operator::NotEqual | Operator::In | Operator::Like | Operator::Glob => {
            Check::During(Moment::merge(all))
        }
    })
}
