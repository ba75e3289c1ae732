//! `Rebuild`: rebuilds a store's index.

use recall_core::Scope;
use recall_proto::convert::scope;
use recall_proto::v1::{IndexEvent, RebuildRequest, RebuildTarget};
use recall_proto::{InvalidRequest, Problem};
use tonic::Status;

use super::{Pieces, Service, context, run};
use crate::failure::unsupported;

pub(super) fn handle(service: &Service, request: RebuildRequest) -> Result<Pieces<IndexEvent>, Status> {
    let RebuildRequest { context, scope: wanted, target } = request;
    check(target)?;
    let origin = context::origin(context)?;
    let wanted = scope::from_proto(wanted, Scope::Project)?;
    Ok(run::stream(service, origin, wanted, move |engine, origin, progress, cancel| {
        engine.rebuild(origin, wanted, progress, cancel)
    }))
}

fn check(target: i32) -> Result<(), Status> {
    match RebuildTarget::try_from(target) {
        Ok(RebuildTarget::Unspecified | RebuildTarget::All) => Ok(()),
        Ok(RebuildTarget::Lexical | RebuildTarget::Vectors) => Err(unsupported("rebuilding a part (`target`)")),
        Err(_) => {
            let problem = Problem::Unknown { value: target.to_string(), known: "all, lexical, vectors" };
            Err(InvalidRequest::new("target", problem).into())
        }
    }
}
