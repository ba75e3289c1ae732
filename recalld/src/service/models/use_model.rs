//! `UseModel`: selects the model for a role.

use recall_core::{Scope, error_chain};
use recall_proto::v1::{UseModelRequest, UseModelResponse};
use recall_proto::{InvalidRequest, Problem};
use tonic::Status;

use crate::daemon::Daemon;
use crate::models::ModelsError;
use crate::service::{Service, context};

pub(in crate::service) async fn handle(
    service: &Service,
    request: UseModelRequest,
) -> Result<UseModelResponse, Status> {
    let UseModelRequest { context, role, name } = request;
    if name.is_empty() {
        return Err(InvalidRequest::new("name", Problem::Empty).into());
    }
    let role = super::role("role", &role)?.ok_or(InvalidRequest::new("role", Problem::Empty))?;
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
