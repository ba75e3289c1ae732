//! `recall session`

mod candidates;
mod hand_off;
mod list;
mod log;
mod search;
mod show;
mod stop;
mod which;

use clap::Subcommand;

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;

/// The commands of `recall session`.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// Start a session and print its id.
    #[command(after_help = examples!("recall session start --goal \"bounded retries\" --briefing"))]
    Start(log::StartArgs),
    /// End a session. Searches find its summary, which stays private unless `sessions.share` says otherwise.
    #[command(after_help = examples!(
        "recall session end --summary \"Retries have a limit.\"",
        "recall session end --candidates",
        "recall session end --save 1,3",
        "recall session end S-0123 --reason exit",
    ))]
    End(stop::EndArgs),
    /// Bring the summary of a session into the project, where others see it.
    #[command(after_help = examples!("recall session keep", "recall session keep 38c4b499"))]
    Keep(stop::KeepArgs),
    /// Recover an interrupted session from its events and from git.
    #[command(after_help = examples!("recall session recover"))]
    Recover(stop::RecoverArgs),
    /// List the sessions of the project, newest first.
    #[command(after_help = examples!("recall session list", "recall session list --state abandoned"))]
    List(list::ListArgs),
    /// Search what was said in the sessions of the project: requests, answers, commands and their outcome.
    #[command(after_help = examples!("recall session search why the retries are bounded"))]
    Search(search::SaidArgs),
    /// Find what was done after a command failed with an error, until it succeeded.
    #[command(after_help = examples!(
        "recall session fix \"cannot borrow `self.cache` as mutable\"",
        "cargo test 2>&1 | recall session fix -",
    ))]
    Fix(search::FixArgs),
    /// Print what another agent needs to go on with a session.
    #[command(name = "handoff", after_help = examples!("recall session handoff | codex exec -"))]
    HandOff(hand_off::HandOffArgs),
    /// Print the command with which the session's own agent resumes it.
    #[command(after_help = examples!("recall session resume 38c4b499"))]
    Resume(hand_off::ResumeArgs),
    /// Show a session and its events.
    #[command(after_help = examples!("recall session show", "recall session show --type decision,dead_end"))]
    Show(show::ShowArgs),
    /// Record an event of a session.
    #[command(after_help = examples!(
        "recall session log decision \"Use WAL\" --rationale \"Readers never wait.\" --file src/db.rs",
    ))]
    Log(Box<log::LogArgs>),
}

pub(super) use stop::recover_session;

pub(super) async fn run(command: SessionCommand, context: &CommandContext) -> Result<Exit, CommandError> {
    match command {
        SessionCommand::Start(args) => log::run_start(args, context).await,
        SessionCommand::End(args) => stop::end(args, context).await,
        SessionCommand::Keep(args) => stop::keep(args, context).await,
        SessionCommand::Recover(args) => stop::recover(args, context).await,
        SessionCommand::List(args) => list::run(args, context).await,
        SessionCommand::Search(args) => search::run(args, context).await,
        SessionCommand::Fix(args) => search::run_fix(args, context).await,
        SessionCommand::HandOff(args) => hand_off::hand_off(args, context).await,
        SessionCommand::Resume(args) => hand_off::resume(args, context).await,
        SessionCommand::Show(args) => show::run(args, context).await,
        SessionCommand::Log(args) => log::run(*args, context).await,
    }
}
