//! Failures of the disk: the client gets an error, nothing acknowledged is lost, and everything works again afterwards.

use std::error::Error;
use std::io;

use recall_core::{
    Feedback, ItemId, MemoryId, PromoteMemory, Provenance, RateItem, Scope, StoreScope, UpdateMemory, Verdict,
};
use recall_engine::{Engine, ItemRequest, MemoryError, Parent, RemoveError, RemoveRequest, Tombstones};
use recall_journal::AppendError;
use recall_testkit::Failures;

use super::work::{addition, words};
use super::world::World;

/// The requests of the client, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Add,
    Rate,
    Amend,
    Promote,
    Remove,
    AddMore,
}

const WISHES: [Wish; 6] = [Wish::Add, Wish::Rate, Wish::Amend, Wish::Promote, Wish::Remove, Wish::AddMore];

/// The result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Kept,
    NotWritten,
    /// The write may still become durable.
    Unsettled,
}

/// A client with two existing memories: one that the requests are about, and one to be removed.
struct Client<'a> {
    world: &'a World,
    engine: Engine,
    known: [MemoryId; 2],
}

impl Client<'_> {
    fn add(&self, title: &str, key: &str) -> Result<MemoryId, MemoryError> {
        let text = words(&mut fastrand::Rng::with_seed(key.len() as u64), title.len());
        let memory = recall_core::AddMemory { key: Some(key.to_owned()), ..addition(title, &text, None) };
        self.engine.add_memory(&self.world.origin(), &memory).map(|report| report.id)
    }

    fn ask(&self, wish: Wish) -> Result<(), MemoryError> {
        let (engine, origin, [told, removed]) = (&self.engine, self.world.origin(), self.known);
        let provenance = Provenance::default();
        match wish {
            Wish::Add => self.add("Wombat add", "add").map(drop),
            Wish::AddMore => self.add("Wombat more", "more").map(drop),
            Wish::Rate => {
                let feedback = Feedback { verdict: Verdict::Useful, note: None };
                engine.rate_item(&origin, &RateItem { item: ItemId::Memory(told), feedback, provenance }).map(drop)
            }
            Wish::Amend => {
                let title = Some("Wombat amended".to_owned());
                let (content, tags, related_files) = (None, None, None);
                let request = UpdateMemory {
                    id: told,
                    title,
                    content,
                    tags,
                    cues: None,
                    related_files,
                    expected: None,
                    provenance,
                    valid: recall_core::WordedTime::default(),
                };
                engine.update_memory(&origin, &request).map(drop)
            }
            Wish::Promote => {
                let request = PromoteMemory { id: told, to: StoreScope::Global, provenance };
                engine.promote_memory(&origin, &request).map(drop)
            }
            Wish::Remove => {
                let request = RemoveRequest {
                    items: vec![removed.to_string()],
                    scope: Scope::Project,
                    provenance,
                    tombstones: Tombstones::Keep,
                };
                match engine.remove(&origin, &request) {
                    // An earlier attempt whose write was unsettled has removed it.
                    Ok(_) | Err(RemoveError::NotFound { .. }) => Ok(()),
                    Err(RemoveError::Memory(error)) => Err(error),
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    /// Returns the store, the title and the useful count of a memory; `None` if it is not known.
    fn get(&self, id: MemoryId) -> Option<(StoreScope, String, u64)> {
        let request = ItemRequest { id: id.to_string(), scope: Scope::All, parent: Parent::Leave };
        let item = self.engine.get(&self.world.origin(), &request).ok()?;
        let memory = item.memory.expect("a memory").memory;
        Some((item.scope, memory.title.to_string(), memory.feedback.useful))
    }

    /// Checks that acknowledged requests took effect and refused ones did not.
    fn check(&self, told: &[(Wish, Told)], failures: &str) {
        let is = |wish| told.iter().find(|(known, _)| *known == wish).expect("every wish").1;
        // A refused event may be in the user's own log, which is not read for memories.
        let lines: Vec<u8> =
            self.world.disks[..2].iter().flat_map(|disk| disk.image().into_values().flatten()).collect();
        let holds = |text: &str| lines.windows(text.len()).any(|window| window == text.as_bytes());
        for (wish, title) in
            [(Wish::Add, "Wombat add"), (Wish::AddMore, "Wombat more"), (Wish::Amend, "Wombat amended")]
        {
            if is(wish) != Told::Unsettled {
                assert_eq!(holds(title), is(wish) == Told::Kept, "{wish:?} {failures} {told:?}");
            }
        }
        let (scope, title, useful) = self.get(self.known[0]).expect("it was not removed");
        if is(Wish::Promote) == Told::Kept {
            assert_eq!(scope, StoreScope::Global, "{failures} {told:?}");
        }
        // Feedback given in the project stays there.
        if scope == StoreScope::Project && is(Wish::Rate) == Told::Kept {
            assert!(useful >= 1, "{failures} {told:?}");
        }
        assert!(is(Wish::Amend) != Told::Kept || title == "Wombat amended", "{failures} {told:?}");
        match is(Wish::Remove) {
            Told::Kept => assert_eq!(self.get(self.known[1]), None, "{failures} {told:?}"),
            Told::NotWritten => assert!(self.get(self.known[1]).is_some(), "{failures} {told:?}"),
            Told::Unsettled => {}
        }
    }
}

/// Classifies an error, and checks that it names the file and the cause.
fn told(error: &MemoryError, kind: io::ErrorKind) -> Told {
    let mut chain = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        chain = format!("{chain}: {error}");
        cause = error.source();
    }
    assert!(chain.contains("journal") && chain.ends_with(&io::Error::from(kind).to_string()), "{chain}");
    match error {
        MemoryError::Write { source: AppendError::NotWritten { .. }, .. } | MemoryError::OpenJournal { .. } => {
            Told::NotWritten
        }
        MemoryError::Write { source: AppendError::Unsettled { .. }, .. } => Told::Unsettled,
        other => panic!("{other}"),
    }
}

/// Sends all requests while operations of a disk fail, and again after the failures have ended. Returns the number of the disk's
/// operations and of the refused requests.
fn refuse(disk: usize, failures: Failures) -> (usize, usize) {
    let world = World::new();
    let mut client = Client {
        world: &world,
        engine: world.engine(),
        known: [MemoryId::from_parts(recall_core::MemoryType::Note, &[]); 2],
    };
    client.known = ["Wombat told", "Wombat removed"].map(|title| client.add(title, title).expect("all is well"));
    world.disks[disk].fail_at(Some(failures));
    let ask =
        |client: &Client<'_>, wish| client.ask(wish).map_or_else(|error| told(&error, failures.kind), |()| Told::Kept);
    let mut told: Vec<_> = WISHES.into_iter().map(|wish| (wish, ask(&client, wish))).collect();
    let steps = world.disks[disk].steps();
    let said = format!("disk {disk} {failures:?}");
    let refused = told.iter().filter(|(_, told)| *told != Told::Kept).count();
    // While the disk still fails, and in a daemon that was started meanwhile.
    client.check(&told, &said);
    client.engine.close();
    client.engine = world.engine();
    world.disks[disk].fail_at(None);
    client.check(&told, &said);
    for (wish, told) in told.iter_mut().filter(|(_, told)| *told != Told::Kept) {
        *told = ask(&client, *wish);
        assert_eq!(*told, Told::Kept, "{wish:?} {said}");
    }
    client.check(&told, &said);
    client.engine.close();
    client.engine = world.engine();
    client.check(&told, &said);
    assert_eq!(world.search(&client.engine).len(), 3, "{said}");
    client.engine.close();
    (steps, refused)
}

#[test]
fn deleting_a_memory_with_an_interrupted_promotion_reports_the_remaining_copy() {
    let world = World::new();
    let engine = world.engine();
    let client = Client { world: &world, engine, known: [MemoryId::from_parts(recall_core::MemoryType::Note, &[]); 2] };
    let [half, whole] = ["Wombat half", "Wombat whole"].map(|title| client.add(title, title).expect("all is well"));
    let client = Client { known: [half, half], ..client };
    world.disks[0].fail_at(Some(Failures { first: 0, count: usize::MAX, kind: io::ErrorKind::StorageFull }));
    client.ask(Wish::Promote).expect_err("the project's disk is full");
    world.disks[0].fail_at(None);
    let remove = |scope, id: MemoryId| {
        let (items, provenance, tombstones) = (vec![id.to_string()], Provenance::default(), Tombstones::Keep);
        let request = RemoveRequest { items, scope, provenance, tombstones };
        client.engine.remove(&world.origin(), &request).expect("deleted").remaining
    };
    assert_eq!(remove(Scope::Project, whole), []);
    assert_eq!(remove(Scope::Project, half), [(half, StoreScope::Global)]);
    assert_eq!(client.get(half).map(|known| known.0), Some(StoreScope::Global), "as reported");
    assert_eq!(remove(Scope::Global, half), []);
    assert_eq!(client.get(half), None);
    client.engine.close();
}

#[test]
fn failed_writes_are_reported_and_nothing_else_is_lost() {
    for disk in 0..3 {
        let (steps, refused) = refuse(disk, Failures { first: usize::MAX, count: 0, kind: io::ErrorKind::Other });
        assert!(steps > 2 && refused == 0);
        let (full, broken) = (io::ErrorKind::StorageFull, io::ErrorKind::Other);
        for (count, kind) in [(1, broken), (2, full), (usize::MAX, full)] {
            for first in 0..steps {
                let (_, refused) = refuse(disk, Failures { first, count, kind });
                assert!(refused > 0, "step {first} of disk {disk} failed without an error");
            }
        }
    }
}
