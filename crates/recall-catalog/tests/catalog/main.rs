//! The catalog from outside: what goes in comes out, at every time, whatever happens in between.

#![expect(clippy::unwrap_used, reason = "a test ends where an answer is missing")]

mod damage;
mod listing;
mod model;
mod opening;
mod relations;
mod sample;
mod set_aside;
mod snapshots;
