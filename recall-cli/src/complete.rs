//! Completion candidates from the running daemon: paths, ids of memories, and names of symbols.
//!
//! A completion never starts a daemon and never indexes. If no daemon answers in time, there are no candidates.

use std::ffi::{OsStr, OsString};
use std::future::Future;
use std::path::PathBuf;
use std::time::Duration;

use clap_complete::CompleteEnv;
use clap_complete::engine::CompletionCandidate;
use recall_api::convert::scope;
use recall_api::v1;
use recall_client::{Client, Launch};
use recall_config::Settings;
use recall_core::{Scope, escape_glob};
use recall_text::{normalize_text, normalized_path};
use tonic::Status;

use crate::args::Global;
use crate::command_context::CommandContext;
use crate::output::{Color, Format, Output};

/// The variable with which a shell's script asks for candidates.
pub(crate) const VARIABLE: &str = "RECALL_COMPLETE";

/// The time for the candidates. A person who presses a key does not notice it.
const DEADLINE: Duration = Duration::from_millis(45);

/// The page size of a listing, its maximum.
const PAGE: u32 = 100;

/// The first letters of the ids of memories.
const MEMORY_LETTERS: &str = "CDFLNP";

/// Answers a shell that asks for candidates. Returns `false` if none asks.
pub(crate) fn answer(arguments: &[OsString], definition: fn() -> clap::Command) -> bool {
    let env = CompleteEnv::with_factory(definition).var(VARIABLE).bin("recall");
    // Without the working directory, paths of the file system are not completed; those of the daemon are.
    // On an error, the shell's script is of another version: there are no candidates, and no text that it would show as one.
    env.try_complete(arguments.to_vec(), None).unwrap_or(true)
}

/// Completes a path of the project.
pub(crate) fn paths(typed: &OsStr) -> Vec<CompletionCandidate> {
    ask(typed, async |typed, client, context| paths_of(&typed, &client, &context).await)
}

/// Completes the id of a memory.
pub(crate) fn memories(typed: &OsStr) -> Vec<CompletionCandidate> {
    ask(typed, async |typed, client, context| memories_of(&typed, &client, &context).await)
}

/// Completes a path or the id of a memory.
pub(crate) fn items(typed: &OsStr) -> Vec<CompletionCandidate> {
    ask(typed, async |typed, client, context| {
        let mut found = if may_be_id(&typed) { memories_of(&typed, &client, &context).await? } else { Vec::new() };
        found.extend(paths_of(&typed, &client, &context).await?);
        Ok(found)
    })
}

/// Completes the name of a symbol, or a path.
pub(crate) fn symbols(typed: &OsStr) -> Vec<CompletionCandidate> {
    ask(typed, async |typed, client, context| {
        let mut found = symbols_of(&typed, &client, &context).await?;
        found.extend(paths_of(&typed, &client, &context).await?);
        Ok(found)
    })
}

/// Connects to the running daemon and asks it. Every failure means that there are no candidates: a shell shows nothing else.
fn ask<F>(typed: &OsStr, ask: impl FnOnce(String, Client, v1::RequestContext) -> F) -> Vec<CompletionCandidate>
where
    F: Future<Output = Result<Vec<CompletionCandidate>, Status>>,
{
    let Some(typed) = typed.to_str().map(ToOwned::to_owned) else { return Vec::new() };
    let Some(context) = context() else { return Vec::new() };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return Vec::new() };
    let found = runtime.block_on(async {
        tokio::time::timeout(DEADLINE, async {
            let options = context.options(Launch::Never, &Settings::default());
            let client = Client::connect(&options).await.ok()?;
            let asked = context.request_context();
            is_indexed(&client, &asked).await.then_some(())?;
            ask(typed, client, asked).await.ok()
        })
        .await
    });
    found.ok().flatten().unwrap_or_default()
}

/// The context of the line that is completed: its project, if one is named.
fn context() -> Option<CommandContext> {
    let mut words = std::env::args_os().skip_while(|word| word != "--").skip(1);
    let mut projects = Vec::new();
    while let Some(word) = words.next() {
        if word == "--project" {
            projects.extend(words.next().map(PathBuf::from));
        } else if let Some(path) = word.to_str().and_then(|word| word.strip_prefix("--project=")) {
            projects.push(PathBuf::from(path));
        }
    }
    let global = Global { projects, ..Global::default() };
    CommandContext::begin(global, Output::new(Format::Human, Color::Never)).ok()
}

/// Whether the project is indexed. A listing would index it first.
async fn is_indexed(client: &Client, context: &v1::RequestContext) -> bool {
    let request = v1::StatusRequest {
        context: Some(context.clone()),
        scope: scope::to_proto(Scope::Project).into(),
        ..v1::StatusRequest::default()
    };
    client.status(request).await.is_ok_and(|status| status.stores.iter().any(|store| store.indexed))
}

async fn list(
    path: String,
    within: Scope,
    cursor: String,
    client: &Client,
    context: &v1::RequestContext,
) -> Result<v1::ListResponse, Status> {
    let request = v1::ListRequest {
        context: Some(context.clone()),
        scope: scope::to_proto(within).into(),
        limit: Some(PAGE),
        sort: v1::ListSort::Path.into(),
        path,
        cursor,
        ..v1::ListRequest::default()
    };
    client.list(request).await
}

