//! How does a test run the real programs without touching the machine that it runs on?
//!
//! A [`Sandbox`] is a home of its own: the programs see no variable of the test's environment and no file of its user,
//! and every process that was started in it, detached daemons included, ends with it. [`Running`] talks to a process
//! over pipes and waits for its lines with a deadline; [`redact()`] takes out of an output what differs between runs;
//! a [`ModelDisk`] crashes, fills up and breaks at every step.
//! A failing step panics and says which: this crate is for tests alone.

mod binaries;
mod model_disk;
mod processes;
mod project;
mod redact;
mod running;
mod sandbox;
mod wait;

pub use binaries::Binaries;
pub use model_disk::{Ambush, Breaks, History, Image, ModelDisk, Moment};
pub use project::Project;
pub use redact::{redact, redact_json};
pub use running::{Outcome, Running};
pub use sandbox::Sandbox;
pub use wait::{DEADLINE, wait_until};
