//! The commands of `recall`, one file each: its arguments and what it does.

/// The examples at the end of a command's help, one line each.
macro_rules! examples {
    ($($line:literal),+ $(,)?) => { concat!("Examples:", $("\n  ", $line),+) };
}

mod add;
mod bench;
mod briefing;
mod completions;
mod daemon;
mod doctor;
mod eval;
mod feedback;
mod get;
mod graph;
mod init;
mod list;
mod mcp;
mod models;
mod promote;
mod rebuild;
mod related;
mod remember;
mod rm;
mod search;
mod session;
mod status;
mod update;
mod verify;

use std::future::Future;

use clap::Subcommand;

use crate::Exit;
use crate::complaint::{CommandError, Complaint};
use crate::invocation::Invocation;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prepare a project: create `.recall/` with its configuration and git files.
    #[command(after_help = examples!("recall init", "recall init ~/code/shop"))]
    Init(init::InitArgs),
    /// Index files or directories that the automatic scan leaves out.
    #[command(after_help = examples!(
        "recall add docs/internal",
        "recall add notes --glob \"*.txt\" --tag ops",
        "recall add .",
    ))]
    Add(add::AddArgs),
    /// Search code, documents and memories.
    #[command(after_help = examples!(
        "recall search \"where are sessions expired\"",
        "recall search SessionStore::open",
        "recall search retry jitter --type lesson,adr -k 5",
        "recall search \"lang:rust path:src/db session\"",
    ))]
    Search(search::SearchArgs),
    /// Save a memory: a decision, a lesson, a pattern, a failure or a note.
    #[command(after_help = examples!(
        "recall remember \"Retries need jitter.\" --type lesson --file src/retry.rs",
        "git log -1 --format=%B | recall remember - --type decision --title \"Use WAL\"",
    ))]
    Remember(remember::RememberArgs),
    /// Change the text, title, tags or files of a memory.
    #[command(after_help = examples!(
        "recall update L-0123abcd \"Retries need jitter and a limit.\"",
        "recall update L-0123abcd --tag network,retry",
    ))]
    Update(update::UpdateArgs),
    /// Rate a memory, a document or a chunk.
    #[command(after_help = examples!(
        "recall feedback L-0123abcd useful",
        "recall feedback src/store.rs:10-42 outdated --note \"moved to src/db.rs\"",
    ))]
    Feedback(feedback::FeedbackArgs),
    /// Check memories against their files, or mark memories as valid.
    #[command(after_help = examples!("recall verify", "recall verify L-0123abcd --confirm"))]
    Verify(verify::VerifyArgs),
    /// Move a memory from the project to the global store, or to the domain given with `--domain`.
    #[command(after_help = examples!("recall promote L-0123abcd", "recall promote L-0123abcd --domain payments"))]
    Promote(promote::PromoteArgs),
    /// Start, end and show sessions.
    #[command(subcommand)]
    Session(session::SessionCommand),
    /// Show the briefing for a new session.
    #[command(after_help = examples!(
        "recall briefing",
        "recall briefing --goal \"make retries bounded\" --budget-tokens 1000",
    ))]
    Briefing(briefing::BriefingArgs),
    /// Show a whole document, chunk or memory.
    #[command(after_help = examples!(
        "recall get src/store.rs:10-42",
        "recall get L-0123abcd",
        "recall get src/store.rs --lines 1-20",
    ))]
    Get(get::GetArgs),
    /// List what is indexed.
    #[command(after_help = examples!(
        "recall list --type adr",
        "recall list --flagged",
        "recall list --path \"docs/**\" --sort path --all",
    ))]
    List(list::ListArgs),
    /// Show documents that are linked or similar to one.
    #[command(after_help = examples!(
        "recall related src/store.rs",
        "recall related src/store.rs:10-42 --type documentation",
    ))]
    Related(related::RelatedArgs),
    /// Show the imports, definitions, uses and links of a symbol or a file.
    #[command(after_help = examples!(
        "recall graph SessionStore::open",
        "recall graph src/store.rs --relation imported_by --depth 2",
    ))]
    Graph(graph::GraphArgs),
    /// Show status.
    #[command(after_help = examples!("recall status", "recall status --failures"))]
    Status(status::StatusArgs),
    /// Check journals, catalogs and indexes, and repair them.
    #[command(after_help = examples!("recall doctor", "recall doctor --fix", "recall doctor --secrets"))]
    Doctor(doctor::DoctorArgs),
    /// Remove documents from the index, or delete memories.
    #[command(after_help = examples!("recall rm docs/old.md", "recall rm L-0123abcd"))]
    Rm(rm::RmArgs),
    /// Rebuild the index of a project from its files.
    #[command(after_help = examples!("recall rebuild", "recall rebuild --scope global"))]
    Rebuild(rebuild::RebuildArgs),
    /// Start, stop and inspect the daemon.
    #[command(subcommand)]
    Daemon(daemon::DaemonCommand),
    /// List, install and select models.
    #[command(subcommand)]
    Models(models::ModelsCommand),
    /// Measure search quality on a dataset.
    #[command(subcommand)]
    Eval(eval::EvalCommand),
    /// Measure search quality on your own code.
    #[command(after_help = examples!(
        "recall bench --mine",
        "recall bench --mine --ablate",
        "recall bench --mine --train",
        "recall bench --forget",
    ))]
    Bench(bench::BenchArgs),
    /// Register recall in coding agents.
    #[command(subcommand)]
    Mcp(mcp::McpCommand),
    /// Print completions for a shell.
    #[command(after_help = examples!("recall completions zsh"))]
    Completions(completions::CompletionsArgs),
}

