//! Searches.

use std::path::PathBuf;

use recall_core::{
    Ablation, DocumentType, Explain, Facets, JudgeUse, Limits, OtherProjects, Recording, Scope, SearchRequest,
};
use recall_text::{Condensed, condense};

use super::{filters, limits, scope};
use crate::{InvalidRequest, Problem, v1};

/// A validated search, with the options that the domain's request does not have.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The caller's context.
    pub context: v1::RequestContext,
    /// The search. `include_memories` and `include_code` are merged into its filters, `rerank` into its disabled
    /// stages.
    pub request: SearchRequest,
    /// The filter in RQL's expression language.
    pub filter: Option<String>,
    /// What is searched for of a query that was too long; `None` if the query is searched for as it is.
    pub condensed: Option<Condensed>,
    /// Whether each hit includes its whole document.
    pub include_parent: bool,
    /// The minimum score of a hit relative to the best one, from 0 to 1.
    pub min_relative_score: Option<f64>,
}

/// Reads and validates a search.
///
/// # Errors
/// The query is blank or too long, the limit is 0 or too large, a filter, the scope, a weight or a stage is invalid, or
/// the filters exclude every document type.
pub fn from_proto(message: v1::SearchRequest, bounds: &Limits) -> Result<Call, InvalidRequest> {
    let v1::SearchRequest {
        context,
        query,
        scope,
        filters,
        filter,
        limit,
        offset,
        weights,
        explain,
        rerank,
        include_memories,
        include_code,
        include_parent,
        facets,
        min_relative_score,
        without,
        projects,
        everywhere,
        preview,
        judge,
    } = message;
    limits::query_text("query", &query, bounds)?;
    if filter.len() > bounds.searched_bytes {
        limits::filter_text("filter", &filter, bounds)?;
    }
    let condensed = (query.len() > bounds.searched_bytes).then(|| condense(&query, bounds.searched_bytes));
    let query = condensed.as_ref().map_or(query, |condensed| condensed.text.clone());
    let mut filters = filters::from_proto(filters)?;
    filters.types = narrow(filters.types, include_memories.unwrap_or(true), include_code.unwrap_or(true))?;
    let request = SearchRequest {
        query,
        scope: scope::from_proto(scope, Scope::All)?,
        filters,
        limit: limits::hits(limit, bounds)?,
        offset,
        weights: filters::weights_from_proto(weights)?,
        explain: if explain { Explain::On } else { Explain::Off },
        facets: if facets { Facets::On } else { Facets::Off },
        without: left_out(without, rerank.unwrap_or(true), judge.unwrap_or(true))?,
        judge: if judge == Some(true) { JudgeUse::Always } else { JudgeUse::WhenHard },
        others: other_projects(projects, everywhere)?,
        recording: if preview { Recording::Off } else { Recording::On },
    };
    Ok(Call {
        context: context.unwrap_or_default(),
        request,
        filter: Some(filter).filter(|text| !text.trim().is_empty()),
        condensed,
        include_parent,
        min_relative_score: part(min_relative_score)?,
    })
}

/// Writes a search without any of the additional options.
pub fn to_proto(request: &SearchRequest, context: v1::RequestContext) -> v1::SearchRequest {
    let SearchRequest {
        query,
        scope,
        filters,
        limit,
        offset,
        weights,
        explain,
        facets,
        without,
        judge,
        others,
        recording,
    } = request;
    v1::SearchRequest {
        context: Some(context),
        query: query.clone(),
        scope: scope::to_proto(*scope).into(),
        filters: Some(filters::to_proto(filters)),
        filter: String::new(),
        limit: Some(*limit),
        offset: *offset,
        weights: Some(filters::weights_to_proto(weights)),
        explain: *explain == Explain::On,
        rerank: None,
        include_memories: None,
        include_code: None,
        include_parent: false,
        facets: *facets == Facets::On,
        min_relative_score: None,
        without: without.iter().map(|stage| stage.as_str().to_owned()).collect(),
        projects: match others {
            OtherProjects::Named(roots) => roots.iter().map(|root| root.to_string_lossy().into_owned()).collect(),
            OtherProjects::None | OtherProjects::Every => Vec::new(),
        },
        everywhere: *others == OtherProjects::Every,
        preview: *recording == Recording::Off,
        judge: (*judge == JudgeUse::Always).then_some(true),
    }
}

