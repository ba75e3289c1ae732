//! The main function: serves from the start of the process to the end of its input.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;
use rmcp::service::{RoleServer, ServerInitializeError, ServiceExt as _};
use rmcp::transport::Transport;

use crate::options::Options;
use crate::process_env::ProcessEnv;
use crate::server::Shim;
use crate::stdio::Slot;
use crate::transport::LineTransport;

/// Serves until the input ends or a signal asks the process to end; both are a success.
pub fn main() -> ExitCode {
    let options = Options::parse();
    // Only the user may access the files that this process creates, as with the daemon.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    // One thread: the shim mostly waits for a pipe and a socket, and each further thread would cost memory in every session.
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    runtime.block_on(async {
        let process_env = ProcessEnv::read();
        let mcp = process_env.mcp;
        let shim = Arc::new(Shim::new(&options, process_env));
        let (input, output) = rmcp::transport::stdio_pipes();
        tokio::select! {
            () = serve(Arc::clone(&shim), LineTransport::new(input, output, &mcp)) => {}
            () = asked_to_end() => {}
        }
        shim.end_session().await;
    });
    // If standard input is not a pipe, a read blocks its thread and cannot be cancelled.
    runtime.shutdown_background();
    ExitCode::SUCCESS
}

/// Serves one client until its input ends.
///
/// The SDK fails if the first message does not open a session, and also if the input ends at that point. Neither is an error
/// here: such a message is ignored, because a client never restarts a server that ended, and clients probe a server by
/// closing its input.
pub(crate) async fn serve<T>(shim: Arc<Shim>, transport: T)
where
    T: Transport<RoleServer> + 'static,
{
    let slot = Slot::new(transport);
    while let Some(transport) = slot.take() {
        match shim.clone().serve(transport).await {
            Ok(session) => {
                // The reason does not matter: the client is gone.
                let _ = session.waiting().await;
                return;
            }
            Err(ServerInitializeError::ExpectedInitializeRequest(_) | ServerInitializeError::InitializeFailed(_)) => {}
            Err(_) => return,
        }
    }
}

#[cfg(unix)]
async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        // Without handlers the signals end the process by themselves.
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn asked_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
