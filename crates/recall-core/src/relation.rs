//! Relations between the documents and symbols of a store, as graph queries name them.

use crate::EdgeKind;

/// A relation that a graph query follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// The documents that a document imports.
    Imports,
    /// The documents that import it.
    ImportedBy,
    /// The documents that a document links to or declares a relation with, in both directions.
    RelatesTo,
    /// The documents that a document supersedes, and those that supersede it.
    Supersedes,
    /// The definitions that something uses by name, and the uses of a definition.
    References,
    /// The symbols that a document defines, and the documents that define a symbol.
    Defines,
}

impl Relation {
    /// All relations, in the order in which neighbours are returned.
    pub const ALL: [Self; 6] =
        [Self::Imports, Self::ImportedBy, Self::RelatesTo, Self::Supersedes, Self::References, Self::Defines];

    /// The relation's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Imports => "imports",
            Self::ImportedBy => "imported_by",
            Self::RelatesTo => "relates_to",
            Self::Supersedes => "supersedes",
            Self::References => "references",
            Self::Defines => "defines",
        }
    }

    /// Returns the relation with that name; `None` for an unknown one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|relation| relation.as_str() == name)
    }

    /// Returns the kind of the edges to follow.
    pub fn edge_kind(self) -> EdgeKind {
        match self {
            Self::Imports | Self::ImportedBy => EdgeKind::Imports,
            Self::RelatesTo => EdgeKind::RelatesTo,
            Self::Supersedes => EdgeKind::Supersedes,
            Self::References => EdgeKind::References,
            Self::Defines => EdgeKind::Defines,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_relation_is_found_by_its_name() {
        for relation in Relation::ALL {
            assert_eq!(Relation::from_name(relation.as_str()), Some(relation));
        }
        assert_eq!(Relation::from_name("uses"), None);
    }
}
