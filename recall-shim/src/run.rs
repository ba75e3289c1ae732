//! The main function, which serves from the start of the process to the end of its input, on a transport that survives
//! a failed attempt to open a session on it.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Parser as _;
use rmcp::service::{RoleServer, RxJsonRpcMessage, ServerInitializeError, ServiceExt as _, TxJsonRpcMessage};
use rmcp::transport::Transport;

use crate::process_env::{Options, ProcessEnv};
use crate::server::Shim;
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

/// The slot that holds a transport while no session uses it.
pub(crate) struct Slot<T>(Arc<Mutex<Option<T>>>);

impl<T> Slot<T> {
    pub(crate) fn new(transport: T) -> Self {
        Self(Arc::new(Mutex::new(Some(transport))))
    }

    /// Takes the transport; `None` if it is taken. Dropping the returned value puts it back.
    pub(crate) fn take(&self) -> Option<Lent<T>> {
        let transport = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(Lent { transport: Some(transport), slot: self.0.clone() })
    }
}

/// A transport taken from a slot.
pub(crate) struct Lent<T> {
    /// `None` only while it is dropped.
    transport: Option<T>,
    slot: Arc<Mutex<Option<T>>>,
}

impl<T> Lent<T> {
    fn transport(&mut self) -> &mut T {
        self.transport.as_mut().expect("it is there until the loan is dropped")
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = self.transport.take();
    }
}

impl<T: Transport<RoleServer> + 'static> Transport<RoleServer> for Lent<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.transport().send(item)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleServer>>> + Send {
        self.transport().receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.transport().close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_loan_puts_the_transport_back() {
        let slot = Slot::new("transport");
        let lent = slot.take().expect("it is in the slot");
        assert!(slot.take().is_none());
        drop(lent);
        assert!(slot.take().is_some());
    }
}
