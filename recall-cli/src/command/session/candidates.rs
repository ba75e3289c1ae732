//! The memories that a person may keep at the end of a session.

use std::fmt::Write as _;
use std::str::FromStr;

use recall_api::Reason;
use recall_api::v1::{self, Draft, Scope};
use recall_os::{Folder, OpenError};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::editor::Editor;
use crate::error::{CliError, CommandError};
use crate::output::human::style::{DIM, NOTE, PATH};
use crate::output::human::text::printable;
use crate::standard_input::ask;

/// The sections of each type's template, in order.
const TEMPLATES: [(&str, &[&str]); 3] = [
    ("decision", &["Context", "Decision", "Rationale", "Alternatives considered", "Consequences", "Files"]),
    ("pattern", &["Pattern", "When to use", "Implementation", "Files"]),
    ("failure", &["Symptom", "Root cause", "Fix", "Prevention", "Files"]),
];

/// The source of the saved memories.
const SOURCE: &str = "session";

/// The choices for each candidate, as they are shown.
const CHOICES: &str = "[k]eep, [e]dit, [s]kip, keep [a]ll, [q]uit without the rest:";

/// Which candidates are saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Save {
    All,
    None,
    /// Those with these numbers, from 1.
    Numbers(Vec<usize>),
}

impl FromStr for Save {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            "none" => Ok(Self::None),
            _ => {
                let number = |part: &str| part.trim().parse().ok().filter(|number| *number > 0);
                let numbers: Option<Vec<usize>> = text.split(',').map(number).collect();
                numbers.map(Self::Numbers).ok_or_else(|| "numbers such as 1,3, or `all`, or `none`".to_owned())
            }
        }
    }
}

/// Returns the candidates of a session.
pub(super) async fn session_candidates(
    client: &recall_client::Client,
    context: &v1::RequestContext,
) -> Result<v1::ListDraftsResponse, CommandError> {
    let request = v1::ListDraftsRequest { context: Some(context.clone()), session_id: context.session_id.clone() };
    Ok(client.list_drafts(request).await?)
}

/// Returns the candidates that the user named.
///
/// # Errors
/// There is no candidate with a number.
pub(super) fn drafts_by_name(drafts: &[Draft], save: &Save) -> Result<Vec<Draft>, CommandError> {
    match save {
        Save::All => Ok(drafts.to_vec()),
        Save::None => Ok(Vec::new()),
        Save::Numbers(numbers) => {
            let mut numbers = numbers.clone();
            numbers.sort_unstable();
            numbers.dedup();
            let draft = |number: usize| {
                drafts.get(number - 1).cloned().ok_or_else(|| {
                    let message = format!("there is no candidate {number}: the session has {}", drafts.len());
                    CliError::new(Exit::Usage, Reason::NotFound, message)
                        .with_hint("`recall session end --candidates` lists them")
                        .into()
                })
            };
            numbers.into_iter().map(draft).collect()
        }
    }
}

/// Asks the person at the terminal about each candidate.
///
/// # Errors
/// The terminal cannot be read. An editor that fails only repeats the question.
pub(super) async fn ask_about(drafts: &[Draft], context: &CommandContext) -> Result<Vec<Draft>, CommandError> {
    let mut kept = Vec::new();
    for (at, draft) in drafts.iter().enumerate() {
        let mut draft = draft.clone();
        context.output.note(shown_one(&format!("{} of {}", at + 1, drafts.len()), &draft).trim_end());
        loop {
            let answer = ask(CHOICES).await?;
            match answer.as_deref() {
                Some("k") => kept.push(draft),
                Some("a") => {
                    kept.push(draft);
                    kept.extend_from_slice(&drafts[at + 1..]);
                    return Ok(kept);
                }
                Some("e") => {
                    match edit(&draft, context) {
                        Ok(changed) => draft = changed,
                        Err(CommandError::Failed(error)) => context.output.report(&error)?,
                        Err(error) => return Err(error),
                    }
                    context.output.note(shown_one("changed", &draft).trim_end());
                    continue;
                }
                Some("s") => {}
                Some("q") | None => return Ok(kept),
                Some(_) => continue,
            }
            break;
        }
    }
    Ok(kept)
}

/// Formats candidates with their numbers.
pub(super) fn format_drafts(drafts: &[Draft]) -> String {
    let entries = drafts.iter().enumerate().map(|(at, draft)| shown_one(&(at + 1).to_string(), draft));
    entries.collect::<Vec<_>>().join("\n")
}

