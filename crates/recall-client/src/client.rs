//! The client: one method per RPC, and idempotency keys, which make writing calls safe to repeat.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use recall_api::v1;
use tonic::{IntoRequest, IntoStreamingRequest, Request, Response, Status, Streaming};

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

/// Defines a method for each unary RPC that is safe to repeat.
macro_rules! repeatable {
    ($($(#[$doc:meta])* $rpc:ident: $Request:ident => $Response:ident;)*) => {
        impl Client {
            $(
                $(#[$doc])*
                pub async fn $rpc(&self, request: impl IntoRequest<v1::$Request>) -> Result<v1::$Response, Status> {
                    let call = async |mut rpc: Rpc, request| rpc.$rpc(request).await.map(Response::into_inner);
                    self.link.repeat(request.into_request(), call).await
                }
            )*
        }
    };
}

/// Defines a method for each unary RPC.
macro_rules! unary {
    ($($(#[$doc:meta])* $rpc:ident: $Request:ident => $Response:ident;)*) => {
        impl Client {
            $(
                $(#[$doc])*
                pub async fn $rpc(&self, request: impl IntoRequest<v1::$Request>) -> Result<v1::$Response, Status> {
                    self.link.rpc().await.$rpc(request).await.map(Response::into_inner)
                }
            )*
        }
    };
}

/// Defines a method for each RPC with a stream of responses.
macro_rules! streaming {
    ($($(#[$doc:meta])* $rpc:ident: $Request:ident => $Response:ident;)*) => {
        impl Client {
            $(
                $(#[$doc])*
                pub async fn $rpc(
                    &self,
                    request: impl IntoRequest<v1::$Request>,
                ) -> Result<Streaming<v1::$Response>, Status> {
                    self.link.rpc().await.$rpc(request).await.map(Response::into_inner)
                }
            )*
        }
    };
}

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

    /// Adds a memory. Returns once it is on disk.
    pub async fn add(&self, request: impl IntoRequest<v1::AddRequest>) -> Result<v1::AddResponse, Status> {
        let request = request.into_request().map(v1::AddRequest::with_key);
        let call = async |mut rpc: Rpc, request: Request<_>| rpc.add(request).await.map(Response::into_inner);
        self.link.repeat(request, call).await
    }

    /// Writes an event into the flight recorder.
    pub async fn log_event(
        &self,
        request: impl IntoRequest<v1::LogEventRequest>,
    ) -> Result<v1::LogEventResponse, Status> {
        let request = request.into_request().map(v1::LogEventRequest::with_key);
        let call = async |mut rpc: Rpc, request: Request<_>| rpc.log_event(request).await.map(Response::into_inner);
        self.link.repeat(request, call).await
    }

    /// Imports an export of another store.
    pub async fn import(
        &self,
        pieces: impl IntoStreamingRequest<Message = v1::ImportRequest>,
    ) -> Result<v1::ImportResponse, Status> {
        self.link.rpc().await.import(pieces).await.map(Response::into_inner)
    }
}

repeatable! {
    /// Searches chunks by words, meaning, symbols and paths.
    search: SearchRequest => SearchResponse;
    /// Returns the features of every candidate document of a query, as the learned rankers see them.
    candidates: CandidatesRequest => CandidatesResponse;
    /// Finds every line that holds a literal or matches a regular expression.
    exact: ExactRequest => ExactResponse;
    /// Runs a query in RQL.
    query: QueryRequest => QueryResponse;
    /// Packs the context of a task or a file into one window.
    context: ContextRequest => ContextResponse;
    /// Returns what an agent should know about a prompt, a file or a failed command.
    remind: RemindRequest => RemindResponse;
    /// Returns one document, chunk or memory with its text.
    get: GetRequest => GetResponse;
    /// Lists documents and memories.
    list: ListRequest => ListResponse;
    /// Returns the documents related to a document.
    related: RelatedRequest => RelatedResponse;
    /// Returns the commits that changed a document.
    history: HistoryRequest => HistoryResponse;
    /// Returns where lines of a file come from.
    why: WhyRequest => WhyResponse;
    /// Returns the names of symbols that begin with a text.
    names: NamesRequest => NamesResponse;
    /// Returns the neighbours of a symbol, file or memory.
    graph: GraphRequest => GraphResponse;
    /// Returns the folders of a project with their code, what they import from each other, and its hot files.
    layout: LayoutRequest => LayoutResponse;
    /// Amends a memory; what the request leaves out stays as it is.
    update: UpdateRequest => UpdateResponse;
    /// Checks memories against the files, or confirms them.
    verify: VerifyRequest => VerifyResponse;
    /// Brings the summary of a session into the project.
    keep_session: KeepSessionRequest => KeepSessionResponse;
    /// Lists the sessions of a project.
    list_sessions: ListSessionsRequest => ListSessionsResponse;
    /// Lists the events of a session.
    list_events: ListEventsRequest => ListEventsResponse;
    /// Returns drafts of memories from what a session recorded.
    list_drafts: ListDraftsRequest => ListDraftsResponse;
    /// Searches what was said in the sessions of the project.
    search_transcripts: SearchTranscriptsRequest => SearchTranscriptsResponse;
    /// Returns how an error was met before.
    find_fix: FindFixRequest => FindFixResponse;
    /// Returns what another agent needs to go on with a session.
    hand_off: HandOffRequest => HandOffResponse;
    /// Returns a briefing for a new session.
    briefing: BriefingRequest => BriefingResponse;
    /// Returns what changed in the memories of a project since a time.
    changes: ChangesRequest => ChangesResponse;
    /// Returns the status of the daemon and the stores.
    status: StatusRequest => StatusResponse;
    /// Checks the stores, and repairs them on request.
    doctor: DoctorRequest => DoctorResponse;
    /// Returns what the stores hold, and an estimate of what answers saved.
    stats: StatsRequest => StatsResponse;
    /// Frees the space of deleted data.
    compact: CompactRequest => CompactResponse;
    /// Indexes a project and publishes it to a shared store.
    publish: PublishRequest => PublishResponse;
    /// Lists the installed models and those that can be pulled.
    list_models: ListModelsRequest => ListModelsResponse;
    /// Installs a model from a directory.
    add_model: AddModelRequest => AddModelResponse;
    /// Selects a model for a role.
    use_model: UseModelRequest => UseModelResponse;
    /// Opens the page in a browser, and returns a link to it.
    open_page: OpenPageRequest => OpenPageResponse;
    /// Returns the settings with their origins.
    config: ConfigRequest => ConfigResponse;
    /// Imports what another tool remembers.
    migrate: MigrateRequest => MigrateResponse;
    /// Audits what other tools remember.
    audit: AuditRequest => AuditResponse;
}

unary! {
    /// Records whether an item of an answer was useful.
    feedback: FeedbackRequest => FeedbackResponse;
    /// Removes documents from the index, or deletes memories.
    remove: RemoveRequest => RemoveResponse;
    /// Accepts, rejects or merges a memory that was only proposed.
    review: ReviewRequest => ReviewResponse;
    /// Takes back what was written.
    roll_back: RollBackRequest => RollBackResponse;
    /// Promotes a memory to a wider store.
    promote: PromoteRequest => PromoteResponse;
    /// Writes a backup into a file.
    backup: BackupRequest => BackupResponse;
    /// Adds what a backup has and the stores lack.
    restore: RestoreRequest => RestoreResponse;
    /// Shuts the daemon down.
    shutdown: ShutdownRequest => ShutdownResponse;
    /// Starts a session, with a briefing if the request asks for one.
    start_session: StartSessionRequest => StartSessionResponse;
    /// Ends a session with its summary.
    end_session: EndSessionRequest => EndSessionResponse;
    /// Deletes an installed model.
    remove_model: RemoveModelRequest => RemoveModelResponse;
}

streaming! {
    /// Indexes files, with progress. Dropping the stream stops the run.
    index: IndexRequest => IndexEvent;
    /// Rebuilds all derived data of a store, with progress. Dropping the stream stops the run.
    rebuild: RebuildRequest => IndexEvent;
    /// Exports the contents of a store.
    export: ExportRequest => ExportResponse;
    /// Downloads a model from a hub, with progress.
    pull_model: PullModelRequest => TransferEvent;
    /// Installs the ONNX runtime, with progress.
    install_runtime: InstallRuntimeRequest => TransferEvent;
}

/// A request with an idempotency key.
pub(crate) trait Keyed {
    /// Sets a new key if the request has none.
    #[must_use]
    fn with_key(self) -> Self;
}

impl Keyed for v1::AddRequest {
    fn with_key(mut self) -> Self {
        fill(&mut self.idempotency_key);
        self
    }
}

impl Keyed for v1::LogEventRequest {
    fn with_key(mut self) -> Self {
        fill(&mut self.idempotency_key);
        self
    }
}

fn fill(key: &mut String) {
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
        let keys: std::collections::BTreeSet<_> =
            (0..100).map(|_| v1::AddRequest::default().with_key().idempotency_key).collect();
        assert_eq!(keys.len(), 100);
        let given = v1::LogEventRequest { idempotency_key: "mine".to_owned(), ..Default::default() };
        assert_eq!(given.with_key().idempotency_key, "mine");
    }
}
