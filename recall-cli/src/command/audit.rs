//! `recall audit`

use std::fmt::Write as _;
use std::str::FromStr as _;

use clap::Args;
use recall_api::convert::scope;
use recall_api::v1::{self, AuditResponse};
use recall_core::ForeignKind;
use recall_text::quantity::{count, count_noun};

use super::import::{SourceArgs, TWO_NAMED_CODEX};
use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::style::{DIM, GOOD, PATH, STRONG, WARNING};
use crate::output::human::text::printable;

/// Arguments of `recall audit`.
#[derive(Debug, Args)]
pub(crate) struct AuditArgs {
    /// The tool: recall-v0, edi-codex, openai-codex, edi, claude-mem, mem0, basic-memory, memory-server, serena or transcripts.
    /// Without it, all that are found in their usual places, but no transcripts.
    #[arg(value_name = "TOOL", value_parser = kind)]
    kind: Option<AuditedTool>,
    #[command(flatten)]
    source: SourceArgs,
    /// The most findings of one tool that are listed.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(..=10_000))]
    limit: u32,
}

/// A tool, and whether it was named by the word that two tools are known by.
#[derive(Clone, Copy, Debug)]
struct AuditedTool {
    kind: ForeignKind,
    is_ambiguous: bool,
}

fn kind(text: &str) -> Result<AuditedTool, String> {
    let kind = ForeignKind::from_str(text).map_err(|error| error.to_string())?;
    Ok(AuditedTool { kind, is_ambiguous: kind.as_str() != text })
}

pub(super) async fn run(args: AuditArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let AuditArgs { kind, source, limit } = args;
    if kind.is_some_and(|tool| tool.is_ambiguous) {
        context.output.note(TWO_NAMED_CODEX);
    }
    let request = v1::AuditRequest {
        context: Some(context.request_context()),
        kind: kind.map(|tool| tool.kind.to_string()).unwrap_or_default(),
        scope: scope::to_proto(source.scope).into(),
        source: Some(source.to_proto(context)),
        limit,
    };
    let answer = context.ask(async |client| client.audit(request.clone()).await).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&text(&answer))?,
    }
    Ok(Exit::Done)
}

fn text(answer: &AuditResponse) -> String {
    let AuditResponse { sources, took_ms: _ } = answer;
    if sources.is_empty() {
        return "no other tool keeps memories in its usual place; name one: `recall audit TOOL PATH`\n".to_owned();
    }
    let mut text = String::new();
    for source in sources {
        let v1::AuditedSource { kind, paths, items, sound, claims, missing_files, missing_symbols, secrets, findings } =
            source;
        let paths: Vec<_> = paths.iter().map(|path| printable(path)).collect();
        let _ = writeln!(text, "{STRONG}{}{STRONG:#} {PATH}{}{PATH:#}", printable(kind), paths.join(", "));
        let _ = writeln!(
            text,
            "  {}, {GOOD}{} sound{GOOD:#}; of {}: {WARNING}{}{WARNING:#} and {WARNING}{}{WARNING:#} are gone; \
             {WARNING}{}{WARNING:#}",
            count_noun(*items, "item", "items"),
            count(*sound),
            count_noun(*claims, "named file or symbol", "named files and symbols"),
            count_noun(*missing_files, "file", "files"),
            count_noun(*missing_symbols, "symbol", "symbols"),
            count_noun(*secrets, "secret", "secrets"),
        );
        for v1::AuditFinding { kind, item, title, what, line } in findings {
            let said = match kind.as_str() {
                "missing_file" => format!("no file {PATH}{}{PATH:#}", printable(what)),
                "missing_symbol" => format!("no symbol `{}`", printable(what)),
                _ => format!("{WARNING}secret{WARNING:#} ({})", printable(what)),
            };
            let at = if *line > 0 { format!(" line {line}") } else { String::new() };
            let name = if title.is_empty() { item } else { title };
            let _ = writeln!(text, "  {DIM}{}{at}{DIM:#}: {said}", printable(name));
        }
        let all = missing_files + missing_symbols + secrets;
        let more = all.saturating_sub(findings.len() as u64);
        if more > 0 {
            let _ = writeln!(
                text,
                "  {DIM}{}; `--limit` shows more{DIM:#}",
                count_noun(more, "more finding", "more findings")
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::human::style::plain;

    #[test]
    fn an_audit_shows_counts_and_places() {
        let finding = |kind: &str, what: &str, line| v1::AuditFinding {
            kind: kind.to_owned(),
            item: "a.md".to_owned(),
            title: "Retry policy".to_owned(),
            what: what.to_owned(),
            line,
        };
        let source = v1::AuditedSource {
            kind: "serena".to_owned(),
            paths: vec!["/p/.serena/memories".to_owned()],
            items: 2,
            sound: 1,
            claims: 9,
            missing_files: 1,
            missing_symbols: 1,
            secrets: 2,
            findings: vec![
                finding("missing_file", "src/old.rs", 0),
                finding("missing_symbol", "Retry::old", 3),
                finding("secret", "aws-access-key", 7),
            ],
        };
        let answer = AuditResponse { sources: vec![source], took_ms: 1.0 };
        insta::assert_snapshot!(plain(&text(&answer)), @r"
        serena /p/.serena/memories
          2 items, 1 sound; of 9 named files and symbols: 1 file and 1 symbol are gone; 2 secrets
          Retry policy: no file src/old.rs
          Retry policy line 3: no symbol `Retry::old`
          Retry policy line 7: secret (aws-access-key)
          1 more finding; `--limit` shows more
        ");
    }
}
