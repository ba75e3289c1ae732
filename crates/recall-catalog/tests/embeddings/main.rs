//! Tests of the embedding store through its public interface.

#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

mod damage;
mod store;