/// Runs a command of the program whose arguments `definition` describes.
pub(crate) fn run(
    command: Command,
    definition: fn() -> clap::Command,
    invocation: &Invocation,
) -> Result<Exit, CommandError> {
    match command {
        Command::Init(args) => init::run(&args, invocation),
        Command::Add(args) => wait(add::run(args, invocation)),
        Command::Search(args) => wait(search::run(args, invocation)),
        Command::Remember(args) => wait(remember::run(args, invocation)),
        Command::Update(args) => wait(update::run(args, invocation)),
        Command::Feedback(args) => wait(feedback::run(args, invocation)),
        Command::Verify(args) => wait(verify::run(args, invocation)),
        Command::Promote(args) => wait(promote::run(args, invocation)),
        Command::Session(command) => wait(session::run(command, invocation)),
        Command::Briefing(args) => wait(briefing::run(args, invocation)),
        Command::Get(args) => wait(get::run(args, invocation)),
        Command::List(args) => wait(list::run(args, invocation)),
        Command::Related(args) => wait(related::run(args, invocation)),
        Command::Graph(args) => wait(graph::run(args, invocation)),
        Command::Status(args) => wait(status::run(args, invocation)),
        Command::Doctor(args) => wait(doctor::run(args, invocation)),
        Command::Rm(args) => wait(rm::run(args, invocation)),
        Command::Rebuild(args) => wait(rebuild::run(args, invocation)),
        Command::Daemon(command) => wait(daemon::run(command, invocation)),
        Command::Models(command) => wait(models::run(command, invocation)),
        Command::Eval(command) => wait(eval::run(command, invocation)),
        Command::Bench(args) => wait(bench::run(args, invocation)),
        Command::Mcp(command) => mcp::run(&command, invocation),
        Command::Completions(args) => completions::run(&args, definition()),
    }
}

/// Runs a future to its end on the current thread. One thread is enough for one connection, and starts fastest.
fn wait(command: impl Future<Output = Result<Exit, CommandError>>) -> Result<Exit, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Complaint::refused("cannot begin to talk to the daemon", &error))?;
    runtime.block_on(command)
}
