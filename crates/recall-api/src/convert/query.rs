//! Queries in RQL.

use recall_core::{Explain, Scope};

use super::scope;
use crate::{InvalidRequest, Problem, v1};

/// A validated request of a query. Its text is not parsed yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
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
pub fn from_proto(message: v1::QueryRequest) -> Result<Call, InvalidRequest> {
    let v1::QueryRequest { context, rql, scope, explain } = message;
    if rql.trim().is_empty() {
        return Err(InvalidRequest::new("rql", Problem::Empty));
    }
    Ok(Call {
        context: context.unwrap_or_default(),
        rql,
        scope: scope::from_proto(scope, Scope::All)?,
        explain: if explain { Explain::On } else { Explain::Off },
    })
}

/// Writes a query.
pub fn to_proto(call: Call) -> v1::QueryRequest {
    let Call { context, rql, scope, explain } = call;
    v1::QueryRequest {
        context: Some(context),
        rql,
        scope: scope::to_proto(scope).into(),
        explain: explain == Explain::On,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_survives_the_round_trip() {
        for (scope, explain) in [(Scope::All, Explain::Off), (Scope::Project, Explain::On)] {
            let call = Call { context: v1::RequestContext::default(), rql: "SELECT".to_owned(), scope, explain };
            assert_eq!(from_proto(to_proto(call.clone())), Ok(call));
        }
    }

    #[test]
    fn a_blank_text_and_an_unknown_scope_are_refused() {
        let field = |message| from_proto(message).map_err(|error| error.field);
        assert_eq!(field(v1::QueryRequest { rql: " \n".to_owned(), ..v1::QueryRequest::default() }), Err("rql"));
        let message = v1::QueryRequest { rql: "x".to_owned(), scope: 77, ..v1::QueryRequest::default() };
        assert_eq!(field(message), Err("scope"));
    }
}
