//! Memories.

use crate::v1;
use serde::Serialize;

use crate::json::{non_empty, store_scope, timestamp_text};

#[derive(Debug, Serialize)]
pub(crate) struct Memory<'a> {
    id: &'a str,
    r#type: &'a str,
    title: &'a str,
    content: &'a str,
    tags: &'a [String],
    related_files: &'a [String],
    scope: Option<&'static str>,
    source: Option<&'a str>,
    created_at: Option<String>,
    updated_at: Option<String>,
    session: Option<&'a str>,
    agent: Option<&'a str>,
    provenance: Option<Provenance<'a>>,
    origin: Option<&'static str>,
    trust: Option<&'static str>,
    ownership: Option<&'static str>,
    standing: Option<&'static str>,
    added_by: Option<&'a str>,
    added_in: Option<&'a str>,
    verification: Option<Verification<'a>>,
    stats: Option<ItemStats>,
    supersedes: Option<&'a str>,
    superseded_by: Option<&'a str>,
    status: &'static str,
}

impl<'a> From<&'a v1::Memory> for Memory<'a> {
    fn from(message: &'a v1::Memory) -> Self {
        let v1::Memory {
            id,
            r#type,
            title,
            content,
            tags,
            related_files,
            scope,
            source,
            created_at,
            updated_at,
            session,
            agent,
            provenance,
            origin,
            trust,
            verification,
            stats,
            supersedes,
            superseded_by,
            status,
            ownership,
            added_by,
            added_in,
        } = message;
        Self {
            id,
            r#type,
            title,
            content,
            tags,
            related_files,
            scope: store_scope(*scope),
            source: non_empty(source),
            created_at: timestamp_text(created_at.as_ref()),
            updated_at: timestamp_text(updated_at.as_ref()),
            session: non_empty(session),
            agent: non_empty(agent),
            provenance: provenance.as_ref().map(Provenance::from),
            origin: origin_name(*origin),
            trust: trust_name(*trust),
            ownership: ownership_name(*ownership),
            standing: crate::ownership_label(message),
            added_by: non_empty(added_by),
            added_in: non_empty(added_in),
            verification: verification.as_ref().map(Verification::from),
            stats: stats.map(ItemStats::from),
            supersedes: non_empty(supersedes),
            superseded_by: non_empty(superseded_by),
            status: status_name(*status),
        }
    }
}

fn origin_name(origin: i32) -> Option<&'static str> {
    match v1::Origin::try_from(origin) {
        Ok(v1::Origin::Observed) => Some("observed"),
        Ok(v1::Origin::Inferred) => Some("inferred"),
        Ok(v1::Origin::Imported) => Some("imported"),
        Ok(v1::Origin::Human) => Some("human"),
        Ok(v1::Origin::Unspecified) | Err(_) => None,
    }
}

pub(crate) fn trust_name(trust: i32) -> Option<&'static str> {
    match v1::Trust::try_from(trust) {
        Ok(v1::Trust::Low) => Some("low"),
        Ok(v1::Trust::Medium) => Some("medium"),
        Ok(v1::Trust::High) => Some("high"),
        Ok(v1::Trust::Unspecified) | Err(_) => None,
    }
}

fn ownership_name(ownership: i32) -> Option<&'static str> {
    match v1::Ownership::try_from(ownership) {
        Ok(v1::Ownership::Own) => Some("own"),
        Ok(v1::Ownership::Confirmed) => Some("confirmed"),
        Ok(v1::Ownership::Repository) => Some("repository"),
        Ok(v1::Ownership::Unspecified) | Err(_) => None,
    }
}

fn status_name(status: i32) -> &'static str {
    match v1::MemoryStatus::try_from(status) {
        Ok(v1::MemoryStatus::Stale) => "stale",
        Ok(v1::MemoryStatus::Deprecated) => "deprecated",
        Ok(v1::MemoryStatus::Current | v1::MemoryStatus::Unspecified) | Err(_) => "current",
    }
}

fn state_name(state: i32) -> Option<&'static str> {
    match v1::VerificationState::try_from(state) {
        Ok(v1::VerificationState::Verified) => Some("verified"),
        Ok(v1::VerificationState::Changed) => Some("changed"),
        Ok(v1::VerificationState::Gone) => Some("gone"),
        Ok(v1::VerificationState::Unanchored) => Some("unanchored"),
        Ok(v1::VerificationState::Unspecified) | Err(_) => None,
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Provenance<'a> {
    agent_mode: Option<&'a str>,
    git_branch: Option<&'a str>,
    git_commit: Option<&'a str>,
    project_path: Option<&'a str>,
    project_name: Option<&'a str>,
}

impl<'a> From<&'a v1::Provenance> for Provenance<'a> {
    fn from(message: &'a v1::Provenance) -> Self {
        let v1::Provenance { agent_mode, git_branch, git_commit, project_path, project_name } = message;
        Self {
            agent_mode: non_empty(agent_mode),
            git_branch: non_empty(git_branch),
            git_commit: non_empty(git_commit),
            project_path: non_empty(project_path),
            project_name: non_empty(project_name),
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Verification<'a> {
    state: Option<&'static str>,
    since_commit: Option<&'a str>,
    changed_ratio: f64,
    verified_at: Option<String>,
    broken: Vec<Anchor<'a>>,
    moved: Vec<MovedFile<'a>>,
}

#[derive(Debug, Serialize)]
struct MovedFile<'a> {
    from: &'a str,
    to: &'a str,
}

impl<'a> From<&'a v1::MovedFile> for MovedFile<'a> {
    fn from(message: &'a v1::MovedFile) -> Self {
        let v1::MovedFile { from, to } = message;
        Self { from, to }
    }
}

impl<'a> From<&'a v1::Verification> for Verification<'a> {
    fn from(message: &'a v1::Verification) -> Self {
        let v1::Verification { state, since_commit, changed_ratio, verified_at, broken, moved } = message;
        Self {
            state: state_name(*state),
            since_commit: non_empty(since_commit),
            changed_ratio: *changed_ratio,
            verified_at: timestamp_text(verified_at.as_ref()),
            broken: broken.iter().map(Anchor::from).collect(),
            moved: moved.iter().map(MovedFile::from).collect(),
        }
    }
}

#[derive(Debug, Serialize)]
struct Anchor<'a> {
    path: &'a str,
    symbol: Option<&'a str>,
    hash: &'a str,
    state: Option<&'static str>,
}

impl<'a> From<&'a v1::Anchor> for Anchor<'a> {
    fn from(message: &'a v1::Anchor) -> Self {
        let v1::Anchor { path, symbol, hash, state } = message;
        Self { path, symbol: non_empty(symbol), hash, state: state_name(*state) }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct ItemStats {
    retrievals: u64,
    useful: u64,
    not_useful: u64,
    usefulness: Option<f64>,
    flagged: bool,
}

impl From<v1::ItemStats> for ItemStats {
    fn from(message: v1::ItemStats) -> Self {
        let v1::ItemStats { retrievals, useful, not_useful, usefulness, flagged } = message;
        Self { retrievals, useful, not_useful, usefulness, flagged }
    }
}
