//! Candidates with the features of the learned rankers.

use recall_core::{Limits, Scope, SearchRequest};
use recall_text::DocPath;

use super::{filters, limits, scope};
use crate::{InvalidRequest, v1};

/// A validated request for candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The caller's context.
    pub context: v1::RequestContext,
    /// The search. Its page does not matter: all candidates are returned.
    pub request: SearchRequest,
    /// Whether to return the built-in rankers too.
    pub rankers: bool,
}

/// A document with its features for the ranker of its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentFeatures {
    /// The path of the document.
    pub path: DocPath,
    /// The first and last line of its representative chunk.
    pub lines: (u32, u32),
    /// The kind's name.
    pub kind: String,
    /// One value per feature; NaN if it is missing.
    pub features: Vec<f32>,
}

/// Reads and validates a request for candidates.
///
/// # Errors
/// The query is blank or too long, or a filter or the scope is invalid.
pub fn from_proto(message: v1::CandidatesRequest, bounds: &Limits) -> Result<Call, InvalidRequest> {
    let v1::CandidatesRequest { context, query, scope, filters, rankers } = message;
    limits::filter_text("query", &query, bounds)?;
    let scope = scope::from_proto(scope, Scope::All)?;
    let request =
        SearchRequest { filters: filters::from_proto(filters)?, ..SearchRequest::new(query, scope, bounds.hits) };
    Ok(Call { context: context.unwrap_or_default(), request, rankers })
}

/// Writes a request for candidates. The page, weights and stages of the search are ignored.
pub fn to_proto(request: &SearchRequest, context: v1::RequestContext) -> v1::CandidatesRequest {
    let SearchRequest { query, scope, filters, .. } = request;
    v1::CandidatesRequest {
        context: Some(context),
        query: query.clone(),
        scope: scope::to_proto(*scope).into(),
        filters: Some(filters::to_proto(filters)),
        rankers: false,
    }
}

/// Writes a document. Its features stay in the order in which they are.
pub fn document_to_proto(seen: DocumentFeatures) -> v1::RankedDocument {
    let DocumentFeatures { path, lines: (start_line, end_line), kind, features } = seen;
    v1::RankedDocument { path: path.as_str().to_owned(), start_line, end_line, kind, features }
}

/// Reads a document; `None` if its path is invalid, or if the number of its features is not `names`.
pub fn document_from_proto(message: v1::RankedDocument, names: usize) -> Option<DocumentFeatures> {
    let v1::RankedDocument { path, start_line, end_line, kind, features } = message;
    let path = DocPath::new(&path).ok()?;
    (features.len() == names).then_some(DocumentFeatures { path, lines: (start_line, end_line), kind, features })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use recall_core::{DocumentType, Filters};

    use super::*;
    use crate::Reason;

    fn plain(query: &str) -> v1::CandidatesRequest {
        v1::CandidatesRequest { query: query.to_owned(), ..v1::CandidatesRequest::default() }
    }

    #[test]
    fn invalid_requests_are_refused_with_field_and_reason() {
        let check = |message, field, reason| {
            let error = from_proto(message, &Limits::default()).expect_err(field);
            assert_eq!((error.field, error.reason()), (field, reason));
        };
        check(plain(" \n"), "query", Reason::InvalidArgument);
        check(plain(&"x".repeat(1 << 20)), "query", Reason::LimitExceeded);
        check(v1::CandidatesRequest { scope: 77, ..plain("x") }, "scope", Reason::InvalidScope);
        let filters = v1::Filters { types: vec!["novel".to_owned()], ..v1::Filters::default() };
        check(v1::CandidatesRequest { filters: Some(filters), ..plain("x") }, "types", Reason::InvalidArgument);
    }

    #[test]
    fn an_invalid_document_is_not_read() {
        let good = v1::RankedDocument { path: "a.rs".to_owned(), features: vec![1.0], ..v1::RankedDocument::default() };
        assert!(document_from_proto(good.clone(), 1).is_some());
        assert_eq!(document_from_proto(good.clone(), 2), None);
        assert_eq!(document_from_proto(v1::RankedDocument { path: "../a.rs".to_owned(), ..good }, 1), None);
    }

    proptest! {
        #[test]
        fn a_question_crosses_unchanged(
            query in "[a-z:\"]\\PC{0,40}",
            scope in proptest::sample::select(vec![Scope::Project, Scope::Global, Scope::Domain, Scope::All]),
            types in proptest::collection::vec(proptest::sample::select(DocumentType::ALL.to_vec()), 0..3),
            rankers in any::<bool>(),
        ) {
            let filters = Filters { types, ..Filters::default() };
            let request = SearchRequest { filters, ..SearchRequest::new(query, scope, Limits::default().hits) };
            let context = v1::RequestContext { session_id: "s".to_owned(), ..v1::RequestContext::default() };
            let message = v1::CandidatesRequest { rankers, ..to_proto(&request, context.clone()) };
            let call = from_proto(message, &Limits::default());
            prop_assert_eq!(call, Ok(Call { context, request, rankers }));
        }

        #[test]
        fn a_document_crosses_unchanged(
            path in "[a-z]{1,8}(/[a-z]{1,8}){0,3}",
            lines in any::<(u32, u32)>(),
            kind in proptest::sample::select(vec!["code", "prose"]),
            features in proptest::collection::vec(any::<f32>(), 0..9),
        ) {
            let path = DocPath::new(&path).expect("plain");
            let seen = DocumentFeatures { path, lines, kind: kind.to_owned(), features };
            let read = document_from_proto(document_to_proto(seen.clone()), seen.features.len()).expect("a document");
            let bits = |seen: &DocumentFeatures| seen.features.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&read), bits(&seen));
            prop_assert_eq!((read.path, read.lines, read.kind), (seen.path, seen.lines, seen.kind));
        }
    }
}
