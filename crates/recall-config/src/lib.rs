//! Where do recall's files live, and what did the user set?
//!
//! [`Environment::capture`] is the one place that reads the process environment; a `main` calls it once and hands the
//! result on. [`Homes`] tells the directories, [`Settings::load`] layers the configuration files, the environment and
//! the flags over the built-in defaults. Nothing is watched or remembered here, nothing is written but the files that make
//! a project ([`initialise`]), and no glob is compiled: a setting is checked for its type and its bounds alone.

mod environment;
mod error;
mod homes;
mod layers;
mod lock_note;
mod process;
mod project;
mod read;
mod settings;
mod value;

pub use environment::{Environment, PlatformHomes};
pub use error::{ConfigError, Warning};
pub use homes::{Homes, HomesError, RuntimeError};
pub use layers::{Layer, Origin, Place};
pub use lock_note::LockNote;
pub use process::{ProcessStart, program_of};
pub use project::{BroadRoot, ProjectError, check_project_root, initialise};
pub use recall_folder::project_root;
pub use settings::{
    ClientSettings, DaemonSettings, IndexSettings, Loaded, LogLevel, ModelSetting, ModelsSettings, Origins,
    ProxySetting, RankerSetting, RootsSettings, SearchSettings, Settings,
};

/// The built-in default file: every setting with its default, its unit and its reason.
pub const DEFAULT_FILE: &str = include_str!("default.toml");
