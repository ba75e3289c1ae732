//! Evaluation of filters, compared with an evaluation of the syntax tree that does nothing clever.

use std::borrow::Cow;

use proptest::prelude::*;
use recall_core::rql::{
    Combined, Comparison, Expression, Field, Filter, Kind, Literal, Moment, Operator, Row, Value, parse_expression,
};

/// A row with one value for each kind of field.
#[derive(Clone, Debug)]
struct Sample {
    text: Option<String>,
    tags: Vec<String>,
    number: f64,
    time: i64,
}

impl Row for Sample {
    fn value(&self, field: Field) -> Value<'_> {
        match field.kind() {
            Kind::Text | Kind::LongText => {
                self.text.as_deref().map_or(Value::Absent, |text| Value::Text(Cow::Borrowed(text)))
            }
            Kind::Set => Value::Set(&self.tags),
            Kind::Number => Value::Number(self.number),
            Kind::Time => Value::Time(self.time),
        }
    }
}

#[test]
fn a_value_that_is_absent_passes_only_negations() {
    let row = Sample { text: None, tags: Vec::new(), number: 0.0, time: 0 };
    for (filter, expected) in [
        ("doc.language = 'rust'", false),
        ("doc.language != 'rust'", true),
        ("NOT doc.language = 'rust'", true),
        ("doc.language LIKE '%'", false),
        ("NOT doc.language < 'a'", true),
        ("doc.tag = 'a'", false),
        ("doc.tag != 'a'", true),
    ] {
        assert_eq!(Filter::parse(filter).expect("valid").holds(&row), expected, "{filter}");
    }
}

#[test]
fn a_date_is_a_whole_day() {
    const DAY: i64 = 86_400_000_000_000;
    let noon = Sample { text: None, tags: Vec::new(), number: 0.0, time: 20_000 * DAY + DAY / 2 };
    for (filter, expected) in [
        ("doc.mtime = '2024-10-04'", true),
        ("doc.mtime <= '2024-10-04'", true),
        ("doc.mtime >= '2024-10-04'", true),
        ("doc.mtime < '2024-10-04'", false),
        ("doc.mtime > '2024-10-04'", false),
        ("doc.mtime > '2024-10-03'", true),
        ("doc.mtime IN ('2024-10-03', '2024-10-04')", true),
        ("doc.mtime != '2024-10-04'", false),
        ("doc.mtime = '2024-10-04T12:00:00Z'", true),
        ("doc.mtime > '2024-10-04T11:59:59Z'", true),
    ] {
        assert_eq!(Filter::parse(filter).expect("valid").holds(&noon), expected, "{filter}");
    }
}

/// Evaluates a tree by the words of the specification.
fn naive(expression: &Expression, row: &Sample) -> bool {
    match expression {
        Expression::Combined(Combined::And, parts) => parts.iter().all(|part| naive(part, row)),
        Expression::Combined(Combined::Or, parts) => parts.iter().any(|part| naive(part, row)),
        Expression::Not(part) => !naive(part, row),
        Expression::Comparison(comparison) if comparison.operator.node == Operator::NotEqual => {
            !comparison.values.iter().any(|value| one(comparison, Operator::Equal, &value.node, row))
        }
        Expression::Comparison(comparison) => {
            comparison.values.iter().any(|value| one(comparison, comparison.operator.node, &value.node, row))
        }
    }
}

fn one(comparison: &Comparison, operator: Operator, value: &Literal, row: &Sample) -> bool {
    let field = Field::from_name(&comparison.field.node).expect("known");
    let is = |order: std::cmp::Ordering| match operator {
        Operator::Less => order.is_lt(),
        Operator::LessOrEqual => order.is_le(),
        Operator::Greater => order.is_gt(),
        Operator::GreaterOrEqual => order.is_ge(),
        _ => order.is_eq(),
    };
    match (row.value(field), value) {
        (Value::Number(number), Literal::Number(digits)) => {
            is(number.partial_cmp(&digits.parse().expect("digits")).expect("finite"))
        }
        (Value::Time(time), Literal::Text(text)) => {
            let Moment { start, end } = Moment::parse(text).expect("a date");
            let order = if time < start { -1 } else { i32::from(time >= end) };
            is(order.cmp(&0))
        }
        (Value::Text(own), Literal::Text(text)) => compare(&own, operator, text, is(own.as_ref().cmp(text.as_str()))),
        (Value::Set(all), Literal::Text(text)) => {
            all.iter().any(|own| compare(own, operator, text, is(own.as_str().cmp(text.as_str()))))
        }
        _ => false,
    }
}

