//! Memories with their validity.

use recall_core::{
    Anchor, AnchorState, ItemStats, Memory, MemoryOrigin, MemoryStatus, MemoryView, MovedFile, OpposedMemory,
    Ownership, Provenance, StoreScope, Trust, UseCounts, Verification,
};

use super::{scope, time};
use crate::v1;

/// Writes a memory of a store with that scope.
pub fn to_proto(recalled: &MemoryView, store: StoreScope) -> v1::Memory {
    let MemoryView {
        memory,
        verification,
        trust,
        ownership,
        added_by,
        status,
        // A field of the answer next to the memory, as for every document.
        staleness: _,
        superseded_by,
        holds,
        until,
        contradicts,
        stats,
    } = recalled;
    let Memory {
        id,
        title,
        content,
        tags,
        related_files,
        // Stated or not, those that count are in the message.
        cues: _,
        // The scope where a promoted memory was first added; the message has that of the store instead.
        scope: _,
        source,
        origin,
        supersedes,
        // The broken ones are part of the verification.
        anchors: _,
        lineage: _,
        valid,
        provenance,
        created,
        updated,
        verified: _,
        deleted: _,
        promoted: _,
        proposed,
        // Counted by `stats`.
        feedback: _,
    } = memory;
    v1::Memory {
        id: id.to_string(),
        r#type: id.memory_type.as_str().to_owned(),
        title: title.to_string(),
        content: content.to_string(),
        tags: tags.clone(),
        related_files: related_files.iter().map(ToString::to_string).collect(),
        cues: memory.effective_cues().iter().map(ToString::to_string).collect(),
        scope: scope::store_to_proto(store).into(),
        source: source.clone().unwrap_or_default(),
        created_at: Some(time::to_proto(*created)),
        updated_at: Some(time::to_proto(*updated)),
        session: provenance.session.clone().unwrap_or_default(),
        agent: provenance.agent.clone().unwrap_or_default(),
        provenance: Some(provenance_to_proto(provenance)),
        origin: origin_to_proto(*origin).into(),
        trust: trust_to_proto(*trust).into(),
        verification: Some(verification_to_proto(verification)),
        stats: Some(stats_to_proto(stats)),
        supersedes: supersedes.map(|id| id.to_string()).unwrap_or_default(),
        superseded_by: superseded_by.map(|id| id.to_string()).unwrap_or_default(),
        status: status_to_proto(*status).into(),
        contradicts: contradicts.iter().map(opposed_to_proto).collect(),
        ownership: ownership_to_proto(*ownership).into(),
        standing: standing(*ownership, verification.state).to_owned(),
        added_by: added_by.as_ref().map(|by| by.author.clone()).unwrap_or_default(),
        added_in: added_by.as_ref().map(|by| by.commit.clone()).unwrap_or_default(),
        valid_from: valid.from.as_ref().map(time::point_to_proto),
        holds: holds.as_str().to_owned(),
        proposed: *proposed,
        valid_until: until.as_ref().map(time::point_to_proto),
    }
}

fn opposed_to_proto(opposed: &OpposedMemory) -> v1::Opposed {
    let OpposedMemory { id, title, judged_by } = opposed;
    let judged_by = judged_by.as_deref().unwrap_or_default().to_owned();
    v1::Opposed { id: id.to_string(), title: title.clone(), judged_by }
}

fn ownership_to_proto(ownership: Ownership) -> v1::Ownership {
    match ownership {
        Ownership::Own => v1::Ownership::Own,
        Ownership::Confirmed => v1::Ownership::Confirmed,
        Ownership::Repository => v1::Ownership::Repository,
    }
}

/// Returns the ownership of a memory as every interface shows it.
fn standing(ownership: Ownership, state: AnchorState) -> &'static str {
    match (ownership, state) {
        (Ownership::Own, AnchorState::Verified) => "own, verified",
        (Ownership::Own, _) => "own",
        (Ownership::Confirmed, _) => "confirmed by you",
        (Ownership::Repository, _) => "from repository, unconfirmed",
    }
}

