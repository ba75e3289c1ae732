//! `recall` without a command: what is here and what to do next.

use recall_api::convert::scope;
use recall_api::v1;
use recall_client::Client;
use recall_core::{DocumentType, Scope};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::overview::{Overview, Suggestion, outdated_count, render};
use crate::output::human::quantity::count_noun;

/// The command of a search, as it is suggested.
const SEARCH: &str = "recall search \"…\"";

/// The number of sessions that are asked for: those at work and those in which nothing happened are not shown.
const SESSIONS: u32 = 20;

/// The number of decisions that are asked for.
const DECISIONS: u32 = 3;

/// Shows the project, its index, memories and sessions, and the next step. An index is not made. If no daemon answers, shows the
/// help of the program before the error.
pub(super) async fn run(definition: fn() -> clap::Command, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let client = match context.connect().await {
        Ok(client) => client,
        Err(error) => {
            if output.format == Format::Human {
                output.text(&format!("{}\n", definition().render_help().ansi()))?;
            }
            return Err(error);
        }
    };
    let request = v1::StatusRequest {
        context: Some(context.request_context()),
        scope: scope::to_proto(Scope::All).into(),
        sessions: true,
        ..v1::StatusRequest::default()
    };
    let status = client.status(request).await?;
    let of = |wanted: v1::StoreScope| status.stores.iter().find(|store| store.scope() == wanted);
    let project = of(v1::StoreScope::Project);
    let Lately { sessions, decisions, flagged, proposed } = match project {
        // Without a usable root there are no sessions; the status has the reason as a warning.
        None => Lately::default(),
        Some(project) => lately(project, &client, context).await?,
    };
    let next = suggestions(project, &sessions, (flagged.unwrap_or(0), proposed));
    match output.format {
        Format::Json => {
            let next: Vec<_> = next.iter().map(|next| (next.command, next.reason.as_str())).collect();
            output.json(&recall_api::json::overview(&status, &sessions, &decisions, flagged, &next))?;
        }
        Format::Human => {
            let overview = Overview {
                project,
                global: of(v1::StoreScope::Global),
                at_work: &status.sessions,
                sessions: &sessions,
                decisions: &decisions,
                flagged: flagged.unwrap_or(0),
                proposed,
            };
            output.text(&render(overview, &next, output.screen()))?;
            output.warn(&status.warnings);
            if let Some(store) = project {
                output.warn(&store.warnings);
            }
        }
    }
    Ok(Exit::Done)
}

/// What happened lately in a project.
#[derive(Default)]
struct Lately {
    sessions: Vec<v1::Session>,
    decisions: Vec<v1::ListEntry>,
    /// The number of items flagged for review; `None` if the project is not indexed, since a listing would index it.
    flagged: Option<u64>,
    /// The number of proposed memories; 0 if the project is not indexed.
    proposed: u64,
}

async fn lately(project: &v1::StoreStatus, client: &Client, context: &CommandContext) -> Result<Lately, CommandError> {
    let sessions = client.list_sessions(v1::ListSessionsRequest {
        context: Some(context.request_context()),
        limit: Some(SESSIONS),
        ..v1::ListSessionsRequest::default()
    });
    if !project.indexed {
        return Ok(Lately { sessions: sessions.await?.sessions, ..Lately::default() });
    }
    let listing = v1::ListRequest {
        context: Some(context.request_context()),
        scope: scope::to_proto(Scope::All).into(),
        limit: Some(DECISIONS),
        sort: v1::ListSort::CreatedAt.into(),
        ..v1::ListRequest::default()
    };
    let decisions =
        client.list(v1::ListRequest { r#type: DocumentType::Decision.as_str().to_owned(), ..listing.clone() });
    let flagged = client.list(v1::ListRequest { flagged: true, ..listing.clone() });
    let proposed = client.list(v1::ListRequest { proposed: true, ..listing });
    let (sessions, decisions, flagged, proposed) = tokio::try_join!(sessions, decisions, flagged, proposed)?;
    Ok(Lately {
        sessions: sessions.sessions,
        decisions: decisions.entries,
        flagged: Some(flagged.total),
        proposed: proposed.total,
    })
}

/// Returns what can be done next: first what needs attention, then the usual.
fn suggestions(
    project: Option<&v1::StoreStatus>,
    sessions: &[v1::Session],
    (flagged, proposed): (u64, u64),
) -> Vec<Suggestion> {
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
        if proposed > 0 {
            let (proposed, them) =
                (count_noun(proposed, "memory waits", "memories wait"), if proposed == 1 { "it" } else { "them" });
            suggest("recall review", &format!("{proposed} until a person accepts or rejects {them}"));
        }
        if flagged > 0 {
            let flagged = count_noun(flagged, "item waits", "items wait");
            suggest("recall list --flagged", &format!("{flagged} for a person's judgement"));
        }
        if !store.indexed {
            suggest(SEARCH, "find code, documents and decisions; the first search indexes the project");
        }
        if sessions.is_empty() {
            suggest("recall mcp install --hooks", "let coding agents search and remember");
        } else {
            suggest("recall briefing", "what the last sessions did and left open");
        }
        if store.indexed {
            suggest(SEARCH, "find code, documents and decisions");
        }
        suggest("recall remember \"…\"", "save a decision or a lesson");
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
        suggestions(project, sessions, (0, 0)).into_iter().map(|next| next.command).collect()
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
        let told = suggestions(Some(&store), &[], (0, 0));
        assert_eq!(told[1].reason, "1 memory no longer matches its files");
        let told = suggestions(Some(&v1::StoreStatus { indexed: true, ..v1::StoreStatus::default() }), &[], (3, 2));
        let told: Vec<_> = told.iter().take(2).map(|next| (next.command, next.reason.as_str())).collect();
        let expected = [
            ("recall review", "2 memories wait until a person accepts or rejects them"),
            ("recall list --flagged", "3 items wait for a person's judgement"),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_new_project_can_be_searched_and_prepared() {
        let store = v1::StoreStatus::default();
        let told = suggestions(Some(&store), &[], (0, 0));
        assert!(told[0].reason.contains("indexes the project"), "{told:?}");
        assert!(commands(Some(&store), &[]).contains(&"recall init"));
        assert!(commands(Some(&store), &[v1::Session::default()]).contains(&"recall briefing"));
        assert_eq!(commands(None, &[])[0], "cd PROJECT");
    }
}
