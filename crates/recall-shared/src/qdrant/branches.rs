//! The points of branches, whose changes begin and commit publications, and which documents of a branch readers see.
//!
//! Qdrant has no transactions, but it changes one point at a time. So the point of a branch names the ticket of the committed
//! publication, and one conditional write of it is the commit (ADR 45). Tickets grow: a publication that began earlier loses its
//! right to commit.
//!
//! A publication has a ticket, greater than those of all earlier ones of its branch. Its documents are staged under the ticket, and the
//! documents that it ends get the ticket too. Both count only if the branch's point says that the ticket is committed, so one write to
//! that point is the commit. What an overtaken publication wrote never counts.

use std::collections::HashMap;

use qdrant_client::qdrant::Value;
use uuid::Uuid;

use super::client::{Client, Servers, Write};
use super::field;
use super::point::{Fields, Point, bytes, fields, lengths, number, point, text};
use super::schema::{BRANCHES, DOCUMENTS};
use super::tenant::{ids_are, is, is_less, number_is};
use crate::{Branch, BranchState, StoreError};

/// How often a ticket is asked for while other publications of the branch begin.
const TRIES: u32 = 10;

/// Sums over the documents that readers see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    /// The number of chunks, each as often as a document has it.
    pub(super) occurrences: u64,
    /// The lengths of these.
    pub(super) chunks: [u64; 6],
    /// The lengths of the documents' paths.
    pub(super) paths: [u64; 6],
}

impl Sums {
    pub(super) fn read(document: &Point) -> Result<Self, StoreError> {
        Ok(Self {
            occurrences: document.number(field::OCCURRENCES)?.max(0).cast_unsigned(),
            chunks: document.lengths(field::CHUNK_LENGTHS)?,
            paths: document.lengths(field::LENGTHS)?,
        })
    }

    pub(super) fn plus(self, other: Self) -> Self {
        self.combine(other, u64::saturating_add)
    }

    pub(super) fn minus(self, other: Self) -> Self {
        self.combine(other, u64::saturating_sub)
    }

    fn combine(self, other: Self, each: fn(u64, u64) -> u64) -> Self {
        Self {
            occurrences: each(self.occurrences, other.occurrences),
            chunks: std::array::from_fn(|place| each(self.chunks[place], other.chunks[place])),
            paths: std::array::from_fn(|place| each(self.paths[place], other.paths[place])),
        }
    }

    pub(super) fn into_fields(self) -> Fields {
        fields([
            (field::OCCURRENCES, number(self.occurrences.cast_signed())),
            (field::CHUNK_LENGTHS, lengths(&self.chunks)),
            (field::LENGTHS, lengths(&self.paths)),
        ])
    }
}

/// The fields that [`Sums::read`] reads.
pub(super) const SUMS: [&str; 3] = [field::OCCURRENCES, field::CHUNK_LENGTHS, field::LENGTHS];

#[derive(Clone, Debug)]
pub(super) struct BranchPoint {
    pub(super) id: Uuid,
    /// The ticket of the last publication that began.
    pub(super) ticket: i64,
    owner: String,
    /// The ticket of the publication that readers see; 0 for none.
    pub(super) committed: i64,
    /// What readers see; generation 0 for nothing.
    pub(super) state: BranchState,
    pub(super) sums: Sums,
    /// Whether it is its repository's default.
    pub(super) is_default: bool,
}

pub(super) fn id(client: &Client, branch: &Branch) -> Uuid {
    client.tenant.id(&[b"branch", branch.repository.as_bytes(), branch.name.as_bytes()])
}

/// The point that says which branch of a repository is its default. It is inserted once and never changed.
fn default_id(client: &Client, branch: &Branch) -> Uuid {
    client.tenant.id(&[b"default", branch.repository.as_bytes()])
}

