//! `recall`: the search of `recall_search` by nothing but a query and a number.

use serde::Deserialize;

use super::{Call, search};
use crate::answer::{Answer, Format};
use crate::error::ToolError;

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    query: String,
    k: Option<u32>,
    cursor: Option<String>,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { query, k, cursor, format } = arguments;
    search::call(search::Arguments::plain(query, k, cursor, format), call).await
}
