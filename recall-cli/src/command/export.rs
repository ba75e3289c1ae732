//! `recall export`

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use recall_api::convert::scope;
use recall_api::{Reason, v1};
use recall_core::Scope;
use recall_text::quantity::{bytes, count_noun};
use serde::{Deserialize, Serialize};

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::style::{GOOD, PATH};
use crate::output::human::text::printable;
use crate::progress::{ProgressLine, Unit};
use crate::{Exit, args};

/// Arguments of `recall export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The file to write; standard output if left out.
    #[arg(long, short, visible_alias = "out", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Export the embeddings by the built-in model too.
    #[arg(long)]
    with_embeddings: bool,
    /// The store: project, global or domain.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
    /// Continue a partial export in the file.
    #[arg(long, requires = "output")]
    resume: bool,
    /// Replace an existing file.
    #[arg(long, requires = "output", conflicts_with = "resume")]
    force: bool,
}

/// The result, as JSON.
#[derive(Debug, Serialize)]
struct Exported {
    path: String,
    bytes: u64,
    records: u64,
    resumed: bool,
}

pub(super) async fn run(args: ExportArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let ExportArgs { output: path, with_embeddings, scope, resume, force } = args;
    let output = &context.output;
    let Some(path) = path else {
        if output.format == Format::Json {
            return Err(CliError::usage("`--json` needs `--output FILE`: an export is lines of JSON itself").into());
        }
        let mut export = Export { with_embeddings, scope, resume: None };
        let mut stdout = io::stdout().lock();
        export
            .run(context, &mut |data| {
                stdout.write_all(data).map_err(|error| match error.kind() {
                    io::ErrorKind::BrokenPipe => CommandError::ReaderGone,
                    _ => CliError::refusal("cannot write the output", &error).into(),
                })
            })
            .await?;
        stdout.flush().map_err(|error| CliError::refusal("cannot write the output", &error))?;
        return Ok(Exit::Done);
    };
    let path = context.absolute(&path);
    let refused = |source: io::Error| CommandError::from(not_written(&path, &source));
    let (mut file, resumed) = if resume { Partial::open(&path)? } else { (create(&path, force)?, None) };
    if let Some(partial) = resumed.as_ref().filter(|partial| partial.is_whole) {
        return report(context, &path, partial.kept_bytes, partial.resume.records, true);
    }
    let is_resumed = resumed.is_some();
    let mut export = Export { with_embeddings, scope, resume: resumed.map(|partial| partial.resume) };
    let records = export
        .run(context, &mut |data| file.write_all(data).map_err(refused))
        .await
        .map_err(|error| continued_by(error, &path))?;
    let written = file.sync_all().and_then(|()| file.metadata()).map_err(refused)?;
    report(context, &path, written.len(), records, is_resumed)
}

fn report(context: &CommandContext, path: &Path, size: u64, records: u64, resumed: bool) -> Result<Exit, CommandError> {
    let output = &context.output;
    let shown = path.to_string_lossy().into_owned();
    match output.format {
        Format::Json => {
            output.answer(&Exported { path: shown, bytes: size, records, resumed })?;
        }
        Format::Human => {
            let (records, size) = (count_noun(records, "record", "records"), bytes(size));
            output
                .text(&format!("{GOOD}exported{GOOD:#} {records} to {PATH}{}{PATH:#} ({size})\n", printable(&shown)))?;
        }
    }
    Ok(Exit::Done)
}

/// Creates the file, readable by its owner only.
fn create(path: &Path, force: bool) -> Result<File, CommandError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(force).create_new(!force);
    options.open(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => {
            let message = format!("`{}` already exists", path.display());
            CliError::new(Exit::Refused, Reason::Conflict, message)
                .with_hint("name another file; `--resume` continues a partial export, `--force` replaces the file")
                .into()
        }
        _ => not_written(path, &source).into(),
    })
}

fn not_written(path: &Path, source: &io::Error) -> CliError {
    CliError::refusal(format!("cannot write `{}`", path.display()), source)
}

/// Adds to an error how the export is continued.
fn continued_by(error: CommandError, path: &Path) -> CommandError {
    match error {
        CommandError::Failed(failed) if failed.exit == Exit::Unreachable => {
            failed.with_hint(format!("`recall export --resume --output {}` continues it", path.display())).into()
        }
        other => other,
    }
}

/// A running export.
struct Export {
    with_embeddings: bool,
    scope: Scope,
    resume: Option<v1::ExportResume>,
}

