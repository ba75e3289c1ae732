//! The state that all requests share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_api::v1;
use recall_config::Settings;
use recall_core::Timestamp;
use recall_engine::Engine;
use recall_page::Page;
use tokio_util::sync::CancellationToken;

use crate::activity::Activity;
use crate::admission::Admission;
use crate::blocking::Jobs;
use crate::configuration::{Configuration, Tenure};
use crate::event::Events;
use crate::meter::Meter;
use crate::models::Models;
use crate::parsers::ParserPool;
use crate::reported::Reported;

/// The state that all requests share.
pub(crate) struct Daemon {
    /// The use cases.
    pub(crate) engine: Arc<Engine>,
    /// The processes that parse source code.
    pub(crate) parsers: Arc<ParserPool>,
    /// The user's models.
    pub(crate) models: Arc<Models>,
    /// The user's settings.
    pub(crate) settings: Settings,
    /// What those settings were read from.
    pub(crate) configuration: Configuration,
    /// The process id, start time and paths of this process.
    pub(crate) identity: Identity,
    /// Counts and latencies of the answered requests.
    pub(crate) meter: Arc<Meter>,
    /// The connected clients.
    pub(crate) activity: Activity,
    /// The file warnings that each session has received.
    pub(crate) reported: Reported,
    /// The memory of requests and answers.
    pub(crate) admission: Admission,
    /// The index jobs that clients requested.
    pub(crate) jobs: Jobs,
    /// The downloads that clients requested.
    pub(crate) transfers: Jobs,
    /// The page in a browser.
    pub(crate) page: Page,
    /// The queue of events; a request sends its shutdown here.
    pub(crate) events: Events,
    /// Cancelled when the daemon ends.
    pub(crate) stop: CancellationToken,
}

impl Daemon {
    /// Completes the warnings of an answer for a session: adds the problems of the models and removes the warnings that the
    /// session has already received.
    pub(crate) fn complete(&self, session: &str, warnings: &mut Vec<v1::Warning>) {
        self.reported.keep_new(session, warnings);
        warnings.extend(self.models.problems().into_iter().map(crate::service::warning::model_warning));
    }
}

/// The process id, start time and paths of this process.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The version of the program.
    pub(crate) version: &'static str,
    /// The path of the program when it started; `None` if the system does not report it.
    pub(crate) program: Option<PathBuf>,
    /// Whether a service manager started it.
    pub(crate) is_managed: bool,
    /// The process id.
    pub(crate) pid: u32,
    /// What ends it.
    pub(crate) tenure: Tenure,
    /// When it started, by the system clock.
    pub(crate) started_at: Timestamp,
    /// When it started, by the monotonic clock.
    pub(crate) started: Instant,
    /// The path of the socket it listens on.
    pub(crate) socket: PathBuf,
    /// The folder of the user's data.
    pub(crate) data_home: PathBuf,
    /// The log file; `None` for standard error.
    pub(crate) log: Option<PathBuf>,
}

impl Identity {
    /// Returns how long the daemon has been running.
    pub(crate) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the path of the program; empty if it is unknown or not text.
    pub(crate) fn program(&self) -> String {
        self.program.as_deref().and_then(Path::to_str).unwrap_or_default().to_owned()
    }

    /// Returns whether a client started it, so that it ends when idle.
    pub(crate) fn is_auto_started(&self) -> bool {
        self.tenure == Tenure::Detached
    }
}

/// Returns the range of protocol revisions that this release speaks.
pub(crate) fn protocols() -> v1::ProtocolRange {
    v1::ProtocolRange { min: *recall_api::PROTOCOLS.start(), max: *recall_api::PROTOCOLS.end() }
}
