//! The commands of `recall`, each in a file, alone or with a related one: its arguments and what it does.

mod audit;
mod backup;
mod completions;
mod config;
mod context;
mod daemon;
mod doctor;
mod export;
mod external;
mod find;
mod get;
mod graph;
mod hook;
mod import;
mod include;
mod init;
mod launch;
mod list;
mod man;
mod mcp;
mod models;
mod open;
mod overview;
mod publish;
mod query;
mod rebuild;
mod related;
mod remember;
mod restore;
mod review;
mod rm;
mod rollback;
mod search;
mod service;
mod session;
mod settle;
mod stats;
mod status;
mod task_loop;
mod ui;
mod uninstall;
mod update;
mod verify;
mod why;

use std::ffi::OsString;

use clap::{Args as _, Subcommand};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::program::wait;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prepare a project to share memories through git.
    ///
    /// Creates `.recall/` with the project's configuration and git files.
    #[command(after_help = examples!("recall init", "recall init ~/code/shop"))]
    Init(init::InitArgs),
    /// Index files or directories that the automatic scan leaves out.
    #[command(alias = "add", after_help = examples!(
        "recall include docs/internal",
        "recall include notes --glob \"*.txt\" --tag ops",
        "recall include .",
    ))]
    Include(include::IncludeArgs),
    /// Search code, documents and memories.
    #[command(after_help = examples!(
        "recall search \"where are sessions expired\"",
        "recall search SessionStore::open",
        "recall search retry jitter --type lesson,adr -k 5",
        "recall search \"lang:rust path:src/db session\"",
        "recall search --exact '?.map(' --lang ts",
        "recall search --regex 'TODO\\(\\w+\\)' --path src",
    ))]
    Search(search::SearchArgs),
    /// Search while you type, and open what is found.
    ///
    /// Shows a list and a preview. Enter opens the hit in your editor.
    #[command(after_help = examples!(
        "recall find",
        "recall find session --lang rust",
        "recall find --print | xargs recall get",
    ))]
    Find(find::FindArgs),
    /// Pack what belongs to a task into one text with a budget.
    ///
    /// It holds code, documents, decisions, tests and commits.
    #[command(after_help = examples!(
        "recall context \"make the retry limit a setting\" --budget-tokens 2000",
        "recall context --file src/retry.rs --types related_code,decisions,tests",
        "recall context --for diff --format md",
    ))]
    Context(context::ContextArgs),
    /// Select documents, chunks or memories by exact conditions, in RQL.
    #[command(after_help = examples!(
        "recall query --rql \"SELECT path FROM doc FILTER doc.language = 'rust' ORDER BY doc.size DESC LIMIT 5\"",
        "recall query --rql \"SELECT * FROM chunk FILTER doc.path GLOB 'src/**' AND chunk.kind = 'function'\" --json",
        "recall query --rql @statement.rql --explain",
    ))]
    Query(query::QueryArgs),
    /// Save a decision, a lesson, a pattern, a failure or a note.
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
    Feedback(verify::FeedbackArgs),
    /// Check memories against their files, or mark memories as valid.
    #[command(after_help = examples!("recall verify", "recall verify L-0123abcd --confirm"))]
    Verify(verify::VerifyArgs),
    /// Decide between two memories that contradict each other.
    ///
    /// One holds, or both do.
    #[command(after_help = examples!(
        "recall settle D-0123abcd D-4567cdef",
        "recall settle D-0123abcd D-4567cdef --both \"the second one on Windows only\"",
    ))]
    Settle(settle::SettleArgs),
    /// Decide about proposed memories, or check those of a branch.
    ///
    /// In a terminal, each proposal is shown with the most similar memory, and a key decides.
    #[command(after_help = examples!(
        "recall review",
        "recall review accept L-0123abcd",
        "recall review reject L-0123abcd --reason \"it was one case\"",
        "recall review merge L-0123abcd L-4567cdef",
        "recall review --ci origin/main..HEAD",
    ))]
    Review(review::ReviewArgs),
    /// Take back what a session or an agent wrote.
    ///
    /// Or what was written since a time. Shows what is taken back and what was built on it, and asks.
    #[command(after_help = examples!(
        "recall rollback session 0b9f3c",
        "recall rollback agent codex --since 2d",
        "recall rollback --since yesterday --dry-run",
    ))]
    Rollback(rollback::RollbackArgs),
    /// Move a memory from the project to all projects or a domain.
    ///
    /// It moves to the global store, or to the domain given with `--domain`.
    #[command(after_help = examples!("recall promote L-0123abcd", "recall promote L-0123abcd --domain payments"))]
    Promote(update::PromoteArgs),
    /// Launch an agent in a mode, with the briefing of a new session.
    #[command(after_help = examples!(
        "recall launch",
        "recall launch --mode plan --goal \"bounded retries\"",
        "recall launch --client claude -- --model opus",
        "recall launch --list-modes",
    ))]
    Launch(launch::LaunchArgs),
    /// Let an agent work on a list of tasks until they are done.
    ///
    /// Starts one run after the other, until all tasks are done or a person has to decide.
    #[command(after_help = examples!(
        "recall loop PRD.json",
        "recall loop PRD.json --agent \"claude -p --permission-mode acceptEdits\" --max-iterations 20",
        "recall loop PRD.json --guidance \"Use the existing pool.\"",
    ))]
    Loop(Box<task_loop::LoopArgs>),
    /// Start, end, show and search sessions.
    #[command(subcommand, visible_alias = "sessions")]
    Session(session::SessionCommand),
    /// Show the briefing for a new session.
    #[command(after_help = examples!(
        "recall briefing",
        "recall briefing --goal \"make retries bounded\" --budget-tokens 1000",
    ))]
    Briefing(context::BriefingArgs),
    /// Show what was decided and what stopped holding since a time.
    ///
    /// Also shows which new memories may contradict others.
    #[command(after_help = examples!("recall changes", "recall changes --since v2.3", "recall changes --since \"last week\""))]
    Changes(context::ChangesArgs),
    /// Show a whole document, chunk or memory.
    #[command(after_help = examples!(
        "recall get src/store.rs:10-42",
        "recall get L-0123abcd",
        "recall get src/store.rs --lines 1-20",
    ))]
    Get(get::GetArgs),
    /// Open a hit of the last search, or another place, in your editor.
    #[command(after_help = examples!(
        "recall open 2",
        "recall open src/store.rs:10",
        "recall open src/store.rs:10-42@0123456789ab --dry-run",
    ))]
    Open(open::OpenArgs),
    /// List what is indexed.
    #[command(after_help = examples!(
        "recall list --type adr",
        "recall list --flagged",
        "recall list --stale",
        "recall list --path \"docs/**\" --sort path --all",
    ))]
    List(list::ListArgs),
    /// Show documents that are linked or similar to one.
    #[command(after_help = examples!(
        "recall related src/store.rs",
        "recall related src/store.rs:10-42 --type documentation",
    ))]
    Related(related::RelatedArgs),
    /// Show the commits that changed a document.
    #[command(after_help = examples!(
        "recall history src/store.rs",
        "recall history docs/adr/0001-two-indexes.md --limit 5",
    ))]
    History(get::HistoryArgs),
    /// Show where lines come from: commit, session, and what was decided.
    ///
    /// Says what is not known, and what was looked at.
    #[command(after_help = examples!(
        "recall why src/store.rs:42",
        "recall why src/store.rs:42-60",
        "recall why src/store.rs --json",
    ))]
    Why(why::WhyArgs),
    /// Show imports, definitions, uses and links of a symbol or file.
    #[command(after_help = examples!(
        "recall graph SessionStore::open",
        "recall graph src/store.rs --relation imported_by --depth 2",
    ))]
    Graph(graph::GraphArgs),
    /// Open recall in the browser.
    #[command(after_help = examples!("recall ui", "recall ui --print-url", "recall ui --port 7777 --no-open", "recall ui --listen 192.0.2.7:7777"))]
    Ui(ui::UiArgs),
    /// Show the state of the index and the daemon, and who is at work.
    #[command(after_help = examples!("recall status", "recall status --failures"))]
    Status(status::StatusArgs),
    /// Show what the stores hold, and estimate what answers saved.
    #[command(after_help = examples!("recall stats", "recall stats --savings"))]
    Stats(stats::StatsArgs),
    /// Check journals, catalogs and indexes, and repair them.
    #[command(after_help = examples!("recall doctor", "recall doctor --fix", "recall doctor --secrets"))]
    Doctor(doctor::DoctorArgs),
    /// Remove documents from the index, or delete memories.
    #[command(
        visible_alias = "exclude",
        after_help = examples!("recall rm docs/old.md", "recall rm docs/internal", "recall rm L-0123abcd")
    )]
    Rm(rm::RmArgs),
    /// Rebuild the index of a project, or a part of it, from its files.
    #[command(after_help = examples!("recall rebuild", "recall rebuild --part lexical", "recall rebuild --scope global"))]
    Rebuild(rebuild::RebuildArgs),
    /// Publish the project's branch to a store that a team shares.
    #[command(after_help = examples!("recall publish", "recall publish --branch main", "recall publish --verify"))]
    Publish(publish::PublishArgs),
    /// Free the space of deleted data and of projects that are gone.
    ///
    /// Deletes the indexes of roots that no longer exist.
    #[command(after_help = examples!("recall compact", "recall compact --scope all"))]
    Compact(rebuild::CompactArgs),
    /// Write what cannot be derived again into a file.
    ///
    /// Writes memories, sessions, settings, profiles and selections.
    #[command(after_help = examples!(
        "recall backup ~/recall-2026-11-20.tar.gz",
        "recall backup project.tar.gz --scope project --force",
    ))]
    Backup(backup::BackupArgs),
    /// Add what a backup has and this machine lacks.
    ///
    /// Nothing is overwritten or deleted.
    #[command(after_help = examples!(
        "recall restore ~/recall-2026-11-20.tar.gz --dry-run",
        "recall restore ~/recall-2026-11-20.tar.gz --trust",
    ))]
    Restore(restore::RestoreArgs),
    /// Write what a store holds as lines of JSON.
    ///
    /// Writes documents, chunks, symbols, edges, memories and sessions.
    #[command(after_help = examples!(
        "recall export --output shop.ndjson",
        "recall export --output shop.ndjson --resume",
        "recall export --with-embeddings | gzip > shop.ndjson.gz",
    ))]
    Export(export::ExportArgs),
    /// Add what an export or the memory of another tool holds.
    ///
    /// Adds what a store lacks. The files of the documents need not be there.
    #[command(visible_alias = "migrate", after_help = examples!(
        "recall import shop.ndjson",
        "gunzip -c shop.ndjson.gz | recall import -",
        "recall import claude-mem --dry-run",
    ))]
    Import(import::ImportArgs),
    /// Show what does not hold in the memory of another tool.
    ///
    /// Shows which of its claims do not hold here, and which of it holds secrets.
    #[command(after_help = examples!(
        "recall audit",
        "recall audit serena",
        "recall audit codex ~/.edi/codex.db --limit 100",
    ))]
    Audit(audit::AuditArgs),
    /// Show and change settings.
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Start, stop and inspect the daemon.
    #[command(subcommand)]
    Daemon(daemon::DaemonCommand),
    /// Install the daemon as a service of systemd or launchd.
    #[command(subcommand)]
    Service(service::ServiceCommand),
    /// List, install and select models.
    #[command(subcommand)]
    Models(models::ModelsCommand),
    /// Measure search quality on a dataset.
    ///
    /// Runs the program `recall-bench`.
    #[command(disable_help_flag = true, disable_version_flag = true, after_help = examples!("recall eval --help"))]
    Eval(external::ExternalArgs),
    /// Measure search quality on your own code.
    ///
    /// Runs the program `recall-bench`.
    #[command(disable_help_flag = true, disable_version_flag = true, after_help = examples!("recall bench --help"))]
    Bench(external::ExternalArgs),
    /// Register recall in coding agents.
    #[command(subcommand)]
    Mcp(mcp::McpCommand),
    /// Undo what recall wrote outside of its own folders.
    ///
    /// Removes registrations in agents, hooks, and the service.
    #[command(after_help = examples!("recall uninstall --dry-run", "recall uninstall"))]
    Uninstall(uninstall::UninstallArgs),
    /// Answer an event of a coding agent, which it sends to standard input. Agents run it, not people.
    #[command(hide = true, after_help = examples!("cat event.json | recall hook prompt", "recall hook session-start --client codex"))]
    Hook(hook::HookArgs),
    /// Print the script with which a shell completes commands.
    ///
    /// It completes commands, options, paths, ids and symbols.
    #[command(after_help = examples!("recall completions zsh"))]
    Completions(completions::CompletionsArgs),
    /// Write the manual pages of all commands into a folder.
    #[command(hide = true, after_help = examples!("recall man ~/.local/share/man/man1"))]
    Man(man::ManArgs),
}

