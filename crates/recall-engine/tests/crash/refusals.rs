//! Is a client told when a disk is full or broken, is nothing lost, and does everything go on when that is over?

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

/// What a client asks for, in this order.
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

/// What a client was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Kept,
    NotWritten,
    /// It may come to count.
    Unsettled,
}

/// Two memories that were there before, one to be told about and one to be removed.
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
                let request = UpdateMemory { id: told, title, content, tags, related_files, provenance };
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
                    // It was removed when the client was told that it may come to be.
                    Ok(_) | Err(RemoveError::NotFound { .. }) => Ok(()),
                    Err(RemoveError::Memory(error)) => Err(error),
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    /// What a memory is: its store, title and how often it was useful; none for one that is not known.
    fn get(&self, id: MemoryId) -> Option<(StoreScope, String, u64)> {
        let request = ItemRequest { id: id.to_string(), scope: Scope::All, parent: Parent::Leave };
        let item = self.engine.get(&self.world.origin(), &request).ok()?;
        let memory = item.memory.expect("a memory").memory;
        Some((item.scope, memory.title.to_string(), memory.feedback.useful))
    }

    /// Checks that what was acknowledged is so, and what was refused is not.
    fn check(&self, told: &[(Wish, Told)], failures: &str) {
        let is = |wish| told.iter().find(|(known, _)| *known == wish).expect("every wish").1;
        // What was refused may be in the user's own log, where nobody reads it as a memory.
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
        let (scope, title, useful) = self.get(self.known[0]).expect("nobody took it away");
        if is(Wish::Promote) == Told::Kept {
            assert_eq!(scope, StoreScope::Global, "{failures} {told:?}");
        }
        // Feedback that was given in the project stays there.
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

/// What an error comes to; it names what could not be written, and why.
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

/// Asks for everything while operations of a disk fail, and again when they do no longer; returns how many operations the disk
/// saw and how much was refused.
fn refuse(disk: usize, failures: Failures) -> (usize, usize) {
    let world = World::new();
    let mut client =
        Client { world: &world, engine: world.engine(), known: [MemoryId::of(recall_core::MemoryType::Note, &[]); 2] };
    client.known = ["Wombat told", "Wombat removed"].map(|title| client.add(title, title).expect("all is well"));
    world.disks[disk].fail_at(Some(failures));
    let ask =
        |client: &Client<'_>, wish| client.ask(wish).map_or_else(|error| told(&error, failures.kind), |()| Told::Kept);
    let mut told: Vec<_> = WISHES.into_iter().map(|wish| (wish, ask(&client, wish))).collect();
    let steps = world.disks[disk].steps();
    let said = format!("disk {disk} {failures:?}");
    let refused = told.iter().filter(|(_, told)| *told != Told::Kept).count();
    // While it still fails, and in a daemon that was started meanwhile.
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
fn a_memory_whose_promotion_broke_off_is_told_to_remain_where_it_was_promoted_to() {
    let world = World::new();
    let engine = world.engine();
    let client = Client { world: &world, engine, known: [MemoryId::of(recall_core::MemoryType::Note, &[]); 2] };
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
    assert_eq!(client.get(half).map(|known| known.0), Some(StoreScope::Global), "as it was told");
    assert_eq!(remove(Scope::Global, half), []);
    assert_eq!(client.get(half), None);
    client.engine.close();
}

#[test]
fn what_a_disk_refuses_is_told_and_nothing_else_is_lost() {
    for disk in 0..3 {
        let (steps, refused) = refuse(disk, Failures { first: usize::MAX, count: 0, kind: io::ErrorKind::Other });
        assert!(steps > 2 && refused == 0);
        let (full, broken) = (io::ErrorKind::StorageFull, io::ErrorKind::Other);
        for (count, kind) in [(1, broken), (2, full), (usize::MAX, full)] {
            for first in 0..steps {
                let (_, refused) = refuse(disk, Failures { first, count, kind });
                assert!(refused > 0, "step {first} of disk {disk} failed and nobody was told");
            }
        }
    }
}
