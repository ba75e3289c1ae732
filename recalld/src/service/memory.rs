//! The RPCs about memories, and the conversion of memories and notes about them to messages.

use recall_api::convert::{memory, remember, scope, time};
use recall_api::v1::{
    self, AddRequest, AddResponse, AddStatus, FeedbackRequest, FeedbackResponse, PromoteRequest, PromoteResponse,
    Severity, UpdateRequest, UpdateResponse, VerifiedMemory, VerifyRequest, VerifyResponse,
};
use recall_core::{MemoryId, MemoryView, Scope, StoreScope};
use recall_engine::{
    AddOutcome, AddReport, AdoptedHit, AdoptedReport, AnchorChange, Doubt, FeedbackReport, ItemRequest, MemoryNote,
    Origin, Owner, Parent, PromoteReport, RecordedUse, RecordedUses, SimilarMemory, UpdateReport, VerifyReport,
};
use recall_text::Relation;
use tonic::Status;

use super::{Service, context, warning};
use crate::daemon::Daemon;

/// `Add`: stores a memory.
pub(super) async fn add(service: &Service, request: AddRequest) -> Result<AddResponse, Status> {
    let created = request.created_at.as_ref().map(time::from_proto);
    let (from, asked) = remember::add(request)?;
    let origin = context::origin(Some(from))?;
    let add = move |daemon: &Daemon| match created {
        Some(created) => daemon.engine.add_memory_of(&origin, &asked, created),
        None => daemon.engine.add_memory(&origin, &asked),
    };
    let report = service.call(add).await?;
    Ok(add_answer(report))
}

pub(super) fn add_answer(report: AddReport) -> AddResponse {
    let AddReport { id, title, outcome, cues, similar, notes } = report;
    let status = match outcome {
        AddOutcome::Added => AddStatus::Added,
        AddOutcome::Repeats => AddStatus::Duplicate,
        AddOutcome::Supersedes => AddStatus::Superseded,
        AddOutcome::Proposed => AddStatus::Proposed,
    };
    AddResponse {
        id: id.to_string(),
        title,
        status: status.into(),
        cues: cues.iter().map(ToString::to_string).collect(),
        similar: similar.into_iter().map(similar_to_proto).collect(),
        warnings: warnings(notes),
    }
}

fn similar_to_proto(similar: SimilarMemory) -> v1::SimilarMemory {
    let may_contradict = similar.may_contradict();
    let SimilarMemory { id, title, similarity, relation, judged_by } = similar;
    v1::SimilarMemory {
        id: id.to_string(),
        title,
        similarity,
        may_contradict,
        relation: relation.map(Relation::as_str).unwrap_or_default().to_owned(),
        judged_by: judged_by.as_deref().unwrap_or_default().to_owned(),
    }
}

/// Returns where a memory was used, and which others are similar to it.
pub(super) async fn uses(service: &Service, origin: Origin, id: MemoryId) -> Result<v1::RecordedUses, Status> {
    let here = origin.clone();
    let RecordedUses { uses, sessions, is_cut } =
        service.call(move |daemon| daemon.engine.recorded_uses(&here, id)).await?;
    let similar = service.call(move |daemon| daemon.engine.memories_similar_to(&origin, id)).await?;
    let uses = uses.into_iter().map(|RecordedUse { session, title, time, kind, text }| v1::RecordedUse {
        session_id: session,
        title: title.unwrap_or_default(),
        time: Some(time::to_proto(time)),
        kind: kind.as_str().to_owned(),
        text,
    });
    let similar = similar.into_iter().map(similar_to_proto).collect();
    Ok(v1::RecordedUses { uses: uses.collect(), sessions, cut: is_cut, similar })
}

/// `Update`: amends a memory.
pub(super) async fn update(service: &Service, request: UpdateRequest) -> Result<UpdateResponse, Status> {
    let (from, asked) = remember::update(request)?;
    let origin = context::origin(Some(from))?;
    let report = service.call(move |daemon| daemon.engine.update_memory(&origin, &asked)).await?;
    let UpdateReport { memory: recalled, notes } = report;
    let scope = recalled.memory.scope;
    Ok(UpdateResponse { memory: Some(memory::to_proto(&recalled, scope)), warnings: warnings(notes) })
}

/// `Feedback`: records a judgement about an item.
pub(super) async fn feedback(service: &Service, request: FeedbackRequest) -> Result<FeedbackResponse, Status> {
    let mut request = request;
    if let Some(document) = remember::rated_by_path(&request) {
        let origin = context::origin(request.context.clone())?;
        let asked = ItemRequest { id: document, parent: Parent::Leave, scope: Scope::All };
        let item = service.call(move |daemon| daemon.engine.get(&origin, &asked)).await?;
        request.item_id = item.document.id.to_string();
    }
    let (from, asked) = remember::feedback(request)?;
    let origin = context::origin(Some(from))?;
    let FeedbackReport { stats } = service.call(move |daemon| daemon.engine.rate_item(&origin, &asked)).await?;
    Ok(FeedbackResponse { acknowledged: true, item_stats: Some(memory::stats_to_proto(&stats)) })
}

