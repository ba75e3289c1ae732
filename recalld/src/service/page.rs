//! `OpenPage`: opens the page in a browser.

use recall_core::{Scope, error_chain};
use recall_page::{OpenError, Opened, Subject};
use recall_proto::v1::{OpenPageRequest, OpenPageResponse};
use recall_proto::{Failure, InvalidRequest, Problem, Reason};
use tonic::Status;

use super::{Service, context};
use crate::page;

/// The ports that a request may name.
const PORTS: &str = "1 to 65535";

pub(super) async fn handle(service: &Service, request: OpenPageRequest) -> Result<OpenPageResponse, Status> {
    let OpenPageRequest { context, port } = request;
    let port = port.map(read_port).transpose()?;
    let origin = context::origin(context.clone())?;
    // The status of the project's store names its root, and fails for a root that must not be read.
    let status = service.call(move |daemon| daemon.engine.status(&origin, Scope::Project, 0)).await?;
    let root = status.stores.first().map(|store| store.root.to_string_lossy().into_owned()).unwrap_or_default();
    let subject = Subject { root, context: context.unwrap_or_default() };
    let daemon = &service.daemon;
    let opened = daemon.page.open(subject, port, || page::connect(daemon)).map_err(|error| failure(&error))?;
    let Opened { url, port, idle, token_valid } = opened;
    tracing::info!(port, "the page is open");
    Ok(OpenPageResponse {
        url,
        port: port.into(),
        idle_ms: idle.as_millis() as u64,
        token_ms: token_valid.as_millis() as u64,
    })
}

fn read_port(port: u32) -> Result<u16, InvalidRequest> {
    let read = u16::try_from(port).ok().filter(|port| *port > 0);
    read.ok_or_else(|| InvalidRequest::new("port", Problem::Unknown { value: port.to_string(), known: PORTS }))
}

fn failure(error: &OpenError) -> Failure {
    let message = error_chain(error);
    match error {
        OpenError::OpenElsewhere { port } => Failure::new(Reason::Conflict, message)
            .with_detail("port", port.to_string())
            .with_hint("leave the port out to use it; `recall daemon restart` closes it"),
        OpenError::Bind { address, .. } => Failure::new(Reason::Unavailable, message)
            .with_detail("address", address.to_string())
            .with_hint("leave the port out for one that is free"),
        OpenError::Random { .. } => Failure::new(Reason::Unavailable, message),
    }
}
