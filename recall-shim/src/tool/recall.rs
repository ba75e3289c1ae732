//! `recall`: the search of `recall_search` with only a query and a number of hits.

use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::ToolError;
use crate::tool::call::Call;
use crate::tool::search;

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
