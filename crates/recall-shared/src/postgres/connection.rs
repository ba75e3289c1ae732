//! Connections to a server, kept for the next request.
//!
//! A connection is given back only after its request has ended, so a dropped future never leaves one in the middle of an answer. The
//! plans of searches are fixed by the settings of a connection, because the statistics of a table lag behind publications.
//!
//! A server decides how it asks for the password, and on loopback any user of the machine may be the server while the real one is down.
//! The client library answers whatever is asked, so the first message of the server passes a [`PasswordGuard`] stream, which ends the
//! connection if the answer would show the password.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use parking_lot::Mutex;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::config::{Host, SslMode, SslNegotiation, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row, Socket, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::password::{Authentication, PasswordGuard, ShownPassword};
use crate::StoreError;

/// The most idle connections that are kept.
const KEPT: usize = 8;

/// Connections of one tenant.
pub(super) struct Pool {
    config: Config,
    connector: Connector,
    pub(super) tenant: String,
    idle: Mutex<Vec<Prepared>>,
}

/// A client with the statements that it has prepared, by their texts.
struct Prepared {
    client: Client,
    statements: HashMap<String, Statement>,
}

/// A connection in use. It is kept for the next request only by [`done`](Self::done), so that one whose request was dropped halfway
/// is closed.
pub(super) struct Connection {
    prepared: Option<Prepared>,
    pool: Arc<Pool>,
}

impl Pool {
    pub(super) fn new(settings: &PostgresSettings, replica: Replica) -> Result<Self, StoreError> {
        let mut config: Config = settings.address.parse().map_err(StoreError::refusal)?;
        if !settings.password.is_empty() {
            config.password(&settings.password);
        }
        config.application_name("recall");
        if replica == Replica::Primary {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let is_local = config.get_hosts().iter().all(is_local);
        let tls = if is_local {
            // The connector gives plain streams, and is asked for them without a question to the server.
            config.ssl_mode(SslMode::Require).ssl_negotiation(SslNegotiation::Direct);
            None
        } else {
            // Without this, a server could ask for an unprotected connection and read the password.
            config.ssl_mode(SslMode::Require);
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let verified = ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .map_err(StoreError::refusal)?;
            let verified = verified.with_platform_verifier().map_err(StoreError::refusal)?;
            Some(MakeRustlsConnect::new(verified.with_no_client_auth()))
        };
        let connector = Connector { tls, authentication: settings.authentication };
        Ok(Self { config, connector, tenant: settings.tenant.clone(), idle: Mutex::default() })
    }

    /// Returns an idle connection or a new one.
    pub(super) async fn connection(self: &Arc<Self>) -> Result<Connection, StoreError> {
        let idle = std::iter::from_fn(|| self.idle.lock().pop()).find(|idle| !idle.client.is_closed());
        let prepared = match idle {
            Some(prepared) => prepared,
            None => Prepared { client: self.connect().await?, statements: HashMap::new() },
        };
        Ok(Connection { prepared: Some(prepared), pool: Arc::clone(self) })
    }

    async fn connect(&self) -> Result<Client, StoreError> {
        let client = match self.config.get_hosts() {
            #[cfg(unix)]
            [Host::Unix(folder)] => self.connect_in(folder).await?,
            _ => drive(self.config.connect(self.connector.clone()).await.map_err(store_error)?),
        };
        // A filter leaves fewer than the wanted neighbours of a plain HNSW search. Iterative scans go on until there are enough.
        //
        // Each request of a search reads a bounded number of rows by indexes. Statistics that are older than the last publication would
        // mislead the planner into reading whole tables, and planning takes longer than running.
        let settings = "select set_config('recall.tenant', $1, false), set_config('hnsw.ef_search', '100', false), \
                        set_config('hnsw.iterative_scan', 'relaxed_order', false), set_config('jit', 'off', false), \
                        set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false), \
                        set_config('enable_hashjoin', 'off', false), set_config('enable_mergejoin', 'off', false), \
                        set_config('enable_material', 'off', false), \
                        set_config('enable_sort', 'off', false), set_config('join_collapse_limit', '1', false)";
        client.query_one(settings, &[&self.tenant]).await.map_err(store_error)?;
        Ok(client)
    }
}

#[cfg(unix)]
impl Pool {
    /// Connects to the socket of a server in a folder. The client library has no connector for these.
    async fn connect_in(&self, folder: &std::path::Path) -> Result<Client, StoreError> {
        let port = self.config.get_ports().first().copied().unwrap_or(DEFAULT_PORT);
        let socket = tokio::net::UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await;
        let socket = PasswordGuard::new(socket.map_err(StoreError::unreachable)?, self.connector.authentication);
        let mut config = self.config.clone();
        config.ssl_mode(SslMode::Disable).ssl_negotiation(SslNegotiation::Postgres);
        Ok(drive(config.connect_raw(socket, NoTls).await.map_err(store_error)?))
    }
}

/// The port of a server whose address has none.
#[cfg(unix)]
const DEFAULT_PORT: u16 = 5432;

/// Connects with TLS, or plainly where there is none to be.
#[derive(Clone)]
struct Connector {
    tls: Option<MakeRustlsConnect>,
    authentication: Authentication,
}

/// A stream without TLS.
struct PlainStream<S>(S);

/// A connector for one host.
struct HostConnector {
    tls: Option<<MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect>,
    authentication: Authentication,
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

type GuardedStream = PasswordGuard<Box<dyn TlsStream + Unpin + Send>>;

impl MakeTlsConnect<Socket> for Connector {
    type Stream = GuardedStream;
    type TlsConnect = HostConnector;
    type Error = BoxError;

