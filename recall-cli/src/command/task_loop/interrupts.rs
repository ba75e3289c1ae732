//! The signals with which the loop is told to end.

#[cfg(unix)]
use crate::error::CliError;
use crate::error::CommandError;

/// The signals. While it exists, they do not end the process.
#[derive(Debug)]
pub(super) struct Interrupts {
    #[cfg(unix)]
    signals: [tokio::signal::unix::Signal; 3],
}

impl Interrupts {
    /// Listens to Ctrl+C, to a request to end, and to the end of the terminal.
    #[cfg(unix)]
    pub(super) fn listen() -> Result<Self, CommandError> {
        use tokio::signal::unix::{SignalKind, signal};

        let listen = |kind| signal(kind).map_err(|error| CliError::refusal("cannot listen to signals", &error));
        let signals =
            [listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?, listen(SignalKind::hangup())?];
        Ok(Self { signals })
    }

    /// Waits for one.
    #[cfg(unix)]
    pub(super) async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }

    /// Listens to Ctrl+C.
    #[cfg(not(unix))]
    #[expect(clippy::unnecessary_wraps, reason = "as on Unix")]
    pub(super) fn listen() -> Result<Self, CommandError> {
        Ok(Self {})
    }

    /// Waits for it.
    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "as on Unix")]
    pub(super) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
