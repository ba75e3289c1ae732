//! Requests about memories.

use recall_core::{
    AddMemory, Citation, Cue, Feedback, ItemId, MEMORY_BYTES, MEMORY_ENTRIES, MemoryId, MemoryOrigin, PromoteMemory,
    Provenance, RateItem, Repeats, SHORT_TEXT_BYTES, Scope, StoreScope, UpdateMemory, Verdict, VerifyMemories,
    VerifyMode, WHEN_BYTES, WordedTime,
};
use recall_text::normalize_text;

use super::{scope, time};
use crate::{InvalidRequest, Problem, v1};

/// A validated request with its context, or the reason why it is invalid.
pub type Validated<T> = Result<(v1::RequestContext, T), InvalidRequest>;

/// Reads a request to add a memory.
///
/// # Errors
/// The type, the scope, the origin or an id is unknown, a text is blank or too long, or there are too many entries.
pub fn add(message: v1::AddRequest) -> Validated<AddMemory> {
    let v1::AddRequest {
        context,
        r#type,
        title,
        content,
        scope: wanted,
        tags,
        related_files,
        cues,
        supersedes,
        force,
        source,
        origin,
        idempotency_key,
        valid_from,
        valid_until,
        // The engine takes it with the request.
        created_at: _,
    } = message;
    let context = context.unwrap_or_default();
    short_text("title", &title)?;
    memory_text(&content)?;
    entries("tags", &tags)?;
    entries("related_files", &related_files)?;
    entries("cues", &cues)?;
    at_most("source", &source, SHORT_TEXT_BYTES)?;
    at_most("idempotency_key", &idempotency_key, SHORT_TEXT_BYTES)?;
    let memory_type = r#type.parse().map_err(|_| {
        let known = "decision, pattern, lesson, failure, note, context";
        InvalidRequest::new("type", Problem::Unknown { value: r#type, known })
    })?;
    let asked = AddMemory {
        memory_type,
        title,
        content,
        scope: scope::from_proto(wanted, Scope::Project)?,
        tags,
        cues: cues.iter().map(|cue| memory_cue(cue)).collect::<Result<_, _>>()?,
        related_files,
        supersedes: non_empty(supersedes).map(|id| memory_id("supersedes", &id)).transpose()?,
        repeats: if force { Repeats::Accept } else { Repeats::Refuse },
        source: non_empty(source),
        origin: memory_origin(origin)?,
        valid: WordedTime { from: when("valid_from", valid_from)?, until: when("valid_until", valid_until)? },
        key: non_empty(idempotency_key),
        provenance: provenance(&context),
    };
    Ok((context, asked))
}

/// Reads a request to amend a memory.
///
/// # Errors
/// The id is invalid, a text is blank or too long, there are too many entries, or no field is to be amended.
pub fn update(message: v1::UpdateRequest) -> Validated<UpdateMemory> {
    let v1::UpdateRequest {
        context,
        id,
        title,
        content,
        tags,
        related_files,
        cues,
        expected_updated_at,
        valid_from,
        valid_until,
    } = message;
    let context = context.unwrap_or_default();
    let list = |list: Option<v1::TextList>| list.map(|v1::TextList { values }| values);
    let (tags, related_files, cues) = (list(tags), list(related_files), list(cues));
    let lists = [&tags, &related_files, &cues];
    let texts = [&title, &content, &valid_from, &valid_until];
    if texts.iter().all(|text| text.is_none()) && lists.iter().all(|list| list.is_none()) {
        return Err(InvalidRequest::new("content", Problem::Empty));
    }
    title.iter().try_for_each(|title| short_text("title", title))?;
    content.iter().try_for_each(|content| memory_text(content))?;
    tags.iter().try_for_each(|tags| entries("tags", tags))?;
    related_files.iter().try_for_each(|files| entries("related_files", files))?;
    cues.iter().try_for_each(|cues| entries("cues", cues))?;
    let cues = cues.map(|cues| cues.iter().map(|cue| memory_cue(cue)).collect::<Result<Vec<_>, _>>()).transpose()?;
    valid_from.iter().try_for_each(|text| at_most("valid_from", text, WHEN_BYTES))?;
    valid_until.iter().try_for_each(|text| at_most("valid_until", text, WHEN_BYTES))?;
    let valid = WordedTime { from: valid_from, until: valid_until };
    let id = memory_id("id", &id)?;
    let expected = expected_updated_at.as_ref().map(time::from_proto);
    let asked = UpdateMemory {
        id,
        title,
        content,
        tags,
        related_files,
        cues,
        valid,
        expected,
        provenance: provenance(&context),
    };
    Ok((context, asked))
}

