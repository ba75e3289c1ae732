//! Durability of acknowledged writes if the daemon is killed or runs out of space, and a response to every call if the
//! daemon or its files fail.
//!
//! The oracle is the client, which records what was acknowledged. `RECALL_KILLS=500 cargo test -p recall-tests --test
//! survival` sets the number of kills.

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
#[path = "survival/upgrades.rs"]
mod upgrades;
#[path = "survival/witness.rs"]
mod witness;
