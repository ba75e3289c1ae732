//! All settings, with their types, defaults and bounds.
//!
//! Each section is a struct with typed fields: a value that is there is valid, and no other crate reads TOML. A setting is one line of
//! the table in `sections`, which makes its field, its default and its loader; what `recall config` and the JSON schema say of it
//! follows.

#[macro_use]
mod section;
mod choices;
mod sections;

use std::collections::BTreeMap;
use std::path::Path;

use recall_core::{Freshness, Limits, ReviewPolicy};

use crate::layers::{Entry, Reader};
use crate::store_table::store;
use crate::{ConfigError, Dirs, Environment, Table, Warning, layers};

pub use super::store_table::{PasswordMethod, ReadFrom, SpreadConfig, StoreConfig, StoreKind};
pub use choices::{LogLevel, ModelSetting, ProxySetting, RankerSetting};
pub use sections::{
    AdoptSettings, BriefingSettings, CaptureSettings, ClientSettings, DaemonSettings, HookSettings, IndexSettings,
    LaunchSettings, LoopSettings, McpSettings, ModelsSettings, PageSettings, PastSettings, RemoteSettings,
    RootsSettings, SearchSettings, SessionSettings, TranscriptSettings, WhySettings,
};

/// All settings. The `Default` values are those of `default.toml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Limits for requests, files and queries.
    pub limits: Limits,
    /// What is indexed, and how.
    pub index: IndexSettings,
    /// How hits are selected and ranked.
    pub search: SearchSettings,
    /// What the age of an item says about it.
    pub freshness: Freshness,
    /// What happens to memories that arrive.
    pub review: ReviewPolicy,
    /// What is adopted of the instructions and memories of other programs.
    pub adopt: AdoptSettings,
    /// Which transcripts of agents are read.
    pub transcripts: TranscriptSettings,
    /// The bounds of the pasts of projects.
    pub past: PastSettings,
    /// The bounds of questions about the origin of lines.
    pub why: WhySettings,
    /// The sources of models, and how they are run.
    pub models: ModelsSettings,
    /// Where remote models are, and how they are asked.
    pub remote: RemoteSettings,
    /// What may be read outside a project.
    pub roots: RootsSettings,
    /// How the daemon runs and when it ends.
    pub daemon: DaemonSettings,
    /// The page in a browser.
    pub page: PageSettings,
    /// The clients: the command and the MCP server.
    pub client: ClientSettings,
    /// How much the MCP server reads and answers at once.
    pub mcp: McpSettings,
    /// What `recall hook` shows an agent and what it records.
    pub hooks: HookSettings,
    /// What a briefing shows.
    pub briefing: BriefingSettings,
    /// What hooks record of a session.
    pub capture: CaptureSettings,
    /// What happens to the records of sessions.
    pub sessions: SessionSettings,
    /// The launch of agents.
    pub launch: LaunchSettings,
    /// The loop that works on a list of tasks.
    pub task_loop: LoopSettings,
    /// The stores that a team shares, by name.
    pub stores: BTreeMap<String, StoreConfig>,
}

/// The loaded settings, with the table of their values and origins.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The values in force.
    pub settings: Settings,
    /// Each value with where it was set.
    pub table: Table,
    /// The parts of the configuration that were ignored, ordered by place.
    pub warnings: Vec<Warning>,
}

impl Settings {
    /// Layers the settings: built-in defaults < the user's file < the project's file < environment variables < flags.
    ///
    /// A later layer replaces a setting as a whole, including lists and tables. A missing file sets nothing. Variables
    /// are named `RECALL_<SECTION>__<KEY>`. Variables and flags are parsed as TOML or, if they are not valid TOML, as
    /// strings. Flags are pairs of a setting's name (`daemon.idle_exit`) and its value.
    ///
    /// # Errors
    /// A file cannot be read or is not TOML, a value is invalid, or a flag names an unknown setting.
    pub fn load(
        dirs: &Dirs,
        project_root: Option<&Path>,
        env: &Environment,
        flags: &[(String, String)],
    ) -> Result<Loaded, ConfigError> {
        Self::from_entries(layers::collect(dirs, project_root, env, flags)?)
    }

    /// Resolves the values of the layers.
    pub(crate) fn from_entries(entries: Vec<Entry>) -> Result<Loaded, ConfigError> {
        Self::read(Reader::new(entries))
    }

    fn read(mut from: Reader) -> Result<Loaded, ConfigError> {
        let settings = Self {
            limits: sections::limits(&mut from)?,
            index: IndexSettings::read(&mut from)?,
            search: SearchSettings::read(&mut from)?,
            freshness: sections::freshness(&mut from)?,
            review: sections::review(&mut from)?,
            adopt: AdoptSettings::read(&mut from)?,
            transcripts: TranscriptSettings::read(&mut from)?,
            past: PastSettings::read(&mut from)?,
            why: WhySettings::read(&mut from)?,
            models: ModelsSettings::read(&mut from)?,
            remote: RemoteSettings::read(&mut from)?,
            roots: RootsSettings::read(&mut from)?,
            daemon: DaemonSettings::read(&mut from)?,
            page: PageSettings::read(&mut from)?,
            client: ClientSettings::read(&mut from)?,
            mcp: McpSettings::read(&mut from)?,
            hooks: HookSettings::read(&mut from)?,
            briefing: BriefingSettings::read(&mut from)?,
            capture: CaptureSettings::read(&mut from)?,
            sessions: SessionSettings::read(&mut from)?,
            launch: LaunchSettings::read(&mut from)?,
            task_loop: LoopSettings::read(&mut from)?,
            stores: from.family("stores", store)?,
        };
        let (table, warnings) = from.finish()?;
        Ok(Loaded { settings, table, warnings })
    }
}
