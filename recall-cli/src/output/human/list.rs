//! Text output of listings.

use std::fmt::Write as _;

use anstyle::Style;
use recall_api::convert::scope;
use recall_api::v1;
use recall_core::StoreScope;

use super::quantity::bytes;
use super::style::{DIM, PATH};
use super::table::{Align, Column, render as table};
use super::text::{moment, printable};
use crate::output::format::Screen;

/// What a listing shows of its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Language and size.
    Facts,
    /// Why they are stale.
    Why,
}

/// Formats the entries as a table.
pub(crate) fn render(entries: &[v1::ListEntry], shown: Shown, screen: Screen) -> String {
    let column = |heading, align, style| Column { heading, align, style };
    let layout = [
        column("TYPE", Align::Left, Style::new()),
        column("PATH", Align::Path, PATH),
        column("LANGUAGE", Align::Left, DIM),
        column("SIZE", Align::Right, Style::new()),
        column("CHANGED", Align::Left, DIM),
        column("SCOPE", Align::Left, DIM),
    ];
    if shown == Shown::Why {
        let [kind, path, .., changed, scope] = layout;
        let layout = [kind, path, column("STALE BECAUSE", Align::Left, Style::new()), changed, scope];
        let rows: Vec<_> = entries.iter().map(|entry| row_with_reasons(entry, screen)).collect();
        return table(&layout, &rows, screen.width);
    }
    let rows: Vec<_> = entries.iter().map(|entry| row(entry, screen)).collect();
    table(&layout, &rows, screen.width)
}

fn row_with_reasons(entry: &v1::ListEntry, screen: Screen) -> [String; 5] {
    let [kind, path, _, _, changed, scope] = row(entry, screen);
    [kind, path, printable(&entry.stale_reasons.join("; ")).into_owned(), changed, scope]
}

fn row(entry: &v1::ListEntry, screen: Screen) -> [String; 6] {
    let doc = entry.doc.clone().unwrap_or_default();
    let mut name = if doc.path.is_empty() { format!("{} {}", doc.id, doc.title) } else { doc.path };
    if !entry.also_at.is_empty() {
        let _ = write!(name, " = {}", entry.also_at.join(" = "));
    }
    let changed = doc.updated_at.or(doc.mtime).map(|time| moment(&time, screen.now)).unwrap_or_default();
    [
        doc.r#type,
        printable(&name).into_owned(),
        doc.language,
        bytes(doc.size),
        changed,
        scope::store_from_proto(doc.scope).map(StoreScope::as_str).unwrap_or_default().to_owned(),
    ]
}