/// Reads the point of a branch; `None` if no publication of it has begun.
pub(super) async fn read(client: &Client, branch: &Branch) -> Result<Option<BranchPoint>, StoreError> {
    let (own, default) = (id(client, branch), default_id(client, branch));
    let wanted = [
        field::NAME,
        field::TICKET,
        field::OWNER,
        field::COMMITTED,
        field::GENERATION,
        field::DIGEST,
        field::DOCUMENTS,
        field::OCCURRENCES,
        field::CHUNK_LENGTHS,
        field::LENGTHS,
    ];
    let points = client.scroll_points(BRANCHES, &[own, default], &wanted, Servers::Quorum).await?;
    let default = points.iter().find(|point| point.id == default).map(|point| point.text(field::NAME)).transpose()?;
    let Some(point) = points.iter().find(|point| point.id == own) else { return Ok(None) };
    let digest = point.bytes(field::DIGEST)?;
    let digest =
        digest.try_into().map_err(|_| StoreError::Invalid { what: "a digest has another length".to_owned() })?;
    Ok(Some(BranchPoint {
        id: own,
        ticket: point.number(field::TICKET)?,
        owner: point.text(field::OWNER)?.to_owned(),
        committed: point.number(field::COMMITTED)?,
        state: BranchState {
            generation: point.number(field::GENERATION)?.max(0).cast_unsigned(),
            digest,
            documents: point.number(field::DOCUMENTS)?.max(0).cast_unsigned(),
        },
        sums: Sums::read(point)?,
        is_default: default == Some(branch.name.as_str()),
    }))
}

/// Returns the last committed tickets of branches, by the identities of their points.
pub(super) async fn committed_numbers(client: &Client, ids: &[Uuid]) -> Result<HashMap<Uuid, i64>, StoreError> {
    let points = client.scroll_points(BRANCHES, ids, &[field::COMMITTED], Servers::Any).await?;
    points.iter().map(|point| Ok((point.id, point.number(field::COMMITTED)?))).collect()
}

/// Takes the next ticket of a branch. The first branch of a repository becomes its default.
pub(super) async fn open(client: &Client, branch: &Branch) -> Result<BranchPoint, StoreError> {
    let default = fields([
        (field::TENANT, text(client.tenant.name())),
        (field::REPOSITORY, text(&branch.repository)),
        (field::NAME, text(&branch.name)),
    ]);
    let never = BranchState { generation: 0, digest: [0; 32], documents: 0 };
    let own = read_whole(client, branch, 0, "", 0, &never, Sums::default());
    let new = vec![(point(default_id(client, branch), default, None), 0), (point(id(client, branch), own, None), 0)];
    client.put(BRANCHES, new, Write::New).await?;
    for _ in 0..TRIES {
        let Some(known) = read(client, branch).await? else { break };
        let (ticket, owner) = (known.ticket + 1, format!("{:016x}", fastrand::u64(..)));
        let only_if =
            client.tenant.filter(vec![ids_are(&[known.id]), number_is(field::TICKET, known.ticket)], Vec::new());
        let taken = fields([(field::TICKET, number(ticket)), (field::OWNER, text(&owner))]);
        client.set(BRANCHES, taken, only_if).await?;
        match read(client, branch).await? {
            Some(after) if after.ticket == ticket && after.owner == owner => return Ok(after),
            _ => {}
        }
    }
    Err(StoreError::Busy)
}

/// The point that changes with every commit of the tenant.
fn epoch_id(client: &Client) -> Uuid {
    client.tenant.id(&[b"epoch"])
}

/// Returns a text that differs if a publication was about to be committed in between. All that such a publication wrote before was there
/// when the text was read.
pub(super) async fn epoch(client: &Client) -> Result<Option<String>, StoreError> {
    let points = client.scroll_points(BRANCHES, &[epoch_id(client)], &[field::OWNER], Servers::Any).await?;
    points.first().map(|point| Ok(point.text(field::OWNER)?.to_owned())).transpose()
}

/// Changes the epoch, before a commit.
pub(super) async fn advance(client: &Client) -> Result<(), StoreError> {
    let new = format!("{:016x}", fastrand::u64(..));
    let own = fields([(field::TENANT, text(client.tenant.name())), (field::OWNER, text(&new))]);
    client.put(BRANCHES, vec![(point(epoch_id(client), own, None), 0)], Write::All).await
}

/// Makes the publication with a ticket the one that readers see, unless another one began. Returns the point afterwards.
pub(super) async fn commit(
    client: &Client,
    branch: &Branch,
    begun: &BranchPoint,
    state: &BranchState,
    sums: Sums,
) -> Result<BranchPoint, StoreError> {
    let ticket = begun.ticket;
    let new = read_whole(client, branch, ticket, &begun.owner, ticket, state, sums);
    let only_if = client.tenant.filter(
        vec![number_is(field::TICKET, ticket), number_is(field::GENERATION, begun.state.generation.cast_signed())],
        Vec::new(),
    );
    client.put(BRANCHES, vec![(point(begun.id, new, None), 0)], Write::If(only_if)).await?;
    read(client, branch).await?.ok_or(StoreError::Lost { lost: 1, sent: 1 })
}

