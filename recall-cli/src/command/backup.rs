//! `recall backup`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use recall_api::convert::scope;
use recall_api::v1::{self, BackupResponse};
use recall_core::Scope;
use recall_text::quantity::{bytes, count_noun};

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::style::{GOOD, PATH, WARNING};
use crate::output::human::text::printable;
use crate::{Exit, args};

/// Arguments of `recall backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The file to write.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The stores to back up: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// Replace an existing file.
    #[arg(long)]
    force: bool,
}

pub(super) async fn run(args: BackupArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let BackupArgs { file, scope, force } = args;
    let request = v1::BackupRequest {
        context: Some(context.request_context()),
        scope: scope::to_proto(scope).into(),
        path: context.absolute(&file).to_string_lossy().into_owned(),
        replace: force,
    };
    let answer = context.ask(async |client| client.backup(request.clone()).await).await;
    let answer = answer.map_err(CommandError::into_refusal)?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&text(&answer))?,
    }
    Ok(Exit::Done)
}

fn text(answer: &BackupResponse) -> String {
    let BackupResponse { path, bytes: size, files, records, left_out, took_ms: _ } = answer;
    let (files, records) = (count_noun(*files, "file", "files"), count_noun(*records, "record", "records"));
    let (path, size) = (printable(path), bytes(*size));
    let mut text = format!("{GOOD}backed up{GOOD:#} {records} in {files} to {PATH}{path}{PATH:#} ({size})\n");
    for v1::ItemFailure { item, code: _, reason } in left_out {
        let _ = writeln!(text, "{WARNING}left out{WARNING:#} {PATH}{}{PATH:#}: {reason}", printable(item));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    #[test]
    fn a_backup_is_reported_with_what_it_lacks() {
        let left_out = vec![v1::ItemFailure {
            item: "/p/.recall/profile.md".to_owned(),
            code: "LEFT_OUT".to_owned(),
            reason: "it is a symbolic link".to_owned(),
        }];
        let path = "/b/a.tar.gz".to_owned();
        let answer = BackupResponse { path, bytes: 2048, files: 3, records: 1, left_out, took_ms: 1.0 };
        insta::assert_snapshot!(plain(&text(&answer)), @r"
        backed up 1 record in 3 files to /b/a.tar.gz (2.0 KiB)
        left out /p/.recall/profile.md: it is a symbolic link
        ");
    }
}
