//! How are two things of a store related, as questions about the graph name it?

use crate::EdgeKind;

/// A relation that a question about the graph follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// What a document imports.
    Imports,
    /// Which documents import it.
    ImportedBy,
    /// What a document links to or declares a relation with, and what does so with it.
    RelatesTo,
    /// What a document replaces, and what replaces it.
    Supersedes,
    /// Which definitions something uses by name, and what uses a definition.
    References,
    /// What a document defines, and where a symbol is defined.
    Defines,
}

impl Relation {
    /// Every relation, in the order in which neighbours are told.
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

    /// The relation of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|relation| relation.as_str() == name)
    }

    /// The kind of the edges that are followed.
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