    fn make_tls_connect(&mut self, domain: &str) -> Result<HostConnector, BoxError> {
        let tls = match &mut self.tls {
            None => None,
            Some(tls) => Some(MakeTlsConnect::<Socket>::make_tls_connect(tls, domain)?),
        };
        Ok(HostConnector { tls, authentication: self.authentication })
    }
}

impl TlsConnect<Socket> for HostConnector {
    type Stream = GuardedStream;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<GuardedStream, BoxError>> + Send>>;

    fn connect(self, stream: Socket) -> Self::Future {
        let Self { tls, authentication } = self;
        Box::pin(async move {
            let stream: Box<dyn TlsStream + Unpin + Send> = match tls {
                None => Box::new(PlainStream(stream)),
                Some(tls) => Box::new(tls.connect(stream).await?),
            };
            Ok(PasswordGuard::new(stream, authentication))
        })
    }
}

impl TlsStream for GuardedStream {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream.channel_binding()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PlainStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PlainStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for PlainStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

/// Lets a connection exchange messages until its client is dropped.
fn drive<S, T>((client, connection): (Client, tokio_postgres::Connection<S, T>)) -> Client
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    T: tokio_postgres::tls::TlsStream + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        // What a server says about its end may repeat the password.
        if connection.await.is_err() {
            tracing::debug!("a connection to a shared store ended with an error");
        }
    });
    client
}

impl Connection {
    pub(super) fn client(&mut self) -> &mut Client {
        &mut self.prepared_statements().client
    }

