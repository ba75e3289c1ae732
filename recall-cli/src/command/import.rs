//! `recall import`

mod foreign;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use clap::Args;
use recall_api::convert::scope;
use recall_api::v1::import_request::Part;
use recall_api::v1::{self, ImportResponse};
use recall_core::Scope;
use recall_text::quantity::{count, count_noun};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::style::{GOOD, NOTE, PATH, WARNING};
use crate::output::human::text::printable;
use crate::progress::{ProgressLine, Unit, wait_for_index};
use crate::{Exit, args};

use foreign::ForeignCommand;
pub(super) use foreign::{SourceArgs, TWO_NAMED_CODEX};

/// Arguments of `recall import`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    foreign: Option<ForeignCommand>,
    /// The export; `-` for standard input. A file with the name of a tool is written `./serena`.
    #[arg(value_name = "FILE", required_unless_present = "v0_db")]
    file: Option<PathBuf>,
    /// Import this database of RECALL v0, as `recall import recall-v0 FILE` does.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "trust"])]
    v0_db: Option<PathBuf>,
    /// The store: project, global or domain.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
    /// Check the export, show what would be imported, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Trust the export: its memories are yours if they were when it was made.
    #[arg(long)]
    trust: bool,
}

/// The largest piece that is sent at once.
const PIECE_BYTES: usize = 64 * 1024;

/// How many pieces wait for the daemon.
const PIECES_WAITING: usize = 4;

pub(super) async fn run(args: ImportArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let ImportArgs { foreign, file, v0_db, scope, dry_run, trust } = args;
    let v0 = v0_db.map(|path| ForeignCommand::from_v0(path, scope, dry_run));
    if let Some(command) = foreign.or(v0) {
        return foreign::run(command, context).await;
    }
    let path = file.expect("clap requires a file without a subcommand");
    let refused = |source: &io::Error| CliError::refusal(format!("cannot read `{}`", path.display()), source);
    let (mut input, total): (Box<dyn Read + Send>, Option<u64>) = if path.as_os_str() == "-" {
        (Box::new(io::stdin()), None)
    } else {
        let file = File::open(context.absolute(&path)).map_err(|source| refused(&source))?;
        let total = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|seen| seen.len());
        (Box::new(file), total)
    };
    let output = &context.output;
    let client = context.connect().await?;
    let begin = v1::ImportBegin {
        context: Some(context.request_context()),
        scope: scope::to_proto(scope).into(),
        dry_run,
        trust,
    };
    let (pieces, waiting) = mpsc::channel(PIECES_WAITING);
    let first = v1::ImportRequest { part: Some(Part::Begin(begin)) };
    let line = ProgressLine::new(output.format, "importing", Unit::Bytes);
    let send = async {
        let mut written = 0;
        let mut next = Some(first);
        while let Some(piece) = next.take() {
            // A closed channel means that the daemon has answered already.
            if pieces.send(piece).await.is_err() {
                break;
            }
            let mut data = vec![0; PIECE_BYTES];
            let read = input.read(&mut data)?;
            data.truncate(read);
            written += read as u64;
            line.show(written, total, "");
            next = (read > 0).then_some(v1::ImportRequest { part: Some(Part::Data(data)) });
        }
        drop(pieces);
        Ok::<(), io::Error>(())
    };
    let (read, answer) = tokio::join!(send, client.import(ReceiverStream::new(waiting)));
    drop(line);
    read.map_err(|source| refused(&source))?;
    let answer = answer?;
    if !dry_run && answer.added + answer.changed > 0 {
        let request = v1::IndexRequest {
            context: Some(context.request_context()),
            scope: scope::to_proto(scope).into(),
            ..v1::IndexRequest::default()
        };
        wait_for_index(client.index(request).await?, output).await?;
    }
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&text(&answer, dry_run))?,
    }
    Ok(Exit::Done)
}

fn text(answer: &ImportResponse, dry_run: bool) -> String {
    let ImportResponse {
        added,
        known,
        changed,
        failures,
        untrusted,
        documents: _,
        project_root,
        created,
        recall_version,
        cuts_alike,
        took_ms: _,
    } = answer;
    let (origin, made) = (printable(project_root), printable(created));
    let mut text = format!("export of {PATH}{origin}{PATH:#}, made {made} by recall {}\n", printable(recall_version));
    let verb = if dry_run { "would add" } else { "added" };
    let added = count_noun(*added, "record", "records");
    let _ =
        writeln!(text, "{GOOD}{verb}{GOOD:#} {added}; {} replaced; {} already there", count(*changed), count(*known));
    for v1::ItemFailure { item, code: _, reason } in failures {
        let _ = writeln!(text, "{WARNING}left out{WARNING:#} {PATH}{}{PATH:#}: {reason}", printable(item));
    }
    if *untrusted > 0 {
        let lines = count_noun(*untrusted, "line", "lines");
        let _ = writeln!(text, "{NOTE}note{NOTE:#}: {lines} that would make memories yours need `--trust`");
    }
    if !cuts_alike {
        let _ = writeln!(
            text,
            "{NOTE}note{NOTE:#}: texts are cut into other chunks here than where the export was made, so answers may differ"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    #[test]
    fn an_import_is_reported_with_what_was_left_out() {
        let failures = vec![v1::ItemFailure {
            item: "src/a.rs".to_owned(),
            code: "LEFT_OUT".to_owned(),
            reason: "a file is there, which wins".to_owned(),
        }];
        let answer = ImportResponse {
            added: 3,
            known: 1,
            failures,
            untrusted: 2,
            project_root: "/p".to_owned(),
            created: "2026-11-20T10:00:00Z".to_owned(),
            recall_version: "0.1.0".to_owned(),
            cuts_alike: true,
            ..ImportResponse::default()
        };
        insta::assert_snapshot!(plain(&text(&answer, false)), @r"
        export of /p, made 2026-11-20T10:00:00Z by recall 0.1.0
        added 3 records; 0 replaced; 1 already there
        left out src/a.rs: a file is there, which wins
        note: 2 lines that would make memories yours need `--trust`
        ");
    }
}
