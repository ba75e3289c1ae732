//! `recall import <tool>`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use recall_api::convert::scope;
use recall_api::v1::{self, MigrateResponse};
use recall_core::{ForeignKind, Scope};
use recall_text::quantity::{count, count_noun};

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::style::{DIM, GOOD, NOTE, PATH, WARNING};
use crate::output::human::table::{Align, Column, render};
use crate::output::human::text::printable;
use crate::{Exit, args};

/// The tools, one command each.
#[derive(Debug, Subcommand)]
pub(super) enum ForeignCommand {
    /// Import the full-text database of RECALL v0: `.edi/recall/project.db` and `~/.edi/recall/global.db`.
    #[command(name = "recall-v0", after_help = examples!("recall import recall-v0 --dry-run", "recall import recall-v0 --scope global"))]
    RecallV0(ForeignArgs),
    /// Import the database of EDI's Codex, a knowledge engine: `~/.edi/codex.db`. It is not `OpenAI`'s agent.
    #[command(name = "edi-codex", after_help = examples!("recall import edi-codex", "recall import edi-codex ~/backup/codex.db --of shop"))]
    EdiCodex(ForeignArgs),
    /// Import the memories of `OpenAI` Codex: `~/.codex/memories`.
    #[command(name = "openai-codex", after_help = examples!("recall import openai-codex --dry-run", "recall import openai-codex --scope global"))]
    OpenAiCodex(ForeignArgs),
    /// The earlier name of `edi-codex`.
    #[command(name = "codex", hide = true, after_help = examples!("recall import codex"))]
    Codex(ForeignArgs),
    /// Import agents, profile and history from `.edi`; with `--scope global`, the profile in `~/.edi`.
    #[command(name = "edi", after_help = examples!("recall import edi"))]
    Edi(ForeignArgs),
    /// Import the database of claude-mem: `~/.claude-mem/claude-mem.db`.
    #[command(name = "claude-mem", after_help = examples!("recall import claude-mem --dry-run", "recall import claude-mem --of shop-v1"))]
    ClaudeMem(ForeignArgs),
    /// Import the history of mem0, the database of `OpenMemory`, or an export of either in JSON.
    #[command(name = "mem0", after_help = examples!("recall import mem0 openmemory.db", "recall import mem0 memories.json --scope global"))]
    Mem0(ForeignArgs),
    /// Import the notes of Basic Memory: `~/basic-memory`, or its database.
    #[command(name = "basic-memory", after_help = examples!("recall import basic-memory ~/basic-memory/shop", "recall import basic-memory --scope global"))]
    BasicMemory(ForeignArgs),
    /// Import the knowledge graph of the MCP reference server `memory`: a file in JSONL.
    #[command(name = "memory-server", after_help = examples!("recall import memory-server memory.jsonl"))]
    MemoryServer(ForeignArgs),
    /// Import the memories of Serena: `.serena/memories`.
    #[command(name = "serena", after_help = examples!("recall import serena"))]
    Serena(ForeignArgs),
    /// Import this project's transcripts of Claude Code, Codex CLI and Gemini CLI as sessions.
    #[command(name = "transcripts", after_help = examples!("recall import transcripts --limit 20", "recall import transcripts ~/.codex/sessions/2026"))]
    Transcripts(ForeignArgs),
}

/// What is said to somebody who writes `codex`, which is the name of two tools.
pub(in crate::command) const TWO_NAMED_CODEX: &str =
    "`codex` is EDI's knowledge engine here, better named `edi-codex`; OpenAI's agent is `openai-codex`";

/// The most items of an import.
const MOST_ITEMS: u64 = 100_000;

/// Arguments of `recall import` with a tool.
#[derive(Debug, Args)]
pub(super) struct ForeignArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Show what would be imported, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// The most items to import; of transcripts, the newest.
    #[arg(long, value_name = "N", default_value_t = MOST_ITEMS, value_parser = clap::value_parser!(u64).range(1..=MOST_ITEMS))]
    limit: u64,
}

/// What is read of a tool.
#[derive(Clone, Debug, Args)]
pub(in crate::command) struct SourceArgs {
    /// The file or folder; without it, the usual places of the tool.
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// The store: project, global or domain.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    pub(in crate::command) scope: Scope,
    /// Read what belongs to this foreign project too: its name or its path there. May be repeated.
    #[arg(long, value_name = "PROJECT")]
    of: Vec<String>,
    /// Read what belongs to any foreign project.
    #[arg(long, conflicts_with = "of")]
    of_any: bool,
}

impl ForeignCommand {
    /// The import of a database of RECALL v0.
    pub(super) fn from_v0(path: PathBuf, scope: Scope, dry_run: bool) -> Self {
        let source = SourceArgs { path: Some(path), scope, of: Vec::new(), of_any: false };
        Self::RecallV0(ForeignArgs { source, dry_run, limit: MOST_ITEMS })
    }
}

impl SourceArgs {
    /// Converts the arguments for the protocol.
    pub(in crate::command) fn to_proto(&self, context: &CommandContext) -> v1::ForeignSource {
        let path = self.path.as_ref().map(|path| context.absolute(path).to_string_lossy().into_owned());
        v1::ForeignSource { path: path.unwrap_or_default(), projects: self.of.clone(), every_project: self.of_any }
    }
}

