//! Documents as resources: `recall://doc/<id>`.

use std::fmt::Write as _;

use recall_proto::v1::{GetRequest, ListRequest, ListSort, RequestContext, Scope};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CompleteRequestParams, CompletionInfo, ReadResourceResult, Reference, ResourceContents,
    ResourceTemplate,
};
use serde_json::json;

use crate::daemon::Daemon;
use crate::error::{Code, Doing};
use crate::render::clean;

const PREFIX: &str = "recall://doc/";
const TEMPLATE: &str = "recall://doc/{id}";

/// The most values of one completion: a person chooses among them, and the protocol allows 100.
const COMPLETIONS: u32 = 25;

/// The template of all documents.
pub(crate) fn template() -> ResourceTemplate {
    ResourceTemplate::new(TEMPLATE, "document")
        .with_title("Indexed document")
        .with_description("A document by its id, or by its path below the project root (percent-encoded)")
        .with_mime_type("text/plain")
}

/// Reads a document as it is now.
///
/// # Errors
/// The URI is none of a document, there is no such document, or the daemon is not reached.
pub(crate) async fn read(uri: &str, daemon: &Daemon, context: RequestContext) -> Result<ReadResourceResult, ErrorData> {
    let not_found = |message: String| ErrorData::resource_not_found(message, Some(json!({ "uri": uri })));
    let id = uri.strip_prefix(PREFIX).and_then(percent_decoded).filter(|id| !id.is_empty());
    let id = id.ok_or_else(|| not_found(format!("resources are named {TEMPLATE}")))?;
    let request = GetRequest {
        context: Some(context),
        id,
        scope: Scope::All.into(),
        include_parent: true,
        ..GetRequest::default()
    };
    let get = daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.get(request).await }
    });
    let response = get.await.map_err(|error| match error.code {
        Code::NotFound | Code::InvalidArgument => not_found(error.to_string()),
        _ => ErrorData::internal_error(error.to_string(), None),
    })?;
    let contents = ResourceContents::text(clean(&response.text), uri);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

/// The paths of documents that continue what was typed. Empty where there is none, whatever the reason.
pub(crate) async fn complete(
    request: &CompleteRequestParams,
    daemon: &Daemon,
    context: RequestContext,
) -> CompletionInfo {
    let asked = matches!(&request.r#ref, Reference::Resource(template) if template.uri == TEMPLATE);
    if !asked || request.argument.name != "id" {
        return CompletionInfo::default();
    }
    let request = ListRequest {
        context: Some(context),
        scope: Scope::Project.into(),
        limit: Some(COMPLETIONS),
        sort: ListSort::Path.into(),
        path: format!("**{}**", glob_escaped(&request.argument.value)),
        ..ListRequest::default()
    };
    let list = daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.list(request).await }
    });
    let Ok(response) = list.await else { return CompletionInfo::default() };
    let more = !response.next_cursor.is_empty();
    let total = u32::try_from(response.total).ok();
    let paths = response.entries.into_iter().filter_map(|entry| entry.doc).map(|doc| percent_encoded(&doc.path));
    CompletionInfo::with_pagination(paths.collect(), total, more).unwrap_or_default()
}

/// The text of a part of a URI; `None` when it is not UTF-8 or not encoded well.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits =
            std::str::from_utf8(&digits).ok().filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// What stands for the text in a URI.
fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// A glob that matches the text alone.
fn glob_escaped(text: &str) -> String {
    let mut glob = String::with_capacity(text.len());
    for c in text.chars() {
        if "*?[]{}!\\".contains(c) {
            glob.extend(['[', c, ']']);
        } else {
            glob.push(c);
        }
    }
    glob
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_comes_back_out_of_its_uri() {
        for path in ["src/lib.rs", "a b/ü%.md", "0123456789abcdef"] {
            assert_eq!(percent_decoded(&percent_encoded(path)).as_deref(), Some(path));
        }
        assert_eq!(percent_decoded("src/lib.rs").as_deref(), Some("src/lib.rs"));
        for bad in ["%", "%2", "%zz", "%ff", "%+1"] {
            assert_eq!(percent_decoded(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_typed_is_no_glob() {
        assert_eq!(glob_escaped("a*b[0]"), "a[*]b[[]0[]]");
    }
}
