//! Requests about what was proposed, and about what is to be taken back.

use recall_core::{ReviewAction, ReviewMemory, RollBack, RollBackMode, SHORT_TEXT_BYTES, Scope};

use super::remember::{Validated, at_most, memory_id, memory_text, non_empty, provenance, short_text, when};
use super::scope;
use crate::{InvalidRequest, Problem, v1};

/// Reads a decision about a proposal.
///
/// # Errors
/// An id or the action is unknown, an id or a text is missing or superfluous, or a text is blank or too long.
pub fn review(message: v1::ReviewRequest) -> Validated<ReviewMemory> {
    let v1::ReviewRequest { context, id, action, into, title, content, reason } = message;
    let context = context.unwrap_or_default();
    title.iter().try_for_each(|title| short_text("title", title))?;
    content.iter().try_for_each(|content| memory_text(content))?;
    at_most("reason", &reason, SHORT_TEXT_BYTES)?;
    let contradiction = |field| Err(InvalidRequest::new(field, Problem::Contradiction { other: "action" }));
    let action = match v1::ReviewAction::try_from(action) {
        Ok(v1::ReviewAction::Accept) => ReviewAction::Accept,
        Ok(v1::ReviewAction::Reject) if title.is_some() || content.is_some() => return contradiction("content"),
        Ok(v1::ReviewAction::Reject) => ReviewAction::Reject { reason: non_empty(reason.clone()) },
        Ok(v1::ReviewAction::Merge) => ReviewAction::Merge { into: memory_id("into", &into)? },
        Ok(v1::ReviewAction::Unspecified) => return Err(InvalidRequest::new("action", Problem::Empty)),
        Err(_) => {
            let problem = Problem::Unknown { value: action.to_string(), known: "accept, reject, merge" };
            return Err(InvalidRequest::new("action", problem));
        }
    };
    if !into.is_empty() && !matches!(action, ReviewAction::Merge { .. }) {
        return contradiction("into");
    }
    if !reason.is_empty() && !matches!(action, ReviewAction::Reject { .. }) {
        return contradiction("reason");
    }
    let provenance = provenance(&context);
    Ok((context, ReviewMemory { id: memory_id("id", &id)?, action, title, content, provenance }))
}

/// Reads a request to take back what was written.
///
/// # Errors
/// The scope is unknown, a text is too long, or nothing says what to take back.
pub fn roll_back(message: v1::RollBackRequest) -> Validated<RollBack> {
    let v1::RollBackRequest { context, session, agent, since, scope: wanted, dry_run } = message;
    let context = context.unwrap_or_default();
    at_most("session", &session, SHORT_TEXT_BYTES)?;
    at_most("agent", &agent, SHORT_TEXT_BYTES)?;
    let (session, agent, since) = (non_empty(session), non_empty(agent), when("since", since)?);
    if session.is_none() && agent.is_none() && since.is_none() {
        return Err(InvalidRequest::new("session", Problem::Empty));
    }
    let asked = RollBack {
        session,
        agent,
        since,
        scope: scope::from_proto(wanted, Scope::Project)?,
        mode: if dry_run { RollBackMode::Preview } else { RollBackMode::Write },
        provenance: provenance(&context),
    };
    Ok((context, asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(action: v1::ReviewAction) -> v1::ReviewRequest {
        v1::ReviewRequest { id: "L-0123abcd".to_owned(), action: action.into(), ..v1::ReviewRequest::default() }
    }

    #[test]
    fn invalid_decisions_are_refused_with_the_field() {
        let check = |message: v1::ReviewRequest, field: &str| {
            assert_eq!(review(message).expect_err(field).field, field);
        };
        check(decision(v1::ReviewAction::Unspecified), "action");
        check(v1::ReviewRequest { action: 9, ..decision(v1::ReviewAction::Accept) }, "action");
        check(decision(v1::ReviewAction::Merge), "into");
        check(v1::ReviewRequest { into: "L-00000001".to_owned(), ..decision(v1::ReviewAction::Accept) }, "into");
        check(v1::ReviewRequest { reason: "no".to_owned(), ..decision(v1::ReviewAction::Accept) }, "reason");
        check(v1::ReviewRequest { content: Some("a".to_owned()), ..decision(v1::ReviewAction::Reject) }, "content");
        check(v1::ReviewRequest { content: Some(" ".to_owned()), ..decision(v1::ReviewAction::Accept) }, "content");
        assert!(review(decision(v1::ReviewAction::Accept)).is_ok());
    }

    #[test]
    fn a_rollback_says_what_to_take_back() {
        assert_eq!(roll_back(v1::RollBackRequest::default()).expect_err("nothing").field, "session");
        let (_, asked) = roll_back(v1::RollBackRequest { agent: "codex".to_owned(), ..v1::RollBackRequest::default() })
            .expect("an agent");
        assert_eq!(
            (asked.agent.as_deref(), asked.mode, asked.scope),
            (Some("codex"), RollBackMode::Write, Scope::Project)
        );
    }
}
