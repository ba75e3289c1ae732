//! What can be asked of recall? One command a file: its arguments, and what it does with them.

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
    /// Prepares a project: makes `.recall/` with its configuration and git files.
    #[command(after_help = examples!("recall init", "recall init ~/code/shop"))]
    Init(init::InitArgs),
    /// Brings files or directories into the index, beyond what the rules find by themselves.
    #[command(after_help = examples!(
        "recall add docs/internal",
        "recall add notes --glob \"*.txt\" --tag ops",
        "recall add .",
    ))]
    Add(add::AddArgs),
    /// Finds code, documents and decisions.
    #[command(after_help = examples!(
        "recall search \"where are sessions expired\"",
        "recall search SessionStore::open",
        "recall search retry jitter --type lesson,adr -k 5",
        "recall search \"lang:rust path:src/db session\"",
    ))]
    Search(search::SearchArgs),
    /// Keeps a memory: a decision, a lesson, a pattern, a failure, a note.
    #[command(after_help = examples!(
        "recall remember \"Retries need jitter.\" --type lesson --file src/retry.rs",
        "git log -1 --format=%B | recall remember - --type decision --title \"Use WAL\"",
    ))]
    Remember(remember::RememberArgs),
    /// Amends a memory: its text, title, tags or files.
    #[command(after_help = examples!(
        "recall update L-0123abcd \"Retries need jitter and a limit.\"",
        "recall update L-0123abcd --tag network,retry",
    ))]
    Update(update::UpdateArgs),
    /// Says whether a memory, a document or a chunk was of use.
    #[command(after_help = examples!(
        "recall feedback L-0123abcd useful",
        "recall feedback src/store.rs:10-42 outdated --note \"moved to src/db.rs\"",
    ))]
    Feedback(feedback::FeedbackArgs),
    /// Tells whether memories still match the files, or marks them as holding.
    #[command(after_help = examples!("recall verify", "recall verify L-0123abcd --confirm"))]
    Verify(verify::VerifyArgs),
    /// Moves a memory of the project to the global store, or to the domain that `--domain` names.
    #[command(after_help = examples!("recall promote L-0123abcd", "recall promote L-0123abcd --domain payments"))]
    Promote(promote::PromoteArgs),
    /// Begins, ends and shows sessions: what happened in them, and what came of it.
    #[command(subcommand)]
    Session(session::SessionCommand),
    /// Tells what a new session should know.
    #[command(after_help = examples!(
        "recall briefing",
        "recall briefing --goal \"make retries bounded\" --budget-tokens 1000",
    ))]
    Briefing(briefing::BriefingArgs),
    /// Shows one document, chunk or memory, whole.
    #[command(after_help = examples!(
        "recall get src/store.rs:10-42",
        "recall get L-0123abcd",
        "recall get src/store.rs --lines 1-20",
    ))]
    Get(get::GetArgs),
    /// Lists what is indexed.
    #[command(after_help = examples!(
        "recall list --type adr",
        "recall list --flagged",
        "recall list --path \"docs/**\" --sort path --all",
    ))]
    List(list::ListArgs),
    /// Tells which documents belong to one, and which are like it.
    #[command(after_help = examples!(
        "recall related src/store.rs",
        "recall related src/store.rs:10-42 --type documentation",
    ))]
    Related(related::RelatedArgs),
    /// Shows what a symbol or a file has to do with: imports, definitions, uses, links.
    #[command(after_help = examples!(
        "recall graph SessionStore::open",
        "recall graph src/store.rs --relation imported_by --depth 2",
    ))]
    Graph(graph::GraphArgs),
    /// Tells what is running and indexed.
    #[command(after_help = examples!("recall status", "recall status --failures"))]
    Status(status::StatusArgs),
    /// Checks journals, catalogs and indexes, and mends them.
    #[command(after_help = examples!("recall doctor", "recall doctor --fix", "recall doctor --secrets"))]
    Doctor(doctor::DoctorArgs),
    /// Takes documents out of the index, or deletes memories.
    #[command(after_help = examples!("recall rm docs/old.md", "recall rm L-0123abcd"))]
    Rm(rm::RmArgs),
    /// Makes the index of a project again, from its files.
    #[command(after_help = examples!("recall rebuild", "recall rebuild --scope global"))]
    Rebuild(rebuild::RebuildArgs),
    /// Starts, stops and watches the daemon.
    #[command(subcommand)]
    Daemon(daemon::DaemonCommand),
    /// Installs models, and tells which are used.
    #[command(subcommand)]
    Models(models::ModelsCommand),
    /// Measures how good the answers are.
    #[command(subcommand)]
    Eval(eval::EvalCommand),
    /// Measures how good the answers are on your own code.
    #[command(after_help = examples!(
        "recall bench --mine",
        "recall bench --mine --ablate",
        "recall bench --mine --train",
        "recall bench --forget",
    ))]
    Bench(bench::BenchArgs),
    /// Registers recall in coding agents.
    #[command(subcommand)]
    Mcp(mcp::McpCommand),
    /// Writes completions for a shell.
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

/// Runs what talks to the daemon. One thread is enough for one conversation, and starts fastest.
fn wait(command: impl Future<Output = Result<Exit, CommandError>>) -> Result<Exit, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Complaint::refused("cannot begin to talk to the daemon", &error))?;
    runtime.block_on(command)
}
