//! Rows of a query.

use std::fmt::Write as _;

use recall_api::convert::scope;
use recall_api::v1;
use recall_core::rql::{Field, Kind, Selected};
use recall_text::clean;
use recall_text::quantity::count_noun;
use serde_json::Value;

use super::style::DIM;
use super::text::printable;

/// Formats rows: the only field of each on one line, or each field on a line with its name and rows separated by blank lines.
pub(crate) fn render(answer: &v1::QueryResponse) -> String {
    let columns: Vec<Selected> = answer.fields.iter().filter_map(|name| Selected::from_name(name)).collect();
    let mut text = String::new();
    if let [column] = columns[..] {
        for hit in &answer.results {
            let _ = writeln!(text, "{}", format_value(column, &recall_api::json::cell(column, hit)));
        }
        return text;
    }
    let width = columns.iter().map(|column| column.as_str().len()).max().unwrap_or_default();
    for (place, hit) in answer.results.iter().enumerate() {
        if place > 0 {
            text.push('\n');
        }
        for column in &columns {
            let (name, value) = (column.as_str(), format_value(*column, &recall_api::json::cell(*column, hit)));
            if is_long(*column) {
                let _ = writeln!(text, "{DIM}{name}{DIM:#}");
                for line in value.lines() {
                    let _ = writeln!(text, "    {line}");
                }
            } else {
                let line = format!("{DIM}{name:width$}{DIM:#}  {value}");
                let _ = writeln!(text, "{}", line.trim_end());
            }
        }
    }
    text
}

fn is_long(column: Selected) -> bool {
    matches!(column, Selected::Field(field) if field.kind() == Kind::LongText)
}

fn format_value(column: Selected, value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) if is_long(column) => clean(text).into_owned(),
        Value::String(text) => printable(text).into_owned(),
        Value::Array(texts) => {
            let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
            printable(&texts.join(", ")).into_owned()
        }
        Value::Number(number) if matches!(column, Selected::Score | Selected::Field(Field::DocStaleness)) => {
            format!("{:.3}", number.as_f64().unwrap_or_default())
        }
        other => other.to_string(),
    }
}

/// Formats the plan, if the answer has one.
pub(crate) fn plan(answer: &v1::QueryResponse) -> String {
    let Some(v1::QueryPlan { conditions, stores, order, passed }) = &answer.plan else { return String::new() };
    let mut text = format!("\n{DIM}plan{DIM:#}\n");
    for v1::PlannedCondition { text: condition, evaluated } in conditions {
        let _ = writeln!(text, "  {evaluated:16}  {}", printable(condition));
    }
    for v1::StoreReading { scope: of, documents, chunks, texts, search } in stores {
        let store = scope::store_from_proto(*of).map_or("store", |scope| scope.as_str());
        let documents = count_noun(*documents, "document", "documents");
        let chunks = count_noun(*chunks, "chunk", "chunks");
        let texts = count_noun(*texts, "text", "texts");
        let _ = writeln!(text, "  {store}: read {documents}, {chunks}, {texts}");
        for line in search {
            let _ = writeln!(text, "    {line}");
        }
    }
    let _ = writeln!(text, "  {order}; {} passed", count_noun(*passed, "row", "rows"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(fields: &[&str]) -> v1::QueryResponse {
        let hit = |path: &str, text: &str| v1::Hit {
            doc: Some(v1::Document { path: path.to_owned(), tag: vec!["a".to_owned()], ..v1::Document::default() }),
            chunk: Some(v1::Chunk { text: text.to_owned(), start_line: 3, ..v1::Chunk::default() }),
            ..v1::Hit::default()
        };
        v1::QueryResponse {
            fields: fields.iter().map(|name| (*name).to_owned()).collect(),
            results: vec![hit("src/a.rs", "fn a() {\n    \u{1b}[2Jb();\n}\n"), hit("src/b.rs", "")],
            plan: Some(v1::QueryPlan {
                conditions: vec![v1::PlannedCondition {
                    text: "doc.path = 'a'".to_owned(),
                    evaluated: "catalog".to_owned(),
                }],
                stores: vec![v1::StoreReading { documents: 1, chunks: 2, ..v1::StoreReading::default() }],
                order: "read in order".to_owned(),
                passed: 2,
            }),
            ..v1::QueryResponse::default()
        }
    }

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn one_field_is_one_line_and_several_have_names() {
        insta::assert_snapshot!(plain(&render(&answer(&["doc.path"]))), @r"
        src/a.rs
        src/b.rs
        ");
        insta::assert_snapshot!(plain(&render(&answer(&["doc.path", "doc.tag", "doc.source", "chunk.text"]))), @r"
        doc.path    src/a.rs
        doc.tag     a
        doc.source  -
        chunk.text
            fn a() {
                b();
            }

        doc.path    src/b.rs
        doc.tag     a
        doc.source  -
        chunk.text
        ");
    }

    #[test]
    fn the_plan_names_what_was_read() {
        insta::assert_snapshot!(plain(&plan(&answer(&[]))), @r"
        plan
          catalog           doc.path = 'a'
          store: read 1 document, 2 chunks, 0 texts
          read in order; 2 rows passed
        ");
    }
}
