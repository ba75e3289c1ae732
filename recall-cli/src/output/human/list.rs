//! Text output of listings.

use anstyle::Style;
use recall_core::StoreScope;
use recall_proto::convert::scope;
use recall_proto::v1;

use super::quantity::bytes;
use super::style::{DIM, PATH};
use super::table::{Align, Column, render as table};
use super::text::printable;

/// Formats the entries as a table.
pub(crate) fn render(entries: &[v1::ListEntry], width: Option<usize>) -> String {
    let column = |heading, align, style| Column { heading, align, style };
    let layout = [
        column("TYPE", Align::Left, Style::new()),
        column("PATH", Align::Path, PATH),
        column("LANGUAGE", Align::Left, DIM),
        column("SIZE", Align::Right, Style::new()),
        column("CHANGED", Align::Left, DIM),
        column("SCOPE", Align::Left, DIM),
    ];
    let rows: Vec<_> = entries.iter().map(row).collect();
    table(&layout, &rows, width)
}

fn row(entry: &v1::ListEntry) -> [String; 6] {
    let doc = entry.doc.clone().unwrap_or_default();
    let name = if doc.path.is_empty() { format!("{} {}", doc.id, doc.title) } else { doc.path };
    let changed = doc.updated_at.or(doc.mtime).map(|time| day(&time)).unwrap_or_default();
    [
        doc.r#type,
        printable(&name).into_owned(),
        doc.language,
        bytes(doc.size),
        changed,
        scope::store_from_proto(doc.scope).map(StoreScope::as_str).unwrap_or_default().to_owned(),
    ]
}

/// Formats a time to the minute, in the user's time zone.
pub(crate) fn day(time: &prost_types::Timestamp) -> String {
    let Ok(time) = jiff::Timestamp::new(time.seconds, time.nanos) else { return String::new() };
    time.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string()
}