/// Adds the arguments of a command to its definition.
type AddArguments = fn(clap::Command) -> clap::Command;

/// The commands that agents and scripts run often.
const OFTEN_RUN: [(&str, AddArguments); 9] = [
    ("briefing", context::BriefingArgs::augment_args),
    ("context", context::ContextArgs::augment_args),
    ("get", get::GetArgs::augment_args),
    ("hook", hook::HookArgs::augment_args),
    ("query", query::QueryArgs::augment_args),
    ("related", related::RelatedArgs::augment_args),
    ("remember", remember::RememberArgs::augment_args),
    ("search", search::SearchArgs::augment_args),
    ("status", status::StatusArgs::augment_args),
];

/// Returns the definition of one command that is run often, without those of all others; `None` for any other command. To build those of
/// all commands takes longer than a search.
pub(crate) fn define_alone(name: &str) -> Option<clap::Command> {
    let (name, add_arguments) = OFTEN_RUN.iter().find(|(known, _)| *known == name)?;
    Some(add_arguments(clap::Command::new(*name)))
}

/// Runs a command of the program whose arguments `definition` describes. `arguments` are those that the program was
/// started with. Without a command, an overview is shown.
pub(crate) fn run(
    command: Option<Command>,
    definition: fn() -> clap::Command,
    arguments: &[OsString],
    context: &CommandContext,
) -> Result<Exit, CommandError> {
    if !context.other_projects().is_empty() && !matches!(command, Some(Command::Search(_))) {
        let error = CliError::usage("`--project` was given more than once")
            .with_hint("only `recall search` reads several projects");
        return Err(error.into());
    }
    let Some(command) = command else { return wait(overview::run(definition, context)) };
    match command {
        Command::Init(args) => init::run(&args, context),
        Command::Include(args) => wait(include::run(args, context)),
        Command::Search(args) => wait(search::run(args, context)),
        Command::Find(args) => wait(find::run(args, context)),
        Command::Context(args) => wait(context::run(args, context)),
        Command::Query(args) => wait(query::run(args, context)),
        Command::Remember(args) => wait(remember::run(args, context)),
        Command::Update(args) => wait(update::run(args, context)),
        Command::Feedback(args) => wait(verify::run_feedback(args, context)),
        Command::Verify(args) => wait(verify::run(args, context)),
        Command::Settle(args) => wait(settle::run(args, context)),
        Command::Review(args) => wait(review::run(args, context)),
        Command::Rollback(args) => wait(rollback::run(args, context)),
        Command::Promote(args) => wait(update::run_promote(args, context)),
        Command::Launch(args) => wait(launch::run(args, context)),
        Command::Loop(args) => wait(task_loop::run(*args, context)),
        Command::Session(command) => wait(session::run(command, context)),
        Command::Briefing(args) => wait(context::run_briefing(args, context)),
        Command::Changes(args) => wait(context::run_changes(args, context)),
        Command::Get(args) => wait(get::run(args, context)),
        Command::Open(args) => wait(open::run(args, context)),
        Command::List(args) => wait(list::run(args, context)),
        Command::Related(args) => wait(related::run(args, context)),
        Command::History(args) => wait(get::run_history(args, context)),
        Command::Why(args) => wait(why::run(args, context)),
        Command::Graph(args) => wait(graph::run(args, context)),
        Command::Ui(args) => wait(ui::run(args, context)),
        Command::Status(args) => wait(status::run(args, context)),
        Command::Stats(args) => wait(stats::run(args, context)),
        Command::Doctor(args) => wait(doctor::run(args, context)),
        Command::Rm(args) => wait(rm::run(args, context)),
        Command::Rebuild(args) => wait(rebuild::run(args, context)),
        Command::Publish(args) => wait(publish::run(args, context)),
        Command::Compact(args) => wait(rebuild::run_compact(args, context)),
        Command::Backup(args) => wait(backup::run(args, context)),
        Command::Restore(args) => wait(restore::run(args, context)),
        Command::Export(args) => wait(export::run(args, context)),
        Command::Import(args) => wait(import::run(args, context)),
        Command::Audit(args) => wait(audit::run(args, context)),
        Command::Config(command) => wait(config::run(command, context)),
        Command::Daemon(command) => wait(daemon::run(command, context)),
        Command::Service(command) => wait(service::run(command, context)),
        Command::Models(command) => wait(models::run(command, context)),
        Command::Eval(args) | Command::Bench(args) => external::run(&args, arguments, context),
        Command::Mcp(command) => mcp::run(&command, context),
        Command::Uninstall(args) => wait(uninstall::run(&args, context)),
        Command::Hook(args) => hook::run(&args, context),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args, definition(), context),
    }
}
