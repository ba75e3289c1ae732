//! `recall rebuild`

use clap::Args;
use recall_core::Scope;
use recall_proto::convert::scope;
use recall_proto::v1;

use crate::complaint::CommandError;
use crate::invocation::Invocation;
use crate::{Exit, args, indexing};

/// Arguments of `recall rebuild`.
#[derive(Debug, Args)]
pub(crate) struct RebuildArgs {
    /// The store to rebuild: project or global.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
}

pub(super) async fn run(args: RebuildArgs, invocation: &Invocation) -> Result<Exit, CommandError> {
    let RebuildArgs { scope } = args;
    let client = invocation.connect().await?;
    let request = v1::RebuildRequest {
        context: Some(invocation.context()),
        scope: scope::to_proto(scope).into(),
        target: v1::RebuildTarget::All.into(),
    };
    let events = client.rebuild(request).await?;
    indexing::follow(events, &invocation.output).await
}
