//! The RPCs, one per file. Each reads its request, calls the engine and writes the answer.

mod add;
mod candidates;
mod context;
mod doctor;
mod feedback;
mod get;
mod graph;
mod handshake;
mod index;
mod list;
mod list_events;
mod log_event;
mod memory;
mod models;
mod promote;
mod rebuild;
mod related;
mod remove;
mod run;
mod search;
mod session;
mod shutdown;
mod status;
mod store;
mod unsupported;
mod update;
mod verify;
pub(crate) mod warning;

use std::pin::Pin;
use std::sync::Arc;

use futures_util::Stream;
use recall_proto::v1;
use recall_proto::v1::recall_server::Recall;
use tonic::{Request, Response, Status};

use crate::activity::{Caller, ClientId};
use crate::admission::Answering;
use crate::blocking;
use crate::daemon::Daemon;
use crate::failure::IntoFailure;
use unsupported::unsupported;

/// The gRPC service `recall.v1` over the shared state of the daemon.
#[derive(Clone)]
pub(crate) struct Service {
    daemon: Arc<Daemon>,
}

/// A streamed answer.
type Pieces<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl Service {
    /// Creates the service over the shared state.
    pub(crate) fn new(daemon: Arc<Daemon>) -> Self {
        Self { daemon }
    }

    /// Calls the engine on a thread for blocking work.
    async fn call<T, E>(&self, call: impl FnOnce(&Daemon) -> Result<T, E> + Send + 'static) -> Result<T, Status>
    where
        T: Send + 'static,
        E: IntoFailure + Send + 'static,
    {
        let daemon = Arc::clone(&self.daemon);
        let outcome = blocking::run(move || call(&daemon)).await?;
        outcome.map_err(|error| error.into_failure().into())
    }

    /// Like [`call`](Self::call), for a call that is usually short.
    async fn call_short<T, E>(
        &self,
        client: ClientId,
        call: impl FnOnce(&Daemon) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Status>
    where
        T: Send + 'static,
        E: IntoFailure + Send + 'static,
    {
        let daemon = Arc::clone(&self.daemon);
        let outcome = self.daemon.in_place.run(client, move || call(&daemon)).await?;
        outcome.map_err(|error| error.into_failure().into())
    }
}

#[tonic::async_trait]
impl Recall for Service {
    async fn handshake(
        &self,
        request: Request<v1::HandshakeRequest>,
    ) -> Result<Response<v1::HandshakeResponse>, Status> {
        handshake::handle(self, &request.into_inner()).map(Response::new)
    }

    async fn search(&self, request: Request<v1::SearchRequest>) -> Result<Response<v1::SearchResponse>, Status> {
        let client = request.extensions().get::<Caller>().expect("every connection has one").client;
        let answering = request.extensions().get::<Answering>().expect("every search is admitted").clone();
        search::handle(self, client, &answering, request.into_inner()).await.map(Response::new)
    }

    async fn candidates(
        &self,
        request: Request<v1::CandidatesRequest>,
    ) -> Result<Response<v1::CandidatesResponse>, Status> {
        candidates::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn get(&self, request: Request<v1::GetRequest>) -> Result<Response<v1::GetResponse>, Status> {
        get::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn list(&self, request: Request<v1::ListRequest>) -> Result<Response<v1::ListResponse>, Status> {
        list::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn related(&self, request: Request<v1::RelatedRequest>) -> Result<Response<v1::RelatedResponse>, Status> {
        related::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn graph(&self, request: Request<v1::GraphRequest>) -> Result<Response<v1::GraphResponse>, Status> {
        graph::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn remove(&self, request: Request<v1::RemoveRequest>) -> Result<Response<v1::RemoveResponse>, Status> {
        remove::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn add(&self, request: Request<v1::AddRequest>) -> Result<Response<v1::AddResponse>, Status> {
        add::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn update(&self, request: Request<v1::UpdateRequest>) -> Result<Response<v1::UpdateResponse>, Status> {
        update::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn feedback(&self, request: Request<v1::FeedbackRequest>) -> Result<Response<v1::FeedbackResponse>, Status> {
        feedback::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn verify(&self, request: Request<v1::VerifyRequest>) -> Result<Response<v1::VerifyResponse>, Status> {
        verify::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn promote(&self, request: Request<v1::PromoteRequest>) -> Result<Response<v1::PromoteResponse>, Status> {
        promote::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn log_event(&self, request: Request<v1::LogEventRequest>) -> Result<Response<v1::LogEventResponse>, Status> {
        log_event::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn start_session(
        &self,
        request: Request<v1::StartSessionRequest>,
    ) -> Result<Response<v1::StartSessionResponse>, Status> {
        session::start::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn end_session(
        &self,
        request: Request<v1::EndSessionRequest>,
    ) -> Result<Response<v1::EndSessionResponse>, Status> {
        session::end::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn list_sessions(
        &self,
        request: Request<v1::ListSessionsRequest>,
    ) -> Result<Response<v1::ListSessionsResponse>, Status> {
        session::list::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn briefing(&self, request: Request<v1::BriefingRequest>) -> Result<Response<v1::BriefingResponse>, Status> {
        session::briefing::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn list_events(
        &self,
        request: Request<v1::ListEventsRequest>,
    ) -> Result<Response<v1::ListEventsResponse>, Status> {
        list_events::handle(self, request.into_inner()).await.map(Response::new)
    }

    type IndexStream = Pieces<v1::IndexEvent>;

    async fn index(&self, request: Request<v1::IndexRequest>) -> Result<Response<Self::IndexStream>, Status> {
        index::handle(self, request.into_inner()).map(Response::new)
    }

    type RebuildStream = Pieces<v1::IndexEvent>;

    async fn rebuild(&self, request: Request<v1::RebuildRequest>) -> Result<Response<Self::RebuildStream>, Status> {
        rebuild::handle(self, request.into_inner()).map(Response::new)
    }

    async fn status(&self, request: Request<v1::StatusRequest>) -> Result<Response<v1::StatusResponse>, Status> {
        status::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn doctor(&self, request: Request<v1::DoctorRequest>) -> Result<Response<v1::DoctorResponse>, Status> {
        doctor::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn shutdown(&self, request: Request<v1::ShutdownRequest>) -> Result<Response<v1::ShutdownResponse>, Status> {
        Ok(Response::new(shutdown::handle(self, request.into_inner())))
    }

    async fn list_models(
        &self,
        request: Request<v1::ListModelsRequest>,
    ) -> Result<Response<v1::ListModelsResponse>, Status> {
        models::list::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn add_model(&self, request: Request<v1::AddModelRequest>) -> Result<Response<v1::AddModelResponse>, Status> {
        models::add::handle(self, request.into_inner()).await.map(Response::new)
    }

    type PullModelStream = Pieces<v1::TransferEvent>;

    async fn pull_model(
        &self,
        request: Request<v1::PullModelRequest>,
    ) -> Result<Response<Self::PullModelStream>, Status> {
        models::pull::handle(self, request.into_inner()).map(Response::new)
    }

    async fn use_model(&self, request: Request<v1::UseModelRequest>) -> Result<Response<v1::UseModelResponse>, Status> {
        models::use_model::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn remove_model(
        &self,
        request: Request<v1::RemoveModelRequest>,
    ) -> Result<Response<v1::RemoveModelResponse>, Status> {
        models::remove::handle(self, request.into_inner()).await.map(Response::new)
    }

    type InstallRuntimeStream = Pieces<v1::TransferEvent>;

    async fn install_runtime(
        &self,
        request: Request<v1::InstallRuntimeRequest>,
    ) -> Result<Response<Self::InstallRuntimeStream>, Status> {
        models::runtime::handle(self, request.into_inner()).map(Response::new)
    }

    type ExportStream = Pieces<v1::ExportResponse>;

    unsupported! {
        "Query" query(v1::QueryRequest) -> v1::QueryResponse;
        "Context" context(v1::ContextRequest) -> v1::ContextResponse;
        "Compact" compact(v1::CompactRequest) -> v1::CompactResponse;
        "Export" export(v1::ExportRequest) -> Self::ExportStream;
        "Import" import(tonic::Streaming<v1::ImportRequest>) -> v1::ImportResponse;
        "Config" config(v1::ConfigRequest) -> v1::ConfigResponse;
    }
}
