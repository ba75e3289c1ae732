//! `RemoveModel`: deletes an installed model.

use recall_proto::v1::{RemoveModelRequest, RemoveModelResponse};
use recall_proto::{InvalidRequest, Problem};
use tonic::Status;

use crate::daemon::Daemon;
use crate::models::ModelsError;
use crate::service::Service;

pub(in crate::service) async fn handle(
    service: &Service,
    request: RemoveModelRequest,
) -> Result<RemoveModelResponse, Status> {
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
