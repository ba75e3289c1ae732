//! `recall_search` with `match` "exact" or "regex".

use recall_api::v1::{ExactRequest, Severity, Warning};

use crate::answer::{Answer, Format};
use crate::cursor::Cursor;
use crate::error::{Doing, ToolError};
use crate::tool::call::Call;
use crate::{json, render};

/// Finds every line, and answers with those from the request's offset on that fit into `chars` characters.
pub(super) async fn call(
    request: ExactRequest,
    page_before: Option<&Cursor>,
    chars: usize,
    format: Format,
    call: &Call<'_>,
) -> Result<Answer, ToolError> {
    let offset = request.offset;
    let found = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.exact(request).await }
    });
    let mut response = found.await?;
    let generation = response.stats.as_ref().map_or(0, |stats| stats.generation);
    if page_before.is_some_and(|cursor| cursor.generation != generation) {
        response.warnings.push(Warning {
            code: "GENERATION_CHANGED".to_owned(),
            message: "the index changed since the previous page: lines may be missing or repeated".to_owned(),
            severity: Severity::Notice.into(),
            ..Warning::default()
        });
    }
    let cursor = |position| Cursor::new(&call.question, position, 0, generation).to_string();
    Ok(match format {
        Format::Text => Answer::Text(render::exact(&response, offset, chars, cursor)),
        Format::Json => Answer::Json(json::exact(&response, offset, cursor)),
    })
}
