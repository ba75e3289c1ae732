//! Text output of what was said in sessions.

use std::fmt::Write as _;

use recall_api::v1;

use super::quantity::count_noun;
use super::style::{DIM, GOOD, PATH, STRONG, WARNING};
use super::text::{moment, printable};
use crate::output::format::Screen;

/// How the reading of transcripts is switched on, and what that reads.
const OFF: &str = "transcripts are not read: `transcripts.read` is off. `recall config set transcripts.read true` lets recall read \
                   those of Claude Code, Codex, Gemini, OpenCode and Copilot of this project and its work trees in place, when a \
                   command asks for them, with secrets masked; nothing of them is stored or sent";

/// Formats the turns of a search.
pub(crate) fn format_turns(answer: &v1::SearchTranscriptsResponse, screen: Screen) -> String {
    let mut text = String::new();
    for turn in &answer.turns {
        let time = turn.time.as_ref().map(|time| moment(time, screen.now)).unwrap_or_default();
        let _ = writeln!(text, "{PATH}{}{PATH:#} {DIM}{time}{DIM:#}", printable(&turn.citation));
        if !turn.prompt.is_empty() {
            let _ = writeln!(text, "  {STRONG}{}{STRONG:#}", printable(first_line(&turn.prompt)));
        }
        for line in turn.excerpt.lines().filter(|line| *line != first_line(&turn.prompt)) {
            let _ = writeln!(text, "  {}", printable(line));
        }
        for run in turn.commands.iter().filter(|run| run.failed) {
            let _ = writeln!(text, "  {WARNING}failed{WARNING:#} $ {}", printable(first_line(&run.command)));
        }
        if !turn.edited_files.is_empty() {
            let files: Vec<_> = turn.edited_files.iter().map(|file| printable(file)).collect();
            let _ = writeln!(text, "  {DIM}edited{DIM:#} {}", files.join(", "));
        }
        text.push('\n');
    }
    let more = answer.found.saturating_sub(answer.turns.len() as u64);
    if more > 0 {
        let _ = writeln!(text, "{DIM}{} more{DIM:#}", count_noun(more, "turn", "turns"));
    }
    text
}

/// Formats the earlier cases of an error.
pub(crate) fn format_fixes(answer: &v1::FindFixResponse, screen: Screen) -> String {
    let mut text = String::new();
    for fix in &answer.fixes {
        let time = fix.time.as_ref().map(|time| moment(time, screen.now)).unwrap_or_default();
        let _ = writeln!(text, "{PATH}{}{PATH:#} {DIM}{time}{DIM:#}", printable(&fix.citation));
        let _ = writeln!(text, "  {WARNING}failed{WARNING:#} $ {}", printable(first_line(&fix.command)));
        for line in fix.error.lines() {
            let _ = writeln!(text, "    {DIM}{}{DIM:#}", printable(line));
        }
        for step in &fix.steps {
            if step.edited.is_empty() {
                let outcome = if step.failed { " (failed)" } else { "" };
                let _ = writeln!(text, "  then $ {}{outcome}", printable(first_line(&step.command)));
            } else {
                let _ = writeln!(text, "  then edited {}", printable(&step.edited));
            }
        }
        if fix.resolved {
            let _ = writeln!(text, "  {GOOD}then it succeeded{GOOD:#}");
        } else {
            let _ = writeln!(text, "  {DIM}it did not succeed later in the session{DIM:#}");
        }
        for line in fix.said.lines() {
            let _ = writeln!(text, "  > {}", printable(line));
        }
        text.push('\n');
    }
    text
}

/// Returns what a reader must know about transcripts that were not read. Those of other projects are none of this one.
pub(crate) fn coverage_notes(coverage: &v1::TranscriptCoverage) -> Vec<String> {
    let v1::TranscriptCoverage { on, read, elsewhere: _, older, too_large, unreadable } = coverage;
    if !on {
        return vec![OFF.to_owned()];
    }
    let mut notes = Vec::new();
    if *read == 0 {
        notes.push("no transcript of this project was found".to_owned());
    }
    if *older > 0 {
        let files = count_noun(*older, "file was", "files were");
        notes.push(format!("{files} not looked at, beyond `transcripts.age` or `transcripts.files`"));
    }
    if *too_large > 0 {
        let files = count_noun(*too_large, "transcript was", "transcripts were");
        notes.push(format!("{files} not read, beyond `transcripts.bytes`"));
    }
    notes.extend(
        unreadable
            .iter()
            .map(|unread| format!("not read: {} ({})", printable(&unread.path), printable(&unread.reason))),
    );
    notes
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
