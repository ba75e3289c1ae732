//! How does a command come to its daemon?

use recall_client::{Client, ConnectOptions, Launch};
use recall_config::Settings;

use crate::complaint::CommandError;
use crate::invocation::{CLIENT_NAME, Invocation};

impl Invocation {
    /// Connects to the daemon, which is started where needed; to a private one with `--no-daemon`.
    pub(crate) async fn connect(&self) -> Result<Client, CommandError> {
        let launch = if self.global.no_daemon { Launch::Private } else { Launch::IfNeeded };
        self.connect_by(launch).await
    }

    /// Connects to the daemon.
    pub(crate) async fn connect_by(&self, launch: Launch) -> Result<Client, CommandError> {
        let settings = self.settings()?;
        let options = ConnectOptions {
            homes: self.surroundings.homes.clone(),
            launch,
            daemon_binary: None,
            client_name: CLIENT_NAME.to_owned(),
            deadline: settings.client.start_timeout,
        };
        Ok(Client::connect(&options).await?)
    }

    /// The user's settings. The project's are read by the daemon alone.
    pub(crate) fn settings(&self) -> Result<Settings, CommandError> {
        let surroundings = &self.surroundings;
        let loaded = Settings::load(&surroundings.homes, None, &surroundings.environment, &[])?;
        Ok(loaded.settings)
    }
}
