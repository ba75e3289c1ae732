//! The configuration of the daemon: its command line, the settings that it runs with, and those that the files give.

use std::path::{Path, PathBuf};

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

/// One warm memory for every agent of a user.
///
/// Usually nobody runs it by hand: `recall` and `recall-shim` start it where it is not running.
#[derive(Clone, Debug, clap::Parser)]
#[command(name = "recalld")]
pub(crate) struct Args {
    /// Stay with the terminal, log to standard error, and do not end when idle.
    #[arg(long)]
    foreground: bool,

    /// End with the standard input, and remove the runtime folder at the end.
    #[arg(long, conflicts_with = "foreground", requires = "runtime")]
    private: bool,

    /// The folder for the socket and the lock, in place of the user's runtime folder.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) runtime: Option<PathBuf>,
}

/// The owner of the daemon, which determines what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tenure {
    /// All clients: one of them started it, and it ends when no client has connected for long.
    Detached,
    /// A person or a service manager, which ends it.
    Kept,
    /// One client: it ends with its standard input.
    Private,
}

impl Args {
    /// Returns the owner of the daemon. A daemon that a service manager started is `Kept`, unless it is private.
    pub(crate) fn tenure(&self, is_managed: bool) -> Tenure {
        match (self.private, self.foreground || is_managed) {
            (true, _) => Tenure::Private,
            (false, true) => Tenure::Kept,
            (false, false) => Tenure::Detached,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn check(arguments: &[&str], is_managed: bool, expected: Option<Tenure>) {
        let parsed = Args::try_parse_from([&["recalld"], arguments].concat());
        assert_eq!(parsed.ok().map(|args| args.tenure(is_managed)), expected, "{arguments:?}");
    }

    #[test]
    fn the_arguments_and_the_service_manager_determine_the_tenure() {
        check(&[], false, Some(Tenure::Detached));
        check(&[], true, Some(Tenure::Kept));
        check(&["--foreground"], false, Some(Tenure::Kept));
        check(&["--private", "--runtime", "/r"], false, Some(Tenure::Private));
        check(&["--private"], false, None);
        check(&["--private", "--foreground", "--runtime", "/r"], false, None);
        check(&["surplus"], false, None);
    }
}
