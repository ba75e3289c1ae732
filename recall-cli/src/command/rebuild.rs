//! `recall rebuild`

use clap::{Args, ValueEnum};
use recall_api::convert::scope;
use recall_api::v1;
use recall_core::Scope;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::{Exit, args, progress};

/// Arguments of `recall rebuild`.
#[derive(Debug, Args)]
pub(crate) struct RebuildArgs {
    /// The store to rebuild: project or global.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
    /// What to rebuild.
    #[arg(long, value_enum, default_value_t = Part::All)]
    part: Part,
}

/// A part of an index.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Part {
    /// The whole index; searches wait until it is rebuilt.
    All,
    /// Every file is read and parsed again; searches continue.
    Catalog,
    /// The words, from the catalog.
    Lexical,
    /// The embeddings, from the catalog.
    Vectors,
}

impl From<Part> for v1::RebuildTarget {
    fn from(part: Part) -> Self {
        match part {
            Part::All => Self::All,
            Part::Catalog => Self::Catalog,
            Part::Lexical => Self::Lexical,
            Part::Vectors => Self::Vectors,
        }
    }
}

pub(super) async fn run(args: RebuildArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let RebuildArgs { scope, part } = args;
    let client = context.connect().await?;
    let request = v1::RebuildRequest {
        context: Some(context.request_context()),
        scope: scope::to_proto(scope).into(),
        target: v1::RebuildTarget::from(part).into(),
    };
    let events = client.rebuild(request).await?;
    progress::follow_index(events, &context.output).await
}
