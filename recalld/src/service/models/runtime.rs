//! `InstallRuntime`: installs the library that runs networks.

use std::path::PathBuf;

use recall_proto::v1::{InstallRuntimeRequest, TransferEvent};
use recall_proto::{InvalidRequest, Problem};
use tonic::Status;

use super::transfer;
use crate::service::{Pieces, Service};

pub(in crate::service) fn handle(
    service: &Service,
    request: InstallRuntimeRequest,
) -> Result<Pieces<TransferEvent>, Status> {
    let InstallRuntimeRequest { context: _, path, provider, retry } = request;
    let package_path = Some(path).filter(|path| !path.is_empty()).map(PathBuf::from);
    if let Some(path) = package_path.as_ref().filter(|path| path.is_relative()) {
        let problem = Problem::Malformed { value: path.display().to_string(), expected: "an absolute path" };
        return Err(InvalidRequest::new("path", problem).into());
    }
    let install = move |models: &crate::models::Models, watch: &mut recall_models::Watch<'_>| {
        if retry { models.retry_runtime() } else { models.install_runtime(package_path.as_deref(), &provider, watch) }
    };
    Ok(transfer::stream(service, install))
}
