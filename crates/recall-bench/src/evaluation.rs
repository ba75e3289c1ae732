//! Runs of a dataset's queries against the daemon.
//!
//! Every query is sent as `recall search` sends it, to an index that is up to date. A folder is indexed in the user's
//! indexes. The trees of a repository are checked out to a temporary folder one after another, and indexed by a daemon
//! with a temporary home, which is deleted.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::quality::mine::{Checkout, History};
use crate::quality::{Answer, Corpus, CorpusKind, Dataset, Lines, Query, Run};
use clap::ValueEnum;
use recall_api::v1::index_event::Event;
use recall_api::{Reason, v1};
use recall_cli::{CliError, CommandContext, CommandError, Exit, ProgressLine};
use recall_client::Client;
use recall_core::Ablation;

use crate::collection::temporary_folder;
use crate::error::BenchError;
use crate::over_mcp::{McpServer, SHIM};

/// The time limit for embeddings. The built-in model embeds a million chunks in that time.
const EMBEDDING_PATIENCE: Duration = Duration::from_mins(10);

/// The interval between two checks for embeddings.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// A dataset with the settings to run it with.
#[derive(Debug)]
pub(crate) struct Evaluation<'a> {
    pub(crate) context: &'a CommandContext,
    pub(crate) dataset: &'a Dataset,
    /// The home in which the folders are indexed; `None` for the user's.
    pub(crate) home: Option<&'a Path>,
    /// How the queries in folders are sent.
    pub(crate) over: Over,
    /// The number of hits per query.
    pub(crate) hits: u32,
    /// The settings; each gives one run.
    pub(crate) settings: &'a [Setting],
}

/// How a query is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Over {
    /// To the daemon, as `recall search` does.
    #[default]
    Grpc,
    /// To `recall-shim`, as an agent does.
    Mcp,
}

/// The stages that a search uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Whole,
    /// All stages but one.
    Without(Ablation),
}

impl Setting {
    /// Returns the whole search, followed by one setting per stage if ablations are wanted.
    pub(crate) fn all(ablations: Ablations) -> Vec<Self> {
        let without = Ablation::ALL.into_iter().filter(|_| ablations == Ablations::Each).map(Self::Without);
        std::iter::once(Self::Whole).chain(without).collect()
    }

    fn without(self) -> Vec<String> {
        match self {
            Self::Whole => Vec::new(),
            Self::Without(stage) => vec![stage.as_str().to_owned()],
        }
    }
}

/// Whether the contribution of each stage is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ablations {
    No,
    Each,
}

/// The answers to each query, one list per setting; `None` if the left-out stage did not take part in the query.
type Answers = HashMap<String, Vec<Option<Vec<Answer>>>>;