/// Reads a cue.
fn memory_cue(text: &str) -> Result<Cue, InvalidRequest> {
    let expected = "a cue: `path:`, `symbol:`, `command:`, `error:` or `branch:` and a text of at most 300 bytes, or `date:2026-12-01`";
    text.parse().map_err(|_| InvalidRequest::new("cues", Problem::Malformed { value: text.to_owned(), expected }))
}

/// Reads feedback about an item.
///
/// # Errors
/// An id or the verdict is unknown, an id is missing or superfluous, or the note is too long.
pub fn feedback(message: v1::FeedbackRequest) -> Validated<RateItem> {
    let v1::FeedbackRequest { context, item_id, feedback, note, duplicate_of } = message;
    let context = context.unwrap_or_default();
    at_most("note", &note, SHORT_TEXT_BYTES)?;
    let known = "useful, not_useful, outdated, duplicate";
    let unknown = |value: String| InvalidRequest::new("feedback", Problem::Unknown { value, known });
    let verdict = match v1::FeedbackKind::try_from(feedback) {
        Ok(v1::FeedbackKind::Useful) => Verdict::Useful,
        Ok(v1::FeedbackKind::NotUseful) => Verdict::NotUseful,
        Ok(v1::FeedbackKind::Outdated) => Verdict::Outdated,
        Ok(v1::FeedbackKind::Duplicate) => Verdict::Duplicate { of: any_id("duplicate_of", &duplicate_of)? },
        Ok(v1::FeedbackKind::Unspecified) => return Err(InvalidRequest::new("feedback", Problem::Empty)),
        Err(_) => return Err(unknown(feedback.to_string())),
    };
    if !matches!(verdict, Verdict::Duplicate { .. }) && !duplicate_of.is_empty() {
        return Err(InvalidRequest::new("duplicate_of", Problem::Contradiction { other: "feedback" }));
    }
    let item = any_id("item_id", &item_id)?;
    let asked =
        RateItem { item, feedback: Feedback { verdict, note: non_empty(note) }, provenance: provenance(&context) };
    Ok((context, asked))
}

/// Returns the document that feedback refers to by a path or a citation; `None` if it refers to an item by id.
pub fn rated_by_path(message: &v1::FeedbackRequest) -> Option<String> {
    let text = message.item_id.trim();
    let is_path = !text.is_empty() && any_id("item_id", text).is_err();
    is_path.then(|| Citation::split(text).document.to_owned())
}

/// Reads a request to verify memories.
///
/// # Errors
/// An id is invalid, the scope or the mode is unknown, there are too many ids, or the mode requires or forbids ids or changes.
pub fn verify(message: v1::VerifyRequest) -> Validated<VerifyMemories> {
    let v1::VerifyRequest { context, ids, scope: wanted, mode, with_changes } = message;
    let context = context.unwrap_or_default();
    let mode = match v1::VerifyMode::try_from(mode) {
        Ok(v1::VerifyMode::Unspecified | v1::VerifyMode::Check) => VerifyMode::Check,
        Ok(v1::VerifyMode::Confirm) if ids.is_empty() => return Err(InvalidRequest::new("ids", Problem::Empty)),
        Ok(v1::VerifyMode::Confirm) => VerifyMode::Confirm,
        Ok(v1::VerifyMode::ConfirmAll | v1::VerifyMode::ConfirmProfile) if !ids.is_empty() => {
            return Err(InvalidRequest::new("ids", Problem::Contradiction { other: "mode" }));
        }
        Ok(v1::VerifyMode::ConfirmAll) => VerifyMode::ConfirmAll,
        Ok(v1::VerifyMode::ConfirmProfile) => VerifyMode::ConfirmProfile,
        Err(_) => {
            let known = "check, confirm, confirm_all, confirm_profile";
            let problem = Problem::Unknown { value: mode.to_string(), known };
            return Err(InvalidRequest::new("mode", problem));
        }
    };
    if with_changes && mode != VerifyMode::Check {
        return Err(InvalidRequest::new("with_changes", Problem::Contradiction { other: "mode" }));
    }
    let ids = ids.iter().map(|id| memory_id("ids", id)).collect::<Result<_, _>>()?;
    let scope = scope::from_proto(wanted, Scope::Project)?;
    let asked = VerifyMemories { ids, scope, mode, with_changes, provenance: provenance(&context) };
    Ok((context, asked))
}

/// Reads a request to promote a memory.
///
/// # Errors
/// The id is invalid, or the scope is unknown or not that of a single store.
pub fn promote(message: v1::PromoteRequest) -> Validated<PromoteMemory> {
    let v1::PromoteRequest { context, id, to, domain } = message;
    let mut context = context.unwrap_or_default();
    let to = match scope::from_proto(to, Scope::Global)? {
        Scope::Global => StoreScope::Global,
        Scope::Domain => StoreScope::Domain,
        other @ (Scope::Project | Scope::All) => {
            let problem = Problem::Unknown { value: other.to_string(), known: "global, domain" };
            return Err(InvalidRequest::new("to", problem));
        }
    };
    if to != StoreScope::Domain && !domain.is_empty() {
        return Err(InvalidRequest::new("domain", Problem::Contradiction { other: "to" }));
    }
    if !domain.is_empty() {
        context.domain = domain;
    }
    let asked = PromoteMemory { id: memory_id("id", &id)?, to, provenance: provenance(&context) };
    Ok((context, asked))
}