pub(super) fn other_projects(projects: Vec<String>, everywhere: bool) -> Result<OtherProjects, InvalidRequest> {
    if everywhere {
        return Ok(OtherProjects::Every);
    }
    if projects.iter().any(String::is_empty) {
        return Err(InvalidRequest::new("projects", Problem::Empty));
    }
    let roots: Vec<PathBuf> = projects.into_iter().map(PathBuf::from).collect();
    Ok(if roots.is_empty() { OtherProjects::None } else { OtherProjects::Named(roots) })
}

/// Reads the disabled stages, with the cross-encoders if `rerank` is false, and with the language model if `judge` is.
fn left_out(without: Vec<String>, rerank: bool, judge: bool) -> Result<Vec<Ablation>, InvalidRequest> {
    let mut without = without.into_iter().map(ablation).collect::<Result<Vec<_>, _>>()?;
    let stages = [(rerank, Ablation::Prerank), (rerank, Ablation::Rerank), (judge, Ablation::Judge)];
    for (is_used, stage) in stages {
        if !is_used && !without.contains(&stage) {
            without.push(stage);
        }
    }
    Ok(without)
}

fn ablation(name: String) -> Result<Ablation, InvalidRequest> {
    const KNOWN: &str =
        "lexical, symbol, path, semantic, file_kind, structure, ranker, prerank, rerank, judge, collapse";
    Ablation::from_name(&name)
        .ok_or_else(|| InvalidRequest::new("without", Problem::Unknown { value: name, known: KNOWN }))
}

/// Removes memories or code from the requested types.
pub(super) fn narrow(
    asked: Vec<DocumentType>,
    memories: bool,
    code: bool,
) -> Result<Vec<DocumentType>, InvalidRequest> {
    if memories && code {
        return Ok(asked);
    }
    // Transcripts are read only if they are asked for.
    let indexed = DocumentType::ALL.into_iter().filter(|kind| *kind != DocumentType::Transcript);
    let pool = if asked.is_empty() { indexed.collect() } else { asked };
    let left: Vec<_> = pool
        .into_iter()
        .filter(|kind| (memories || !kind.is_memory()) && (code || *kind != DocumentType::Code))
        .collect();
    if left.is_empty() {
        let other = if code { "include_memories" } else { "include_code" };
        return Err(InvalidRequest::new("types", Problem::Contradiction { other }));
    }
    Ok(left)
}

