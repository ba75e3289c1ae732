//! `recall doctor`

mod versions;

use std::fmt::Write as _;

use clap::Args;
use recall_api::convert::scope;
use recall_api::v1::{self, DoctorResponse, Finding, Severity};
use recall_core::Scope;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::style::{DIM, ERROR, GOOD, NOTE, PATH, WARNING};
use crate::output::human::text::printable;
use crate::{Exit, args};

/// Arguments of `recall doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// The stores to check: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// Repair what can be repaired, and add lost and pending memories to the journals.
    #[arg(long)]
    fix: bool,
    /// Scan the indexed texts for secrets.
    #[arg(long)]
    secrets: bool,
}

/// Exit with 1 if a problem remains.
pub(super) async fn run(args: DoctorArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let DoctorArgs { scope, fix, secrets } = args;
    let output = &context.output;
    let client = context.connect().await?;
    let request = v1::DoctorRequest {
        context: Some(context.request_context()),
        scope: scope::to_proto(scope).into(),
        fix,
        secrets,
    };
    let mut answer = client.doctor(request).await?;
    answer.findings.extend(versions::findings(&client.daemon().version, context));
    answer.checked.push(versions::CHECK.to_owned());
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&text(&answer))?,
    }
    let is_open = |finding: &v1::Finding| !finding.fixed && finding.severity() != Severity::Notice;
    Ok(if answer.findings.iter().any(is_open) { Exit::NothingFound } else { Exit::Done })
}

/// Formats the findings, each with its remedy, and what was checked.
fn text(answer: &DoctorResponse) -> String {
    let DoctorResponse { findings, checked } = answer;
    let mut text = String::new();
    for finding in findings {
        let Finding { check, severity: _, message, hint, path, fixed, store_id: _ } = finding;
        let (style, word) = match finding.severity() {
            _ if *fixed => (GOOD, "fixed"),
            Severity::Error => (ERROR, "error"),
            Severity::Notice => (NOTE, "note"),
            Severity::Warning | Severity::Unspecified => (WARNING, "warning"),
        };
        let place = if path.is_empty() { String::new() } else { format!("{PATH}{}{PATH:#}: ", printable(path)) };
        let _ = writeln!(text, "{style}{word}{style:#} {DIM}{check}{DIM:#} {place}{}", printable(message));
        if !hint.is_empty() && !fixed {
            let _ = writeln!(text, "  {NOTE}hint{NOTE:#}: {hint}");
        }
    }
    if findings.is_empty() {
        let _ = writeln!(text, "{GOOD}all is well{GOOD:#}");
    }
    let _ = writeln!(text, "{DIM}checked: {}{DIM:#}", checked.join(", "));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    #[test]
    fn findings_say_where_they_are_and_what_can_be_done() {
        let finding = |severity: Severity, fixed| Finding {
            check: "journal".to_owned(),
            severity: severity.into(),
            message: "line 3 cannot be read".to_owned(),
            hint: "fix it by hand".to_owned(),
            path: "/p/.recall/2026-11-20/memories.jsonl".to_owned(),
            fixed,
            store_id: String::new(),
        };
        let checked = vec!["journal".to_owned(), "catalog".to_owned()];
        let findings = vec![finding(Severity::Error, false), finding(Severity::Warning, true)];
        insta::assert_snapshot!(plain(&text(&DoctorResponse { findings, checked: checked.clone() })), @r"
        [error] journal /p/.recall/2026-11-20/memories.jsonl: line 3 cannot be read
          hint: fix it by hand
        fixed journal /p/.recall/2026-11-20/memories.jsonl: line 3 cannot be read
        checked: journal, catalog
        ");
        assert_eq!(
            plain(&text(&DoctorResponse { findings: Vec::new(), checked })),
            "all is well\nchecked: journal, catalog\n"
        );
    }
}
