//! Scopes.

use recall_core::{Scope, StoreScope};

use crate::{InvalidRequest, Problem, v1};

/// Reads the scope of a request; `default` if it is not given.
///
/// # Errors
/// The number is unknown.
pub fn from_proto(scope: i32, default: Scope) -> Result<Scope, InvalidRequest> {
    match v1::Scope::try_from(scope) {
        Ok(v1::Scope::Unspecified) => Ok(default),
        Ok(v1::Scope::Project) => Ok(Scope::Project),
        Ok(v1::Scope::Global) => Ok(Scope::Global),
        Ok(v1::Scope::Domain) => Ok(Scope::Domain),
        Ok(v1::Scope::All) => Ok(Scope::All),
        Err(_) => Err(InvalidRequest::new(
            "scope",
            Problem::Unknown { value: scope.to_string(), known: "project, global, domain, all" },
        )),
    }
}

/// Writes the scope of a request.
pub fn to_proto(scope: Scope) -> v1::Scope {
    match scope {
        Scope::Project => v1::Scope::Project,
        Scope::Global => v1::Scope::Global,
        Scope::Domain => v1::Scope::Domain,
        Scope::All => v1::Scope::All,
    }
}

/// Reads the scope of a store; `None` if it is not given or unknown.
pub fn store_from_proto(scope: i32) -> Option<StoreScope> {
    match v1::StoreScope::try_from(scope) {
        Ok(v1::StoreScope::Project) => Some(StoreScope::Project),
        Ok(v1::StoreScope::Global) => Some(StoreScope::Global),
        Ok(v1::StoreScope::Domain) => Some(StoreScope::Domain),
        Ok(v1::StoreScope::Unspecified) | Err(_) => None,
    }
}

/// Writes the scope of a store.
pub fn store_to_proto(scope: StoreScope) -> v1::StoreScope {
    match scope {
        StoreScope::Project => v1::StoreScope::Project,
        StoreScope::Global => v1::StoreScope::Global,
        StoreScope::Domain => v1::StoreScope::Domain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;

    #[test]
    fn scopes_survive_the_conversion() {
        for scope in [Scope::Project, Scope::Global, Scope::Domain, Scope::All] {
            assert_eq!(from_proto(to_proto(scope) as i32, Scope::Project), Ok(scope));
        }
        for scope in [StoreScope::Project, StoreScope::Global, StoreScope::Domain] {
            assert_eq!(store_from_proto(store_to_proto(scope) as i32), Some(scope));
        }
    }

    #[test]
    fn a_missing_scope_is_the_default_and_an_unknown_one_is_refused() {
        assert_eq!(from_proto(0, Scope::Project), Ok(Scope::Project));
        assert_eq!(from_proto(99, Scope::All).map_err(|error| error.reason()), Err(Reason::InvalidScope));
        assert_eq!(store_from_proto(0), None);
    }
}
