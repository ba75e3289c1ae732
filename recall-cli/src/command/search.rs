//! `recall search`, also with `--exact` and `--regex`.

use clap::{ArgGroup, Args};
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::{is_index_at_work, narrowing, nothing_matches, searched_files, v1};
use recall_core::{Ablation, DocumentType, Scope};
use recall_text::Language;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::last_search::{LastSearch, Place};
use crate::output::Format;
use crate::output::human::exact;
use crate::output::human::search::{
    self, View, describe_translation, did_you_mean, doubt, render, summary, unconfirmed_note,
};
use crate::output::human::text::printable;
use crate::{Exit, args, complete, project_root, standard_input};

/// The arguments that an exact search has no use for.
const RANKED_ONLY: [&str; 12] = [
    "query",
    "filter",
    "bm25",
    "vector",
    "rerank",
    "judge",
    "no_judge",
    "no_rerank",
    "explain",
    "facets",
    "without",
    "full",
];

/// Arguments of `recall search`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("needle").args(["exact", "regex"]))]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct SearchArgs {
    /// Words, a question, a symbol, a path, a bug report or a trace. `type: lang: path: tag: since: before: scope:` filter inside it, "…" is a
    /// phrase, `-` reads standard input.
    #[arg(required_unless_present_any = ["exact", "regex", "bm25", "vector"], value_name = "QUERY", add = ArgValueCompleter::new(complete::symbols))]
    query: Vec<String>,
    /// Find every line that holds this text as it is: operators, punctuation and parts of words too.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = RANKED_ONLY)]
    exact: Option<String>,
    /// Find every line that matches this regular expression, in the syntax of Rust.
    #[arg(long, value_name = "RE", allow_hyphen_values = true, conflicts_with = "exact", conflicts_with_all = RANKED_ONLY)]
    regex: Option<String>,
    /// With --exact or --regex: `a` matches `A`.
    #[arg(long, short, requires = "needle")]
    ignore_case: bool,
    /// The number of hits [default: 10, or `search.limit`; lines with --exact or --regex: 50, at most 1000].
    #[arg(long, short, visible_alias = "limit", value_name = "N")]
    k: Option<u32>,
    /// The number of hits to skip.
    #[arg(long, default_value_t = 0, value_name = "N")]
    offset: u32,
    /// The stores to search: project, global, domain or all [default: all, or `search.scope`].
    #[arg(long, value_parser = args::scope)]
    scope: Option<Scope>,
    /// Search every project on this machine that you have indexed, in one list.
    #[arg(long, conflicts_with = "scope")]
    everywhere: bool,
    /// Search only documents of these types.
    #[arg(long = "type", value_delimiter = ',', value_parser = args::document_type, value_name = "TYPE")]
    types: Vec<DocumentType>,
    /// Search only documents in these languages.
    #[arg(long = "lang", visible_alias = "language", value_delimiter = ',', value_parser = args::language, value_name = "LANGUAGE")]
    languages: Vec<Language>,
    /// Search only documents at or below these paths, or that match these globs.
    #[arg(long = "path", value_name = "PATH|GLOB", add = ArgValueCompleter::new(complete::paths))]
    paths: Vec<String>,
    /// Search only documents with all of these tags.
    #[arg(long = "tag", value_delimiter = ',', value_name = "TAG")]
    tags: Vec<String>,
    /// Search only what was made at or after this time: a date, an age (`3d`), `last week`, a commit or a tag. Of a file, its last commit.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TIME")]
    since: String,
    /// Search only what was made before this time.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TIME")]
    before: String,
    /// Search only where this condition holds, such as `doc.path GLOB 'src/**' AND NOT doc.type = 'adr'`.
    #[arg(long, value_name = "FILTER")]
    filter: Option<String>,
    /// Search by keywords only; with a number, the weight of keyword search (BM25) [default: by the kind of query].
    #[arg(long, value_name = "WEIGHT", num_args = 0..=1, default_missing_value = "", value_parser = side)]
    bm25: Option<Side>,
    /// Search by meaning only; with a number, the weight of vector search [default: by the kind of query].
    #[arg(long, value_name = "WEIGHT", num_args = 0..=1, default_missing_value = "", value_parser = side)]
    vector: Option<Side>,
    /// Use the reranker if one is installed, which is the default.
    #[arg(long, conflicts_with = "no_rerank")]
    rerank: bool,
    /// Let the language model rescore the first hits [default: of hard questions].
    #[arg(long, conflicts_with = "no_judge")]
    judge: bool,
    /// Do not use the language model.
    #[arg(long)]
    no_judge: bool,
    /// Do not use the reranker.
    #[arg(long)]
    no_rerank: bool,
    /// Leave out code.
    #[arg(long)]
    no_code: bool,
    /// Leave out memories.
    #[arg(long)]
    no_memories: bool,
    /// Explain the rank of each hit.
    #[arg(long)]
    explain: bool,
    /// Count the documents that contain a word of the query, by type, language, directory and tag.
    #[arg(long)]
    facets: bool,
    /// The maximum number of lines to show per hit; 0 shows only its location.
    #[arg(long, default_value_t = 6, value_name = "N")]
    lines: usize,
    /// Show every line of every hit.
    #[arg(long, conflicts_with = "lines")]
    full: bool,
    /// Leave out a stage of the search, to measure its contribution.
    #[arg(long, hide = true, value_name = "STAGE")]
    without: Vec<String>,
}

