//! `ListModels`: lists the installed models and those that can be pulled.

use recall_proto::v1::{ListModelsRequest, ListModelsResponse};
use tonic::Status;

use crate::service::Service;

pub(in crate::service) async fn handle(
    service: &Service,
    request: ListModelsRequest,
) -> Result<ListModelsResponse, Status> {
    let ListModelsRequest { context: _, role } = request;
    let role = super::role("role", &role)?;
    let models = service.call(move |daemon| daemon.models.list(role)).await?;
    Ok(ListModelsResponse { models })
}
