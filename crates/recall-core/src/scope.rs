//! Scopes: which stores a request reads.

use std::fmt;
use std::str::FromStr;

/// The stores that a request reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The store of the client's project.
    Project,
    /// The user's global store.
    Global,
    /// The stores of the domains that the project lists.
    Domain,
    /// All stores, with fused results.
    #[default]
    All,
}

impl Scope {
    /// The scope's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
            Self::Domain => "domain",
            Self::All => "all",
        }
    }

    /// Whether a request of this scope reads a store of that scope.
    pub fn sees(self, store: StoreScope) -> bool {
        match self {
            Self::All => true,
            Self::Project => store == StoreScope::Project,
            Self::Global => store == StoreScope::Global,
            Self::Domain => store == StoreScope::Domain,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        [Self::Project, Self::Global, Self::Domain, Self::All]
            .into_iter()
            .find(|scope| scope.as_str() == text)
            .ok_or_else(|| UnknownScope { text: text.to_owned() })
    }
}

/// The text does not name a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope `{text}`: the scopes are project, global, domain, all")]
pub struct UnknownScope {
    /// The name as it was given.
    pub text: String,
}

/// What a store belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StoreScope {
    /// One project, or a repository that is nested in one.
    Project,
    /// The user, across projects.
    Global,
    /// A domain: a named store that several projects share.
    Domain,
}

impl StoreScope {
    /// The scope's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
            Self::Domain => "domain",
        }
    }
}

impl FromStr for StoreScope {
    type Err = UnknownStoreScope;

    fn from_str(text: &str) -> Result<Self, UnknownStoreScope> {
        [Self::Project, Self::Global, Self::Domain]
            .into_iter()
            .find(|scope| scope.as_str() == text)
            .ok_or_else(|| UnknownStoreScope { text: text.to_owned() })
    }
}

/// The text does not name the scope of a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown store scope `{text}`: the scopes are project, global, domain")]
pub struct UnknownStoreScope {
    /// The name as it was given.
    pub text: String,
}

impl fmt::Display for StoreScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