pub(super) async fn run(args: SearchArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let others: Vec<String> = context.other_projects().iter().map(|root| root.to_string_lossy().into_owned()).collect();
    if args.exact.is_some() || args.regex.is_some() {
        let request = exact_request(args, context.request_context());
        return run_exact(v1::ExactRequest { projects: others, ..request }, context).await;
    }
    let lines = if args.full { usize::MAX } else { args.lines };
    let request = v1::SearchRequest { projects: others, ..request(args, context.request_context())? };
    let answer = context.ask(async |client| client.search(request.clone()).await).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            if let Some(spelling) = did_you_mean(&answer) {
                output.note(&spelling);
            }
            if let Some(unconfirmed) = unconfirmed_note(&answer) {
                output.note(&unconfirmed);
            }
            let linked = project_root::links(context);
            let hits = render(&answer, View { lines, screen: output.screen(), links: linked.as_ref() });
            context.page(&(hits + &search::render_facets(&answer, output.width)))?;
            keep_hits(&answer, context);
            // Under the hits: the first line of the output is a hit.
            output.warn(&answer.warnings);
            if let Some(doubt) = doubt(&answer) {
                output.note(&doubt);
            }
        }
    }
    if answer.results.is_empty() {
        let words = describe_translation(&answer).map(|words| format!(" ({words})")).unwrap_or_default();
        let filters = answer.query.as_ref().and_then(|query| query.filters.as_ref()).map(narrowing).unwrap_or_default();
        let narrowed = if filters.is_empty() { String::new() } else { format!(", narrowed to {}", filters.join(", ")) };
        let narrowed = printable(&narrowed);
        let so_far = if is_index_at_work(&answer.warnings) { " so far" } else { "" };
        output.note(&format!("nothing found{so_far} in {}{words}{narrowed}", searched_files(&answer)));
        return Ok(Exit::without_hits(&answer.warnings));
    }
    output.status_line(&format!("\n{}", summary(&answer)));
    Ok(Exit::Done)
}

/// Keeps the hits for `recall open`, if a person sees their numbers.
fn keep_hits(answer: &v1::SearchResponse, context: &CommandContext) {
    if answer.results.is_empty() || context.output.width.is_none() {
        return;
    }
    let last = LastSearch {
        project_root: project_root::resolve(context),
        first: answer.query.as_ref().map_or(0, |query| query.offset as usize) + 1,
        hits: answer.results.iter().map(Place::from_hit).collect(),
    };
    let process_env = &context.process_env;
    if let Err(error) = last.write(&process_env.dirs, process_env.started) {
        context.output.note(&format!("`recall open` will not know these hits by their numbers: {error}"));
    }
}

fn exact_request(args: SearchArgs, context: v1::RequestContext) -> v1::ExactRequest {
    let filters = filters(&args);
    v1::ExactRequest {
        context: Some(context),
        literal: args.exact.unwrap_or_default(),
        regex: args.regex.unwrap_or_default(),
        ignore_case: args.ignore_case,
        scope: scope::to_proto(args.scope.unwrap_or(Scope::All)).into(),
        filters: Some(filters),
        limit: args.k,
        offset: args.offset,
        include_memories: Some(!args.no_memories),
        include_code: Some(!args.no_code),
        projects: Vec::new(),
        everywhere: args.everywhere,
    }
}

