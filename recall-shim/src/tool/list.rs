//! `recall_list`

use recall_proto::v1::{ListRequest, ListResponse, ListSort, Scope};
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::tool::call::{Call, ScopeArgument};
use crate::{json, render};

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    r#type: String,
    #[serde(default)]
    scope: ScopeArgument,
    limit: Option<u32>,
    #[serde(default)]
    sort: Sort,
    path: Option<String>,
    language: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    flagged: bool,
    cursor: Option<String>,
    #[serde(default)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Sort {
    #[default]
    UpdatedAt,
    CreatedAt,
    Title,
}

impl From<Sort> for ListSort {
    fn from(sort: Sort) -> Self {
        match sort {
            Sort::UpdatedAt => Self::UpdatedAt,
            Sort::CreatedAt => Self::CreatedAt,
            Sort::Title => Self::Title,
        }
    }
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let format = arguments.format;
    let r#type = arguments.r#type;
    let mut request = ListRequest {
        context: Some(call.context.clone()),
        r#type: if r#type == "all" { String::new() } else { r#type.clone() },
        scope: Scope::from(arguments.scope).into(),
        limit: arguments.limit,
        sort: ListSort::from(arguments.sort).into(),
        cursor: arguments.cursor.unwrap_or_default(),
        path: arguments.path.unwrap_or_default(),
        tags: arguments.tags,
        language: arguments.language.unwrap_or_default(),
        flagged: arguments.flagged,
    };
    loop {
        let response = list(&request, &call).await?;
        let answer = match format {
            Format::Text => render::list(&response, &r#type).map(Answer::Text),
            Format::Json => json::list(&response).map(Answer::Json),
        };
        match answer {
            Ok(answer) => return Ok(answer),
            // Only the daemon knows the cursor after the last entry that fits, so the request is repeated with a lower limit.
            Err(render::TooMany { fitting }) => request.limit = Some(fitting),
        }
    }
}

async fn list(request: &ListRequest, call: &Call<'_>) -> Result<ListResponse, ToolError> {
    let list = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.list(request).await }
    });
    list.await
}