/// Writes into the documents what the branch's last commit decided about them. Nothing changes for readers.
pub(super) async fn settle(client: &Client, id: Uuid, committed: i64, now: u64) -> Result<(), StoreError> {
    if committed == 0 {
        return Ok(());
    }
    let of_branch = || is(field::BRANCH, &id.to_string());
    let state_is = |state: State| is(field::STATE, state.as_str());
    let staged = vec![of_branch(), state_is(State::Staged), number_is(field::TICKET, committed)];
    let live = fields([(field::STATE, State::Live.value())]);
    client.set(DOCUMENTS, live, client.tenant.filter(staged, Vec::new())).await?;
    let replaced = vec![of_branch(), state_is(State::Live), number_is(field::ENDED, committed)];
    let ended = fields([(field::STATE, State::Ended.value()), (field::ENDED_AT, number(now.cast_signed()))]);
    client.set(DOCUMENTS, ended, client.tenant.filter(replaced, Vec::new())).await
}

/// Deletes what publications of a branch staged that were overtaken.
pub(super) async fn discard(client: &Client, id: Uuid, ticket: i64) -> Result<(), StoreError> {
    let staged = vec![
        is(field::BRANCH, &id.to_string()),
        is(field::STATE, State::Staged.as_str()),
        is_less(field::TICKET, ticket),
    ];
    client.delete(DOCUMENTS, client.tenant.filter(staged, Vec::new())).await
}

fn read_whole(
    client: &Client,
    branch: &Branch,
    ticket: i64,
    owner: &str,
    committed: i64,
    state: &BranchState,
    sums: Sums,
) -> Fields {
    let mut all = fields([
        (field::TENANT, text(client.tenant.name())),
        (field::REPOSITORY, text(&branch.repository)),
        (field::NAME, text(&branch.name)),
        (field::TICKET, number(ticket)),
        (field::OWNER, text(owner)),
        (field::COMMITTED, number(committed)),
        (field::GENERATION, number(state.generation.cast_signed())),
        (field::DIGEST, bytes(&state.digest)),
        (field::DOCUMENTS, number(state.documents.cast_signed())),
    ]);
    all.extend(sums.into_fields());
    all
}

/// What has become of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It belongs to a publication that may be committed.
    Staged,
    /// Its publication was committed.
    Live,
    /// It was replaced or removed by a publication that was committed.
    Ended,
}

impl State {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Staged => "staged",
            Self::Live => "live",
            Self::Ended => "ended",
        }
    }

    pub(super) fn value(self) -> Value {
        text(self.as_str())
    }
}

/// The fields that [`Standing::read`] reads.
pub(super) const FIELDS: [&str; 3] = [field::STATE, field::TICKET, field::ENDED];

/// Whether a document counts, as far as it knows itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) state: State,
    /// The ticket of its publication.
    pub(super) ticket: i64,
    /// The ticket of the last publication that wanted to end it; 0 for none.
    pub(super) ended: i64,
}

impl Standing {
    pub(super) fn read(point: &Point) -> Result<Self, StoreError> {
        let state = match point.text(field::STATE)? {
            "staged" => State::Staged,
            "live" => State::Live,
            "ended" => State::Ended,
            other => return Err(StoreError::Invalid { what: format!("`{other}` is not the state of a document") }),
        };
        Ok(Self { state, ticket: point.number(field::TICKET)?, ended: point.number(field::ENDED)? })
    }

    /// Whether readers see it, if this ticket is the last committed one of its branch.
    pub(super) fn is_visible(self, committed: i64) -> bool {
        let counts = match self.state {
            State::Live => true,
            State::Staged => self.ticket == committed,
            State::Ended => false,
        };
        counts && !self.is_ended(committed)
    }

    /// Whether the last committed publication ended it.
    fn is_ended(self, committed: i64) -> bool {
        committed != 0 && self.ended == committed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_committed_counts() {
        let check = |state, ticket, ended, committed, expected| {
            let standing = Standing { state, ticket, ended };
            assert_eq!(standing.is_visible(committed), expected, "{standing:?} {committed}");
        };
        check(State::Staged, 1, 0, 0, false);
        check(State::Staged, 1, 0, 1, true);
        check(State::Staged, 1, 0, 2, false);
        check(State::Live, 1, 0, 2, true);
        check(State::Live, 1, 3, 2, true);
        check(State::Live, 1, 3, 3, false);
        check(State::Live, 1, 3, 4, true);
        check(State::Ended, 1, 3, 3, false);
        check(State::Live, 0, 0, 0, true);
    }
}
