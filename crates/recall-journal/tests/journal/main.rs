//! Tests of journals: durability, damage, merges and replays.

mod append;
mod crash;
mod damage;
mod drawn;
mod fold;
mod follow;
mod foreign;
mod formats;
mod git;
mod merge;
mod partial_read;
mod recorder;
mod refusals;
