//! `recall why`: the commit, the session and the decisions of lines.

use std::fmt::Write as _;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::v1;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::style::{DIM, LINE, PATH, STRONG};
use crate::output::human::text::printable;
use crate::{Exit, complete};

/// The digits of a hash that are shown.
const HASH_CHARS: usize = 10;

/// Arguments of `recall why`.
#[derive(Debug, Args)]
pub(crate) struct WhyArgs {
    /// A file of the project with a line or lines: `path:42`, `path:42-60`. Without lines, the whole file.
    #[arg(value_name = "FILE:LINES", add = ArgValueCompleter::new(complete::items))]
    file: String,
}

pub(super) async fn run(args: WhyArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let request =
        v1::WhyRequest { context: Some(context.request_context()), file: args.file, ..v1::WhyRequest::default() };
    let answer = context.ask(async |client| client.why(request.clone()).await).await?;
    output.warn(&answer.warnings);
    if output.format == Format::Json {
        output.answer(&answer)?;
    }
    if answer.ranges.is_empty() {
        output.note(&format!("`{}` has no lines", printable(&answer.path)));
        return Ok(Exit::NothingFound);
    }
    if output.format == Format::Human {
        context.page(&text(&answer))?;
    }
    Ok(Exit::Done)
}

/// Formats the lines by their origin, then what belongs to them.
fn text(answer: &v1::WhyResponse) -> String {
    let mut text = String::new();
    for range in &answer.ranges {
        let (path, lines) = (printable(&answer.path), lines_of(range));
        let _ = writeln!(text, "{PATH}{path}{PATH:#}:{LINE}{lines}{LINE:#}");
        write_range(&mut text, range);
    }
    if !answer.ties.is_empty() {
        let _ = writeln!(text, "{STRONG}belongs to it{STRONG:#}");
    }
    for v1::LineTie { id, title, r#type, how, state } in &answer.ties {
        let [id, title, how, state] = [id, title, how, state].map(|text| printable(text));
        let state = if state.is_empty() { String::new() } else { format!("; {state}") };
        let _ = writeln!(text, "  {type} {PATH}{id}{PATH:#} {title}\n    {DIM}{how}{state}{DIM:#}");
    }
    if answer.more_ties > 0 {
        let _ = writeln!(text, "  and {} more", answer.more_ties);
    }
    text
}

fn lines_of(range: &v1::LineOrigin) -> String {
    let v1::LineOrigin { start_line, end_line, .. } = range;
    if start_line == end_line { start_line.to_string() } else { format!("{start_line}-{end_line}") }
}

fn write_range(text: &mut String, range: &v1::LineOrigin) {
    if let Some(commit) = &range.commit {
        let hash = commit.hash.get(..HASH_CHARS).unwrap_or(&commit.hash);
        let day = commit.authored_at.as_ref().map(ToString::to_string).unwrap_or_default();
        let (author, subject) = (printable(&commit.author), printable(&commit.subject));
        let day = day.split('T').next().unwrap_or_default();
        let _ = writeln!(text, "  commit  {hash} {day} {author}: {subject}");
        if !commit.moved_from.is_empty() {
            let _ = writeln!(text, "          there in {PATH}{}{PATH:#}", printable(&commit.moved_from));
        }
        if commit.shallow {
            let _ = writeln!(text, "          {DIM}this clone's history begins here: the lines may be older{DIM:#}");
        }
    } else {
        let _ = writeln!(text, "  commit  {DIM}{}{DIM:#}", printable(&range.commit_unknown));
    }
    if let Some(session) = &range.session {
        let v1::LineSession { id, agent, title, prompt, evidence } = session;
        let by = if agent.is_empty() { String::new() } else { format!(" ({})", printable(agent)) };
        let title = if title.is_empty() { String::new() } else { format!(": {}", printable(title)) };
        let _ = writeln!(text, "  session {}{by}{title}", printable(id));
        let _ = writeln!(text, "          {DIM}{}{DIM:#}", printable(evidence));
        if !prompt.is_empty() && title.get(2..) != Some(prompt) {
            let _ = writeln!(text, "  asked   {}", printable(prompt));
        }
    } else {
        let _ = writeln!(text, "  session {DIM}unknown: {}{DIM:#}", printable(&range.session_unknown));
    }
    if let Some(v1::LineTrace { contributor, model_id, url, tool, source }) = &range.trace {
        let rest = [model_id, tool, url].map(|part| printable(part));
        let rest: Vec<&str> = rest.iter().filter(|part| !part.is_empty()).flat_map(|part| [", ", part]).collect();
        let rest = rest.concat();
        let _ = writeln!(text, "  trace   {contributor}{rest}\n          {DIM}in {source}{DIM:#}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_and_what_is_not_is_said() {
        let known = v1::LineOrigin {
            start_line: 3,
            end_line: 5,
            commit: Some(v1::LineCommit {
                hash: "0123456789abcdef0123456789abcdef01234567".to_owned(),
                author: "Ada".to_owned(),
                subject: "Bound the retries".to_owned(),
                authored_at: Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 }),
                moved_from: "src/old.rs".to_owned(),
                shallow: true,
            }),
            session: Some(v1::LineSession {
                id: "s-1".to_owned(),
                agent: "claude-code".to_owned(),
                title: "Make retries wait".to_owned(),
                prompt: "Three attempts at most".to_owned(),
                evidence: "recorded the commit".to_owned(),
            }),
            trace: Some(v1::LineTrace {
                contributor: "ai".to_owned(),
                model_id: "anthropic/claude".to_owned(),
                source: "the note of the commit".to_owned(),
                ..v1::LineTrace::default()
            }),
            ..v1::LineOrigin::default()
        };
        let unknown = v1::LineOrigin {
            start_line: 6,
            end_line: 6,
            commit_unknown: "not committed".to_owned(),
            session_unknown: "no session of this work tree is recorded".to_owned(),
            ..v1::LineOrigin::default()
        };
        let tie = v1::LineTie {
            id: "D-0123abcd".to_owned(),
            title: "Three\u{1b} attempts".to_owned(),
            r#type: "decision".to_owned(),
            how: "cites commit 0123456".to_owned(),
            state: "own".to_owned(),
        };
        let answer = v1::WhyResponse {
            path: "src/a.rs".to_owned(),
            ranges: vec![known, unknown],
            ties: vec![tie],
            more_ties: 2,
            ..v1::WhyResponse::default()
        };
        insta::assert_snapshot!(anstream::adapter::strip_str(&text(&answer)), @r"
        src/a.rs:3-5
          commit  0123456789 2023-11-14 Ada: Bound the retries
                  there in src/old.rs
                  this clone's history begins here: the lines may be older
          session s-1 (claude-code): Make retries wait
                  recorded the commit
          asked   Three attempts at most
          trace   ai, anthropic/claude
                  in the note of the commit
        src/a.rs:6
          commit  not committed
          session unknown: no session of this work tree is recorded
        belongs to it
          decision D-0123abcd Three attempts
            cites commit 0123456; own
          and 2 more
        ");
    }
}
