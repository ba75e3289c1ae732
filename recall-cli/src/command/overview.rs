//! `recall` without a command: what is here and what to do next.

use recall_api::convert::scope;
use recall_api::v1;
use recall_core::Scope;

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::overview::{Overview, Suggestion, outdated_count, render};
use crate::output::human::quantity::count_noun;

/// The number of sessions that are asked for: enough to count those that are open at the same time.
const SESSIONS: u32 = 20;

/// Shows the project, its index, memories and sessions, and suggests commands. Nothing is indexed.
pub(super) async fn run(context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let client = context.connect().await?;
    let request = v1::StatusRequest {
        context: Some(context.request_context()),
        scope: scope::to_proto(Scope::All).into(),
        ..v1::StatusRequest::default()
    };
    let status = client.status(request).await?;
    let of = |wanted: v1::StoreScope| status.stores.iter().find(|store| store.scope() == wanted);
    let project = of(v1::StoreScope::Project);
    // Without a usable root there are no sessions; the status has the reason as a warning.
    let sessions = match project {
        Some(_) => {
            let request = v1::ListSessionsRequest {
                context: Some(context.request_context()),
                limit: Some(SESSIONS),
                ..v1::ListSessionsRequest::default()
            };
            client.list_sessions(request).await?.sessions
        }
        None => Vec::new(),
    };
    let next = suggestions(project, &sessions);
    match output.format {
        Format::Json => {
            let next: Vec<_> = next.iter().map(|next| (next.command, next.reason.as_str())).collect();
            output.json(&recall_api::json::overview(&status, &sessions, &next))?;
        }
        Format::Human => {
            let overview = Overview { project, global: of(v1::StoreScope::Global), sessions: &sessions };
            output.text(&render(overview, &next, output.screen()))?;
            output.warn(&status.warnings);
            if let Some(store) = project {
                output.warn(&store.warnings);
            }
        }
    }
    Ok(Exit::Done)
}

/// Returns what can be done next: first what needs attention, then the usual.
fn suggestions(project: Option<&v1::StoreStatus>, sessions: &[v1::Session]) -> Vec<Suggestion> {
    let mut next = Vec::new();
    let mut suggest = |command, reason: &str| next.push(Suggestion { command, reason: reason.to_owned() });
    if let Some(store) = project {
        if store.failed > 0 {
            let failed = count_noun(store.failed, "file", "files");
            suggest("recall status --failures", &format!("why {failed} could not be indexed"));
        }
        let outdated = outdated_count(store);
        if outdated > 0 {
            let outdated = count_noun(outdated, "memory no longer matches its", "memories no longer match their");
            suggest("recall verify", &format!("{outdated} files"));
        }
        let indexes = if store.indexed { "" } else { "; the first search indexes the project" };
        suggest("recall search \"…\"", &format!("find code, documents and decisions{indexes}"));
        suggest("recall remember \"…\"", "save a decision or a lesson");
        if sessions.is_empty() {
            suggest("recall mcp install", "let coding agents search and remember");
        } else {
            suggest("recall briefing", "what the last sessions did and left open");
        }
        if !store.initialised {
            suggest("recall init", "prepare the project, to share memories through git");
        }
    } else {
        suggest("cd PROJECT", "recall finds what is in the project of the working directory");
    }
    suggest("recall --help", "all commands");
    next
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(project: Option<&v1::StoreStatus>, sessions: &[v1::Session]) -> Vec<&'static str> {
        suggestions(project, sessions).into_iter().map(|next| next.command).collect()
    }

    #[test]
    fn what_needs_attention_comes_first() {
        let store = v1::StoreStatus {
            initialised: true,
            indexed: true,
            failed: 2,
            memories: 10,
            memories_verified: Some(0.9),
            ..v1::StoreStatus::default()
        };
        assert_eq!(commands(Some(&store), &[])[..2], ["recall status --failures", "recall verify"]);
        let told = suggestions(Some(&store), &[]);
        assert_eq!(told[1].reason, "1 memory no longer matches its files");
    }

    #[test]
    fn a_new_project_can_be_searched_and_prepared() {
        let store = v1::StoreStatus::default();
        let told = suggestions(Some(&store), &[]);
        assert!(told[0].reason.contains("indexes the project"), "{told:?}");
        assert!(commands(Some(&store), &[]).contains(&"recall init"));
        assert!(commands(Some(&store), &[v1::Session::default()]).contains(&"recall briefing"));
        assert_eq!(commands(None, &[])[0], "cd PROJECT");
    }
}
