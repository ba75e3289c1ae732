//! The client: one method for each RPC of the definition, and idempotency keys, which make writing calls safe to repeat.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use recall_api::v1;
use tonic::{IntoRequest, IntoStreamingRequest, Response, Status, Streaming};

use crate::error::ConnectError;
use crate::handshake::{DaemonIdentity, OlderDaemon};
use crate::link::Link;
use crate::options::ConnectOptions;

/// The generated client.
type Rpc = v1::recall_client::RecallClient<tonic::transport::Channel>;

/// A connection to the daemon. Clones share it.
///
/// Each method sends its request and returns the daemon's answer. To bound the time of a call, wrap the request in a
/// [`tonic::Request`] with a timeout; the daemon then stops working on it too.
///
/// If the daemon goes away, a call fails with the code `UNAVAILABLE`. A call that is safe to repeat is first retried on
/// a new connection, up to [`ConnectOptions::attempts`] times in total. Requests that add memories or events get an
/// idempotency key for that, so they take effect once.
#[derive(Clone, Debug)]
pub struct Client {
    link: Arc<Link>,
    daemon: Arc<DaemonIdentity>,
    older: Option<Arc<OlderDaemon>>,
}

/// Defines the method of an RPC. Each kind of `for_each_rpc` calls in its own way.
macro_rules! method {
    (repeatable $(#[$doc:meta])* $rpc:ident: $Request:ident => $Response:ident) => {
        $(#[$doc])*
        pub async fn $rpc(&self, request: impl IntoRequest<v1::$Request>) -> Result<v1::$Response, Status> {
            let call = async |mut rpc: Rpc, request| rpc.$rpc(request).await.map(Response::into_inner);
            self.link.repeat(request.into_request(), call).await
        }
    };
    (keyed $(#[$doc:meta])* $rpc:ident: $Request:ident => $Response:ident) => {
        $(#[$doc])*
        pub async fn $rpc(&self, request: impl IntoRequest<v1::$Request>) -> Result<v1::$Response, Status> {
            let mut request = request.into_request();
            fill_key(&mut request.get_mut().idempotency_key);
            let call = async |mut rpc: Rpc, request| rpc.$rpc(request).await.map(Response::into_inner);
            self.link.repeat(request, call).await
        }
    };
    (once $(#[$doc:meta])* $rpc:ident: $Request:ident => $Response:ident) => {
        $(#[$doc])*
        pub async fn $rpc(&self, request: impl IntoRequest<v1::$Request>) -> Result<v1::$Response, Status> {
            self.link.rpc().await.$rpc(request).await.map(Response::into_inner)
        }
    };
    (streaming $(#[$doc:meta])* $rpc:ident: $Request:ident => $Response:ident) => {
        $(#[$doc])*
        pub async fn $rpc(&self, request: impl IntoRequest<v1::$Request>) -> Result<Streaming<v1::$Response>, Status> {
            self.link.rpc().await.$rpc(request).await.map(Response::into_inner)
        }
    };
    (uploading $(#[$doc:meta])* $rpc:ident: $Request:ident => $Response:ident) => {
        $(#[$doc])*
        pub async fn $rpc(
            &self,
            pieces: impl IntoStreamingRequest<Message = v1::$Request>,
        ) -> Result<v1::$Response, Status> {
            self.link.rpc().await.$rpc(pieces).await.map(Response::into_inner)
        }
    };
}

macro_rules! methods {
    ($($(#[$doc:meta])* $kind:ident $rpc:ident: $Request:ident => $Response:ident;)*) => {
        impl Client {
            $(method! { $kind $(#[$doc])* $rpc: $Request => $Response })*
        }
    };
}

recall_api::for_each_rpc!(methods);

impl Client {
    /// Connects to the daemon, starts it if it is not running, and exchanges versions.
    ///
    /// A daemon that is older than this program is shut down and replaced if the options and its owner allow it; see
    /// [`older_daemon`](Self::older_daemon). Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// No daemon was reached, or it uses another protocol.
    pub async fn connect(options: &ConnectOptions) -> Result<Self, ConnectError> {
        // Most calls are made on an open connection; boxing keeps their futures small.
        let (link, daemon, kept) = Box::pin(Link::make(options)).await?;
        let (version, client_version) = (daemon.version.clone(), options.version.clone());
        let older = kept.map(|why| Arc::new(OlderDaemon { version, client_version, why }));
        Ok(Self { link: Arc::new(link), daemon: Arc::new(daemon), older })
    }

    /// Returns why the daemon was not replaced, if it is older than this program.
    pub fn older_daemon(&self) -> Option<&OlderDaemon> {
        self.older.as_deref()
    }

    /// Returns the identity that the daemon reported when the connection was made.
    pub fn daemon(&self) -> &DaemonIdentity {
        &self.daemon
    }
}

/// Sets a new key if the request has none.
fn fill_key(key: &mut String) {
    if key.is_empty() {
        *key = unique_key();
    }
}

/// Returns a key that is unique among all calls of all processes.
pub fn unique_key() -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let number = CALLS.fetch_add(1, Ordering::Relaxed);
    let chance = |what: &str| RandomState::new().hash_one((what, number, std::process::id()));
    format!("{:016x}{:016x}", chance("a"), chance("b"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_gets_a_unique_key_unless_it_has_one() {
        let with_key = |mut key: String| {
            fill_key(&mut key);
            key
        };
        let keys: std::collections::BTreeSet<_> = (0..100).map(|_| with_key(String::new())).collect();
        assert_eq!(keys.len(), 100);
        assert_eq!(with_key("mine".to_owned()), "mine");
    }
}
