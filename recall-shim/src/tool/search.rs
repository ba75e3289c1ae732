//! `recall_search`

use std::time::Duration;

use recall_core::Ablation;
use recall_proto::v1::{
    Filters, RequestContext, Scope, SearchRequest, SearchResponse, Severity, StatusRequest, StoreStatus, Warning,
};
use serde::Deserialize;
use tokio::time::{Instant, MissedTickBehavior};

use crate::answer::{Answer, Format};
use crate::cursor::Cursor;
use crate::daemon::Daemon;
use crate::error::{Doing, ToolError};
use crate::tool::call::{Call, ScopeArgument};
use crate::{json, render};

/// A search that takes longer than this is indexing on the way; then its progress is asked for as often.
const PROGRESS_PERIOD: Duration = Duration::from_millis(250);

/// How many tokens an answer has at most, unless the call says otherwise.
const BUDGET_TOKENS: usize = 1_200;

/// How many characters of code and prose make a token, on average, for the models of today.
const CHARS_A_TOKEN: usize = 4;

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    query: String,
    #[serde(default)]
    scope: ScopeArgument,
    #[serde(default)]
    types: Vec<String>,
    limit: Option<u32>,
    language: Option<String>,
    path: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    include_code: Option<bool>,
    include_memories: Option<bool>,
    budget_tokens: Option<usize>,
    cursor: Option<String>,
    #[serde(default)]
    format: Format,
}

impl Arguments {
    /// A query without filters.
    pub(super) fn plain(query: String, limit: Option<u32>, cursor: Option<String>, format: Format) -> Self {
        Self {
            query,
            scope: ScopeArgument::default(),
            types: Vec::new(),
            limit,
            language: None,
            path: None,
            tags: Vec::new(),
            include_code: None,
            include_memories: None,
            budget_tokens: None,
            cursor,
            format,
        }
    }
}

pub(super) async fn call(arguments: Arguments, mut call: Call<'_>) -> Result<Answer, ToolError> {
    let page_before = arguments.cursor.as_deref().map(|cursor| Cursor::read(cursor, &call.question)).transpose()?;
    let offset = page_before.as_ref().map_or(0, |cursor| cursor.position);
    let format = arguments.format;
    let budget = arguments.budget_tokens.unwrap_or(BUDGET_TOKENS);
    let without = page_before.as_ref().map(|cursor| cursor.silent.clone()).unwrap_or_default();
    let mut response = search(request(arguments, offset, &without, &call), &mut call).await?;
    let generation = response.stats.as_ref().map_or(0, |stats| stats.generation);
    if page_before.is_some_and(|cursor| cursor.generation != generation) {
        response.warnings.push(Warning {
            code: "GENERATION_CHANGED".to_owned(),
            message: "the index changed since the page before: hits may be missing or repeated".to_owned(),
            severity: Severity::Notice.into(),
            ..Warning::default()
        });
    }
    let silent =
        response.stats.as_ref().map(|stats| stats.silent.iter().filter_map(|stage| Ablation::from_name(stage)));
    // What the page before could not ask stays out of all that follow.
    let silent: Vec<Ablation> = silent.into_iter().flatten().chain(without).collect();
    let cursor = |position| Cursor::new(&call.question, position, 0, generation).without(silent.clone()).to_string();
    Ok(match format {
        Format::Text if response.results.is_empty() => {
            // What was searched is worth a call of its own where nothing was found.
            let stores = stores(call.daemon, &call.context, Scope::All).await.unwrap_or_default();
            Answer::Text(render::nothing(&response, offset, &stores))
        }
        Format::Text => {
            let reminds = !response.low_confidence && call.daemon.reminds();
            let shape = render::Shape { chars: budget * CHARS_A_TOKEN, reminds };
            Answer::Text(render::search(&response, offset, shape, cursor))
        }
        Format::Json => Answer::Json(json::search(&response, offset, cursor)),
    })
}

fn request(arguments: Arguments, offset: u32, without: &[Ablation], call: &Call<'_>) -> SearchRequest {
    SearchRequest {
        context: Some(call.context.clone()),
        query: arguments.query,
        scope: Scope::from(arguments.scope).into(),
        filters: Some(Filters {
            types: arguments.types,
            languages: arguments.language.into_iter().collect(),
            paths: arguments.path.into_iter().collect(),
            tags: arguments.tags,
        }),
        limit: arguments.limit,
        offset,
        include_memories: arguments.include_memories,
        include_code: arguments.include_code,
        without: without.iter().map(|stage| stage.as_str().to_owned()).collect(),
        ..SearchRequest::default()
    }
}

/// Searches, and tells how far the indexing on the way is to a client that asked for progress.
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
        // Beside the search, so that a daemon that is slow to tell its state delays nothing.
        let state = indexing(daemon, &call.context);
        let (done, total) = tokio::select! {
            biased;
            response = &mut search => return response,
            state = state => match state { Some(state) => state, None => continue },
        };
        progress.tell(done, total, &format!("indexing the project: {done} of {total} files")).await;
    }
}

/// How far the project is indexed; `None` while it is not being indexed.
async fn indexing(daemon: &Daemon, context: &RequestContext) -> Option<(u64, u64)> {
    let stores = stores(daemon, context, Scope::Project).await?;
    let indexing = stores.into_iter().filter_map(|store| store.indexing).find(|indexing| indexing.running)?;
    Some((indexing.done, indexing.total))
}

/// How the stores are; `None` when the daemon does not tell.
async fn stores(daemon: &Daemon, context: &RequestContext, scope: Scope) -> Option<Vec<StoreStatus>> {
    let status = daemon.call(Doing::Reading, |client| {
        let request = StatusRequest { context: Some(context.clone()), scope: scope.into(), ..StatusRequest::default() };
        async move { client.status(request).await }
    });
    Some(status.await.ok()?.stores)
}