fn filters(args: &SearchArgs) -> v1::Filters {
    v1::Filters {
        types: args.types.iter().map(|kind| kind.as_str().to_owned()).collect(),
        languages: args.languages.iter().map(ToString::to_string).collect(),
        paths: args.paths.clone(),
        tags: args.tags.clone(),
        since: args.since.clone(),
        before: args.before.clone(),
    }
}

/// How a side of the search takes part.
#[derive(Clone, Debug, PartialEq)]
enum Side {
    /// With this weight.
    Weight(f32),
    /// Alone, unless the other side is named too. A word after the option belongs to the query.
    Alone(String),
}

#[expect(clippy::unnecessary_wraps, reason = "clap's parsers of values return a result")]
fn side(text: &str) -> Result<Side, String> {
    Ok(text.parse().map_or_else(|_| Side::Alone(text.to_owned()), Side::Weight))
}

impl Side {
    fn weight(&self) -> Option<f32> {
        match self {
            Self::Weight(weight) => Some(*weight),
            Self::Alone(_) => None,
        }
    }

    fn word(&self) -> Option<&str> {
        match self {
            Self::Alone(word) if !word.is_empty() => Some(word),
            Self::Alone(_) | Self::Weight(_) => None,
        }
    }
}

/// Returns the stages that do not take part if one side searches alone. Without words, the ranker has nothing to go by but the
/// similarity, so that decides.
fn left_out(bm25: Option<&Side>, vector: Option<&Side>) -> &'static [Ablation] {
    use Ablation::{Lexical, Path, Ranker, Semantic, Symbol};
    match (bm25, vector) {
        (Some(Side::Alone(_)), None) => &[Semantic],
        (None, Some(Side::Alone(_))) => &[Lexical, Symbol, Path, Ranker],
        _ => &[],
    }
}

fn request(args: SearchArgs, context: v1::RequestContext) -> Result<v1::SearchRequest, CommandError> {
    let filters = filters(&args);
    let SearchArgs {
        query,
        exact: _,
        regex: _,
        ignore_case: _,
        k,
        offset,
        scope,
        types: _,
        languages: _,
        paths: _,
        tags: _,
        since: _,
        before: _,
        filter,
        bm25,
        vector,
        rerank,
        no_rerank,
        judge,
        no_judge,
        no_code,
        no_memories,
        explain,
        facets,
        lines: _,
        full: _,
        without,
        everywhere,
    } = args;
    let sides = [bm25.as_ref(), vector.as_ref()];
    let words = sides.iter().flatten().filter_map(|side| side.word());
    let query: Vec<String> = words.map(str::to_owned).chain(query).collect();
    let alone = left_out(bm25.as_ref(), vector.as_ref()).iter().map(|stage| stage.as_str().to_owned());
    Ok(v1::SearchRequest {
        context: Some(context),
        query: standard_input::question(&query)?,
        scope: scope.map_or(v1::Scope::Unspecified, scope::to_proto).into(),
        filters: Some(filters),
        filter: filter.unwrap_or_default(),
        limit: k,
        offset,
        weights: Some(v1::Weights {
            vector: vector.as_ref().and_then(Side::weight),
            bm25: bm25.as_ref().and_then(Side::weight),
        }),
        explain,
        rerank: if no_rerank { Some(false) } else { rerank.then_some(true) },
        judge: if no_judge { Some(false) } else { judge.then_some(true) },
        include_memories: Some(!no_memories),
        include_code: Some(!no_code),
        include_parent: false,
        facets,
        min_relative_score: None,
        without: without.into_iter().chain(alone).collect(),
        projects: Vec::new(),
        everywhere,
        preview: false,
    })
}

