//! The RPCs by topic. Each reads its request, calls the engine and writes the answer.
//!
//! No rule of recall is here: `recall-api` validates and converts, the engine decides, and the layers of the server admit, time and
//! count. A handler chooses the thread: short calls block a worker (ADR 24), others run on threads for blocking work. Begin with
//! `calls` and `search`.

mod calls;
mod config;
mod context;
mod context_window;
mod doctor;
mod exact;
mod get;
mod graph;
mod handshake;
mod ids;
mod index;
mod list;
mod memory;
mod models;
mod page;
mod query;
mod review;
mod run;
mod search;
mod session;
mod status;
mod transfer;
pub(crate) mod warning;
mod why;

use recall_api::v1;
use recall_api::v1::recall_server::Recall;
use tonic::{Request, Response, Status};

use crate::admission::Answering;
pub(crate) use calls::Service;
use calls::{CallLength, Pieces};

#[tonic::async_trait]
impl Recall for Service {
    async fn handshake(
        &self,
        request: Request<v1::HandshakeRequest>,
    ) -> Result<Response<v1::HandshakeResponse>, Status> {
        handshake::handle(self, &request.into_inner()).map(Response::new)
    }

    async fn search(&self, request: Request<v1::SearchRequest>) -> Result<Response<v1::SearchResponse>, Status> {
        let answering = request.extensions().get::<Answering>().expect("every search is admitted").clone();
        search::handle(self, &answering, request.into_inner()).await.map(Response::new)
    }

    async fn exact(&self, request: Request<v1::ExactRequest>) -> Result<Response<v1::ExactResponse>, Status> {
        let answering = request.extensions().get::<Answering>().expect("every search is admitted").clone();
        exact::handle(self, &answering, request.into_inner()).await.map(Response::new)
    }

    async fn query(&self, request: Request<v1::QueryRequest>) -> Result<Response<v1::QueryResponse>, Status> {
        let answering = request.extensions().get::<Answering>().expect("every query is admitted").clone();
        query::handle(self, &answering, request.into_inner()).await.map(Response::new)
    }

