//! Statements and filters of the query language.

use recall_core::rql::{Field, Filter, Kind, Query, Row, RqlError, Value, parse_expression, parse_statement};

/// Reads a text as a statement and as a filter.
///
/// # Panics
/// If what was read is written as something else, an error's place is not in the text, or its example is not valid.
pub fn rql(bytes: &[u8]) {
    let text = &*String::from_utf8_lossy(bytes);
    if let Ok(statement) = parse_statement(text) {
        let printed = statement.to_string();
        assert_eq!(parse_statement(&printed).as_ref(), Ok(&statement), "{printed}");
    }
    if let Ok(expression) = parse_expression(text) {
        let printed = expression.to_string();
        assert_eq!(parse_expression(&printed).as_ref(), Ok(&expression), "{printed}");
    }
    match Query::parse(text) {
        Ok(query) => {
            assert!(!query.columns.is_empty() && query.limit > 0);
            query.filter.iter().for_each(evaluate);
        }
        Err(error) => {
            place(text, &error);
            assert!(Query::parse(&error.example).is_ok(), "{}", error.example);
        }
    }
    match Filter::parse(text) {
        Ok(filter) => evaluate(&filter),
        Err(error) => {
            place(text, &error);
            assert!(Filter::parse(&error.example).is_ok(), "{}", error.example);
        }
    }
}

fn place(text: &str, error: &RqlError) {
    let at = &error.at;
    assert!(text.get(at.bytes.clone()).is_some(), "{at:?}");
    assert!(at.line <= 1 + text.matches('\n').count() && at.column > 0, "{at:?}");
    assert!(!error.expected.is_empty());
}

/// A row passes a filter if and only if it passes each of its parts.
fn evaluate(filter: &Filter) {
    for row in [Sample { is_empty: false }, Sample { is_empty: true }] {
        let holds = filter.parts().all(|(condition, _)| condition.holds(&row));
        assert_eq!(filter.holds(&row), holds);
    }
}

struct Sample {
    is_empty: bool,
}

impl Row for Sample {
    fn value(&self, field: Field) -> Value<'_> {
        match field.kind() {
            _ if self.is_empty => Value::Absent,
            Kind::Text | Kind::LongText => Value::from_text(Some("src/été/lib.rs")),
            Kind::Set => Value::Set(&[]),
            Kind::Number => Value::Number(7.0),
            Kind::Time => Value::Time(1_700_000_000_000_000_000),
        }
    }
}

/// Statements and filters with every clause, operator and kind of value.
pub fn rql_seeds() -> Vec<Vec<u8>> {
    const SEEDS: &[&str] = &[
        "SELECT path, chunk.start_line, score FROM chunk USING semantic('close a session'), lexical(\"it's\") FILTER doc.tag = \
         'a''b' AND NOT chunk.kind IN ('part', 'window') OR doc.mtime >= '2026-01-31' ORDER BY score DESC LIMIT 20 OFFSET 40;",
        "SELECT * FROM doc FILTER (doc.path GLOB 'src/**/*.r?' OR doc.title LIKE '%a_b%') AND doc.size > -1.5 ORDER BY doc.size",
        "select id from memory filter memory.usefulness <= 0.2 and memory.created_at < '2026-01-31T10:00:00.5+02:00' limit 1",
        "doc.path GLOB 'src/**' AND doc.language != 'rust'",
        "doc.path = 'a' OR doc.path = 'b' AND NOT (doc.size = 1 OR doc.size IN (2, 3))",
        "doc.pth == code && chunk.text <> \"x",
        "memory.tag NOT IN ('a') é 🦀",
    ];
    SEEDS.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}
