//! The RPCs about models.

mod transfer;

use std::path::PathBuf;

use recall_api::v1::{
    AddModelRequest, AddModelResponse, InstallRuntimeRequest, ListModelsRequest, ListModelsResponse, PullModelRequest,
    RemoveModelRequest, RemoveModelResponse, TransferEvent, UseModelRequest, UseModelResponse,
};
use recall_api::{InvalidRequest, Problem};
use recall_core::Scope;
use recall_models::{Role, Watch};
use recall_text::error_chain;
use tonic::Status;

use super::{Pieces, Service, context};
use crate::daemon::Daemon;
use crate::models::{Models, ModelsError};

/// `ListModels`: lists the installed models and those that can be pulled.
pub(super) async fn list(service: &Service, request: ListModelsRequest) -> Result<ListModelsResponse, Status> {
    let ListModelsRequest { context: _, role } = request;
    let role = parse_role("role", &role)?;
    let models = service.call(move |daemon| daemon.models.list(role)).await?;
    Ok(ListModelsResponse { models })
}

/// `AddModel`: installs the model in a folder.
pub(super) async fn add(service: &Service, request: AddModelRequest) -> Result<AddModelResponse, Status> {
    let AddModelRequest { context: _, path, name } = request;
    let from = PathBuf::from(&path);
    if from.is_relative() {
        let problem = Problem::Malformed { value: path, expected: "an absolute path" };
        return Err(InvalidRequest::new("path", problem).into());
    }
    let model = service.call(move |daemon| daemon.models.add(&from, &name)).await?;
    Ok(AddModelResponse { model: Some(model) })
}

/// `PullModel`: downloads and installs a model from a hub.
pub(super) fn pull(service: &Service, request: PullModelRequest) -> Result<Pieces<TransferEvent>, Status> {
    let PullModelRequest { context: _, name, mirror } = request;
    if name.is_empty() {
        return Err(InvalidRequest::new("name", Problem::Empty).into());
    }
    Ok(transfer::stream(service, move |models, watch| models.pull(&name, &mirror, watch)))
}

/// `UseModel`: selects the model for a role.
pub(super) async fn use_model(service: &Service, request: UseModelRequest) -> Result<UseModelResponse, Status> {
    let UseModelRequest { context, role, name } = request;
    if name.is_empty() {
        return Err(InvalidRequest::new("name", Problem::Empty).into());
    }
    let role = parse_role("role", &role)?.ok_or(InvalidRequest::new("role", Problem::Empty))?;
    // Without a project there is nothing to embed.
    let origin = context::origin(context).ok();
    let use_it = move |daemon: &Daemon| -> Result<UseModelResponse, ModelsError> {
        let model = daemon.models.use_as(role, Some(&name))?;
        daemon.models.hand_to(&daemon.engine);
        // Opens the client's stores, so that they start embedding. An error of a store does not concern the model.
        if let Some(Err(error)) = origin.map(|origin| daemon.engine.status(&origin, Scope::All, 0)) {
            tracing::debug!(error = error_chain(&error), "nothing is embedded yet");
        }
        Ok(UseModelResponse { model, chunks_to_embed: daemon.engine.chunks_to_embed() })
    };
    service.call(use_it).await
}

/// `RemoveModel`: deletes an installed model.
pub(super) async fn remove(service: &Service, request: RemoveModelRequest) -> Result<RemoveModelResponse, Status> {
    let RemoveModelRequest { context: _, name } = request;
    if name.is_empty() {
        return Err(InvalidRequest::new("name", Problem::Empty).into());
    }
    let remove = move |daemon: &Daemon| -> Result<u64, ModelsError> {
        let bytes_freed = daemon.models.remove(&name)?;
        // Some store may have used it until another model covers the store.
        daemon.models.hand_to(&daemon.engine);
        Ok(bytes_freed)
    };
    let bytes_freed = service.call(remove).await?;
    Ok(RemoveModelResponse { bytes_freed })
}

/// `InstallRuntime`: installs the library that runs networks.
pub(super) fn install_runtime(
    service: &Service,
    request: InstallRuntimeRequest,
) -> Result<Pieces<TransferEvent>, Status> {
    let InstallRuntimeRequest { context: _, path, provider, retry } = request;
    let package_path = Some(path).filter(|path| !path.is_empty()).map(PathBuf::from);
    if let Some(path) = package_path.as_ref().filter(|path| path.is_relative()) {
        let problem = Problem::Malformed { value: path.display().to_string(), expected: "an absolute path" };
        return Err(InvalidRequest::new("path", problem).into());
    }
    let install = move |models: &Models, watch: &mut Watch<'_>| {
        if retry { models.retry_runtime() } else { models.install_runtime(package_path.as_deref(), &provider, watch) }
    };
    Ok(transfer::stream(service, install))
}

/// Reads a role; `None` if it is empty.
fn parse_role(field: &'static str, name: &str) -> Result<Option<Role>, InvalidRequest> {
    if name.is_empty() {
        return Ok(None);
    }
    let found = Role::ALL.into_iter().find(|role| role.as_str() == name);
    let unknown = || {
        InvalidRequest::new(
            field,
            Problem::Unknown { value: name.to_owned(), known: "embed, rerank, prerank, judge, describe" },
        )
    };
    found.map(Some).ok_or_else(unknown)
}
