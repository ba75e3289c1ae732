//! `recall`: the search of `recall_search`, whose number of hits is also called `k`.

use serde::Deserialize;

use crate::answer::Answer;
use crate::error::ToolError;
use crate::tool::call::Call;
use crate::tool::search;

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    k: Option<u32>,
    #[serde(flatten)]
    search: search::Arguments,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { k, search } = arguments;
    search::call(search.with_limit(k), call).await
}
