//! `AddModel`: installs the model in a folder.

use std::path::PathBuf;

use recall_proto::v1::{AddModelRequest, AddModelResponse};
use recall_proto::{InvalidRequest, Problem};
use tonic::Status;

use crate::service::Service;

pub(in crate::service) async fn handle(
    service: &Service,
    request: AddModelRequest,
) -> Result<AddModelResponse, Status> {
    let AddModelRequest { context: _, path, name } = request;
    let from = PathBuf::from(&path);
    if from.is_relative() {
        let problem = Problem::Malformed { value: path, expected: "an absolute path" };
        return Err(InvalidRequest::new("path", problem).into());
    }
    let model = service.call(move |daemon| daemon.models.add(&from, &name)).await?;
    Ok(AddModelResponse { model: Some(model) })
}
