//! Connections to a server, kept for the next request.
//!
//! A connection is given back only after its request has ended, so a dropped future never leaves one in the middle of an answer. The
//! plans of searches are fixed by the settings of a connection, because the statistics of a table lag behind publications.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::StoreError;

/// The most idle connections that are kept.
const KEPT: usize = 8;

/// Connections of one tenant.
pub(super) struct Pool {
    config: Config,
    tls: Option<MakeRustlsConnect>,
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
        Ok(Self { config, tls, tenant: settings.tenant.clone(), idle: Mutex::default() })
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
        let client = match &self.tls {
            None => drive(self.config.connect(NoTls).await.map_err(store_error)?),
            Some(tls) => drive(self.config.connect(tls.clone()).await.map_err(store_error)?),
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

/// Lets a connection exchange messages until its client is dropped.
fn drive<S, T>((client, connection): (Client, tokio_postgres::Connection<S, T>)) -> Client
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    T: tokio_postgres::tls::TlsStream + Unpin + Send + 'static,
{
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to a shared store ended");
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
        return StoreError::unreachable(error);
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
