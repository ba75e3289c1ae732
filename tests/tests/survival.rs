//! What clients were told to be kept, by daemons that are killed and that run out of space: is it there? And is every call
//! answered, whatever becomes of the daemon and its files?
//!
//! The oracle is the client: it notes what it was told. `RECALL_KILLS=500 cargo test -p recall-tests --test survival` kills as
//! often.

#![cfg(target_os = "linux")]

#[path = "survival/cut.rs"]
mod cut;
#[path = "survival/cycles.rs"]
mod cycles;
#[path = "survival/full.rs"]
mod full;
#[path = "survival/kills.rs"]
mod kills;
#[path = "survival/space.rs"]
mod space;
#[path = "survival/witness.rs"]
mod witness;
