//! Documents and memories as resources: `recall://doc/<id>`, `recall://memory/<id>`.

use std::fmt::Write as _;

use recall_api::v1::{GetRequest, ListRequest, ListSort, RequestContext, Scope};
use recall_core::{MemoryId, escape_glob};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CompleteRequestParams, CompletionInfo, ReadResourceResult, Reference, ResourceContents,
    ResourceTemplate,
};
use serde_json::json;

use crate::daemon::Daemon;
use crate::error::{Code, Doing};
use crate::render::{self, clean};

/// The kinds of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A file, or anything else that is indexed.
    Document,
    /// A memory, current or retired.
    Memory,
}

/// The maximum number of values in a completion: a person chooses among them, and the protocol allows 100.
const COMPLETIONS: u32 = 25;

impl Kind {
    /// Every kind, in the order in which their templates are listed.
    const ALL: [Self; 2] = [Self::Document, Self::Memory];

    /// Returns the prefix of the kind's URIs.
    fn prefix(self) -> &'static str {
        match self {
            Self::Document => "recall://doc/",
            Self::Memory => "recall://memory/",
        }
    }

    fn template(self) -> ResourceTemplate {
        let (name, title, description, mime) = match self {
            Self::Document => (
                "document",
                "Indexed document",
                "A document by its id, or by its path below the project root (percent-encoded)",
                "text/plain",
            ),
            Self::Memory => (
                "memory",
                "Memory",
                "A memory by its id, with its origin and whether it still matches the files that it is tied to",
                "text/markdown",
            ),
        };
        ResourceTemplate::new(self.uri_template(), name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(mime)
    }

    fn uri_template(self) -> String {
        format!("{}{{id}}", self.prefix())
    }

    /// Parses a URI into its kind and its id.
    fn parse(uri: &str) -> Option<(Self, String)> {
        let (kind, rest) = Self::ALL.into_iter().find_map(|kind| Some((kind, uri.strip_prefix(kind.prefix())?)))?;
        let id = percent_decode(rest).filter(|id| !id.is_empty())?;
        (kind == Self::Document || id.parse::<MemoryId>().is_ok()).then_some((kind, id))
    }
}

/// Returns the templates of all resources.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    Kind::ALL.map(Kind::template).to_vec()
}

/// Reads a document or a memory as it is now.
///
/// # Errors
/// The URI is not one of a resource, no item has that id, or the daemon cannot be reached.
pub(crate) async fn read(uri: &str, daemon: &Daemon, context: RequestContext) -> Result<ReadResourceResult, ErrorData> {
    let not_found = |message: String| ErrorData::resource_not_found(message, Some(json!({ "uri": uri })));
    let names = || Kind::ALL.map(Kind::uri_template).join(" or ");
    let (kind, id) = Kind::parse(uri).ok_or_else(|| not_found(format!("resources are named {}", names())))?;
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
    let text = match kind {
        Kind::Document => clean(&response.text).into_owned(),
        Kind::Memory => render::memory(&response),
    };
    let contents = ResourceContents::text(text, uri);
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

/// Returns the paths of documents or the ids of memories that contain the typed text. Empty if there are none and on any
/// error.
pub(crate) async fn complete(
    request: &CompleteRequestParams,
    daemon: &Daemon,
    context: RequestContext,
) -> CompletionInfo {
    let Reference::Resource(template) = &request.r#ref else { return CompletionInfo::default() };
    let kind = Kind::ALL.into_iter().find(|kind| kind.uri_template() == template.uri);
    let Some(kind) = kind.filter(|_| request.argument.name == "id") else { return CompletionInfo::default() };
    let typed = escape_glob(&request.argument.value);
    let request = ListRequest {
        context: Some(context),
        scope: match kind {
            Kind::Document => Scope::Project,
            Kind::Memory => Scope::All,
        }
        .into(),
        limit: Some(COMPLETIONS),
        sort: ListSort::Path.into(),
        path: match kind {
            Kind::Document => format!("**{typed}**"),
            Kind::Memory => format!("[CDFLNP]-*{typed}*"),
        },
        ..ListRequest::default()
    };
    let list = daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.list(request).await }
    });
    let Ok(response) = list.await else { return CompletionInfo::default() };
    let more = !response.next_cursor.is_empty();
    let total = u32::try_from(response.total).ok();
    let ids = response.entries.into_iter().filter_map(|entry| match (kind, entry.memory) {
        (Kind::Document, None) => entry.doc.map(|doc| percent_encode(&doc.path)),
        (Kind::Memory, memory) => memory.map(|memory| memory.id),
        (Kind::Document, Some(_)) => None,
    });
    CompletionInfo::with_pagination(ids.collect(), total, more).unwrap_or_default()
}

/// Decodes a percent-encoded text; `None` if the encoding is invalid or the result is not UTF-8.
fn percent_decode(text: &str) -> Option<String> {
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

/// Percent-encodes a text for a URI.
fn percent_encode(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_round_trips_through_a_uri() {
        for path in ["src/lib.rs", "a b/ü%.md", "0123456789abcdef"] {
            assert_eq!(percent_decode(&percent_encode(path)).as_deref(), Some(path));
        }
        assert_eq!(percent_decode("src/lib.rs").as_deref(), Some("src/lib.rs"));
        for bad in ["%", "%2", "%zz", "%ff", "%+1"] {
            assert_eq!(percent_decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_uri_names_a_document_or_a_memory() {
        let check = |uri: &str, expected: Option<(Kind, &str)>| {
            assert_eq!(Kind::parse(uri), expected.map(|(kind, id)| (kind, id.to_owned())), "{uri}");
        };
        check("recall://doc/src%2Flib.rs", Some((Kind::Document, "src/lib.rs")));
        check("recall://memory/L-0123abcd", Some((Kind::Memory, "L-0123abcd")));
        for none in ["recall://memory/", "recall://memory/src%2Flib.rs", "recall://doc/", "recall://nope", "x"] {
            check(none, None);
        }
    }
}