pub(super) async fn run_exact(request: v1::ExactRequest, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let answer = context.ask(async |client| client.exact(request.clone()).await).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            context.page(&exact::render(&answer))?;
        }
    }
    if answer.results.is_empty() {
        let request_offset = answer.query.as_ref().map_or(0, |query| query.offset);
        if request_offset > 0 && answer.total_lines > 0 {
            output.note(&format!("no more lines: {}", exact::summary(&answer)));
        } else {
            output.note(&nothing_matches(&answer));
        }
        return Ok(Exit::without_hits(&answer.warnings));
    }
    output.note(&format!("\n{}", exact::summary(&answer)));
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: SearchArgs,
    }

    fn asked(line: &str) -> v1::SearchRequest {
        let line = Line::try_parse_from(line.split(' ')).expect("well-formed");
        request(line.args, v1::RequestContext::default()).expect("no input is read")
    }

    #[test]
    fn words_make_one_query_and_the_rest_has_its_defaults() {
        let request = asked("search open the store");
        assert_eq!(request.query, "open the store");
        assert_eq!((request.limit, request.offset, request.scope()), (None, 0, v1::Scope::Unspecified));
        assert_eq!(request.filters, Some(v1::Filters::default()));
        assert_eq!((request.rerank, asked("search x --rerank").rerank), (None, Some(true)));
    }

    #[test]
    fn a_side_searches_alone_or_with_a_weight() {
        let check = |line: &str, query: &str, without: &[&str], weights: (Option<f32>, Option<f32>)| {
            let request = asked(line);
            let given = request.weights.unwrap_or_default();
            assert_eq!((request.query.as_str(), given.bm25, given.vector), (query, weights.0, weights.1), "{line}");
            assert_eq!(request.without, without, "{line}");
        };
        let meaning = &["lexical", "symbol", "path", "ranker"];
        check("search token --bm25", "token", &["semantic"], (None, None));
        check("search --bm25 token limit", "token limit", &["semantic"], (None, None));
        check("search --vector token", "token", meaning, (None, None));
        check("search token --vector", "token", meaning, (None, None));
        check("search token --bm25 --vector", "token", &[], (None, None));
        check("search token --bm25 2 --vector", "token", &[], (Some(2.0), None));
        check("search token --bm25 0.5", "token", &[], (Some(0.5), None));
    }

    #[test]
    fn an_exact_search_takes_its_text_as_it_is() {
        let parsed = |line: &[&str]| Line::try_parse_from(line).map(|line| line.args);
        let asked = |line: &[&str]| exact_request(parsed(line).expect("well-formed"), v1::RequestContext::default());
        let request = asked(&["search", "--exact", "-> &'a str", "-i", "-k", "3", "--path", "src", "--no-memories"]);
        let expected = v1::ExactRequest {
            context: Some(v1::RequestContext::default()),
            literal: "-> &'a str".to_owned(),
            ignore_case: true,
            scope: v1::Scope::All.into(),
            filters: Some(v1::Filters { paths: vec!["src".to_owned()], ..v1::Filters::default() }),
            limit: Some(3),
            include_memories: Some(false),
            include_code: Some(true),
            ..v1::ExactRequest::default()
        };
        assert_eq!(request, expected);
        assert_eq!(asked(&["search", "--regex", r"^fn \w+"]).regex, r"^fn \w+");
        for bad in [
            &["search"][..],
            &["search", "words", "--exact", "x"],
            &["search", "--exact", "x", "--regex", "y"],
            &["search", "words", "-i"],
            &["search", "--exact", "x", "--explain"],
        ] {
            assert!(parsed(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn every_flag_reaches_the_request() {
        let request = asked(
            "search x --k 3 --offset 6 --scope project --type adr,runbook --lang Rust --path src --path docs/** \
             --tag a,b --bm25 2 --vector 0 --no-rerank --no-code --no-memories --explain --facets \
             --without path --without collapse",
        );
        assert_eq!(asked("search x --filter doc.size>1").filter, "doc.size>1");
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let expected = v1::SearchRequest {
            context: Some(v1::RequestContext::default()),
            query: "x".to_owned(),
            scope: v1::Scope::Project.into(),
            filters: Some(v1::Filters {
                types: texts(&["adr", "playbook"]),
                languages: texts(&["rust"]),
                paths: texts(&["src", "docs/**"]),
                tags: texts(&["a", "b"]),
                ..v1::Filters::default()
            }),
            limit: Some(3),
            offset: 6,
            weights: Some(v1::Weights { vector: Some(0.0), bm25: Some(2.0) }),
            explain: true,
            facets: true,
            rerank: Some(false),
            include_memories: Some(false),
            include_code: Some(false),
            without: texts(&["path", "collapse"]),
            ..v1::SearchRequest::default()
        };
        assert_eq!(request, expected);
    }
}