/// Returns who asks, as the context says; what it does not say is `None`.
pub fn provenance(context: &v1::RequestContext) -> Provenance {
    let v1::RequestContext {
        working_directory: _,
        project_root: _,
        project_id: _,
        session_id,
        agent,
        client_name: _,
        client_version: _,
        provenance,
        allow_broad_root: _,
        domain: _,
        as_of: _,
    } = context;
    let v1::Provenance { agent_mode, git_branch, git_commit, project_path, project_name } =
        provenance.clone().unwrap_or_default();
    let short = |text: String| {
        non_empty(text).map(|mut text| {
            text.truncate(text.floor_char_boundary(SHORT_TEXT_BYTES));
            text
        })
    };
    Provenance {
        session: short(session_id.clone()),
        agent: short(agent.clone()),
        mode: short(agent_mode),
        branch: short(git_branch),
        commit: short(git_commit),
        project: short(project_name),
        project_path: short(project_path),
    }
}

fn memory_origin(origin: i32) -> Result<Option<MemoryOrigin>, InvalidRequest> {
    Ok(Some(match v1::Origin::try_from(origin) {
        Ok(v1::Origin::Unspecified) => return Ok(None),
        Ok(v1::Origin::Observed) => MemoryOrigin::Observed,
        Ok(v1::Origin::Inferred) => MemoryOrigin::Inferred,
        Ok(v1::Origin::Imported) => MemoryOrigin::Imported,
        Ok(v1::Origin::Human) => MemoryOrigin::Human,
        Err(_) => {
            let known = "observed, inferred, imported, human";
            return Err(InvalidRequest::new("origin", Problem::Unknown { value: origin.to_string(), known }));
        }
    }))
}

pub(super) fn memory_id(field: &'static str, text: &str) -> Result<MemoryId, InvalidRequest> {
    let malformed =
        || Problem::Malformed { value: text.to_owned(), expected: "the id of a memory, as in `D-0123abcd`" };
    normalize_text(text).parse().map_err(|_| InvalidRequest::new(field, malformed()))
}

fn any_id(field: &'static str, text: &str) -> Result<ItemId, InvalidRequest> {
    if text.is_empty() {
        return Err(InvalidRequest::new(field, Problem::Empty));
    }
    let expected = "the id of a memory, a document or a chunk, as returned by a search";
    let malformed = || Problem::Malformed { value: text.to_owned(), expected };
    normalize_text(text).parse().map_err(|_| InvalidRequest::new(field, malformed()))
}

pub(super) fn memory_text(content: &str) -> Result<(), InvalidRequest> {
    not_blank("content", content)?;
    at_most("content", content, MEMORY_BYTES)
}

pub(super) fn short_text(field: &'static str, text: &str) -> Result<(), InvalidRequest> {
    not_blank(field, text)?;
    at_most(field, text, SHORT_TEXT_BYTES)
}

pub(super) fn entries(field: &'static str, texts: &[String]) -> Result<(), InvalidRequest> {
    if texts.len() > MEMORY_ENTRIES {
        let (value, limit) = (texts.len() as u64, MEMORY_ENTRIES as u64);
        return Err(InvalidRequest::new(field, Problem::TooLarge { value, limit, setting: None }));
    }
    texts.iter().try_for_each(|text| short_text(field, text))
}

pub(super) fn not_blank(field: &'static str, text: &str) -> Result<(), InvalidRequest> {
    if text.trim().is_empty() { Err(InvalidRequest::new(field, Problem::Empty)) } else { Ok(()) }
}

pub(super) fn at_most(field: &'static str, text: &str, limit_bytes: usize) -> Result<(), InvalidRequest> {
    if text.len() <= limit_bytes {
        return Ok(());
    }
    // Fixed bounds of the protocol, which no setting changes.
    let (value, limit) = (text.len() as u64, limit_bytes as u64);
    Err(InvalidRequest::new(field, Problem::TooLarge { value, limit, setting: None }))
}

/// Reads a time as a text; `None` if it is empty.
///
/// # Errors
/// It is longer than a time can be.
pub fn when(field: &'static str, text: String) -> Result<Option<String>, InvalidRequest> {
    at_most(field, &text, WHEN_BYTES)?;
    Ok(non_empty(text))
}

