//! The locations of recall's files, and its settings.
//!
//! [`Environment::capture`] is the only code that reads the process environment; `main` calls it once and passes the
//! result on. [`Dirs`] determines the directories. [`Settings::load`] layers the configuration files, the environment
//! and the flags over the built-in defaults.
//!
//! The crate does not watch or cache files. It writes nothing except the files that initialise a project
//! ([`initialise`]), and a configuration file whose setting is changed ([`change()`]). It does not compile globs: a setting is only checked for its type and bounds.
//!
//! A project's configuration comes with a clone, so each setting says who may set it (`Reach`): a project decides about its own files
//! and results, not about the daemon, what else may be read, or what leaves the machine. Begin with `settings`, `layers` and `dirs`.

mod change;
mod dirs;
mod environment;
mod layers;
mod lock_note;
mod problem;
mod project;
mod settings;
mod store_table;
mod table;
mod value;

pub use change::{Change, ChangeError, Changed, SettingsFile, change, defaults, replace_text, text_of};
pub use dirs::{Dirs, DirsError, RuntimeError};
pub use environment::{Environment, PlatformDirs};
pub use lock_note::{LockNote, ProcessStart, program_of};
#[cfg(windows)]
pub use lock_note::{kill, user_of};
pub use problem::{ConfigError, Layer, Origin, Place, Warning};
pub use project::{BroadRoot, ProjectError, check_project_root, initialise, settings_root};
pub use recall_os::project_root;
pub use settings::{
    AdoptSettings, BriefingSettings, CaptureSettings, ClientSettings, DaemonSettings, HookSettings, IndexSettings,
    LaunchSettings, Loaded, LogLevel, LoopSettings, McpSettings, ModelSetting, ModelsSettings, PageSettings,
    PasswordMethod, PastSettings, ProxySetting, RankerSetting, ReadFrom, RemoteSettings, RootsSettings, SearchSettings,
    SessionSettings, Settings, SpreadConfig, StoreConfig, StoreKind, TranscriptSettings, WhySettings,
};
pub use table::{Reach, Row, Shape, Table};

/// The built-in default file: every setting with its default, its unit and the reason for it.
pub const DEFAULT_FILE: &str = include_str!("default.toml");
