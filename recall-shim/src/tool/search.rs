//! `recall_search`, also with `match` "exact" or "regex", and `recall`, whose number of hits is also called `k`.

use std::path::Path;
use std::time::Duration;

use recall_api::v1::{
    ExactRequest, Filters, RequestContext, Scope, SearchRequest, SearchResponse, Severity, StatusRequest, StoreStatus,
    Warning, Weights,
};
use recall_core::Ablation;
use serde::Deserialize;
use tokio::time::{Instant, MissedTickBehavior};

use crate::answer::{Answer, Format};
use crate::cursor::Cursor;
use crate::daemon::Daemon;
use crate::error::{Code, Doing, ToolError};
use crate::tool::call::{Call, ScopeArgument};
use crate::{json, render};

/// A search that takes longer than this is probably indexing; its progress is then polled at this interval.
const PROGRESS_PERIOD: Duration = Duration::from_millis(250);

/// The default limit of an answer, in tokens.
const BUDGET_TOKENS: usize = 1_200;

/// The average number of characters per token of code and prose, for current models.
const CHARS_PER_TOKEN: usize = 4;

/// `ppr_weight` of the schema is accepted for clients that learnt it from an earlier server, and has no effect.
#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    query: String,
    #[serde(default, rename = "match")]
    matching: Matching,
    #[serde(default)]
    ignore_case: bool,
    scope: Option<ScopeArgument>,
    #[serde(default)]
    types: Vec<String>,
    limit: Option<u32>,
    language: Option<String>,
    path: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    filter: String,
    include_code: Option<bool>,
    include_memories: Option<bool>,
    rerank: Option<bool>,
    bm25_weight: Option<f32>,
    vector_weight: Option<f32>,
    project_id: Option<String>,
    #[serde(default)]
    explain: bool,
    budget_tokens: Option<usize>,
    cursor: Option<String>,
    #[serde(default)]
    format: Format,
}

/// How the query is matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Matching {
    /// The best hits for words, identifiers or a question.
    #[default]
    Ranked,
    /// Every line that holds the query as it is.
    Exact,
    /// Every line that matches the query as a regular expression.
    Regex,
}

impl Arguments {
    /// Returns the arguments with another name of `limit`, which has precedence.
    fn with_limit(self, limit: Option<u32>) -> Self {
        Self { limit: limit.or(self.limit), ..self }
    }
}

pub(super) async fn call(arguments: Arguments, mut call: Call<'_>) -> Result<Answer, ToolError> {
    let page_before = arguments.cursor.as_deref().map(|cursor| Cursor::read(cursor, &call.question)).transpose()?;
    let offset = page_before.as_ref().map_or(0, |cursor| cursor.position);
    let format = arguments.format;
    let budget = arguments.budget_tokens.unwrap_or(BUDGET_TOKENS);
    if arguments.matching != Matching::Ranked {
        let request = exact_request(arguments, offset, &call)?;
        return call_exact(request, page_before.as_ref(), budget * CHARS_PER_TOKEN, format, &call).await;
    }
    if arguments.ignore_case {
        let error = ToolError::new(Code::InvalidArgument, "`ignore_case` is for `match` \"exact\" or \"regex\"");
        return Err(error.with_hint("a ranked search ignores case where that helps"));
    }
    let without = page_before.as_ref().map(|cursor| cursor.silent.clone()).unwrap_or_default();
    let mut response = search(request(arguments, offset, &without, &call)?, &mut call).await?;
    let generation = response.stats.as_ref().map_or(0, |stats| stats.generation);
    if page_before.is_some_and(|cursor| cursor.generation != generation) {
        response.warnings.push(Warning {
            code: "GENERATION_CHANGED".to_owned(),
            message: "the index changed since the previous page: hits may be missing or repeated".to_owned(),
            severity: Severity::Notice.into(),
            ..Warning::default()
        });
    }
    let silent =
        response.stats.as_ref().map(|stats| stats.silent.iter().filter_map(|stage| Ablation::from_name(stage)));
    // Stages that took no part on the previous page stay out of all following pages.
    let silent: Vec<Ablation> = silent.into_iter().flatten().chain(without).collect();
    let cursor = |position| Cursor::new(&call.question, position, 0, generation).without(silent.clone()).to_string();
    Ok(match format {
        Format::Text if response.results.is_empty() => {
            // If nothing was found, one more call to report what was searched is worth its time.
            let stores = stores(call.daemon, &call.context, Scope::All).await.unwrap_or_default();
            Answer::Text(render::nothing(&response, offset, &stores))
        }
        Format::Text => {
            let reminds = call.daemon.reminds();
            let shape = render::Shape { tokens: budget, reminds };
            Answer::Text(render::search(&response, offset, shape, cursor))
        }
        Format::Json => {
            let reminder = call.daemon.reminds().then_some(render::JUDGE_REMINDER);
            Answer::Json(json::search(&response, offset, reminder, cursor))
        }
    })
}

/// Returns the request of an exact search.
///
/// # Errors
/// An argument is for a ranked search only.
fn exact_request(arguments: Arguments, offset: u32, call: &Call<'_>) -> Result<ExactRequest, ToolError> {
    if !arguments.filter.is_empty() {
        let error = ToolError::new(Code::InvalidArgument, "`filter` is for a ranked search");
        return Err(error.with_hint("`types`, `language`, `path` and `tags` work with `match` \"exact\" and \"regex\""));
    }
    let (literal, regex) = match arguments.matching {
        Matching::Regex => (String::new(), arguments.query),
        Matching::Exact | Matching::Ranked => (arguments.query, String::new()),
    };
    Ok(ExactRequest {
        context: Some(call.context.clone()),
        literal,
        regex,
        ignore_case: arguments.ignore_case,
        scope: Scope::from(arguments.scope.unwrap_or_default()).into(),
        filters: Some(Filters {
            types: arguments.types,
            languages: arguments.language.into_iter().collect(),
            paths: arguments.path.into_iter().collect(),
            tags: arguments.tags,
            ..Filters::default()
        }),
        limit: arguments.limit,
        offset,
        include_memories: arguments.include_memories,
        include_code: arguments.include_code,
        ..ExactRequest::default()
    })
}