fn shown_one(label: &str, draft: &Draft) -> String {
    let Draft { r#type, title, content, related_files: _, event_ids: _ } = draft;
    let mut text = format!("{PATH}{label}{PATH:#} {NOTE}{type}{NOTE:#} {}\n", printable(title));
    for line in content.lines() {
        let _ = writeln!(text, "{DIM}|{DIM:#} {}", printable(line));
    }
    text
}

/// Returns the request that saves a candidate. The context is that of the session's end.
pub(super) fn request(draft: Draft) -> v1::AddRequest {
    let Draft { r#type, title, content, related_files, event_ids: _ } = draft;
    v1::AddRequest {
        r#type,
        title,
        content,
        related_files,
        scope: Scope::Project.into(),
        source: SOURCE.to_owned(),
        ..v1::AddRequest::default()
    }
}

/// Lets the user edit a candidate: the first line is its title, and all sections of its template are there.
fn edit(draft: &Draft, context: &CommandContext) -> Result<Draft, CommandError> {
    let editor = Editor::find(&context.process_env)?;
    let failed = |error: OpenError| {
        let message = format!("cannot keep the text for the editor: {error}");
        CliError::new(Exit::Refused, Reason::Unavailable, message).with_causes_of(&error)
    };
    let folder = Folder::private(&context.dirs().state.join("edit")).map_err(failed)?;
    let name = format!("draft-{}.md", std::process::id());
    folder.replace(&name, template(draft).as_bytes()).map_err(failed)?;
    let read = editor.open(&folder.path().join(&name), 1).and_then(|()| {
        let text = folder.read(&name, recall_core::MEMORY_BYTES as u64 + 1);
        text.map_err(|error| failed(error).into())
    });
    let _ = folder.remove(&name);
    let text = String::from_utf8_lossy(&read?).into_owned();
    parse(&text, draft).ok_or_else(|| CliError::usage("the text is empty").into())
}

/// Returns the text for the editor.
fn template(draft: &Draft) -> String {
    let mut text = format!("# {}\n\n{}", draft.title, draft.content);
    let sections = TEMPLATES.iter().find(|(kind, _)| *kind == draft.r#type).map_or(&[][..], |(_, sections)| sections);
    for section in sections {
        let heading = format!("## {section}");
        if !draft.content.lines().any(|line| line == heading) {
            let _ = write!(text, "\n{heading}\n");
        }
    }
    text
}

/// Reads the text of the editor; `None` if nothing is left. Sections without a text are dropped.
fn parse(text: &str, draft: &Draft) -> Option<Draft> {
    let (title, rest) = match text.trim_start().strip_prefix("# ") {
        Some(text) => text.split_once('\n').unwrap_or((text, "")),
        None => (draft.title.as_str(), text),
    };
    let mut content = String::new();
    let mut section = String::new();
    for line in rest.lines().chain(["## "]) {
        if line.starts_with("## ") {
            let has_text = section.lines().any(|line| !line.trim().is_empty() && !line.starts_with("## "));
            if has_text {
                let gap = if content.is_empty() { "" } else { "\n" };
                let _ = writeln!(content, "{gap}{}", section.trim());
            }
            section.clear();
        }
        let _ = writeln!(section, "{line}");
    }
    let title = title.trim().to_owned();
    (!content.is_empty() && !title.is_empty()).then(|| Draft { title, content, ..draft.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> Draft {
        Draft {
            r#type: "failure".to_owned(),
            title: "It hangs".to_owned(),
            content: "## Symptom\n\nIt hangs.\n\n## Fix\n\nA timeout.\n".to_owned(),
            ..Draft::default()
        }
    }

    #[test]
    fn candidates_are_named_by_number() {
        let drafts = [draft(), Draft { title: "Other".to_owned(), ..draft() }];
        let titles = |save: &str| {
            let named = drafts_by_name(&drafts, &save.parse().expect("well-formed"));
            named.map(|drafts| drafts.into_iter().map(|draft| draft.title).collect::<Vec<_>>()).ok()
        };
        assert_eq!(titles("2, 1,2"), Some(vec!["It hangs".to_owned(), "Other".to_owned()]));
        assert_eq!((titles("none"), titles("3")), (Some(Vec::new()), None));
        for wrong in ["0", "x", "", "1;2"] {
            assert!(wrong.parse::<Save>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_editor_has_all_sections_and_empty_ones_are_dropped() {
        let text = template(&draft());
        assert!(text.starts_with("# It hangs\n\n## Symptom\n\nIt hangs.\n\n## Fix\n\nA timeout.\n\n## Root cause\n"));
        assert_eq!(parse(&text, &draft()), Some(draft()));
        let changed = parse("# New\n## Root cause\nA lock.\n## Fix\n", &draft()).expect("a text");
        assert_eq!((changed.title.as_str(), changed.content.as_str()), ("New", "## Root cause\nA lock.\n"));
        assert_eq!(parse("# Title only\n\n## Fix\n", &draft()), None);
    }
}
