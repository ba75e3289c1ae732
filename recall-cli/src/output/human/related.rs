//! Text output of related documents.

use anstyle::Style;
use recall_proto::v1;

use super::style::{DIM, PATH};
use super::table::{Align, Column, render as table};
use super::text::printable;

/// Formats the documents as a table, nearest first, each with the related location and the reasons.
pub(crate) fn render(entries: &[v1::RelatedEntry], width: Option<usize>) -> String {
    let column = |heading, align, style| Column { heading, align, style };
    let layout = [
        column("NEAR", Align::Right, Style::new()),
        column("PATH", Align::Path, PATH),
        column("TYPE", Align::Left, DIM),
        column("HOW", Align::Left, Style::new()),
    ];
    let rows: Vec<_> = entries.iter().map(row).collect();
    table(&layout, &rows, width)
}

fn row(entry: &v1::RelatedEntry) -> [String; 4] {
    let doc = entry.doc.clone().unwrap_or_default();
    // The hash is of no use to a person.
    let place = entry.citation.rsplit_once('@').map_or(doc.path.as_str(), |(place, _)| place);
    let ways: Vec<&str> = entry.reasons.iter().map(|reason| in_words(reason)).collect();
    [format!("{:.2}", entry.score), printable(place).into_owned(), doc.r#type, printable(&ways.join(", ")).into_owned()]
}

/// Returns the label of a reason, from the point of view of the requested document.
fn in_words(reason: &str) -> &str {
    match reason {
        "imported_by" => "imported by it",
        "references" => "uses it",
        "referenced_by" => "used by it",
        "relates_to" => "linked",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn related_documents_are_a_table() {
        let entry = |score, path: &str, citation: &str, reasons: &[&str]| v1::RelatedEntry {
            score,
            doc: Some(v1::Document { path: path.to_owned(), r#type: "code".to_owned(), ..v1::Document::default() }),
            reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
            citation: citation.to_owned(),
        };
        let entries = [
            entry(1.72, "src/gateway.rs", "src/gateway.rs:5-9@0123456789ab", &["references", "imports"]),
            entry(0.5, "docs/adr/0001.md", "", &["relates_to", "similar"]),
        ];
        insta::assert_snapshot!(anstream::adapter::strip_str(&render(&entries, None)), @r"
        NEAR  PATH                TYPE  HOW
        1.72  src/gateway.rs:5-9  code  uses it, imports
        0.50  docs/adr/0001.md    code  linked, similar
        ");
    }
}