fn request(
    arguments: Arguments,
    offset: u32,
    without: &[Ablation],
    call: &Call<'_>,
) -> Result<SearchRequest, ToolError> {
    let Arguments { bm25_weight: bm25, vector_weight: vector, .. } = arguments;
    let has_weights = bm25.or(vector).is_some();
    Ok(SearchRequest {
        context: Some(call.context.clone()),
        query: arguments.query,
        scope: arguments.scope.map_or(Scope::Unspecified, Scope::from).into(),
        filters: Some(Filters {
            types: arguments.types,
            languages: arguments.language.into_iter().collect(),
            paths: arguments.path.into_iter().collect(),
            tags: arguments.tags,
            ..Filters::default()
        }),
        filter: arguments.filter,
        limit: arguments.limit,
        offset,
        include_memories: arguments.include_memories,
        include_code: arguments.include_code,
        without: without.iter().map(|stage| stage.as_str().to_owned()).collect(),
        weights: has_weights.then_some(Weights { vector, bm25 }),
        explain: arguments.explain,
        rerank: arguments.rerank,
        projects: other_project(arguments.project_id.as_deref(), &call.context)?,
        ..SearchRequest::default()
    })
}

/// Returns the root of another project that an id names; nothing if it names the project of the client. The daemon decides
/// whether an agent may search other projects.
fn other_project(id: Option<&str>, context: &RequestContext) -> Result<Vec<String>, ToolError> {
    let Some(id) = id.map(str::trim).filter(|id| !id.is_empty()) else { return Ok(Vec::new()) };
    let root = [&context.project_root, &context.working_directory].into_iter().find(|path| !path.is_empty());
    let root = Path::new(root.map_or("", String::as_str));
    let is_own = Path::new(id) == root || root.iter().any(|name| name.eq_ignore_ascii_case(id));
    if is_own {
        return Ok(Vec::new());
    }
    if Path::new(id).is_absolute() {
        return Ok(vec![id.to_owned()]);
    }
    let message =
        format!("`project_id` names neither this project, {}, nor the absolute root of another", root.display());
    Err(ToolError::new(Code::InvalidArgument, message))
}

/// Searches, and reports the progress of indexing meanwhile if the client requested it.
async fn search(request: SearchRequest, call: &mut Call<'_>) -> Result<SearchResponse, ToolError> {
    let daemon = call.daemon;
    let search = daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.search(request).await }
    });
    let Some(progress) = &mut call.progress else { return search.await };
    let mut search = std::pin::pin!(search);
    let mut ticks = tokio::time::interval_at(Instant::now() + PROGRESS_PERIOD, PROGRESS_PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            response = &mut search => return response,
            _ = ticks.tick() => {}
        }
        let Ok(_asking) = daemon.asking.try_lock() else { continue };
        // Runs concurrently with the search, so that a slow status call does not delay the answer.
        let state = indexing(daemon, &call.context);
        let (done, total) = tokio::select! {
            biased;
            response = &mut search => return response,
            state = state => match state { Some(state) => state, None => continue },
        };
        progress.tell(done, total, &format!("indexing the project: {done} of {total} files")).await;
    }
}

/// Returns the indexed and the total files of the project; `None` if it is not being indexed.
async fn indexing(daemon: &Daemon, context: &RequestContext) -> Option<(u64, u64)> {
    let stores = stores(daemon, context, Scope::Project).await?;
    let indexing = stores.into_iter().filter_map(|store| store.indexing).find(|indexing| indexing.running)?;
    Some((indexing.done, indexing.total))
}

/// Returns the status of the stores; `None` on any error.
async fn stores(daemon: &Daemon, context: &RequestContext, scope: Scope) -> Option<Vec<StoreStatus>> {
    let status = daemon.call(Doing::Reading, |client| {
        let request = StatusRequest { context: Some(context.clone()), scope: scope.into(), ..StatusRequest::default() };
        async move { client.status(request).await }
    });
    Some(status.await.ok()?.stores)
}

/// Finds every line, and answers with those from the request's offset on that fit into `chars` characters.
async fn call_exact(
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

#[derive(Debug, Deserialize)]
pub(super) struct RecallArguments {
    k: Option<u32>,
    #[serde(flatten)]
    search: Arguments,
}

pub(super) async fn recall(arguments: RecallArguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let RecallArguments { k, search } = arguments;
    self::call(search.with_limit(k), call).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_names_this_project_or_the_root_of_another() {
        let context = RequestContext { project_root: "/home/ada/shop".to_owned(), ..RequestContext::default() };
        let check = |id: Option<&str>, expected: Result<&[&str], Code>| {
            let named = other_project(id, &context).map_err(|error| error.code);
            let expected = expected.map(|roots| roots.iter().map(|root| (*root).to_owned()).collect::<Vec<_>>());
            assert_eq!(named, expected, "{id:?}");
        };
        for own in [None, Some(""), Some("shop"), Some("Shop"), Some("/home/ada/shop")] {
            check(own, Ok(&[]));
        }
        check(Some("/home/ada/zoo"), Ok(&["/home/ada/zoo"]));
        check(Some("zoo"), Err(Code::InvalidArgument));
    }
}
