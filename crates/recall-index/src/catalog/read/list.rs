//! Paged listings of documents.

use recall_core::{DocumentRow, DocumentType};
use recall_text::Language;
use rusqlite::types::Value;

use super::{Snapshot, StoredDocument};
use crate::catalog::ReadError;
use crate::catalog::rows::{self, documents, push_list};

/// The filters, order and page of a listing. An empty list does not filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// Types, one of which the document has.
    pub types: Vec<DocumentType>,
    /// Languages, one of which the document has.
    pub languages: Vec<Language>,
    /// Tags, all of which the document has.
    pub tags: Vec<String>,
    /// The order, before the page is cut.
    pub sort: ListSort,
    /// The number of documents to skip.
    pub offset: u64,
    /// The most documents to return.
    pub limit: u64,
}

/// The order of a listing. Ties are broken by path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListSort {
    /// By modification time, latest first.
    #[default]
    UpdatedAt,
    /// By the time at which the path was first indexed, latest first.
    CreatedAt,
    /// By title, without regard to the case of ASCII letters.
    Title,
    /// By path, bytewise.
    Path,
}

impl Snapshot<'_> {
    /// The documents that match a query, in its order.
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
        // Sort the row numbers only, not whole documents.
        let rows = rows::all(self.connection(), &statement, rusqlite::params_from_iter(parameters), |row| {
            Ok(DocumentRow(row.get(0)?))
        })?;
        rows.into_iter()
            .filter_map(|row| documents::by_row(self.connection(), row).transpose())
            .map(|entry| self.with_tags(entry?))
            .collect()
    }

    /// The number of documents that match a query, on all pages.
    pub fn list_total(&self, query: &ListQuery) -> Result<u64, ReadError> {
        let mut statement = "SELECT count(*)".to_owned();
        let parameters = push_filters(&mut statement, query);
        let parameters = rusqlite::params_from_iter(parameters);
        let counts = rows::all(self.connection(), &statement, parameters, |row| Ok(row.get::<_, i64>(0)?))?;
        Ok(counts.first().map_or(0, |&count| count.cast_unsigned()))
    }
}

/// Appends the filters of a query. Returns the values to bind.
fn push_filters(statement: &mut String, query: &ListQuery) -> Vec<Value> {
    let ListQuery { types, languages, tags, sort: _, offset: _, limit: _ } = query;
    let mut parameters: Vec<Value> = Vec::new();
    statement.push_str(" FROM documents WHERE true");
    if !types.is_empty() {
        statement.push_str(" AND type IN ");
        push_list(statement, &mut parameters, types.iter().map(|known| Value::from(known.as_str().to_owned())));
    }
    if !languages.is_empty() {
        statement.push_str(" AND language IN ");
        push_list(statement, &mut parameters, languages.iter().map(|known| Value::from(known.as_str().to_owned())));
    }
    for tag in tags {
        statement.push_str(" AND EXISTS (SELECT 1 FROM tags WHERE document = documents.row AND tag = ?)");
        parameters.push(Value::from(tag.clone()));
    }
    parameters
}