/// Writes the result of a verification.
pub fn verification_to_proto(verification: &Verification) -> v1::Verification {
    let Verification { state, since_commit, changed_ratio, verified, broken, moved } = verification;
    let moved_file = |file: &MovedFile| v1::MovedFile { from: file.from.to_string(), to: file.to.to_string() };
    v1::Verification {
        state: state_to_proto(*state).into(),
        since_commit: since_commit.clone().unwrap_or_default(),
        changed_ratio: *changed_ratio,
        verified_at: verified.map(time::to_proto),
        broken: broken.iter().map(|(anchor, state)| anchor_to_proto(anchor, *state)).collect(),
        moved: moved.iter().map(moved_file).collect(),
    }
}

/// Writes the feedback and use of an item.
pub fn stats_to_proto(stats: &ItemStats) -> v1::ItemStats {
    let ItemStats { counts: UseCounts { retrievals, uses }, useful, not_useful, usefulness, is_flagged } = *stats;
    v1::ItemStats { retrievals, useful, not_useful, usefulness, flagged: is_flagged, uses }
}

fn anchor_to_proto(anchor: &Anchor, state: AnchorState) -> v1::Anchor {
    let Anchor {
        path,
        symbol,
        hash,
        // Written once, with the verification.
        commit: _,
    } = anchor;
    v1::Anchor {
        path: path.to_string(),
        symbol: symbol.clone().unwrap_or_default(),
        hash: hash.to_string(),
        state: state_to_proto(state).into(),
    }
}

fn provenance_to_proto(provenance: &Provenance) -> v1::Provenance {
    let Provenance {
        // Fields of the memory itself in the message.
        session: _,
        agent: _,
        mode,
        branch,
        commit,
        project,
        project_path,
    } = provenance.clone();
    v1::Provenance {
        agent_mode: mode.unwrap_or_default(),
        git_branch: branch.unwrap_or_default(),
        git_commit: commit.unwrap_or_default(),
        project_path: project_path.unwrap_or_default(),
        project_name: project.unwrap_or_default(),
    }
}

fn state_to_proto(state: AnchorState) -> v1::VerificationState {
    match state {
        AnchorState::Unanchored => v1::VerificationState::Unanchored,
        AnchorState::Verified => v1::VerificationState::Verified,
        AnchorState::Unchecked => v1::VerificationState::Unspecified,
        AnchorState::Changed => v1::VerificationState::Changed,
        AnchorState::Gone => v1::VerificationState::Gone,
    }
}

fn origin_to_proto(origin: MemoryOrigin) -> v1::Origin {
    match origin {
        MemoryOrigin::Observed => v1::Origin::Observed,
        MemoryOrigin::Inferred => v1::Origin::Inferred,
        MemoryOrigin::Imported => v1::Origin::Imported,
        MemoryOrigin::Human => v1::Origin::Human,
    }
}

fn trust_to_proto(trust: Trust) -> v1::Trust {
    match trust {
        Trust::Low => v1::Trust::Low,
        Trust::Medium => v1::Trust::Medium,
        Trust::High => v1::Trust::High,
    }
}

fn status_to_proto(status: MemoryStatus) -> v1::MemoryStatus {
    match status {
        MemoryStatus::Current => v1::MemoryStatus::Current,
        MemoryStatus::Stale => v1::MemoryStatus::Stale,
        MemoryStatus::Deprecated => v1::MemoryStatus::Deprecated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_from_the_repository_is_never_shown_as_verified() {
        for (ownership, expected) in [
            (Ownership::Own, "own, verified"),
            (Ownership::Confirmed, "confirmed by you"),
            (Ownership::Repository, "from repository, unconfirmed"),
        ] {
            assert_eq!(standing(ownership, AnchorState::Verified), expected);
        }
    }
}