/// Returns the files and folders that the typed text begins: a folder counts once, with its `/`.
async fn paths_of(
    typed: &str,
    client: &Client,
    context: &v1::RequestContext,
) -> Result<Vec<CompletionCandidate>, Status> {
    let mut found = Vec::new();
    let mut cursor = String::new();
    // `**` stands for folders only if it is between separators.
    let glob = format!("{{{0}*,{0}*/**}}", escape_glob(typed));
    loop {
        let page = list(glob.clone(), Scope::Project, cursor, client, context).await?;
        for entry in page.entries.into_iter().filter(|entry| entry.memory.is_none()) {
            let path = entry.doc.map(|doc| doc.path).unwrap_or_default();
            let candidate =
                continuation(typed, &path).filter(|candidate| found.last().map(String::as_str) != Some(*candidate));
            found.extend(candidate.map(ToOwned::to_owned));
        }
        cursor = page.next_cursor;
        if cursor.is_empty() {
            return Ok(found.into_iter().map(CompletionCandidate::new).collect());
        }
    }
}

/// Returns a path up to the first separator that is not typed yet; `None` if the typed text does not begin it. The Unicode
/// form of the typed text does not count.
fn continuation<'p>(typed: &str, path: &'p str) -> Option<&'p str> {
    // Two forms of a path have equally many separators, but not equally many bytes.
    let separators = typed.matches('/').count();
    let end = path.match_indices('/').nth(separators).map_or(path.len(), |(at, _)| at + 1);
    normalized_path(path).starts_with(&*normalized_path(typed)).then_some(&path[..end])
}

/// Whether the typed text may be the beginning of a memory's id. For the empty text there would be too many of them.
fn may_be_id(typed: &str) -> bool {
    let typed = normalize_text(typed);
    let mut letters = typed.chars();
    letters.next().is_some_and(|first| MEMORY_LETTERS.contains(first)) && letters.next().is_none_or(|next| next == '-')
}

/// Returns the ids of memories that the typed text begins, each with its title.
async fn memories_of(
    typed: &str,
    client: &Client,
    context: &v1::RequestContext,
) -> Result<Vec<CompletionCandidate>, Status> {
    let typed = &*normalize_text(typed);
    let path = if typed.is_empty() { format!("[{MEMORY_LETTERS}]-*") } else { format!("{}*", escape_glob(typed)) };
    let page = list(path, Scope::All, String::new(), client, context).await?;
    let memories = page.entries.into_iter().filter_map(|entry| entry.memory);
    let memories = memories.filter(|memory| memory.id.starts_with(typed));
    Ok(memories.map(|memory| CompletionCandidate::new(memory.id).help(Some(memory.title.into()))).collect())
}

/// Returns the names of symbols that the typed text begins.
async fn symbols_of(
    typed: &str,
    client: &Client,
    context: &v1::RequestContext,
) -> Result<Vec<CompletionCandidate>, Status> {
    if typed.is_empty() {
        return Ok(Vec::new());
    }
    let request = v1::NamesRequest {
        context: Some(context.clone()),
        prefix: typed.to_owned(),
        scope: scope::to_proto(Scope::Project).into(),
        limit: Some(PAGE),
    };
    let names = client.names(request).await?.names;
    Ok(names.iter().filter_map(|name| name_continuation(typed, name)).map(CompletionCandidate::new).collect())
}

/// Returns a name as it continues the typed text, with the separators of scopes that it has; `None` if it does not.
fn name_continuation(typed: &str, name: &str) -> Option<String> {
    const SEPARATORS: [&str; 4] = ["::", ".", "->", "#"];
    let separator = SEPARATORS.into_iter().find(|separator| typed.contains(separator)).unwrap_or("::");
    let name = name.replace("::", separator);
    normalize_text(&name).starts_with(&*normalize_text(typed)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_completed_up_to_its_next_separator() {
        for (typed, path, expected) in [
            ("", "src/lib.rs", Some("src/")),
            ("src", "src/lib.rs", Some("src/")),
            ("src/", "src/lib.rs", Some("src/lib.rs")),
            ("src/st", "src/store/open.rs", Some("src/store/")),
            ("lib", "src/lib.rs", None),
            ("docs/ré", "docs/re\u{301}sume\u{301}/a.md", Some("docs/re\u{301}sume\u{301}/")),
            ("re\u{301}s", "résumé.md", Some("résumé.md")),
            ("ガイ", "ｶﾞｲﾄﾞ.md", Some("ｶﾞｲﾄﾞ.md")),
        ] {
            assert_eq!(continuation(typed, path), expected, "{typed} {path}");
        }
    }

    #[test]
    fn a_name_continues_the_typed_text_with_its_separators() {
        for (typed, name, expected) in [
            ("AppCon", "AppContext", Some("AppContext")),
            ("AppContext.p", "AppContext::push", Some("AppContext.push")),
            ("Store::", "Store::open", Some("Store::open")),
            ("a->b", "a::bc::d", Some("a->bc->d")),
            ("app", "AppContext", None),
        ] {
            assert_eq!(name_continuation(typed, name).as_deref(), expected, "{typed} {name}");
        }
    }

    #[test]
    fn only_what_may_become_an_id_is_completed_as_one() {
        for (typed, expected) in
            [("", false), ("L", true), ("L-", true), ("L-01", true), ("Lib", false), ("s", false), ("Ｌ－", true)]
        {
            assert_eq!(may_be_id(typed), expected, "{typed}");
        }
    }
}
