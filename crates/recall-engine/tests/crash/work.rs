//! The operations of clients and the edits of other programs.

use recall_core::{
    AddMemory, Feedback, ItemId, MemoryId, MemoryType, PromoteMemory, Provenance, RateItem, Scope, StoreScope,
    UpdateMemory, Verdict, VerifyMemories, VerifyMode,
};
use recall_engine::{Engine, RemoveRequest, Tombstones};

use super::oracle::{Fact, Oracle};
use super::world::{Index, World};
use crate::support::new_memory;

/// The number of words of the shortest memory after its subject: enough that no two memories are nearly equal.
const WORDS: usize = 6;

/// An engine with the oracle of its operations and the copies of its index.
pub(crate) struct Work<'a> {
    world: &'a World,
    engine: Engine,
    oracle: Oracle,
    indexes: Vec<Index>,
    number: usize,
}

impl<'a> Work<'a> {
    pub(crate) fn new(world: &'a World) -> Self {
        let engine = world.engine();
        Self { world, engine, oracle: Oracle::new(), indexes: vec![Index::none()], number: 0 }
    }

    /// Closes the engine; returns the oracle and the copies of the index.
    pub(crate) fn end(self) -> (Oracle, Vec<Index>) {
        self.engine.close();
        (self.oracle, self.indexes)
    }

    /// Sends one random request.
    pub(crate) fn operate(&mut self, random: &mut fastrand::Rng) {
        self.world.clock.forward(random.i64(1..40_000));
        let facts = self.oracle.facts();
        let in_force: Vec<_> =
            facts.found.iter().filter(|(scope, _)| *scope == StoreScope::Project).map(|(_, id)| *id).collect();
        let known: Vec<_> = facts.memories.keys().copied().collect();
        match (random.u32(..9), random.choice(&in_force).copied(), random.choice(&known).copied()) {
            (3, Some(id), _) => self.add(random, Some(id)),
            (4, Some(id), _) => self.update(id, random),
            (5, Some(id), _) => self.promote(id),
            (6, _, Some(id)) => self.remove(id),
            (7, _, Some(id)) => self.rate(id),
            (8, Some(id), _) => self.confirm(id),
            _ => self.add(random, None),
        }
        if random.u32(..8) == 0 {
            self.engine.close();
            self.engine = self.world.engine();
        }
    }

    fn add(&mut self, random: &mut fastrand::Rng, supersedes: Option<MemoryId>) {
        let (title, content) = self.text(random);
        let memory = addition(&title, &content, supersedes);
        let id = self.engine.add_memory(&self.world.origin(), &memory).expect("kept").id;
        let fact = Fact { scope: StoreScope::Project, title, content, useful: 0, superseded_by: None };
        self.oracle.add(id, fact, supersedes);
    }

    fn update(&mut self, id: MemoryId, random: &mut fastrand::Rng) {
        let (title, content) = self.text(random);
        let request = UpdateMemory {
            id,
            title: Some(title.clone()),
            content: Some(content.clone()),
            tags: None,
            cues: None,
            related_files: None,
            expected: None,
            provenance: Provenance::default(),
            valid: recall_core::WordedTime::default(),
        };
        self.engine.update_memory(&self.world.origin(), &request).expect("amended");
        self.oracle.amend(id, |fact| (fact.title, fact.content) = (title, content));
    }

    fn promote(&mut self, id: MemoryId) {
        let request = PromoteMemory { id, to: StoreScope::Global, provenance: Provenance::default() };
        self.engine.promote_memory(&self.world.origin(), &request).expect("moved");
        self.oracle.promote(id);
    }

    fn remove(&mut self, id: MemoryId) {
        let scope = match self.oracle.facts().memories[&id].scope {
            StoreScope::Global => Scope::Global,
            StoreScope::Project | StoreScope::Domain => Scope::Project,
        };
        let request = RemoveRequest {
            items: vec![id.to_string()],
            scope,
            provenance: Provenance::default(),
            tombstones: Tombstones::Keep,
        };
        self.engine.remove(&self.world.origin(), &request).expect("deleted");
        self.oracle.delete(id);
    }

    fn rate(&mut self, id: MemoryId) {
        let feedback = Feedback { verdict: Verdict::Useful, note: None };
        let request = RateItem { item: ItemId::Memory(id), feedback, provenance: Provenance::default() };
        self.engine.rate_item(&self.world.origin(), &request).expect("kept");
        self.oracle.amend(id, |fact| fact.useful += 1);
    }

    /// Confirms a memory, which changes nothing that these tests check.
    fn confirm(&mut self, id: MemoryId) {
        let mode = VerifyMode::Confirm;
        let request = VerifyMemories {
            ids: vec![id],
            scope: Scope::Project,
            mode,
            with_changes: false,
            provenance: Provenance::default(),
        };
        self.engine.verify_memories(&self.world.origin(), &request).expect("confirmed");
        self.oracle.amend(id, |_| ());
    }

    fn text(&mut self, random: &mut fastrand::Rng) -> (String, String) {
        self.number += 1;
        (format!("Wombat {}", self.number), words(random, self.number))
    }

    /// Updates the index and stores a copy of it.
    pub(crate) fn keep_index(&mut self, random: &mut fastrand::Rng) {
        if random.u32(..3) == 0 {
            self.world.search(&self.engine);
            self.indexes.push(self.world.index());
        }
    }

    /// Edits the journals as a person or git may, without removing events.
    pub(crate) fn edit_outside(&self, random: &mut fastrand::Rng) {
        let disk = &self.world.disks[random.usize(..2)];
        let image = disk.image();
        let days: Vec<_> = image.keys().copied().collect();
        let Some(day) = random.choice(days) else { return };
        let text = &image[&day];
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
        match random.u32(..12) {
            0 => disk.append_unlocked(day, b"a remark without an end"),
            1 => disk.append_unlocked(day, b"\xef\xbb\xbf\r\n"),
            2 => disk.replace(day, &[b"<<<<<<< HEAD\n", text.as_slice(), b"=======\n>>>>>>> main\n"].concat()),
            3 => disk.replace(day, &lines.iter().rev().copied().collect::<Vec<_>>().concat()),
            4 => disk.replace(day, &[text.as_slice(), text.as_slice()].concat()),
            5 => disk.replace(day, &text.split(|byte| *byte == b'\n').collect::<Vec<_>>().join(b"\r\n".as_slice())),
            _ => {}
        }
    }
}

/// Returns a request to add a note even if it repeats another.
pub(crate) fn addition(title: &str, content: &str, supersedes: Option<MemoryId>) -> AddMemory {
    AddMemory {
        tags: vec!["burrow".to_owned()],
        related_files: vec!["src/burrow.rs".to_owned()],
        supersedes,
        provenance: Provenance { agent: Some("claude-code".to_owned()), ..Provenance::default() },
        ..new_memory(MemoryType::Note, title, content)
    }
}

/// Returns a text about wombats that is similar to no other, and of a length of its own: ties would be broken by the order in
/// which the index was filled.
pub(crate) fn words(random: &mut fastrand::Rng, number: usize) -> String {
    let mut text = "wombats".to_owned();
    for _ in 0..WORDS + number {
        text.push(' ');
        text.extend(std::iter::repeat_with(|| random.lowercase()).take(6));
    }
    text
}