impl Export {
    /// Passes the export on piece by piece. Returns the number of its records.
    async fn run(
        &mut self,
        context: &CommandContext,
        write: &mut dyn FnMut(&[u8]) -> Result<(), CommandError>,
    ) -> Result<u64, CommandError> {
        let client = context.connect().await?;
        let request = v1::ExportRequest {
            context: Some(context.request_context()),
            scope: scope::to_proto(self.scope).into(),
            with_embeddings: self.with_embeddings,
            resume: self.resume.take(),
        };
        let mut pieces = client.export(request).await?;
        let line = ProgressLine::new(context.output.format, "exporting", Unit::Bytes);
        let (mut records, mut written, mut end) = (0, 0, Vec::new());
        while let Some(v1::ExportResponse { data, items }) = pieces.message().await? {
            write(&data)?;
            records = items;
            written += data.len() as u64;
            line.show(written, None, &count_noun(records, "record", "records"));
            tail(&mut end, &data);
        }
        // The daemon may have ended without an error.
        if !is_last(&end) {
            return Err(
                CliError::new(Exit::Unreachable, Reason::Unavailable, "the daemon ended before the export").into()
            );
        }
        Ok(records)
    }
}

/// The most bytes of the last line.
const LAST_LINE_BYTES: usize = 512;

fn tail(end: &mut Vec<u8>, data: &[u8]) {
    end.extend_from_slice(&data[data.len().saturating_sub(LAST_LINE_BYTES)..]);
    end.drain(..end.len().saturating_sub(LAST_LINE_BYTES));
}

fn is_last(end: &[u8]) -> bool {
    let line = end.strip_suffix(b"\n").unwrap_or_default().rsplit(|byte| *byte == b'\n').next();
    line.is_some_and(|line| matches!(serde_json::from_slice(line), Ok(ProgressMark::End { .. })))
}

/// The lines of an export that this command reads.
#[derive(Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
enum ProgressMark {
    Header {
        generation: u64,
    },
    Checkpoint {
        after_row: i64,
        records: u64,
        blake3: String,
    },
    End {
        records: u64,
    },
    #[serde(other)]
    Other,
}

/// A partial export, cut at its last checkpoint.
struct Partial {
    kept_bytes: u64,
    /// Whether it has its last line.
    is_whole: bool,
    resume: v1::ExportResume,
}

impl Partial {
    /// Opens a partial export for its continuation, and cuts it at its last checkpoint. Without one, the file is emptied.
    fn open(path: &Path) -> Result<(File, Option<Self>), CommandError> {
        let refused = |source: io::Error| CommandError::from(not_written(path, &source));
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(refused)?;
        let partial = Self::read(path, &file)?;
        let kept = partial.as_ref().map_or(0, |partial| partial.kept_bytes);
        file.set_len(kept).and_then(|()| file.seek(SeekFrom::Start(kept))).map_err(refused)?;
        Ok((file, partial))
    }

    fn read(path: &Path, file: &File) -> Result<Option<Self>, CommandError> {
        let mut lines = BufReader::new(file);
        let (mut line, mut bytes, mut generation, mut found) = (Vec::new(), 0, None, None);
        loop {
            line.clear();
            let read = lines.read_until(b'\n', &mut line).map_err(|source| not_written(path, &source))?;
            if read == 0 || line.last() != Some(&b'\n') {
                return Ok(found);
            }
            bytes += read as u64;
            let mark = serde_json::from_slice(&line);
            match (mark, generation) {
                (Ok(ProgressMark::Header { generation: stated }), None) => generation = Some(stated),
                (Ok(ProgressMark::Checkpoint { after_row, records, blake3 }), Some(generation)) => {
                    let resume = v1::ExportResume { generation, after_row, records, blake3 };
                    found = Some(Self { kept_bytes: bytes, is_whole: false, resume });
                }
                (Ok(ProgressMark::End { records }), Some(generation)) => {
                    let resume = v1::ExportResume { generation, records, ..v1::ExportResume::default() };
                    return Ok(Some(Self { kept_bytes: bytes, is_whole: true, resume }));
                }
                (Ok(ProgressMark::Other), Some(_)) => {}
                _ => {
                    let message = format!("`{}` is not a partial export", path.display());
                    return Err(CliError::new(Exit::Refused, Reason::InvalidArgument, message)
                        .with_hint("`--force` replaces the file by a new export")
                        .into());
                }
            }
        }
    }
}