    async fn context(&self, request: Request<v1::ContextRequest>) -> Result<Response<v1::ContextResponse>, Status> {
        context_window::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn remind(&self, request: Request<v1::RemindRequest>) -> Result<Response<v1::RemindResponse>, Status> {
        context_window::remind(self, request.into_inner()).await.map(Response::new)
    }

    async fn get(&self, request: Request<v1::GetRequest>) -> Result<Response<v1::GetResponse>, Status> {
        get::handle(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn list(&self, request: Request<v1::ListRequest>) -> Result<Response<v1::ListResponse>, Status> {
        list::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn related(&self, request: Request<v1::RelatedRequest>) -> Result<Response<v1::RelatedResponse>, Status> {
        graph::related(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn history(&self, request: Request<v1::HistoryRequest>) -> Result<Response<v1::HistoryResponse>, Status> {
        get::history(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn why(&self, request: Request<v1::WhyRequest>) -> Result<Response<v1::WhyResponse>, Status> {
        why::handle(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn names(&self, request: Request<v1::NamesRequest>) -> Result<Response<v1::NamesResponse>, Status> {
        graph::names(self, request.into_inner()).await.map(Response::new)
    }

    async fn graph(&self, request: Request<v1::GraphRequest>) -> Result<Response<v1::GraphResponse>, Status> {
        graph::handle(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn layout(&self, request: Request<v1::LayoutRequest>) -> Result<Response<v1::LayoutResponse>, Status> {
        graph::layout(self, request.into_inner()).await.map(Response::new)
    }

    async fn remove(&self, request: Request<v1::RemoveRequest>) -> Result<Response<v1::RemoveResponse>, Status> {
        index::remove(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn add(&self, request: Request<v1::AddRequest>) -> Result<Response<v1::AddResponse>, Status> {
        memory::add(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn update(&self, request: Request<v1::UpdateRequest>) -> Result<Response<v1::UpdateResponse>, Status> {
        memory::update(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn feedback(&self, request: Request<v1::FeedbackRequest>) -> Result<Response<v1::FeedbackResponse>, Status> {
        memory::feedback(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn verify(&self, request: Request<v1::VerifyRequest>) -> Result<Response<v1::VerifyResponse>, Status> {
        memory::verify(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn review(&self, request: Request<v1::ReviewRequest>) -> Result<Response<v1::ReviewResponse>, Status> {
        review::review(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn roll_back(&self, request: Request<v1::RollBackRequest>) -> Result<Response<v1::RollBackResponse>, Status> {
        review::roll_back(self, request.into_inner()).await.map(Response::new)
    }

    async fn promote(&self, request: Request<v1::PromoteRequest>) -> Result<Response<v1::PromoteResponse>, Status> {
        memory::promote(self, ids::complete(self, request.into_inner()).await?).await.map(Response::new)
    }

    async fn log_event(&self, request: Request<v1::LogEventRequest>) -> Result<Response<v1::LogEventResponse>, Status> {
        session::log_event(self, request.into_inner()).await.map(Response::new)
    }

    async fn start_session(
        &self,
        request: Request<v1::StartSessionRequest>,
    ) -> Result<Response<v1::StartSessionResponse>, Status> {
        session::start(self, request.into_inner()).await.map(Response::new)
    }

    async fn end_session(
        &self,
        request: Request<v1::EndSessionRequest>,
    ) -> Result<Response<v1::EndSessionResponse>, Status> {
        session::end(self, request.into_inner()).await.map(Response::new)
    }

    async fn keep_session(
        &self,
        request: Request<v1::KeepSessionRequest>,
    ) -> Result<Response<v1::KeepSessionResponse>, Status> {
        session::keep(self, request.into_inner()).await.map(Response::new)
    }

    async fn list_sessions(
        &self,
        request: Request<v1::ListSessionsRequest>,
    ) -> Result<Response<v1::ListSessionsResponse>, Status> {
        session::list(self, request.into_inner()).await.map(Response::new)
    }

    async fn search_transcripts(
        &self,
        request: Request<v1::SearchTranscriptsRequest>,
    ) -> Result<Response<v1::SearchTranscriptsResponse>, Status> {
        session::search_transcripts(self, request.into_inner()).await.map(Response::new)
    }

    async fn find_fix(&self, request: Request<v1::FindFixRequest>) -> Result<Response<v1::FindFixResponse>, Status> {
        session::find_fix(self, request.into_inner()).await.map(Response::new)
    }

    async fn hand_off(&self, request: Request<v1::HandOffRequest>) -> Result<Response<v1::HandOffResponse>, Status> {
        session::hand_off(self, request.into_inner()).await.map(Response::new)
    }

    async fn briefing(&self, request: Request<v1::BriefingRequest>) -> Result<Response<v1::BriefingResponse>, Status> {
        session::briefing(self, request.into_inner()).await.map(Response::new)
    }

    async fn changes(&self, request: Request<v1::ChangesRequest>) -> Result<Response<v1::ChangesResponse>, Status> {
        session::changes(self, request.into_inner()).await.map(Response::new)
    }

    async fn list_events(
        &self,
        request: Request<v1::ListEventsRequest>,
    ) -> Result<Response<v1::ListEventsResponse>, Status> {
        session::list_events(self, request.into_inner()).await.map(Response::new)
    }

    async fn list_drafts(
        &self,
        request: Request<v1::ListDraftsRequest>,
    ) -> Result<Response<v1::ListDraftsResponse>, Status> {
        session::list_drafts(self, request.into_inner()).await.map(Response::new)
    }

    type IndexStream = Pieces<v1::IndexEvent>;

    async fn index(&self, request: Request<v1::IndexRequest>) -> Result<Response<Self::IndexStream>, Status> {
        index::handle(self, request.into_inner()).map(Response::new)
    }

    type RebuildStream = Pieces<v1::IndexEvent>;

    async fn rebuild(&self, request: Request<v1::RebuildRequest>) -> Result<Response<Self::RebuildStream>, Status> {
        index::rebuild(self, request.into_inner()).map(Response::new)
    }

    async fn status(&self, request: Request<v1::StatusRequest>) -> Result<Response<v1::StatusResponse>, Status> {
        status::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn stats(&self, request: Request<v1::StatsRequest>) -> Result<Response<v1::StatsResponse>, Status> {
        status::stats(self, request.into_inner()).await.map(Response::new)
    }

    async fn doctor(&self, request: Request<v1::DoctorRequest>) -> Result<Response<v1::DoctorResponse>, Status> {
        doctor::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn publish(&self, request: Request<v1::PublishRequest>) -> Result<Response<v1::PublishResponse>, Status> {
        index::publish(self, request.into_inner()).await.map(Response::new)
    }

    async fn compact(&self, request: Request<v1::CompactRequest>) -> Result<Response<v1::CompactResponse>, Status> {
        index::compact(self, request.into_inner()).await.map(Response::new)
    }

    async fn backup(&self, request: Request<v1::BackupRequest>) -> Result<Response<v1::BackupResponse>, Status> {
        transfer::backup(self, request.into_inner()).await.map(Response::new)
    }

    async fn restore(&self, request: Request<v1::RestoreRequest>) -> Result<Response<v1::RestoreResponse>, Status> {
        transfer::restore(self, request.into_inner()).await.map(Response::new)
    }

    async fn config(&self, request: Request<v1::ConfigRequest>) -> Result<Response<v1::ConfigResponse>, Status> {
        config::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn open_page(&self, request: Request<v1::OpenPageRequest>) -> Result<Response<v1::OpenPageResponse>, Status> {
        page::handle(self, request.into_inner()).await.map(Response::new)
    }

    async fn shutdown(&self, request: Request<v1::ShutdownRequest>) -> Result<Response<v1::ShutdownResponse>, Status> {
        Ok(Response::new(handshake::shutdown(self, request.into_inner())))
    }

    async fn list_models(
        &self,
        request: Request<v1::ListModelsRequest>,
    ) -> Result<Response<v1::ListModelsResponse>, Status> {
        models::list(self, request.into_inner()).await.map(Response::new)
    }

    async fn add_model(&self, request: Request<v1::AddModelRequest>) -> Result<Response<v1::AddModelResponse>, Status> {
        models::add(self, request.into_inner()).await.map(Response::new)
    }

    type PullModelStream = Pieces<v1::TransferEvent>;

    async fn pull_model(
        &self,
        request: Request<v1::PullModelRequest>,
    ) -> Result<Response<Self::PullModelStream>, Status> {
        models::pull(self, request.into_inner()).map(Response::new)
    }

    async fn use_model(&self, request: Request<v1::UseModelRequest>) -> Result<Response<v1::UseModelResponse>, Status> {
        models::use_model(self, request.into_inner()).await.map(Response::new)
    }

    async fn remove_model(
        &self,
        request: Request<v1::RemoveModelRequest>,
    ) -> Result<Response<v1::RemoveModelResponse>, Status> {
        models::remove(self, request.into_inner()).await.map(Response::new)
    }

    type InstallRuntimeStream = Pieces<v1::TransferEvent>;

    async fn install_runtime(
        &self,
        request: Request<v1::InstallRuntimeRequest>,
    ) -> Result<Response<Self::InstallRuntimeStream>, Status> {
        models::install_runtime(self, request.into_inner()).map(Response::new)
    }

    type ExportStream = Pieces<v1::ExportResponse>;

    async fn export(&self, request: Request<v1::ExportRequest>) -> Result<Response<Self::ExportStream>, Status> {
        transfer::export(self, request.into_inner()).map(Response::new)
    }

    async fn import(
        &self,
        request: Request<tonic::Streaming<v1::ImportRequest>>,
    ) -> Result<Response<v1::ImportResponse>, Status> {
        transfer::import(self, request.into_inner()).await.map(Response::new)
    }

    async fn migrate(&self, request: Request<v1::MigrateRequest>) -> Result<Response<v1::MigrateResponse>, Status> {
        transfer::migrate(self, request.into_inner()).await.map(Response::new)
    }

    async fn audit(&self, request: Request<v1::AuditRequest>) -> Result<Response<v1::AuditResponse>, Status> {
        transfer::audit(self, request.into_inner()).await.map(Response::new)
    }
}
