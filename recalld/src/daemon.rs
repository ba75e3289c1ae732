//! What do all requests share?

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_config::Settings;
use recall_core::Timestamp;
use recall_engine::Engine;
use recall_proto::v1;
use tokio_util::sync::CancellationToken;

use crate::activity::Activity;
use crate::admission::Admission;
use crate::args::Tenure;
use crate::event::Events;
use crate::in_place::InPlace;
use crate::jobs::Jobs;
use crate::meter::Meter;
use crate::models::Models;
use crate::reported::Reported;

/// The daemon's version.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// All that requests share.
pub(crate) struct Daemon {
    /// The use cases.
    pub(crate) engine: Arc<Engine>,
    /// The models of its user.
    pub(crate) models: Arc<Models>,
    /// What the user set.
    pub(crate) settings: Settings,
    /// Who this process is.
    pub(crate) identity: Identity,
    /// How many requests were answered, and how fast.
    pub(crate) meter: Arc<Meter>,
    /// Who is connected.
    pub(crate) activity: Activity,
    /// The faults of files that sessions were told of.
    pub(crate) reported: Reported,
    /// The memory of requests and answers.
    pub(crate) admission: Admission,
    /// Where short calls of the engine are run.
    pub(crate) in_place: InPlace,
    /// The index jobs that clients asked for.
    pub(crate) jobs: Jobs,
    /// What clients asked to be fetched.
    pub(crate) transfers: Jobs,
    /// Where a request ends the daemon.
    pub(crate) events: Events,
    /// Cancelled when the daemon ends.
    pub(crate) stop: CancellationToken,
}

impl Daemon {
    /// Completes the warnings of an answer for a session: adds what is wrong with the models, and leaves out what the session
    /// was told before.
    pub(crate) fn complete(&self, session: &str, warnings: &mut Vec<v1::Warning>) {
        self.reported.keep_new(session, warnings);
        warnings.extend(self.models.problems().into_iter().map(crate::service::warning::of_models));
    }
}

/// Who this process is.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// Its process id.
    pub(crate) pid: u32,
    /// What ends it.
    pub(crate) tenure: Tenure,
    /// When it started, on the clock.
    pub(crate) started_at: Timestamp,
    /// When it started, for how long it runs.
    pub(crate) started: Instant,
    /// Where it listens.
    pub(crate) socket: PathBuf,
    /// The folder of the user's data that it serves.
    pub(crate) data_home: PathBuf,
    /// Where it logs; `None` for standard error.
    pub(crate) log: Option<PathBuf>,
}

impl Identity {
    /// How long it runs.
    pub(crate) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Whether a client started it and it ends when idle.
    pub(crate) fn is_auto_started(&self) -> bool {
        self.tenure == Tenure::Detached
    }
}

/// The protocol revisions that this release speaks.
pub(crate) fn protocols() -> v1::ProtocolRange {
    v1::ProtocolRange { min: *recall_proto::PROTOCOLS.start(), max: *recall_proto::PROTOCOLS.end() }
}
