//! `recall rebuild` and `recall compact`: upkeep of an index.

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use recall_api::convert::scope;
use recall_api::v1;
use recall_core::Scope;
use recall_text::quantity::{bytes, count_noun};

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
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
    progress::follow_index(events, &client, context).await
}

/// Arguments of `recall compact`.
#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// The stores to compact: project, global, domain or all.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
}

pub(super) async fn run_compact(args: CompactArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let CompactArgs { scope } = args;
    let client = context.connect().await?;
    let request = v1::CompactRequest { context: Some(context.request_context()), scope: scope::to_proto(scope).into() };
    let answer = client.compact(request).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            let v1::CompactResponse { bytes_before, bytes_after, took_ms: _, deleted_roots } = &answer;
            let freed = bytes(bytes_before.saturating_sub(*bytes_after));
            let mut text = format!("freed {freed}; all indexes together take {}\n", bytes(*bytes_after));
            if !deleted_roots.is_empty() {
                let deleted = count_noun(deleted_roots.len() as u64, "index", "indexes");
                let _ = writeln!(text, "deleted {deleted} of roots that no longer exist");
            }
            output.text(&text)?;
        }
    }
    Ok(Exit::Done)
}
