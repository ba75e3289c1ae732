//! `recall rollback`

use std::fmt::Write as _;

use clap::{Args, ValueEnum};
use recall_api::convert::scope;
use recall_api::v1::{self, RollBackResponse};
use recall_core::Scope;
use recall_text::quantity::count_noun;

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::style::{DIM, GOOD, PATH, WARNING};
use crate::output::human::text::{moment, printable};
use crate::{Exit, args, standard_input};

/// Arguments of `recall rollback`.
#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// Whose changes are taken back: those of one session or of one agent.
    #[arg(requires = "name", required_unless_present = "since", value_name = "session|agent")]
    whose: Option<Whose>,
    /// The id of the session, or the name of the agent.
    #[arg(value_name = "ID|NAME")]
    name: Option<String>,
    /// Take back only what was written since this time, as for `recall search`.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TIME")]
    since: String,
    /// The stores to look in: project, global, domain or all [default: all for a session, else project].
    #[arg(long, value_parser = args::scope)]
    scope: Option<Scope>,
    /// Show what would be taken back, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Do not ask.
    #[arg(long, short, conflicts_with = "dry_run")]
    yes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Whose {
    Session,
    Agent,
}

pub(super) async fn run(args: RollbackArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let RollbackArgs { whose, name, since, scope: wanted, dry_run, yes } = args;
    let name = name.unwrap_or_default();
    let usual = if whose == Some(Whose::Session) { Scope::All } else { Scope::Project };
    let request = v1::RollBackRequest {
        context: Some(context.request_context()),
        session: if whose == Some(Whose::Session) { name.clone() } else { String::new() },
        agent: if whose == Some(Whose::Agent) { name } else { String::new() },
        since,
        scope: scope::to_proto(wanted.unwrap_or(usual)).into(),
        dry_run: true,
    };
    let client = context.connect().await?;
    let output = &context.output;
    let preview = client.roll_back(request.clone()).await?;
    if preview.taken_back.is_empty() {
        if output.format == Format::Json {
            output.answer(&preview)?;
        }
        output.note(&match whose {
            Some(Whose::Session) => {
                format!("nothing to take back: no session `{}` changed a memory here", request.session)
            }
            Some(Whose::Agent) => format!("nothing to take back: no agent `{}` changed a memory here", request.agent),
            None => "nothing to take back: no memory was changed since".to_owned(),
        });
        return Ok(Exit::NothingFound);
    }
    if dry_run {
        return finish(&preview, context);
    }
    if !yes {
        if !standard_input::can_ask(context) {
            return Err(CliError::usage("nobody can be asked here")
                .with_hint("`--dry-run` shows what would be taken back, `--yes` takes it back")
                .into());
        }
        output.text(&text(&preview, output.screen().now))?;
        if !standard_input::ask_yes("take all of this back?", false).await? {
            return Ok(Exit::Refused);
        }
    }
    let answer = client.roll_back(v1::RollBackRequest { dry_run: false, ..request }).await?;
    finish(&answer, context)
}

fn finish(answer: &RollBackResponse, context: &CommandContext) -> Result<Exit, CommandError> {
    match context.output.format {
        Format::Json => context.output.answer(answer)?,
        Format::Human => context.output.text(&text(answer, context.output.screen().now))?,
    }
    Ok(Exit::Done)
}

/// Formats what is taken back, with the times relative to `now` if that is given.
fn text(answer: &RollBackResponse, now: Option<jiff::Timestamp>) -> String {
    let RollBackResponse { taken_back, dependents, undo } = answer;
    let mut text = String::new();
    for v1::TakenBack { id, title, how, time, scope: _ } in taken_back {
        let time = time.as_ref().map(|time| format!(" {DIM}{}{DIM:#}", moment(time, now))).unwrap_or_default();
        let (id, title) = (printable(id), printable(title));
        let _ = writeln!(text, "{how:<10} {PATH}{id}{PATH:#} {title}{time}");
    }
    for v1::Dependent { on, id, title, how } in dependents {
        let (on, id, title) = (printable(on), printable(id), printable(title));
        let what = if on == id {
            format!("{PATH}{on}{PATH:#} was {how} by others since")
        } else {
            format!("{PATH}{id}{PATH:#} {title} {how}: {PATH}{on}{PATH:#}")
        };
        let _ = writeln!(text, "{WARNING}built on it{WARNING:#}: {what}");
    }
    let changes = count_noun(taken_back.len() as u64, "change", "changes");
    if undo.is_empty() {
        let _ = writeln!(text, "would take back {changes}");
    } else {
        let undo = printable(undo);
        let _ = writeln!(text, "{GOOD}took back{GOOD:#} {changes}; `recall rollback session {undo}` restores them");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    #[test]
    fn what_is_taken_back_is_listed_with_what_was_built_on_it() {
        let (on, title) = ("L-0123abcd".to_owned(), "Retries need jitter".to_owned());
        let change =
            v1::TakenBack { id: on.clone(), title: title.clone(), how: "added".to_owned(), ..Default::default() };
        let cites = v1::Dependent { on: on.clone(), id: "D-4567cdef".to_owned(), title, how: "cites it".to_owned() };
        let amended = v1::Dependent { id: on, how: "amended".to_owned(), ..cites.clone() };
        let answer = RollBackResponse {
            taken_back: vec![change],
            dependents: vec![cites, amended],
            undo: "rollback-0a1b2c3d".to_owned(),
        };
        insta::assert_snapshot!(plain(&text(&answer, None)), @r"
        added      L-0123abcd Retries need jitter
        built on it: D-4567cdef Retries need jitter cites it: L-0123abcd
        built on it: L-0123abcd was amended by others since
        took back 1 change; `recall rollback session rollback-0a1b2c3d` restores them
        ");
        assert!(text(&RollBackResponse { undo: String::new(), ..answer }, None).contains("would take back 1 change"));
    }
}
