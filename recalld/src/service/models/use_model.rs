//! `UseModel`: use a model in a role from now on.

use recall_proto::v1::{UseModelRequest, UseModelResponse};
use recall_proto::{InvalidRequest, Problem};
use tonic::Status;

use crate::service::Service;

pub(in crate::service) async fn handle(
    service: &Service,
    request: UseModelRequest,
) -> Result<UseModelResponse, Status> {
    let UseModelRequest { context: _, role, name } = request;
    if name.is_empty() {
        return Err(InvalidRequest::new("name", Problem::Empty).into());
    }
    let role = super::role("role", &role)?.ok_or(InvalidRequest::new("role", Problem::Empty))?;
    let model = service.call(move |daemon| daemon.models.use_as(role, Some(&name))).await?;
    Ok(UseModelResponse { model, chunks_to_embed: 0 })
}
