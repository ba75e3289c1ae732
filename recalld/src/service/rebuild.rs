//! `Rebuild`: rebuilds a store's index or a part of it.

use recall_api::convert::scope;
use recall_api::v1::{IndexEvent, RebuildRequest, RebuildTarget};
use recall_api::{InvalidRequest, Problem};
use recall_core::Scope;
use recall_engine::RebuildPart;
use tonic::Status;

use super::{Pieces, Service, context, run};

pub(super) fn handle(service: &Service, request: RebuildRequest) -> Result<Pieces<IndexEvent>, Status> {
    let RebuildRequest { context, scope: wanted, target } = request;
    let part = part(target)?;
    let origin = context::origin(context)?;
    let wanted = scope::from_proto(wanted, Scope::Project)?;
    Ok(run::stream(service, origin, wanted, move |engine, origin, progress, cancel| {
        engine.rebuild(origin, wanted, part, progress, cancel)
    }))
}

fn part(target: i32) -> Result<RebuildPart, InvalidRequest> {
    match RebuildTarget::try_from(target) {
        Ok(RebuildTarget::Unspecified | RebuildTarget::All) => Ok(RebuildPart::All),
        Ok(RebuildTarget::Catalog) => Ok(RebuildPart::Catalog),
        Ok(RebuildTarget::Lexical) => Ok(RebuildPart::Lexical),
        Ok(RebuildTarget::Vectors) => Ok(RebuildPart::Vectors),
        Err(_) => {
            let problem = Problem::Unknown { value: target.to_string(), known: "all, catalog, lexical, vectors" };
            Err(InvalidRequest::new("target", problem))
        }
    }
}