pub(super) async fn run(command: ForeignCommand, context: &CommandContext) -> Result<Exit, CommandError> {
    let (kind, ForeignArgs { source, dry_run, limit }) = match command {
        ForeignCommand::RecallV0(args) => (ForeignKind::RecallV0, args),
        ForeignCommand::EdiCodex(args) => (ForeignKind::EdiCodex, args),
        ForeignCommand::OpenAiCodex(args) => (ForeignKind::OpenAiCodex, args),
        ForeignCommand::Codex(args) => {
            context.output.note(TWO_NAMED_CODEX);
            (ForeignKind::EdiCodex, args)
        }
        ForeignCommand::Edi(args) => (ForeignKind::Edi, args),
        ForeignCommand::ClaudeMem(args) => (ForeignKind::ClaudeMem, args),
        ForeignCommand::Mem0(args) => (ForeignKind::Mem0, args),
        ForeignCommand::BasicMemory(args) => (ForeignKind::BasicMemory, args),
        ForeignCommand::MemoryServer(args) => (ForeignKind::MemoryServer, args),
        ForeignCommand::Serena(args) => (ForeignKind::Serena, args),
        ForeignCommand::Transcripts(args) => (ForeignKind::Transcripts, args),
    };
    let request = v1::MigrateRequest {
        context: Some(context.request_context()),
        kind: kind.to_string(),
        scope: scope::to_proto(source.scope).into(),
        source: Some(source.to_proto(context)),
        dry_run,
        limit,
    };
    let answer = context.ask(async |client| client.migrate(request.clone()).await).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&text(&answer, dry_run))?,
    }
    Ok(Exit::Done)
}

fn text(answer: &MigrateResponse, dry_run: bool) -> String {
    let MigrateResponse {
        paths,
        memories,
        sessions,
        files,
        ratings,
        masked,
        missing_files,
        left_out,
        is_cut,
        took_ms: _,
    } = answer;
    let mut text = String::new();
    for path in paths {
        let _ = writeln!(text, "{PATH}{}{PATH:#}", printable(path));
    }
    let column = |heading, align, style| Column { heading, align, style };
    let added = if dry_run { "WOULD ADD" } else { "ADDED" };
    let layout = [
        column("ITEMS", Align::Left, anstyle::Style::new()),
        column("FOUND", Align::Right, anstyle::Style::new()),
        column(added, Align::Right, GOOD),
        column("ALREADY THERE", Align::Right, anstyle::Style::new()),
    ];
    let rows = [("memories", memories), ("sessions", sessions), ("files", files)];
    let rows = rows.into_iter().filter_map(|(name, arrivals)| {
        let v1::Arrivals { found, added, known } = (*arrivals)?;
        (found > 0 || name == "memories").then(|| [name.to_owned(), count(found), count(added), count(known)])
    });
    text.push_str(&render(&layout, &rows.collect::<Vec<_>>(), None));
    for v1::LeftOut { code: _, count: all, items } in left_out {
        let first = items.first().map(|item| printable(&item.reason).into_owned()).unwrap_or_default();
        let _ = writeln!(text, "{WARNING}left out{WARNING:#} {}: {first}", count(*all));
        let names: Vec<_> = items.iter().map(|item| printable(&item.item)).take(NAMED).collect();
        // An item may stand for several, which its name says.
        let more = if items.len() > names.len() { all.saturating_sub(names.len() as u64) } else { 0 };
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(text, "  {DIM}{}{more}{DIM:#}", names.join(", "));
    }
    let mut note = |said: String| {
        let _ = writeln!(text, "{NOTE}note{NOTE:#}: {said}");
    };
    if *ratings > 0 {
        note(format!("{} came with them", count_noun(*ratings, "rating", "ratings")));
    }
    if *masked > 0 {
        note(format!("secrets were masked in {}", count_noun(*masked, "item", "items")));
    }
    if *missing_files > 0 {
        note(format!(
            "{} named by them cannot be read here; `recall audit` lists what is missing",
            count_noun(*missing_files, "file", "files")
        ));
    }
    if *is_cut {
        note("the limit was reached, and the rest was not read; import again with a greater `--limit`".to_owned());
    }
    text
}

/// How many items are named as left out for one reason.
const NAMED: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    #[test]
    fn an_import_is_a_table_with_reasons_for_what_is_left_out() {
        let item = |item: &str| v1::ItemFailure {
            item: item.to_owned(),
            code: "REPEATS".to_owned(),
            reason: "it nearly repeats N-01".to_owned(),
        };
        let answer = MigrateResponse {
            paths: vec!["/home/ada/.claude-mem/claude-mem.db".to_owned()],
            memories: Some(v1::Arrivals { found: 1200, added: 1100, known: 60 }),
            sessions: Some(v1::Arrivals { found: 3, added: 3, known: 0 }),
            files: Some(v1::Arrivals::default()),
            masked: 2,
            missing_files: 1,
            left_out: vec![v1::LeftOut {
                code: "REPEATS".to_owned(),
                count: 40,
                items: ["a", "b", "c", "d"].map(item).into(),
            }],
            is_cut: true,
            ..MigrateResponse::default()
        };
        insta::assert_snapshot!(plain(&text(&answer, true)), @r"
        /home/ada/.claude-mem/claude-mem.db
        ITEMS     FOUND  WOULD ADD  ALREADY THERE
        memories  1,200      1,100             60
        sessions      3          3              0
        left out 40: it nearly repeats N-01
          a, b, c and 37 more
        note: secrets were masked in 2 items
        note: 1 file named by them cannot be read here; `recall audit` lists what is missing
        note: the limit was reached, and the rest was not read; import again with a greater `--limit`
        ");
    }
}
