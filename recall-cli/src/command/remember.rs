//! `recall remember`

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::v1::{self, AddStatus};
use recall_core::{Cue, MemoryOrigin, MemoryType, Scope, title_of};

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::memory::format_add;
use crate::{Exit, args, complete, standard_input};

/// Arguments of `recall remember`.
#[derive(Debug, Args)]
pub(crate) struct RememberArgs {
    /// The text; `-` reads it from standard input.
    #[arg(value_name = "TEXT")]
    text: String,
    /// The title [default: the first line of the text].
    #[arg(long, short)]
    title: Option<String>,
    /// Its type: decision, pattern, lesson, failure, note, context.
    #[arg(long = "type", default_value = "note", value_parser = args::memory_type, value_name = "TYPE")]
    memory_type: MemoryType,
    /// The files that it is about, in their current state.
    #[arg(long = "file", value_name = "PATH", add = ArgValueCompleter::new(complete::paths))]
    files: Vec<String>,
    /// When an agent is shown it unasked: `path:`, `symbol:`, `command:`, `error:` or `branch:` and a text, or `date:2026-12-01`
    /// [default: what follows from the text].
    #[arg(long = "cue", value_parser = args::cue, value_name = "KIND:TEXT")]
    cues: Vec<Cue>,
    /// Tags.
    #[arg(long = "tag", value_delimiter = ',', value_name = "TAG")]
    tags: Vec<String>,
    /// The store to save it in: project or global.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
    /// The memory that it replaces.
    #[arg(long, value_parser = args::memory_id, value_name = "ID")]
    supersedes: Option<String>,
    /// Since when it holds: a date, an age (`3d`), a commit or a tag [default: from now on].
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TIME")]
    valid_from: String,
    /// Until when it holds. After that it is shown as expired and ranked lower.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TIME")]
    valid_until: String,
    /// Save it even if a nearly identical memory exists.
    #[arg(long)]
    force: bool,
    /// Where it comes from, as free text.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    source: String,
    /// The origin: observed, inferred, imported or human [default: derived from the caller].
    #[arg(long, value_parser = args::memory_origin, value_name = "ORIGIN")]
    origin: Option<MemoryOrigin>,
}

pub(super) async fn run(args: RememberArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let request = request(args, standard_input::memory, context.request_context())?;
    let output = &context.output;
    let client = context.connect().await?;
    let answer = client.add(request).await?;
    let is_refused = answer.status() == AddStatus::Duplicate;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            output.text(&format_add(&answer))?;
            if is_refused {
                output.note("hint: `--force` keeps it all the same, `--supersedes ID` retires the older one");
            }
        }
    }
    Ok(if is_refused { Exit::Refused } else { Exit::Done })
}

fn request(
    args: RememberArgs,
    input: impl FnOnce() -> Result<String, CommandError>,
    asker: v1::RequestContext,
) -> Result<v1::AddRequest, CommandError> {
    let RememberArgs {
        text,
        title,
        memory_type,
        files,
        cues,
        tags,
        scope,
        supersedes,
        valid_from,
        valid_until,
        force,
        source,
        origin,
    } = args;
    let content = if text == "-" { input()? } else { text };
    if content.trim().is_empty() {
        return Err(CliError::usage("a memory without a text cannot be saved").into());
    }
    let origin = origin.map_or(v1::Origin::Unspecified, |origin| match origin {
        MemoryOrigin::Observed => v1::Origin::Observed,
        MemoryOrigin::Inferred => v1::Origin::Inferred,
        MemoryOrigin::Imported => v1::Origin::Imported,
        MemoryOrigin::Human => v1::Origin::Human,
    });
    Ok(v1::AddRequest {
        context: Some(asker),
        r#type: memory_type.as_str().to_owned(),
        title: title.unwrap_or_else(|| title_of(&content)),
        content,
        scope: scope::to_proto(scope).into(),
        tags,
        related_files: files,
        cues: cues.iter().map(ToString::to_string).collect(),
        supersedes: supersedes.unwrap_or_default(),
        force,
        source,
        origin: origin.into(),
        idempotency_key: String::new(),
        created_at: None,
        valid_from,
        valid_until,
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: RememberArgs,
    }

    fn asked(line: &[&str]) -> v1::AddRequest {
        let line = Line::try_parse_from([&["remember"], line].concat()).expect("well-formed");
        let input = || Ok("# From a pipe\n\nAll of it.\n".to_owned());
        request(line.args, input, v1::RequestContext::default()).expect("readable")
    }

    #[test]
    fn every_flag_reaches_the_request() {
        let line = [
            "Retries need jitter.",
            "--title",
            "Jitter",
            "--type",
            "lesson",
            "--file",
            "src/a.rs",
            "--file",
            "b.rs",
            "--cue",
            "command:make all",
            "--tag",
            "x,y",
            "--scope",
            "global",
            "--supersedes",
            "L-0123abcd",
            "--force",
            "--source",
            "wiki",
            "--origin",
            "inferred",
        ];
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let expected = v1::AddRequest {
            context: Some(v1::RequestContext::default()),
            r#type: "lesson".to_owned(),
            title: "Jitter".to_owned(),
            content: "Retries need jitter.".to_owned(),
            scope: v1::Scope::Global.into(),
            tags: texts(&["x", "y"]),
            related_files: texts(&["src/a.rs", "b.rs"]),
            cues: texts(&["command:make all"]),
            supersedes: "L-0123abcd".to_owned(),
            created_at: None,
            force: true,
            source: "wiki".to_owned(),
            origin: v1::Origin::Inferred.into(),
            idempotency_key: String::new(),
            valid_from: String::new(),
            valid_until: String::new(),
        };
        assert_eq!(asked(&line), expected);
    }

    #[test]
    fn a_blank_text_is_refused_as_such() {
        let line = Line::try_parse_from(["remember", "  "]).expect("well-formed");
        let refused = request(line.args, || Ok(String::new()), v1::RequestContext::default());
        let Err(CommandError::Failed(cli_error)) = refused else { panic!("refused") };
        assert_eq!(cli_error.message, "a memory without a text cannot be saved");
    }

    #[test]
    fn a_text_without_a_title_is_called_by_its_first_line() {
        let piped = asked(&["-"]);
        assert_eq!((piped.title.as_str(), piped.r#type.as_str()), ("From a pipe", "note"));
        assert_eq!(piped.content, "# From a pipe\n\nAll of it.\n");
    }
}
