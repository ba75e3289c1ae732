//! `Names`: returns the names of symbols that begin with a text.

use recall_api::convert::{limits, scope};
use recall_api::v1::{NamesRequest, NamesResponse};
use recall_api::{InvalidRequest, Problem};
use recall_core::Scope;
use recall_engine::NamesRequest as Asked;
use tonic::Status;

use super::{Service, context};

pub(super) async fn handle(service: &Service, request: NamesRequest) -> Result<NamesResponse, Status> {
    let NamesRequest { context, prefix, scope: wanted, limit } = request;
    if prefix.trim().is_empty() {
        return Err(InvalidRequest::new("prefix", Problem::Empty).into());
    }
    let asked = Asked { prefix, scope: scope::from_proto(wanted, Scope::All)?, limit: limits::names(limit)? as usize };
    let origin = context::origin(context)?;
    let names = service.call(move |daemon| daemon.engine.names(&origin, &asked)).await?;
    Ok(NamesResponse { names })
}
