//! `PullModel`: downloads and installs a model from a hub.

use recall_proto::v1::{PullModelRequest, TransferEvent};
use recall_proto::{InvalidRequest, Problem};
use tonic::Status;

use super::transfer;
use crate::service::{Pieces, Service};

pub(in crate::service) fn handle(
    service: &Service,
    request: PullModelRequest,
) -> Result<Pieces<TransferEvent>, Status> {
    let PullModelRequest { context: _, name, mirror } = request;
    if name.is_empty() {
        return Err(InvalidRequest::new("name", Problem::Empty).into());
    }
    Ok(transfer::stream(service, move |models, watch| models.pull(&name, &mirror, watch)))
}