pub(super) fn non_empty(text: String) -> Option<String> {
    Some(text).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reason;

    fn lesson() -> v1::AddRequest {
        v1::AddRequest {
            r#type: "lesson".to_owned(),
            title: "Retries need jitter".to_owned(),
            content: "All clients come back at once.".to_owned(),
            ..v1::AddRequest::default()
        }
    }

    #[test]
    fn omitted_fields_have_their_defaults() {
        let (_, asked) = add(lesson()).expect("the request is complete");
        assert_eq!((asked.scope, asked.repeats, asked.origin), (Scope::Project, Repeats::Refuse, None));
        assert_eq!((asked.supersedes, asked.source, asked.key), (None, None, None));
        assert_eq!(asked.provenance, Provenance::default());
    }

    #[test]
    fn the_provenance_comes_from_the_context() {
        let context = v1::RequestContext {
            session_id: "s1".to_owned(),
            agent: "claude-code".to_owned(),
            provenance: Some(v1::Provenance { git_branch: "main".to_owned(), ..v1::Provenance::default() }),
            ..v1::RequestContext::default()
        };
        let Provenance { session, agent, branch, commit, .. } = provenance(&context);
        assert_eq!((session.as_deref(), agent.as_deref()), (Some("s1"), Some("claude-code")));
        assert_eq!((branch.as_deref(), commit), (Some("main"), None));
    }

    #[test]
    fn invalid_requests_are_refused_with_field_and_reason() {
        #[track_caller]
        fn check<T: std::fmt::Debug>(read: Validated<T>, field: &str, reason: Reason) {
            let error = read.expect_err(field);
            assert_eq!((error.field, error.reason()), (field, reason));
        }
        let text = |length| "x".repeat(length);
        check(add(v1::AddRequest { r#type: "novel".to_owned(), ..lesson() }), "type", Reason::InvalidArgument);
        check(add(v1::AddRequest { title: " ".to_owned(), ..lesson() }), "title", Reason::InvalidArgument);
        check(add(v1::AddRequest { title: text(2_000), ..lesson() }), "title", Reason::LimitExceeded);
        check(add(v1::AddRequest { content: "\n".to_owned(), ..lesson() }), "content", Reason::InvalidArgument);
        check(add(v1::AddRequest { content: text(MEMORY_BYTES + 1), ..lesson() }), "content", Reason::LimitExceeded);
        check(add(v1::AddRequest { tags: vec![text(1); 65], ..lesson() }), "tags", Reason::LimitExceeded);
        check(add(v1::AddRequest { supersedes: "x".to_owned(), ..lesson() }), "supersedes", Reason::InvalidArgument);
        check(add(v1::AddRequest { scope: 9, ..lesson() }), "scope", Reason::InvalidScope);
        check(add(v1::AddRequest { origin: 9, ..lesson() }), "origin", Reason::InvalidArgument);
        let id = "L-0123abcd".to_owned();
        check(
            update(v1::UpdateRequest { id: id.clone(), ..v1::UpdateRequest::default() }),
            "content",
            Reason::InvalidArgument,
        );
        let rate = |feedback: v1::FeedbackKind, duplicate_of: &str| {
            let duplicate_of = duplicate_of.to_owned();
            feedback_of(&id, feedback, duplicate_of)
        };
        check(rate(v1::FeedbackKind::Unspecified, ""), "feedback", Reason::InvalidArgument);
        check(rate(v1::FeedbackKind::Duplicate, ""), "duplicate_of", Reason::InvalidArgument);
        check(rate(v1::FeedbackKind::Useful, &id), "duplicate_of", Reason::InvalidArgument);
        assert!(rate(v1::FeedbackKind::Duplicate, &id).is_ok());
        let confirm = v1::VerifyRequest { mode: v1::VerifyMode::Confirm.into(), ..v1::VerifyRequest::default() };
        check(verify(confirm), "ids", Reason::InvalidArgument);
        let all = v1::VerifyRequest {
            mode: v1::VerifyMode::ConfirmAll.into(),
            ids: vec![id.clone()],
            ..v1::VerifyRequest::default()
        };
        check(verify(all.clone()), "ids", Reason::InvalidArgument);
        assert!(verify(v1::VerifyRequest { ids: Vec::new(), ..all }).is_ok());
        let to_project = v1::PromoteRequest { id, to: v1::Scope::Project.into(), ..v1::PromoteRequest::default() };
        check(promote(to_project), "to", Reason::InvalidArgument);
    }

    fn feedback_of(id: &str, kind: v1::FeedbackKind, duplicate_of: String) -> Validated<RateItem> {
        feedback(v1::FeedbackRequest {
            item_id: id.to_owned(),
            feedback: kind.into(),
            duplicate_of,
            ..v1::FeedbackRequest::default()
        })
    }
}
