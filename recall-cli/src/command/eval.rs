//! `recall eval …`

mod run;

use clap::Subcommand;

use crate::Exit;
use crate::complaint::CommandError;
use crate::invocation::Invocation;

/// The commands of `recall eval`.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Run the queries of a dataset and report the search quality.
    #[command(after_help = examples!(
        "recall eval run --dataset tests/quality",
        "recall eval run --dataset questions --ablate",
        "recall eval run --dataset questions --compare before.jsonl --floor ndcg@10=0.8",
    ))]
    Run(run::RunArgs),
}

pub(super) async fn run(command: EvalCommand, invocation: &Invocation) -> Result<Exit, CommandError> {
    match command {
        EvalCommand::Run(args) => run::run(args, invocation).await,
    }
}
