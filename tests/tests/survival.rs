//! What clients were told to be kept, by daemons that are killed and that run out of space: is it there?
//!
//! The oracle is the client: it notes what it was told. `RECALL_KILLS=500 cargo test -p recall-tests --test survival` kills as
//! often.

#![cfg(target_os = "linux")]

#[path = "survival/full.rs"]
mod full;
#[path = "survival/kills.rs"]
mod kills;
#[path = "survival/space.rs"]
mod space;
#[path = "survival/witness.rs"]
mod witness;
