//! `recall_get`

use recall_api::v1::{GetRequest, Scope};
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::cursor::Cursor;
use crate::error::{Code, Doing, ToolError};
use crate::json;
use crate::render::{self, Place};
use crate::tool::call::Call;

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    id: String,
    #[serde(default)]
    include_parent: bool,
    start_line: Option<u32>,
    end_line: Option<u32>,
    cursor: Option<String>,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    if let (Some(start), Some(end)) = (arguments.start_line, arguments.end_line)
        && end < start
    {
        let message = format!("`end_line` must not be before `start_line`, {start}, but is {end}");
        return Err(ToolError::new(Code::InvalidArgument, message));
    }
    let page_before = arguments.cursor.as_deref().map(|cursor| Cursor::read(cursor, &call.question)).transpose()?;
    let from = page_before.map(|cursor| Place { line: cursor.position, within: cursor.within });
    let format = arguments.format;
    let request = GetRequest {
        context: Some(call.context.clone()),
        id: arguments.id,
        scope: Scope::All.into(),
        include_parent: arguments.include_parent,
        start_line: arguments.start_line,
        end_line: arguments.end_line,
        ..GetRequest::default()
    };
    let get = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.get(request).await }
    });
    let response = get.await?;
    let cursor = |place: Place| Cursor::new(&call.question, place.line, place.within, response.generation).to_string();
    Ok(match format {
        Format::Text => Answer::Text(render::get(&response, from, cursor)),
        Format::Json => Answer::Json(json::get(&response, from, cursor)),
    })
}
