//! The displayed ownership of a memory.

use crate::v1::{self, Ownership, VerificationState};

/// Returns the ownership of a memory as every interface shows it; `None` if the daemon does not state it.
pub fn ownership_label(memory: &v1::Memory) -> Option<&'static str> {
    let state = memory.verification.as_ref().map(v1::Verification::state);
    match (memory.ownership(), state) {
        (Ownership::Own, Some(VerificationState::Verified)) => Some("own, verified"),
        (Ownership::Own, _) => Some("own"),
        (Ownership::Confirmed, _) => Some("confirmed by you"),
        (Ownership::Repository, _) => Some("from repository, unconfirmed"),
        (Ownership::Unspecified, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_from_the_repository_is_never_shown_as_verified() {
        let memory = |ownership: Ownership| v1::Memory {
            ownership: ownership.into(),
            verification: Some(v1::Verification {
                state: VerificationState::Verified.into(),
                ..v1::Verification::default()
            }),
            ..v1::Memory::default()
        };
        for (ownership, expected) in [
            (Ownership::Own, Some("own, verified")),
            (Ownership::Confirmed, Some("confirmed by you")),
            (Ownership::Repository, Some("from repository, unconfirmed")),
            (Ownership::Unspecified, None),
        ] {
            assert_eq!(ownership_label(&memory(ownership)), expected);
        }
    }
}
