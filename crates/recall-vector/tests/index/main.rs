//! The index from outside: what is near is found, whatever happens in between.

#![expect(clippy::unwrap_used, reason = "a test ends where an answer is missing")]

mod clusters;
mod damage;
mod exact;
mod fixture;
mod graph;
mod lifecycle;
mod model;