fn compare(own: &str, operator: Operator, text: &str, is: bool) -> bool {
    match operator {
        Operator::Like | Operator::Glob => {
            let (own, text): (Vec<char>, Vec<char>) = (own.chars().collect(), text.chars().collect());
            like(&own, &text, operator == Operator::Like)
        }
        _ => is,
    }
}

/// Matches `%`, `_` or `*`, `?`. The patterns of this test have no `**`.
fn like(own: &[char], pattern: &[char], is_like: bool) -> bool {
    let (many, any) = if is_like { ('%', '_') } else { ('*', '?') };
    let Some((first, rest)) = pattern.split_first() else { return own.is_empty() };
    let may_take = |one: char| is_like || one != '/';
    if *first == many {
        return like(own, rest, is_like)
            || (own.first().is_some_and(|one| may_take(*one)) && like(&own[1..], pattern, is_like));
    }
    let fits = own.first().is_some_and(|one| one == first || (*first == any && may_take(*one)));
    fits && like(&own[1..], rest, is_like)
}

fn row() -> impl Strategy<Value = Sample> {
    let text = prop::option::of("[ab/]{0,3}");
    let tags = prop::collection::btree_set("[ab]{1,2}", 0..3).prop_map(|tags| tags.into_iter().collect());
    (text, tags, -2_i32..3, -3_i64..4).prop_map(|(text, tags, number, days)| Sample {
        text,
        tags,
        number: f64::from(number) / 2.0,
        time: days * 43_200_000_000_000,
    })
}

fn comparison() -> impl Strategy<Value = String> {
    let text = || "[ab/%_*?]{0,3}".prop_map(|text| format!("'{}'", text.replace("**", "*")));
    let number = || prop::sample::select(vec!["-1", "-0.5", "0", "0.5", "1"]).prop_map(str::to_owned);
    let date = || prop::sample::select(vec!["'1969-12-31'", "'1970-01-01'", "'1970-01-02'"]).prop_map(str::to_owned);
    let line = |field: &'static str, value: BoxedStrategy<String>| {
        let kind = Field::from_name(field).expect("known").kind();
        let operators: Vec<Operator> = kind.operators().to_vec();
        (prop::sample::select(operators), prop::collection::vec(value, 1..4)).prop_map(move |(operator, values)| {
            if operator == Operator::In {
                format!("{field} IN ({})", values.join(", "))
            } else {
                format!("{field} {} {}", operator.as_str(), values[0])
            }
        })
    };
    prop_oneof![
        line("doc.title", text().boxed()),
        line("doc.tag", text().boxed()),
        line("doc.size", number().boxed()),
        line("doc.mtime", date().boxed()),
        line("chunk.text", text().boxed()),
    ]
}

fn filter() -> impl Strategy<Value = String> {
    comparison().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 2..5), any::<bool>())
                .prop_map(|(parts, is_and)| { format!("({})", parts.join(if is_and { " AND " } else { " OR " })) }),
            inner.prop_map(|part| format!("NOT ({part})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn a_filter_holds_as_a_naive_evaluation_says(filter in filter(), rows in prop::collection::vec(row(), 1..8)) {
        let tree = parse_expression(&filter).expect("valid");
        let typed = Filter::parse(&filter).expect("valid");
        for row in rows {
            prop_assert_eq!(typed.holds(&row), naive(&tree, &row), "{} {:?}", filter, row);
        }
    }
}