    /// Runs a statement, which is prepared once for each connection.
    pub(super) async fn rows(
        &mut self,
        statement: &str,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, StoreError> {
        let Prepared { client, statements } = self.prepared_statements();
        let known = if let Some(known) = statements.get(statement) {
            known.clone()
        } else {
            let new = client.prepare(statement).await.map_err(store_error)?;
            statements.insert(statement.to_owned(), new.clone());
            new
        };
        client.query(&known, parameters).await.map_err(store_error)
    }

    fn prepared_statements(&mut self) -> &mut Prepared {
        self.prepared.as_mut().expect("it is there until it is done")
    }

    /// Keeps the connection for the next request.
    pub(super) fn done(mut self) {
        if let Some(prepared) = self.prepared.take() {
            let mut idle = self.pool.idle.lock();
            if idle.len() < KEPT {
                idle.push(prepared);
            }
        }
    }
}

fn is_local(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

/// Converts an error of the client.
pub(super) fn store_error(error: tokio_postgres::Error) -> StoreError {
    let Some(code) = error.code() else {
        let io = std::error::Error::source(&error).and_then(|source| source.downcast_ref::<io::Error>());
        let shown = io.and_then(io::Error::get_ref).and_then(|source| source.downcast_ref::<ShownPassword>());
        return match shown {
            Some(shown) => StoreError::refusal(*shown),
            None => StoreError::unreachable(error),
        };
    };
    let may_pass = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::QUERY_CANCELED,
    ];
    match code {
        code if may_pass.contains(code) => StoreError::unreachable(error),
        code if *code == SqlState::UNDEFINED_TABLE || *code == SqlState::INVALID_SCHEMA_NAME => StoreError::Empty,
        _ => StoreError::refusal(error),
    }
}

/// Where a PostgreSQL store is, and who reads it.
#[derive(Clone)]
pub struct PostgresSettings {
    /// The address: `postgres://user@host:port/database`, with several hosts separated by commas for a primary and its standbys.
    pub address: String,
    /// The password; empty for none.
    pub password: String,
    /// How the server may ask for it.
    pub authentication: Authentication,
    /// The tenant, whose rows alone are read and written.
    pub tenant: String,
    /// How long a search waits for an answer.
    pub deadline: Duration,
    /// Which server a search asks.
    pub read: Replica,
    /// How long a request of a publication may take.
    pub publish_deadline: Duration,
}

/// Which of several servers is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replica {
    /// Any that answers, a standby too.
    #[default]
    Any,
    /// The server that accepts writes.
    Primary,
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    use super::*;
    use crate::{Postgres, SharedStore as _};

    const PASSWORD: &str = "tR7kq9Zw2Lx";

    /// Asks a server that answers the first message with these bytes. Returns the error, and what the client sent after them.
    fn ask(authentication: Authentication, answer: &'static [u8]) -> (String, Vec<u8>) {
        let server = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = server.local_addr().expect("bound").port();
        let serving = std::thread::spawn(move || {
            let (mut client, _) = server.accept().expect("a client");
            let mut started = [0; 4096];
            let read = client.read(&mut started).expect("a startup message");
            assert!(read > 8 && !started[..read].windows(PASSWORD.len()).any(|part| part == PASSWORD.as_bytes()));
            client.write_all(answer).expect("sent");
            let mut sent = Vec::new();
            client.set_read_timeout(Some(Duration::from_secs(30))).expect("set");
            let read = client.read(&mut started).unwrap_or(0);
            sent.extend_from_slice(&started[..read]);
            sent
        });
        let store = Postgres::new(&PostgresSettings {
            address: format!("postgres://recall@127.0.0.1:{port}/team"),
            password: PASSWORD.to_owned(),
            authentication,
            tenant: "team".to_owned(),
            deadline: Duration::from_secs(30),
            read: Replica::Any,
            publish_deadline: Duration::from_secs(30),
        });
        let error = store.expect("a valid address").ping().expect_err("no server");
        let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        (format!("{error}: {cause}"), serving.join().expect("it served"))
    }

    #[test]
    fn the_password_is_sent_to_no_server_that_would_see_it() {
        let (clear, hashed) = (b"R\0\0\0\x08\0\0\0\x03", b"R\0\0\0\x0c\0\0\0\x05salt");
        for answer in [&clear[..], hashed] {
            let (error, sent) = ask(Authentication::Scram, answer);
            assert!(error.contains("is not sent; let it use SCRAM"), "{error}");
            assert_eq!(sent, b"", "nothing is sent");
        }
        let (_, sent) = ask(Authentication::Any, clear);
        assert!(sent.windows(PASSWORD.len()).any(|part| part == PASSWORD.as_bytes()), "the user's file says so");
    }

    #[test]
    fn an_error_of_the_server_repeats_no_password() {
        let refusal = b"E\0\0\0\x3dSFATAL\0VFATAL\0C28P01\0Mthe password tR7kq9Zw2Lx is wrong\0\0";
        let (error, _) = ask(Authentication::Scram, refusal);
        assert!(error.contains("is wrong") && !error.contains(PASSWORD), "{error}");
    }
}