fn part(value: Option<f64>) -> Result<Option<f64>, InvalidRequest> {
    match value {
        Some(part) if !(0.0..=1.0).contains(&part) => Err(InvalidRequest::new(
            "min_relative_score",
            Problem::Malformed { value: part.to_string(), expected: "a number from 0 to 1" },
        )),
        _ => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use recall_core::{Filters, PathFilter, Weights};
    use recall_text::Language;

    use super::*;
    use crate::Reason;

    fn request() -> impl Strategy<Value = SearchRequest> {
        let words = || proptest::collection::vec("[a-z][a-z0-9/*.]{0,8}", 0..3);
        let weight = || proptest::option::of(0.0f32..10.0);
        let filters = (
            proptest::collection::vec(proptest::sample::select(DocumentType::ALL.to_vec()), 0..3),
            words(),
            words(),
            words(),
        )
            .prop_map(|(types, languages, paths, tags)| Filters {
                types,
                languages: languages.into_iter().map(Language::from).collect(),
                paths: paths.into_iter().map(PathFilter).collect(),
                since: tags.first().cloned(),
                tags,
                before: None,
                mount: None,
            });
        (
            "[a-z:\"]\\PC{0,40}",
            proptest::sample::select(vec![Scope::Project, Scope::Global, Scope::Domain, Scope::All]),
            filters,
            1..=50u32,
            any::<u32>(),
            (weight(), weight()).prop_map(|(vector, bm25)| Weights { vector, bm25 }),
            (
                proptest::sample::select(vec![Explain::Off, Explain::On]),
                proptest::sample::select(vec![Facets::Off, Facets::On]),
                proptest::sample::select(vec![
                    OtherProjects::None,
                    OtherProjects::Named(vec!["/a b".into(), "/c".into()]),
                    OtherProjects::Every,
                ]),
                proptest::sample::select(vec![Recording::Off, Recording::On]),
                proptest::sample::select(vec![JudgeUse::WhenHard, JudgeUse::Always]),
            ),
            proptest::sample::subsequence(Ablation::ALL.to_vec(), 0..=Ablation::ALL.len()),
        )
            .prop_map(
                |(
                    query,
                    scope,
                    filters,
                    limit,
                    offset,
                    weights,
                    (explain, facets, others, recording, judge),
                    without,
                )| {
                    SearchRequest {
                        query,
                        scope,
                        filters,
                        limit,
                        offset,
                        weights,
                        explain,
                        facets,
                        without,
                        judge,
                        others,
                        recording,
                    }
                },
            )
    }

    proptest! {
        #[test]
        fn a_search_crosses_unchanged(request in request()) {
            let context = v1::RequestContext { session_id: "s".to_owned(), ..v1::RequestContext::default() };
            let call = from_proto(to_proto(&request, context.clone()), &Limits::default());
            prop_assert_eq!(call.as_ref().map(|call| &call.request), Ok(&request));
            prop_assert_eq!(call.map(|call| call.context), Ok(context));
        }
    }

    fn plain(query: &str) -> v1::SearchRequest {
        v1::SearchRequest { query: query.to_owned(), ..v1::SearchRequest::default() }
    }

    fn read(message: v1::SearchRequest) -> Result<Call, InvalidRequest> {
        from_proto(message, &Limits::default())
    }

    #[test]
    fn omitted_fields_have_their_defaults() {
        let call = read(plain("open store")).expect("a query is enough");
        assert_eq!((call.request.scope, call.request.limit, call.request.offset), (Scope::All, 10, 0));
        assert!(call.request.without.is_empty() && !call.include_parent && call.request.facets == Facets::Off);
        assert!(call.request.filters.is_empty() && call.filter.is_none());
    }

    #[test]
    fn invalid_requests_are_refused_with_field_and_reason() {
        let check = |message, field, reason| {
            let error = read(message).expect_err(field);
            assert_eq!((error.field, error.reason()), (field, reason));
        };
        check(plain(""), "query", Reason::InvalidArgument);
        check(plain(" \t\n"), "query", Reason::InvalidArgument);
        check(plain(&"x".repeat((1 << 20) + 1)), "query", Reason::LimitExceeded);
        check(v1::SearchRequest { limit: Some(0), ..plain("x") }, "limit", Reason::InvalidArgument);
        check(v1::SearchRequest { limit: Some(10_000), ..plain("x") }, "limit", Reason::LimitExceeded);
        check(v1::SearchRequest { scope: 77, ..plain("x") }, "scope", Reason::InvalidScope);
        check(
            v1::SearchRequest { min_relative_score: Some(1.5), ..plain("x") },
            "min_relative_score",
            Reason::InvalidArgument,
        );
        let without = vec!["lexical".to_owned(), "everything".to_owned()];
        check(v1::SearchRequest { without, ..plain("x") }, "without", Reason::InvalidArgument);
        check(v1::SearchRequest { filter: "y".repeat(70_000), ..plain("x") }, "filter", Reason::LimitExceeded);
    }

    #[test]
    fn unwanted_cross_encoders_are_disabled_stages() {
        let without = |rerank, without: &[&str]| {
            let without = without.iter().map(|stage| (*stage).to_owned()).collect();
            read(v1::SearchRequest { rerank, without, ..plain("x") }).map(|call| call.request.without)
        };
        assert_eq!(without(Some(true), &[]), Ok(vec![]));
        assert_eq!(without(Some(false), &[]), Ok(vec![Ablation::Prerank, Ablation::Rerank]));
        assert_eq!(
            without(Some(false), &["path", "rerank"]),
            Ok(vec![Ablation::Path, Ablation::Rerank, Ablation::Prerank])
        );
    }

    #[test]
    fn memories_and_code_can_be_excluded() {
        let types = |message| read(message).map(|call| call.request.filters.types).map_err(|error| error.field);
        let no_code = types(v1::SearchRequest { include_code: Some(false), ..plain("x") }).expect("others are left");
        assert!(!no_code.contains(&DocumentType::Code) && no_code.contains(&DocumentType::Lesson));
        let no_memories =
            types(v1::SearchRequest { include_memories: Some(false), ..plain("x") }).expect("others are left");
        assert!(no_memories.contains(&DocumentType::Code) && !no_memories.contains(&DocumentType::Lesson));
        let filters = v1::Filters { types: vec!["code".to_owned()], ..v1::Filters::default() };
        let nothing = v1::SearchRequest { include_code: Some(false), filters: Some(filters), ..plain("x") };
        assert_eq!(types(nothing), Err("types"));
    }
}
