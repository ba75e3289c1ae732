//! Does a journal keep what it acknowledged, whatever happens to its files, and does everybody read the same from them?

mod append;
mod crash;
mod damage;
mod drawn;
mod fold;
mod follow;
mod foreign;
mod git;
mod glance;
mod merge;
mod recorder;
mod refusals;
