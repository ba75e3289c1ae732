//! Which documents are there, page by page?

use recall_core::{DocumentRow, DocumentType, Language};
use rusqlite::types::Value;

use super::{Snapshot, StoredDocument};
use crate::ReadError;
use crate::rows::{self, documents};

/// What a listing shows. An empty list demands nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// The document's type is one of these.
    pub types: Vec<DocumentType>,
    /// The document's language is one of these.
    pub languages: Vec<Language>,
    /// The document carries every one of these tags.
    pub tags: Vec<String>,
    /// The order.
    pub sort: ListSort,
    /// How many documents are passed over first.
    pub offset: u64,
    /// The most documents.
    pub limit: u64,
}

/// The order of a listing. Documents that are alike in it stand in the order of their paths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListSort {
    /// By the files' modification time, the latest first.
    #[default]
    UpdatedAt,
    /// By the time when the path was first indexed, the latest first.
    CreatedAt,
    /// By title; ASCII letters of either case are alike.
    Title,
    /// By path, bytewise.
    Path,
}

impl Snapshot<'_> {
    /// The documents that a query asks for, in its order.
    pub fn list(&self, query: &ListQuery) -> Result<Vec<StoredDocument>, ReadError> {
        let ListQuery { sort, offset, limit, .. } = query;
        let mut statement = "SELECT row".to_owned();
        let mut parameters = push_filters(&mut statement, query);
        statement.push_str(match sort {
            ListSort::UpdatedAt => " ORDER BY modified DESC, path",
            ListSort::CreatedAt => " ORDER BY created DESC, path",
            ListSort::Title => " ORDER BY title COLLATE NOCASE, path",
            ListSort::Path => " ORDER BY path",
        });
        statement.push_str(" LIMIT ? OFFSET ?");
        for number in [limit, offset] {
            parameters.push(Value::from(i64::try_from(*number).unwrap_or(i64::MAX)));
        }
        // Only the rows are sorted, not all that is known of them.
        let rows = rows::all(self.connection(), &statement, rusqlite::params_from_iter(parameters), |row| {
            Ok(DocumentRow(row.get(0)?))
        })?;
        rows.into_iter()
            .filter_map(|row| documents::by_row(self.connection(), row).transpose())
            .map(|entry| self.stored(entry?))
            .collect()
    }

    /// How many documents a query asks for, whatever its page.
    pub fn list_total(&self, query: &ListQuery) -> Result<u64, ReadError> {
        let mut statement = "SELECT count(*)".to_owned();
        let parameters = push_filters(&mut statement, query);
        let parameters = rusqlite::params_from_iter(parameters);
        let counts = rows::all(self.connection(), &statement, parameters, |row| Ok(row.get::<_, i64>(0)?))?;
        Ok(counts.first().map_or(0, |&count| count.cast_unsigned()))
    }
}

/// Writes which documents a query asks for, and gives what is to be bound.
fn push_filters(statement: &mut String, query: &ListQuery) -> Vec<Value> {
    let ListQuery { types, languages, tags, sort: _, offset: _, limit: _ } = query;
    let mut parameters: Vec<Value> = Vec::new();
    statement.push_str(" FROM documents WHERE true");
    if !types.is_empty() {
        statement.push_str(" AND type IN ");
        push_set(statement, &mut parameters, types.iter().map(|known| known.as_str()));
    }
    if !languages.is_empty() {
        statement.push_str(" AND language IN ");
        push_set(statement, &mut parameters, languages.iter().map(Language::as_str));
    }
    for tag in tags {
        statement.push_str(" AND EXISTS (SELECT 1 FROM tags WHERE document = documents.row AND tag = ?)");
        parameters.push(Value::from(tag.clone()));
    }
    parameters
}

/// Writes `(?, ?)` with a place for each value, and binds the values.
fn push_set<'a>(statement: &mut String, parameters: &mut Vec<Value>, values: impl Iterator<Item = &'a str>) {
    let mut separator = '(';
    for value in values {
        statement.push(separator);
        statement.push('?');
        parameters.push(Value::from(value.to_owned()));
        separator = ',';
    }
    statement.push(')');
}