/// `Verify`: checks whether memories are still valid, or confirms them.
pub(super) async fn verify(service: &Service, request: VerifyRequest) -> Result<VerifyResponse, Status> {
    let (from, asked) = remember::verify(request)?;
    let origin = context::origin(Some(from))?;
    let report = service.call(move |daemon| daemon.engine.verify_memories(&origin, &asked)).await?;
    let broken = report.broken();
    // The verification of each memory reports the anchors that could not be renewed.
    let VerifyReport { memories, mut changes, adopted: files, notes: _ } = report;
    let adopted = files.as_deref().map(check);
    let verified = memories.iter().map(|recalled| {
        let changes = changes.remove(&recalled.memory.id).unwrap_or_default();
        verified_memory(recalled, changes)
    });
    Ok(VerifyResponse { results: verified.collect(), broken, adopted })
}

fn verified_memory(recalled: &MemoryView, changes: Vec<AnchorChange>) -> VerifiedMemory {
    VerifiedMemory {
        changes: changes.into_iter().map(change).collect(),
        id: recalled.memory.id.to_string(),
        title: recalled.memory.title.to_string(),
        verification: Some(memory::verification_to_proto(&recalled.verification)),
    }
}

fn change(change: AnchorChange) -> v1::AnchorChange {
    let AnchorChange { path, symbol, commit, is_exact, diff, is_cut } = change;
    v1::AnchorChange {
        path,
        symbol: symbol.unwrap_or_default(),
        commit: commit.unwrap_or_default(),
        exact: is_exact,
        diff,
        is_cut,
    }
}

/// `Promote`: moves a memory to a wider store.
pub(super) async fn promote(service: &Service, request: PromoteRequest) -> Result<PromoteResponse, Status> {
    let (from, asked) = remember::promote(request)?;
    let origin = context::origin(Some(from))?;
    let report = service.call(move |daemon| daemon.engine.promote_memory(&origin, &asked)).await?;
    let PromoteReport { id, scope: store } = report;
    Ok(PromoteResponse { id: id.to_string(), scope: scope::store_to_proto(store).into() })
}

/// Converts a memory; `None` for a file.
pub(super) fn to_proto(recalled: Option<&MemoryView>, store: StoreScope) -> Option<v1::Memory> {
    recalled.map(|recalled| memory::to_proto(recalled, store))
}

/// Returns the age of a memory relative to the threshold of its type; 0 for a file.
pub(super) fn staleness(recalled: Option<&MemoryView>) -> f64 {
    recalled.map_or(0.0, |recalled| recalled.staleness)
}

/// Converts the notes about a stored memory or event to warnings.
pub(super) fn warnings(notes: Vec<MemoryNote>) -> Vec<v1::Warning> {
    notes.into_iter().map(note).collect()
}

fn note(note: MemoryNote) -> v1::Warning {
    match note {
        MemoryNote::Masked { rules } => {
            let message = format!("secrets were masked before the text was stored: {}", rules.join(", "));
            warning::new(
                "SECRET_MASKED",
                Severity::Warning,
                message,
                "keep secrets where only those who need them can read them",
            )
        }
        MemoryNote::NotAnchored { path, reason } => {
            let message = format!("it is not tied to `{path}`: {reason}");
            let hint = "name existing files below the project's root";
            v1::Warning { path: path.to_string(), ..warning::new("NOT_ANCHORED", Severity::Warning, message, hint) }
        }
        MemoryNote::MayContradict { id, title } => {
            let message = format!("it may contradict {id}: {title}");
            let hint = "read both; `recall settle ID ID` keeps the one that holds, or both with a condition";
            warning::new("MAY_CONTRADICT", Severity::Warning, message, hint)
        }
        MemoryNote::NotTraced { commit, reason } => {
            let message = format!("commit {commit} has no note of the lines that the session wrote: {reason}");
            let hint = "`git notes --ref agent-trace show COMMIT` shows what is there";
            warning::new("NOT_TRACED", Severity::Warning, message, hint)
        }
    }
}

/// Converts the check of all files.
pub(super) fn check(report: &AdoptedReport) -> v1::AdoptedCheck {
    let AdoptedReport { files, claims, doubts: _, is_too_early } = report;
    let doubts = report.without_repeats().iter().map(doubt).collect();
    v1::AdoptedCheck { files: *files, claims: *claims, doubts, too_early: *is_too_early }
}

/// Converts what is known of a hit.
pub(super) fn hit(adopted: &AdoptedHit) -> v1::Adopted {
    let AdoptedHit { owner, agent, file, doubts } = adopted;
    let trust = match owner {
        Owner::User => v1::Trust::Medium,
        // Nothing proves that a file in a clone is not from the repository.
        Owner::Repository | Owner::Local => v1::Trust::Low,
    };
    v1::Adopted {
        owner: owner.as_str().to_owned(),
        trust: trust.into(),
        file: file.as_ref().map(|file| file.to_string_lossy().into_owned()).unwrap_or_default(),
        doubts: doubts.iter().map(doubt).collect(),
        agent: (*agent).to_owned(),
    }
}

fn doubt(doubt: &Doubt) -> v1::Doubt {
    let Doubt { path, line, sentence, name, kind, reason, also_at } = doubt;
    v1::Doubt {
        path: path.to_string(),
        line: *line,
        sentence: sentence.clone(),
        name: name.clone(),
        kind: kind.as_str().to_owned(),
        reason: reason.clone(),
        also_at: also_at.iter().map(|(path, line)| format!("{path}:{line}")).collect(),
    }
}
