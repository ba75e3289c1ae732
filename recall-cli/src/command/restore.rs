//! `recall restore`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use recall_api::convert::scope;
use recall_api::v1::{self, RestoreResponse};
use recall_core::Scope;
use recall_text::quantity::{count, count_noun};

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::style::{GOOD, NOTE, PATH, WARNING};
use crate::output::human::text::printable;
use crate::{Exit, args};

/// Arguments of `recall restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The backup.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The stores to restore: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// Show what would be restored, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Trust the backup: restore the global store too, and which memories are yours.
    #[arg(long)]
    trust: bool,
}

pub(super) async fn run(args: RestoreArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let RestoreArgs { file, scope, dry_run, trust } = args;
    let request = v1::RestoreRequest {
        context: Some(context.request_context()),
        scope: scope::to_proto(scope).into(),
        path: context.absolute(&file).to_string_lossy().into_owned(),
        dry_run,
        trust,
    };
    let answer = context.ask(async |client| client.restore(request.clone()).await).await;
    let answer = answer.map_err(CommandError::into_refusal)?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&text(&answer, dry_run))?,
    }
    Ok(Exit::Done)
}

fn text(answer: &RestoreResponse, dry_run: bool) -> String {
    let RestoreResponse {
        added,
        known,
        untrusted,
        conflicts,
        left_out,
        project_root,
        created,
        recall_version,
        took_ms: _,
    } = answer;
    let (origin, made) = (printable(project_root), printable(created));
    let mut text = format!("backup of {PATH}{origin}{PATH:#}, made {made} by recall {}\n", printable(recall_version));
    let verb = if dry_run { "would add" } else { "added" };
    let (added, conflicting) = (count_noun(*added, "record", "records"), conflicts.len() as u64);
    let conflicting = count_noun(conflicting, "conflict", "conflicts");
    let _ = writeln!(text, "{GOOD}{verb}{GOOD:#} {added}; {} already there; {conflicting}", count(*known));
    for v1::ItemFailure { item, code: _, reason } in conflicts {
        let _ = writeln!(text, "{WARNING}kept{WARNING:#} {PATH}{}{PATH:#}: {reason}", printable(item));
    }
    for v1::ItemFailure { item, code: _, reason } in left_out {
        let _ = writeln!(text, "{WARNING}left out{WARNING:#} {PATH}{}{PATH:#}: {reason}", printable(item));
    }
    if *untrusted > 0 {
        let records = count_noun(*untrusted, "record", "records");
        let _ = writeln!(
            text,
            "{WARNING}not restored{WARNING:#} {records} that would be trusted as yours: global memories, and the record of what you wrote"
        );
        let _ = writeln!(text, "  {NOTE}hint{NOTE:#}: if you made this backup, restore it with `--trust`");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    #[test]
    fn a_restore_is_reported_with_what_was_not_restored() {
        let failure = |item: &str, reason: &str| v1::ItemFailure {
            item: item.to_owned(),
            code: "DIFFERS".to_owned(),
            reason: reason.to_owned(),
        };
        let answer = RestoreResponse {
            added: 2,
            known: 1,
            untrusted: 3,
            conflicts: vec![failure("/p/.recall/recall.toml", "it differs from the backup")],
            left_out: vec![failure("domain-team", "the project sees no domain `team` here")],
            project_root: "/p".to_owned(),
            created: "2026-11-20T12:00:00Z".to_owned(),
            recall_version: "0.1.0".to_owned(),
            took_ms: 1.0,
        };
        insta::assert_snapshot!(plain(&text(&answer, false)), @r"
        backup of /p, made 2026-11-20T12:00:00Z by recall 0.1.0
        added 2 records; 1 already there; 1 conflict
        kept /p/.recall/recall.toml: it differs from the backup
        left out domain-team: the project sees no domain `team` here
        not restored 3 records that would be trusted as yours: global memories, and the record of what you wrote
          hint: if you made this backup, restore it with `--trust`
        ");
        assert!(text(&answer, true).contains("would add"));
    }
}
