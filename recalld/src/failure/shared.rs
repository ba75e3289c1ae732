//! The errors of shared stores, as reasons with hints.

use recall_api::{Failure, Reason};
use recall_shared::StoreError;

/// Returns the failure of a shared store. `again` is the hint if a later request may succeed.
pub(super) fn shared_failure(error: &StoreError, message: String, again: &str) -> Failure {
    match error {
        StoreError::Busy => Failure::new(Reason::Conflict, message).with_hint("wait for it, and publish again"),
        StoreError::Refused { .. } => Failure::new(Reason::PermissionDenied, message).with_hint(
            "check the address, the tenant and `RECALL_STORE_<NAME>_KEY`; docs/shared-store.md lists the rights",
        ),
        StoreError::Unusable { .. } => Failure::new(Reason::InvalidArgument, message)
            .with_hint("correct `[stores.NAME]` in your recall.toml, then `recall daemon restart`"),
        StoreError::Unreachable { .. }
        | StoreError::Late { .. }
        | StoreError::Overloaded { .. }
        | StoreError::Resting
        | StoreError::Lost { .. }
        | StoreError::Empty
        | StoreError::Invalid { .. } => Failure::new(Reason::Unavailable, message).with_hint(again),
    }
}
