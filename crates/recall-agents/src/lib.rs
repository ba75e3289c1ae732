//! Coding agents and their files: registration of recall in their configuration, and readers of what they and other tools
//! remember.
//!
//! Registration knows which agents there are and where their configuration is. Its edits change nothing else and can be undone.
//! The folders, the variables and the programs arrive as arguments; this crate reads no environment variable. It knows the
//! formats of the files (JSON with comments, TOML, YAML) and nothing of recall's stores.
//!
//! These files belong to the user and hold tokens and comments. So a text is edited where the entry belongs, and the result is parsed
//! and compared before it is written: it must mean the same except for the entry. A backup of each file would copy its tokens
//! (ADR 35). Begin with `table` (a row for each agent), `document` and `registration`.
//!
//! The readers are [`foreign`], a feature: only the engine imports, and the command must not link SQLite.

mod agent;
mod codex_memory;
mod config_file;
mod document;
mod entry;
mod error;
#[cfg(feature = "foreign")]
pub mod foreign;
mod hook_event;
mod hooks;
mod ledger;
mod place;
mod registration;
mod rules;
mod table;
mod vendor;

pub use agent::{Agent, HookContract};
pub use codex_memory::{CodexBlock, codex_blocks, codex_index_lines, codex_rollout_directory, is_below};
pub use document::{DocumentError, set_json_member};
pub use entry::{NAME, PLAIN_NAMES, SHIM, ServerVariables, snippet};
pub use error::RegisterError;
pub use hook_event::HookEvent;
pub use hooks::{FROM_PLUGIN, settings_have_hooks};
pub use ledger::{Ledger, Part, Record};
pub use place::{Folders, System};
pub use registration::{Change, How, Outcome, Registrar, Target};
pub use table::{agent, agents};
