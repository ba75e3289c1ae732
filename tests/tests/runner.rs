//! End-to-end tests of the real programs, and tests of the repository as a whole.

mod adopted;
mod answers;
mod arrows;
mod backup;
mod bad_input;
mod care;
mod clones;
mod config;
mod cookbook;
mod daemon;
mod deletions;
mod documented;
mod domains;
mod eval;
mod exact;
mod export;
mod faults;
mod forms;
mod freshness;
mod homes;
mod hooks;
mod launch;
mod leaks;
mod left_out;
mod mcp;
mod memory;
mod migrate;
mod models;
mod page;
mod paraphrases;
mod parsers;
#[cfg(unix)]
mod pipelines;
mod plugin;
mod programs;
mod promises;
mod quality;
mod remote;
mod review;
mod rooms;
mod rql;
mod runners;
mod security;
mod service_command;
mod service_files;
mod sessions;
#[cfg(feature = "server-tests")]
mod shared_store;
mod shared_store_contract;
mod stability;
mod stats;
mod stores;
mod task_loop;
#[cfg(unix)]
#[path = "shared_store/team.rs"]
mod team;
mod terminal;
mod transcripts;
mod trust;
mod unused;
mod upkeep;
mod uses;
mod why;
mod words;
mod workspaces;
mod worktrees;