impl Evaluation<'_> {
    /// Runs every query with every setting. Returns one run per setting, in order, without the settings whose stage
    /// took part in no query: their contribution is unknown.
    pub(crate) async fn runs(&self) -> Result<Vec<(Setting, Run)>, BenchError> {
        let bar = ProgressLine::queries(self.context.output.format, self.dataset.queries.len() as u64);
        let mut answers = Answers::new();
        for (name, corpus) in &self.dataset.corpora {
            let queries: Vec<&Query> = self.dataset.queries.iter().filter(|query| query.corpus == *name).collect();
            if queries.is_empty() {
                continue;
            }
            match corpus.kind {
                CorpusKind::Folder => self.ask_in_folder(corpus, &queries, &mut answers, &bar).await?,
                CorpusKind::Repository => self.ask_in_repository(corpus, &queries, &mut answers, &bar).await?,
            }
        }
        let mut runs: Vec<(Setting, Run)> = self.settings.iter().map(|setting| (*setting, Run::default())).collect();
        let mut had_say = vec![false; runs.len()];
        for query in &self.dataset.queries {
            let by_setting = answers.remove(&query.id).unwrap_or_default();
            let whole = by_setting.first().cloned().flatten().unwrap_or_default();
            for (((_, run), had_say), answers) in runs.iter_mut().zip(&mut had_say).zip(by_setting) {
                *had_say |= answers.is_some();
                run.push(&query.id, answers.unwrap_or_else(|| whole.clone()));
            }
        }
        Ok(runs.into_iter().zip(had_say).filter_map(|(run, had_say)| had_say.then_some(run)).collect())
    }

    async fn ask_in_folder(
        &self,
        corpus: &Corpus,
        queries: &[&Query],
        answers: &mut Answers,
        bar: &ProgressLine,
    ) -> Result<(), BenchError> {
        let root = self.context.absolute(&corpus.path);
        match (self.over, self.home) {
            (Over::Grpc, Some(home)) => {
                let client = self.context.connect_apart(home).await?;
                self.ask(&client, &root, queries, answers, bar).await
            }
            (Over::Grpc, None) => {
                let client = self.context.connect().await?;
                self.ask(&client, &root, queries, answers, bar).await
            }
            (Over::Mcp, Some(home)) => {
                let asked = self.ask_over_mcp(&root, queries, answers, bar).await;
                self.context.stop_running(home).await;
                asked
            }
            (Over::Mcp, None) => self.ask_over_mcp(&root, queries, answers, bar).await,
        }
    }

    async fn ask_in_repository(
        &self,
        corpus: &Corpus,
        queries: &[&Query],
        answers: &mut Answers,
        bar: &ProgressLine,
    ) -> Result<(), BenchError> {
        if self.over == Over::Mcp {
            let message = "the trees of a repository are not measured over MCP".to_owned();
            return Err(CliError::new(Exit::Refused, Reason::Unsupported, message)
                .with_hint("take a dataset whose corpora are folders")
                .into());
        }
        replay(self.context, corpus, queries, async |client, context, query| {
            self.ask_once(client, context, query, answers, bar).await
        })
        .await
    }

    /// Indexes a folder and runs queries in it.
    async fn ask(
        &self,
        client: &Client,
        root: &Path,
        queries: &[&Query],
        answers: &mut Answers,
        bar: &ProgressLine,
    ) -> Result<(), BenchError> {
        let context = request_context_in(self.context, root);
        index(client, context.clone()).await?;
        for query in queries {
            self.ask_once(client, &context, query, answers, bar).await?;
        }
        Ok(())
    }

    /// Indexes a folder and runs queries in it as an agent does. There is one setting.
    async fn ask_over_mcp(
        &self,
        root: &Path,
        queries: &[&Query],
        answers: &mut Answers,
        bar: &ProgressLine,
    ) -> Result<(), BenchError> {
        let program = self.context.own_program(SHIM).ok_or_else(|| {
            let message = format!("the program `{SHIM}` is neither next to this program nor on PATH");
            CliError::new(Exit::Usage, Reason::NotFound, message)
        })?;
        if let Some(home) = self.home {
            self.context.make_home(home)?;
        }
        let mut server = McpServer::start(&program, root, self.home)?;
        // The server has a daemon from now on. Waiting for the embeddings is not a matter of MCP.
        server.wake_daemon()?;
        let client = match self.home {
            Some(home) => self.context.connect_running(home).await?,
            None => self.context.connect().await?,
        };
        index(&client, request_context_in(self.context, root)).await?;
        for query in queries {
            let found = server.search(query, self.hits).map_err(|BenchError(error)| about_query(query, error))?;
            answers.insert(query.id.clone(), vec![Some(found)]);
            bar.step();
        }
        Ok(())
    }

    /// Runs one query with every setting.
    async fn ask_once(
        &self,
        client: &Client,
        context: &v1::RequestContext,
        query: &Query,
        answers: &mut Answers,
        bar: &ProgressLine,
    ) -> Result<(), BenchError> {
        let mut by_setting = Vec::with_capacity(self.settings.len());
        let mut silent = Vec::new();
        for setting in self.settings {
            if matches!(setting, Setting::Without(stage) if silent.iter().any(|silent| silent == stage.as_str())) {
                by_setting.push(None);
                continue;
            }
            let stages_left_out = setting.without();
            let response = self.answer(client, context.clone(), query, stages_left_out).await?;
            if *setting == Setting::Whole {
                silent = response.stats.map(|stats| silent_in(&stats)).unwrap_or_default();
            }
            by_setting.push(Some(response.results.into_iter().filter_map(answer).collect()));
        }
        answers.insert(query.id.clone(), by_setting);
        bar.step();
        Ok(())
    }

    async fn answer(
        &self,
        client: &Client,
        context: v1::RequestContext,
        query: &Query,
        without: Vec<String>,
    ) -> Result<v1::SearchResponse, BenchError> {
        let request = v1::SearchRequest {
            context: Some(context),
            query: query.text.clone(),
            scope: v1::Scope::Project.into(),
            limit: Some(self.hits),
            without,
            ..v1::SearchRequest::default()
        };
        client.search(request).await.map_err(|status| add_query_id(query, status))
    }
}

/// The stages that did not take part in an answer: those named by the daemon, and the rescoring models that did not run.
fn silent_in(stats: &v1::SearchStats) -> Vec<String> {
    let mut silent = stats.silent.clone();
    // These stages have the names of their models' roles.
    let rescoring = [Ablation::Prerank, Ablation::Rerank, Ablation::Judge].map(Ablation::as_str);
    silent.extend(rescoring.into_iter().filter(|role| !stats.models.contains_key(*role)).map(ToOwned::to_owned));
    silent
}

/// Runs the queries of a repository, each in its tree.
///
/// The trees are checked out to a temporary folder one after another. A daemon with its own home indexes each before
/// its queries run.
pub(crate) async fn replay(
    context: &CommandContext,
    corpus: &Corpus,
    queries: &[&Query],
    mut ask: impl AsyncFnMut(&Client, &v1::RequestContext, &Query) -> Result<(), BenchError>,
) -> Result<(), BenchError> {
    let history = History::open(&context.absolute(&corpus.path))?;
    let place = temporary_folder()?;
    let client = context.connect_apart(&place.path().join("home")).await?;
    let mut checkout = Checkout::new(history.git_dir(), &place.path().join("tree"))?;
    for (tree, queries) in by_tree(queries) {
        checkout.at(tree)?;
        for query in &queries {
            Dataset::check_relevant(query, checkout.folder())?;
        }
        let request_context = request_context_in(context, checkout.folder());
        index(&client, request_context.clone()).await?;
        for query in queries {
            ask(&client, &request_context, query).await?;
        }
    }
    Ok(())
}

