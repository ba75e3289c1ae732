//! Exact searches, and queries in RQL.

use recall_core::{Case, ExactRequest, Explain, Needle, OtherProjects, Scope};

use super::{check_indexed, filters, limits, scope, search};
use crate::{InvalidRequest, Problem, v1};

/// A validated exact search.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The caller's context.
    pub context: v1::RequestContext,
    /// The search. `include_memories` and `include_code` are merged into its filters. Its pattern is not compiled yet.
    pub request: ExactRequest,
}

/// Reads and validates an exact search.
///
/// # Errors
/// Not exactly one of `literal` and `regex` is set, the limit is 0 or too large, a filter or the scope is invalid, or the filters
/// exclude every document type.
pub fn from_proto(message: v1::ExactRequest) -> Result<Call, InvalidRequest> {
    let v1::ExactRequest {
        context,
        literal,
        regex,
        ignore_case,
        scope,
        filters,
        limit,
        offset,
        include_memories,
        include_code,
        projects,
        everywhere,
    } = message;
    let needle = match (literal.is_empty(), regex.is_empty()) {
        (false, true) => Needle::Literal(literal),
        (true, false) => Needle::Regex(regex),
        (true, true) => return Err(InvalidRequest::new("literal", Problem::Empty)),
        (false, false) => return Err(InvalidRequest::new("literal", Problem::Contradiction { other: "regex" })),
    };
    let mut filters = filters::from_proto(filters)?;
    check_indexed("types", &filters.types)?;
    filters.types = search::narrow(filters.types, include_memories.unwrap_or(true), include_code.unwrap_or(true))?;
    Ok(Call {
        context: context.unwrap_or_default(),
        request: ExactRequest {
            needle,
            case: if ignore_case { Case::Insensitive } else { Case::Sensitive },
            scope: scope::from_proto(scope, Scope::All)?,
            filters,
            limit: limits::exact_lines(limit)?,
            offset,
            others: search::other_projects(projects, everywhere)?,
        },
    })
}

/// Writes an exact search.
pub fn to_proto(call: Call) -> v1::ExactRequest {
    let Call { context, request: ExactRequest { needle, case, scope, filters, limit, offset, others } } = call;
    let (literal, regex) = match needle {
        Needle::Literal(text) => (text, String::new()),
        Needle::Regex(expression) => (String::new(), expression),
    };
    v1::ExactRequest {
        context: Some(context),
        literal,
        regex,
        ignore_case: case == Case::Insensitive,
        scope: scope::to_proto(scope).into(),
        filters: Some(filters::to_proto(&filters)),
        limit: Some(limit),
        offset,
        include_memories: None,
        include_code: None,
        everywhere: others == OtherProjects::Every,
        projects: match others {
            OtherProjects::Named(roots) => roots.iter().map(|root| root.to_string_lossy().into_owned()).collect(),
            OtherProjects::None | OtherProjects::Every => Vec::new(),
        },
    }
}

/// A validated request of a query. Its text is not parsed yet.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryCall {
    /// The caller's context.
    pub context: v1::RequestContext,
    /// The text, not blank.
    pub rql: String,
    /// The stores to read.
    pub scope: Scope,
    /// Whether to return the plan.
    pub explain: Explain,
}

/// Reads and validates a query.
///
/// # Errors
/// The text is blank, or the scope is unknown.
pub fn query_from_proto(message: v1::QueryRequest) -> Result<QueryCall, InvalidRequest> {
    let v1::QueryRequest { context, rql, scope, explain } = message;
    if rql.trim().is_empty() {
        return Err(InvalidRequest::new("rql", Problem::Empty));
    }
    Ok(QueryCall {
        context: context.unwrap_or_default(),
        rql,
        scope: scope::from_proto(scope, Scope::All)?,
        explain: if explain { Explain::On } else { Explain::Off },
    })
}

/// Writes a query.
pub fn query_to_proto(call: QueryCall) -> v1::QueryRequest {
    let QueryCall { context, rql, scope, explain } = call;
    v1::QueryRequest {
        context: Some(context),
        rql,
        scope: scope::to_proto(scope).into(),
        explain: explain == Explain::On,
    }
}

#[cfg(test)]
mod tests {
    use recall_core::{DocumentType, Filters, PathFilter};

    use super::*;

    fn request(needle: Needle) -> ExactRequest {
        ExactRequest {
            needle,
            case: Case::Insensitive,
            scope: Scope::Project,
            filters: Filters {
                types: vec![DocumentType::Code],
                paths: vec![PathFilter("src".to_owned())],
                ..Filters::default()
            },
            limit: 7,
            offset: 14,
            others: OtherProjects::Named(vec!["/a b".into()]),
        }
    }

    #[test]
    fn an_exact_search_survives_the_round_trip() {
        for needle in [Needle::Literal(" <=> ".to_owned()), Needle::Regex(r"^fn \w+".to_owned())] {
            let call = Call { context: v1::RequestContext::default(), request: request(needle) };
            assert_eq!(from_proto(to_proto(call.clone())), Ok(call));
        }
    }

    #[test]
    fn invalid_requests_are_refused_with_their_field() {
        let plain = || v1::ExactRequest { literal: "x".to_owned(), ..v1::ExactRequest::default() };
        let field = |message| from_proto(message).map(|call| call.request.limit).map_err(|error| error.field);
        assert_eq!(field(plain()), Ok(50));
        assert_eq!(field(v1::ExactRequest::default()), Err("literal"));
        assert_eq!(field(v1::ExactRequest { regex: "y".to_owned(), ..plain() }), Err("literal"));
        assert_eq!(field(v1::ExactRequest { limit: Some(0), ..plain() }), Err("limit"));
        assert_eq!(field(v1::ExactRequest { limit: Some(1_001), ..plain() }), Err("limit"));
        assert_eq!(field(v1::ExactRequest { scope: 77, ..plain() }), Err("scope"));
    }

    #[test]
    fn a_query_survives_the_round_trip() {
        for (scope, explain) in [(Scope::All, Explain::Off), (Scope::Project, Explain::On)] {
            let call = QueryCall { context: v1::RequestContext::default(), rql: "SELECT".to_owned(), scope, explain };
            assert_eq!(query_from_proto(query_to_proto(call.clone())), Ok(call));
        }
    }

    #[test]
    fn a_blank_text_and_an_unknown_scope_are_refused() {
        let field = |message| query_from_proto(message).map_err(|error| error.field);
        assert_eq!(field(v1::QueryRequest { rql: " \n".to_owned(), ..v1::QueryRequest::default() }), Err("rql"));
        let message = v1::QueryRequest { rql: "x".to_owned(), scope: 77, ..v1::QueryRequest::default() };
        assert_eq!(field(message), Err("scope"));
    }
}
