//! Whose word a memory is, in the few words that every interface shows.

use crate::v1::{self, Ownership, VerificationState};

/// Says whose word a memory is; `None` if the daemon does not say.
pub fn standing(memory: &v1::Memory) -> Option<&'static str> {
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
    fn no_forged_state_makes_a_memory_from_the_repository_verified() {
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
            assert_eq!(standing(&memory(ownership)), expected);
        }
    }
}
