//! Tests of the vector indexes through their public interface.

#![expect(clippy::unwrap_used, reason = "a failed step ends the test")]

mod clusters;
mod damage;
mod exact;
mod fixture;
mod graph;
mod lifecycle;
mod steps;