/// The context of requests about the folder.
pub(crate) fn request_context_in(context: &CommandContext, root: &Path) -> v1::RequestContext {
    let root = root.to_string_lossy().into_owned();
    // Measuring queries are not part of the session, so they are not recorded in it.
    let session_id = String::new();
    v1::RequestContext { working_directory: root.clone(), project_root: root, session_id, ..context.request_context() }
}

/// Groups the queries by tree; the trees are in reverse order of their first query.
///
/// A mined dataset lists the newest commit first. Oldest first, each tree differs little from the previous one.
fn by_tree<'q>(queries: &[&'q Query]) -> Vec<(&'q str, Vec<&'q Query>)> {
    let mut places = BTreeMap::new();
    let mut trees: Vec<(&str, Vec<&Query>)> = Vec::new();
    for &query in queries {
        // A query of a repository has a tree: the dataset was validated.
        let tree = query.tree.as_deref().unwrap_or_default();
        let place = *places.entry(tree).or_insert(trees.len());
        if place == trees.len() {
            trees.push((tree, Vec::new()));
        }
        trees[place].1.push(query);
    }
    trees.reverse();
    trees
}

/// Updates a root's index and waits for its embeddings, so that results do not depend on timing.
pub(crate) async fn index(client: &Client, context: v1::RequestContext) -> Result<(), BenchError> {
    let scope = v1::Scope::Project.into();
    let request = v1::IndexRequest { context: Some(context.clone()), scope, ..v1::IndexRequest::default() };
    let mut events = client.index(request).await?;
    loop {
        match events.message().await? {
            Some(v1::IndexEvent { event: Some(Event::Finished(_)) }) => break,
            Some(_) => {}
            None => return Err(CliError::indexing_broke_off().into()),
        }
    }
    let request = v1::StatusRequest { context: Some(context), scope, ..v1::StatusRequest::default() };
    let began = Instant::now();
    loop {
        let stores = client.status(request.clone()).await?.stores;
        if stores.iter().flat_map(|store| store.embedded.values()).all(|part| *part >= 1.0) {
            return Ok(());
        }
        if began.elapsed() > EMBEDDING_PATIENCE {
            return Err(embedding_takes_long().into());
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

/// Converts a hit for a run; `None` if it is not part of a file.
fn answer(hit: v1::Hit) -> Option<Answer> {
    let (document, chunk) = (hit.doc?, hit.chunk?);
    let lines = Lines { start: chunk.start_line, end: chunk.end_line };
    (!document.path.is_empty()).then_some(Answer { path: document.path, lines: Some(lines) })
}

/// Adds the id of the failed query to an error.
pub(crate) fn add_query_id(query: &Query, status: tonic::Status) -> BenchError {
    about_query(query, CommandError::from(status))
}

/// Adds the id of the failed query to an error.
pub(crate) fn about_query(query: &Query, mut error: CommandError) -> BenchError {
    if let CommandError::Failed(cli_error) = &mut error {
        cli_error.message = format!("query `{}`: {}", query.id, cli_error.message);
        cli_error.details.insert("query".to_owned(), query.id.clone());
    }
    BenchError(error)
}

/// Reports embeddings that were not computed in time.
fn embedding_takes_long() -> CliError {
    let message = format!("the embeddings were not ready after {EMBEDDING_PATIENCE:?}");
    CliError::new(Exit::Refused, Reason::DeadlineExceeded, message).with_hint(
        "`recall status` shows their progress and what delays them; `search.model = \"none\"` turns them off",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_is_left_out_once_and_none_unless_asked_for() {
        assert_eq!(Setting::all(Ablations::No), [Setting::Whole]);
        let each = Setting::all(Ablations::Each);
        assert_eq!((each[0], each.len()), (Setting::Whole, 1 + Ablation::ALL.len()));
        assert_eq!(Setting::Whole.without(), [""; 0]);
        assert_eq!(Setting::Without(Ablation::FileKind).without(), ["file_kind"]);
    }

    #[test]
    fn trees_are_visited_once_and_from_the_oldest() {
        let query = |id: &str, tree: &str| Query {
            id: id.to_owned(),
            text: String::new(),
            corpus: String::new(),
            tree: Some(tree.to_owned()),
            category: String::new(),
            language: None,
            relevant: Vec::new(),
        };
        let queries = [query("1", "new"), query("2", "old"), query("3", "new")];
        let visited: Vec<String> = by_tree(&queries.iter().collect::<Vec<_>>())
            .into_iter()
            .map(|(tree, queries)| {
                let ids: Vec<_> = queries.iter().map(|query| query.id.as_str()).collect();
                format!("{tree}: {}", ids.join(" "))
            })
            .collect();
        assert_eq!(visited, ["old: 2", "new: 1 3"]);
    }
}
