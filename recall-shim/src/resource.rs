//! Documents and memories as resources: `recall://doc/<id>`, `recall://memory/<id>`.

use recall_api::v1::{GetRequest, ListRequest, ListResponse, ListSort, NamesRequest, RequestContext, Scope};
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

    /// Returns the media type of the kind's content.
    fn media_type(self) -> &'static str {
        match self {
            Self::Document => "text/plain",
            Self::Memory => "text/markdown",
        }
    }

    /// Returns the prefix of the kind's URIs.
    fn prefix(self) -> &'static str {
        match self {
            Self::Document => "recall://doc/",
            Self::Memory => "recall://memory/",
        }
    }

    fn template(self) -> ResourceTemplate {
        let (name, title, description) = match self {
            Self::Document => (
                "document",
                "Indexed document",
                "A document by its id, or by its path below the project root (percent-encoded)",
            ),
            Self::Memory => (
                "memory",
                "Memory",
                "A memory by its id, with its origin and whether it still matches the files that it is tied to",
            ),
        };
        ResourceTemplate::new(self.uri_template(), name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(self.media_type())
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
    let contents = ResourceContents::text(text, uri).with_mime_type(kind.media_type());
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private))
}

/// Returns the paths of documents or the ids of memories that begin with the typed text, then those that contain it; or for the topic of
/// a prompt the names of symbols. Empty if there are none and on any error.
///
/// They are the values as they are: the client encodes the one that it puts into an address.
pub(crate) async fn complete(
    request: &CompleteRequestParams,
    daemon: &Daemon,
    context: RequestContext,
) -> CompletionInfo {
    let typed = &request.argument.value;
    let kind = match &request.r#ref {
        Reference::Resource(template) => Kind::ALL.into_iter().find(|kind| kind.uri_template() == template.uri),
        Reference::Prompt(_) if request.argument.name == "topic" => return complete_name(typed, daemon, context).await,
        _ => None,
    };
    let Some(kind) = kind.filter(|_| request.argument.name == "id") else { return CompletionInfo::default() };
    let (mut values, mut last_total) = (Vec::new(), None);
    for pattern in patterns(kind, typed) {
        let Some(response) = list(kind, pattern, daemon, context.clone()).await else { break };
        last_total = u32::try_from(response.total).ok();
        for entry in response.entries {
            let value = match (kind, entry.memory) {
                (Kind::Document, None) => entry.doc.map(|doc| doc.path),
                (Kind::Memory, memory) => memory.map(|memory| memory.id),
                (Kind::Document, Some(_)) => None,
            };
            values.extend(value.filter(|value| !values.contains(value)));
        }
        if values.len() >= COMPLETIONS as usize {
            break;
        }
    }
    values.truncate(COMPLETIONS as usize);
    let total = last_total.map(|total| total.max(values.len() as u32));
    let has_more = total.is_some_and(|total| total as usize > values.len());
    CompletionInfo::with_pagination(values, total, has_more).unwrap_or_default()
}

/// Returns the globs of what is meant by a typed text, the narrowest first: the beginning of a path or an id, that of a file's name, and
/// any part.
fn patterns(kind: Kind, typed: &str) -> Vec<String> {
    let typed = escape_glob(typed.trim_start_matches("./"));
    match kind {
        Kind::Document => vec![format!("{typed}**"), format!("**/{typed}**"), format!("**{typed}**")],
        Kind::Memory => {
            // The letter of an id is upper case and its digits are not; people type either.
            if let Some((letter, digits)) = typed.split_once('-') {
                return vec![format!("{}-{}*", letter.to_uppercase(), digits.to_lowercase())];
            }
            let letter = typed.to_uppercase();
            let is_letter = letter.len() == 1 && "CDFLNP".contains(&letter);
            let prefix = is_letter.then(|| format!("{letter}-*"));
            prefix.into_iter().chain([format!("[CDFLNP]-*{}*", typed.to_lowercase())]).collect()
        }
    }
}

/// Lists what matches a glob; `None` on any error.
async fn list(kind: Kind, pattern: String, daemon: &Daemon, context: RequestContext) -> Option<ListResponse> {
    let request = ListRequest {
        context: Some(context),
        scope: match kind {
            Kind::Document => Scope::Project,
            Kind::Memory => Scope::All,
        }
        .into(),
        limit: Some(COMPLETIONS),
        sort: ListSort::Path.into(),
        path: pattern,
        ..ListRequest::default()
    };
    let list = daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.list(request).await }
    });
    list.await.ok()
}

/// Returns the names of symbols that begin with the typed text.
async fn complete_name(typed: &str, daemon: &Daemon, context: RequestContext) -> CompletionInfo {
    if typed.trim().is_empty() {
        return CompletionInfo::default();
    }
    let request = NamesRequest {
        context: Some(context),
        prefix: typed.to_owned(),
        scope: Scope::Project.into(),
        limit: Some(COMPLETIONS),
    };
    let names = daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.names(request).await }
    });
    let names = names.await.map(|response| response.names).unwrap_or_default();
    CompletionInfo::new(names).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_a_uri_is_decoded() {
        for (encoded, path) in
            [("src%2Flib.rs", "src/lib.rs"), ("a%20b/%C3%BC%25.md", "a b/ü%.md"), ("src/lib.rs", "src/lib.rs")]
        {
            assert_eq!(percent_decode(encoded).as_deref(), Some(path));
        }
        for bad in ["%", "%2", "%zz", "%ff", "%+1"] {
            assert_eq!(percent_decode(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_people_type_is_looked_for_at_the_beginning_first() {
        let check = |kind, typed: &str, expected: &[&str]| assert_eq!(patterns(kind, typed), expected, "{typed}");
        check(Kind::Document, "src/", &["src/**", "**/src/**", "**src/**"]);
        check(Kind::Document, "AppCon", &["AppCon**", "**/AppCon**", "**AppCon**"]);
        check(Kind::Memory, "", &["[CDFLNP]-**"]);
        check(Kind::Memory, "D-", &["D-*"]);
        check(Kind::Memory, "l-0A", &["L-0a*"]);
        check(Kind::Memory, "d", &["D-*", "[CDFLNP]-*d*"]);
        check(Kind::Memory, "0a1", &["[CDFLNP]-*0a1*"]);
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
