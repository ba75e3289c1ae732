//! The settings that the daemon runs with, and those that the files give.

use std::path::Path;

use recall_config::{ConfigError, Dirs, Environment, Loaded, Reach, Settings, Table, Warning};

/// The settings that the daemon started with, and where they are read from.
#[derive(Debug)]
pub(crate) struct Configuration {
    /// Where the files are.
    pub(crate) dirs: Dirs,
    /// The environment of the daemon.
    pub(crate) environment: Environment,
    /// The settings at the start.
    pub(crate) started: Table,
}

/// The settings that the files give for a project.
pub(crate) struct Given {
    /// All settings.
    pub(crate) table: Table,
    /// What was ignored.
    pub(crate) warnings: Vec<Warning>,
}

impl Configuration {
    /// Reads the settings again, with the file of a project.
    ///
    /// # Errors
    /// A file cannot be read, or is wrong. The daemon then keeps the settings that it has.
    pub(crate) fn given_settings(&self, project: Option<&Path>) -> Result<Given, ConfigError> {
        let Loaded { settings: _, table, warnings } = Settings::load(&self.dirs, project, &self.environment, &[])?;
        Ok(Given { table, warnings })
    }

    /// Returns the value that the daemon uses though the files give another one; `None` if it uses that of the files.
    pub(crate) fn running(&self, key: &str, value: &str) -> Option<&str> {
        let started = self.started.row(key).filter(|row| row.reach == Reach::Daemon)?;
        (started.value != value).then_some(&started.value)
    }
}
