//! `RemoveModel`: delete an installed model.

use recall_proto::v1::{RemoveModelRequest, RemoveModelResponse};
use recall_proto::{InvalidRequest, Problem};
use tonic::Status;

use crate::service::Service;

pub(in crate::service) async fn handle(
    service: &Service,
    request: RemoveModelRequest,
) -> Result<RemoveModelResponse, Status> {
    let RemoveModelRequest { context: _, name } = request;
    if name.is_empty() {
        return Err(InvalidRequest::new("name", Problem::Empty).into());
    }
    let bytes_freed = service.call(move |daemon| daemon.models.remove(&name)).await?;
    Ok(RemoveModelResponse { bytes_freed })
}
