//! The names of kinds of content in a context window.

use crate::v1::ContextType;

/// What the names of the protocol begin with.
const PREFIX: &str = "CONTEXT_TYPE_";

/// All kinds, in the order of the protocol.
pub const ALL: [ContextType; 8] = [
    ContextType::RelatedCode,
    ContextType::Documentation,
    ContextType::Adrs,
    ContextType::Decisions,
    ContextType::RecentChanges,
    ContextType::Ownership,
    ContextType::Signatures,
    ContextType::Tests,
];

/// Returns the name of a kind, as interfaces write it: `related_code`.
pub fn name(kind: ContextType) -> String {
    kind.as_str_name().trim_start_matches(PREFIX).to_lowercase()
}

/// Returns the kind with that name.
pub fn from_name(text: &str) -> Option<ContextType> {
    ALL.into_iter().find(|kind| name(*kind) == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_name_but_the_unspecified_one() {
        assert_eq!(from_name("related_code"), Some(ContextType::RelatedCode));
        assert_eq!(from_name("unspecified"), None);
        for kind in ALL {
            assert_eq!(from_name(&name(kind)), Some(kind));
        }
        assert!(ContextType::try_from(ALL.len() as i32 + 1).is_err(), "each kind is in the list");
    }
}
