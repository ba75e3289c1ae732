//! Connections from a command to the daemon, with the user's settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use recall_api::v1;
use recall_client::{Client, ConnectError, ConnectOptions, Launch, Replace, hint};
use recall_config::{ConfigError, Dirs, Environment, Settings};
use tonic::Status;

use crate::command_context::{CLIENT_NAME, CommandContext, VERSION};
use crate::error::{CliError, CommandError};
use crate::process_env::ProcessEnv;
use crate::progress::patiently;

/// The time that a running daemon may take to respond to a command with `--no-daemon`.
const RUNNING: Duration = Duration::from_secs(2);

/// How long the daemon of a home of its own may take to finish its work.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

impl CommandContext {
    /// Connects to the daemon, and starts one if none runs.
    ///
    /// With `--no-daemon` no daemon outlives the command: a running one is used, and if none responds, a private one is
    /// started. The results are the same, because both read the same index.
    pub async fn connect(&self) -> Result<Client, CommandError> {
        if !self.global.no_daemon {
            return self.connect_by(Launch::IfNeeded).await;
        }
        if let Ok(settings) = self.load_settings() {
            let running = ConnectOptions { deadline: RUNNING, ..self.options(Launch::Never, &settings) };
            // If it does not respond for any reason, a private daemon reports what it cannot do while the other runs.
            if let Ok(client) = Client::connect(&running).await {
                return Ok(client);
            }
        }
        self.connect_by(Launch::Private).await
    }

    /// Sends a request to the daemon. Shows the indexing progress if the response takes long.
    pub(crate) async fn ask<T, F>(&self, ask: impl Fn(Client) -> F) -> Result<T, CommandError>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let client = self.connect().await?;
        // The future is as large as its largest message; boxing it avoids copies.
        let asked = Box::pin(ask(client.clone()));
        Ok(patiently(&client, self.request_context(), self.output.format, asked).await?)
    }

    /// Connects to the daemon.
    ///
    /// If the user's configuration is wrong, only a running daemon is used: a new one would reject the file.
    pub(crate) async fn connect_by(&self, launch: Launch) -> Result<Client, CommandError> {
        let settings = match self.load_settings() {
            Ok(settings) => settings,
            Err(error) if launch == Launch::Private => return Err(CliError::from(error).into()),
            Err(error) => {
                return match Client::connect(&self.options(Launch::Never, &Settings::default())).await {
                    Ok(client) => {
                        self.warn_of_defaults(error);
                        Ok(client)
                    }
                    Err(ConnectError::NotRunning { .. }) => Err(CliError::from(error).into()),
                    Err(unreachable) => Err(unreachable.into()),
                };
            }
        };
        let client = Client::connect(&self.options(launch, &settings)).await?;
        self.warn_of_older_daemon(&client);
        Ok(client)
    }

    /// Reports an older daemon that could not be replaced.
    fn warn_of_older_daemon(&self, client: &Client) {
        let Some(older) = client.older_daemon() else { return };
        let Some(hint) = hint::for_older_daemon(older.why) else { return };
        let severity = v1::Severity::Warning.into();
        let (message, hint) = (older.to_string(), hint.to_owned());
        self.output.warn(&[v1::Warning { message, hint, severity, ..v1::Warning::default() }]);
    }

    /// Returns the options for a connection.
    pub(crate) fn options(&self, launch: Launch, settings: &Settings) -> ConnectOptions {
        ConnectOptions {
            dirs: self.process_env.dirs.clone(),
            launch,
            daemon_binary: None,
            daemon_home: None,
            client_name: CLIENT_NAME.to_owned(),
            version: VERSION.to_owned(),
            replace: replace(settings),
            deadline: settings.client.start_timeout,
            attempts: ConnectOptions::ATTEMPTS,
        }
    }

    /// Connects to a private daemon with its own home, which ends with the client. The user's indexes are not touched.
    ///
    /// It has the user's settings: their file is copied into the home.
    pub async fn connect_apart(&self, home: &Path) -> Result<Client, CommandError> {
        let dirs = self.make_home(home)?;
        self.connect_at(dirs, Launch::Private, Some(home.to_owned())).await
    }

    /// Connects to the daemon that another program has started in a home of its own; see [`make_home`](Self::make_home).
    pub async fn connect_running(&self, home: &Path) -> Result<Client, CommandError> {
        self.connect_at(self.dirs_in(home)?, Launch::Never, None).await
    }

    /// Stops the daemon of a home of its own. One that does not end is left to end when nobody uses it.
    pub async fn stop_running(&self, home: &Path) {
        if let Ok(dirs) = self.dirs_in(home) {
            let _ = recall_client::daemon::stop(&dirs, "stop", STOP_TIMEOUT).await;
        }
    }

    /// Makes a home with the user's settings, whose file is copied.
    pub fn make_home(&self, home: &Path) -> Result<Dirs, CommandError> {
        let dirs = self.dirs_in(home)?;
        let refused = |source| CliError::refusal(format!("cannot make a home in {}", home.display()), &source);
        std::fs::create_dir_all(&dirs.config).map_err(refused)?;
        let given = self.process_env.dirs.user_config();
        if given.exists() {
            std::fs::copy(given, dirs.user_config()).map_err(refused)?;
        }
        Ok(dirs)
    }

    fn dirs_in(&self, home: &Path) -> Result<Dirs, CommandError> {
        let environment = Environment { recall_home: Some(home.to_owned()), ..self.process_env.environment.clone() };
        Ok(Dirs::from_environment(&environment)?)
    }

    async fn connect_at(
        &self,
        dirs: Dirs,
        launch: Launch,
        daemon_home: Option<PathBuf>,
    ) -> Result<Client, CommandError> {
        let options = ConnectOptions {
            dirs,
            launch,
            daemon_binary: None,
            daemon_home,
            client_name: CLIENT_NAME.to_owned(),
            version: VERSION.to_owned(),
            replace: Replace::Never,
            deadline: self.load_settings().map_err(CliError::from)?.client.start_timeout,
            attempts: ConnectOptions::ATTEMPTS,
        };
        Ok(Client::connect(&options).await?)
    }

    /// Returns the user's settings. If their file is wrong, warns and returns the built-in ones, so that a running
    /// daemon can be used and stopped. Only the daemon reads the project's settings.
    pub(crate) fn settings(&self) -> Settings {
        self.load_settings().unwrap_or_else(|error| {
            self.warn_of_defaults(error);
            Settings::default()
        })
    }

    /// Loads the user's settings.
    ///
    /// # Errors
    /// The user's configuration cannot be read, or is wrong.
    fn load_settings(&self) -> Result<Settings, ConfigError> {
        let ProcessEnv { dirs, environment, .. } = &self.process_env;
        Settings::load(dirs, None, environment, &[]).map(|loaded| loaded.settings)
    }

    /// Reports a wrong configuration that does not stop the command.
    fn warn_of_defaults(&self, error: ConfigError) {
        let CliError { message, causes, .. } = CliError::from(error);
        let message = [&[message], &*causes].concat().join(": ");
        let hint =
            "the running daemon keeps its settings; a new daemon does not start until the file is corrected".to_owned();
        let severity = v1::Severity::Warning.into();
        self.output.warn(&[v1::Warning { message, hint, severity, ..v1::Warning::default() }]);
    }
}

fn replace(settings: &Settings) -> Replace {
    if settings.client.replace_older { Replace::Older } else { Replace::Never }
}
