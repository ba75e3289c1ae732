//! One method an RPC.

use std::sync::Arc;

use recall_proto::v1;
use tonic::{IntoRequest, IntoStreamingRequest, Request, Response, Status, Streaming};

use crate::error::ConnectError;
use crate::handshake::DaemonIdentity;
use crate::key::Keyed as _;
use crate::link::Link;
use crate::options::ConnectOptions;

/// The generated client.
type Rpc = v1::recall_client::RecallClient<tonic::transport::Channel>;

/// A connection to the daemon. Clones share it.
///
/// Each method passes its request on and returns the daemon's answer. A request that shall be given up after some time
/// is wrapped in a [`tonic::Request`] with a timeout; the daemon then stops working on it too.
///
/// When the daemon goes away a call fails with the code `UNAVAILABLE`. One that is safe to repeat is first made again
/// on a new connection, as often as [`ConnectOptions::attempts`] says; memories and events that are kept get a key for
/// that, by which they are kept once.
#[derive(Clone, Debug)]
pub struct Client {
    link: Arc<Link>,
    daemon: Arc<DaemonIdentity>,
}

/// Makes a method of each RPC that takes one message, answers with one, and is safe to repeat.
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

/// Makes a method of each RPC that takes one message and answers with one.
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

/// Makes a method of each RPC that takes one message and answers with many.
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
    /// Connects to the daemon, starts it where it is not running, and exchanges versions.
    ///
    /// A daemon that is older than this program is asked to finish and replaced. Runs inside a tokio runtime.
    ///
    /// # Errors
    /// No daemon was reached, or it speaks another protocol.
    pub async fn connect(options: &ConnectOptions) -> Result<Self, ConnectError> {
        let (link, daemon) = Link::make(options).await?;
        Ok(Self { link: Arc::new(link), daemon: Arc::new(daemon) })
    }

    /// Who the daemon said that it is when the connection was made.
    pub fn daemon(&self) -> &DaemonIdentity {
        &self.daemon
    }

    /// Keeps a memory. Answered when it is on disk.
    pub async fn add(&self, request: impl IntoRequest<v1::AddRequest>) -> Result<v1::AddResponse, Status> {
        let request = request.into_request().map(v1::AddRequest::keyed);
        let call = async |mut rpc: Rpc, request: Request<_>| rpc.add(request).await.map(Response::into_inner);
        self.link.repeat(request, call).await
    }

    /// Writes an event into the flight recorder.
    pub async fn log_event(
        &self,
        request: impl IntoRequest<v1::LogEventRequest>,
    ) -> Result<v1::LogEventResponse, Status> {
        let request = request.into_request().map(v1::LogEventRequest::keyed);
        let call = async |mut rpc: Rpc, request: Request<_>| rpc.log_event(request).await.map(Response::into_inner);
        self.link.repeat(request, call).await
    }

    /// Takes in what another store wrote out.
    pub async fn import(
        &self,
        pieces: impl IntoStreamingRequest<Message = v1::ImportRequest>,
    ) -> Result<v1::ImportResponse, Status> {
        self.link.rpc().await.import(pieces).await.map(Response::into_inner)
    }
}

repeatable! {
    /// Finds chunks by words, meaning, symbols and paths.
    search: SearchRequest => SearchResponse;
    /// Tells what the learned rankers see of every document that may answer a query.
    candidates: CandidatesRequest => CandidatesResponse;
    /// Answers a query in RQL.
    query: QueryRequest => QueryResponse;
    /// Packs what a task or a file needs into one window.
    context: ContextRequest => ContextResponse;
    /// Returns one document, chunk or memory, whole.
    get: GetRequest => GetResponse;
    /// Lists what is stored.
    list: ListRequest => ListResponse;
    /// Tells what a document has to do with.
    related: RelatedRequest => RelatedResponse;
    /// Returns the neighbours of a symbol, file or memory.
    graph: GraphRequest => GraphResponse;
    /// Amends a memory.
    update: UpdateRequest => UpdateResponse;
    /// Checks memories against the files, or confirms them.
    verify: VerifyRequest => VerifyResponse;
    /// Lists the sessions of a project.
    list_sessions: ListSessionsRequest => ListSessionsResponse;
    /// Lists the events of a session.
    list_events: ListEventsRequest => ListEventsResponse;
    /// Tells what a new session should know.
    briefing: BriefingRequest => BriefingResponse;
    /// Tells how the daemon and the stores are.
    status: StatusRequest => StatusResponse;
    /// Checks the stores, and mends them.
    doctor: DoctorRequest => DoctorResponse;
    /// Gives back the space that deleted things take.
    compact: CompactRequest => CompactResponse;
    /// Lists the models.
    list_models: ListModelsRequest => ListModelsResponse;
    /// Installs a model from a directory.
    add_model: AddModelRequest => AddModelResponse;
    /// Uses a model in a role.
    use_model: UseModelRequest => UseModelResponse;
    /// Tells or changes settings.
    config: ConfigRequest => ConfigResponse;
}

unary! {
    /// Says whether an item was of use.
    feedback: FeedbackRequest => FeedbackResponse;
    /// Takes documents out of the index, or deletes memories.
    remove: RemoveRequest => RemoveResponse;
    /// Moves a memory to a wider store.
    promote: PromoteRequest => PromoteResponse;
    /// Ends the daemon.
    shutdown: ShutdownRequest => ShutdownResponse;
    /// Begins a session.
    start_session: StartSessionRequest => StartSessionResponse;
    /// Ends a session with its summary.
    end_session: EndSessionRequest => EndSessionResponse;
    /// Deletes an installed model.
    remove_model: RemoveModelRequest => RemoveModelResponse;
}

streaming! {
    /// Brings files into the index, with progress. Dropping the stream stops the run.
    index: IndexRequest => IndexEvent;
    /// Makes every derived thing of a store again, with progress. Dropping the stream stops the run.
    rebuild: RebuildRequest => IndexEvent;
    /// Writes out what a store holds.
    export: ExportRequest => ExportResponse;
    /// Fetches a model from a hub, with progress.
    pull_model: PullModelRequest => TransferEvent;
    /// Installs the library that runs ONNX models, with progress.
    install_runtime: InstallRuntimeRequest => TransferEvent;
}
