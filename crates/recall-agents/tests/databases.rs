//! Databases with the real schemas are read, whatever state they are in, and are left as they are.

use std::fs;

use recall_agents::foreign::{Item, ReadError};
use recall_core::{ForeignKind, MemoryType, SessionEventType, StoreScope};

use crate::support::{Folder, bytes_below, memories, read, reasons, sessions};

#[test]
fn recall_v0_has_items_with_ratings_and_a_flight_recorder() {
    let folder = Folder::new();
    let items = read(ForeignKind::RecallV0, &folder.database("v0.db", include_str!("schemas/recall-v0.sql")));
    let memories = memories(&items);
    assert_eq!(memories.len(), 3);
    let retry = memories.iter().find(|memory| memory.id == "P-1a2b3c4d").expect("read");
    assert_eq!(
        (retry.memory_type, retry.tags.as_slice()),
        (Some(MemoryType::Pattern), ["network".to_owned()].as_slice())
    );
    assert_eq!(retry.created.map(|time| time.0), Some(1_709_287_200_000_000_000));
    assert!(retry.feedback[0].useful && retry.feedback[0].note.as_deref() == Some("fixed the flake"));
    assert_eq!(memories[1].belongs.scope, Some(StoreScope::Global));
    assert_eq!(memories[2].belongs.project.as_deref(), Some("/somewhere/else"));
    let sessions = sessions(&items);
    let types: Vec<_> = sessions[0].events.iter().map(|event| event.details.event_type).collect();
    assert_eq!((sessions.len(), types), (1, vec![SessionEventType::Decision, SessionEventType::Milestone]));
    assert_eq!(sessions[0].events[0].details.rationale.as_deref(), Some("numbats thundered"));
}

#[test]
fn codex_has_provenance_and_leaves_chunks_of_files_out() {
    let folder = Folder::new();
    let items = read(ForeignKind::EdiCodex, &folder.database("codex.db", include_str!("schemas/codex.sql")));
    let memories = memories(&items);
    let ids: Vec<_> = memories.iter().map(|memory| &*memory.id).collect();
    assert_eq!(ids, ["D-aaaa0001", "F-aaaa0002", "R-aaaa0003", "C-aaaa0006"]);
    let numbat = memories[0];
    assert_eq!(numbat.origin.session.as_deref(), Some("edi-7"));
    assert_eq!((numbat.origin.branch.as_deref(), numbat.origin.commit.as_deref()), (Some("main"), Some("abc1234")));
    assert_eq!(numbat.belongs.project.as_deref(), Some("shop"));
    assert!(numbat.created.is_some() && numbat.files.is_empty() && !numbat.feedback[0].useful);
    // A runbook is a pattern, and broken JSON in a column costs that column only.
    assert_eq!(
        (memories[2].memory_type, memories[2].tags.as_slice()),
        (Some(MemoryType::Pattern), ["runbook".to_owned()].as_slice())
    );
    assert_eq!(reasons(&items), [("DERIVED", 2)]);
    assert_eq!(sessions(&items)[0].events.len(), 2);
}

#[test]
fn claude_mem_has_observations_directives_and_summaries() {
    let folder = Folder::new();
    let items = read(ForeignKind::ClaudeMem, &folder.database("claude-mem.db", include_str!("schemas/claude-mem.sql")));
    let memories = memories(&items);
    assert_eq!(memories.len(), 3);
    let cache = memories[0];
    assert_eq!((&*cache.id, cache.memory_type), ("mem-1/1", Some(MemoryType::Failure)));
    assert_eq!(cache.files, ["src/retry.rs", "src/other.rs"]);
    assert_eq!(cache.tags, ["caching", "bugfix"]);
    assert!(cache.content.contains("never warmed") && cache.content.contains("- echidnas are cached by name"));
    assert_eq!(cache.origin.session.as_deref(), Some("claude-1"));
    assert_eq!(memories[2].content, "Always name marsupials in full.");
    assert_eq!(reasons(&items), [("DELETED", 1), ("NO_PLACE", 1)]);
    let [session] = sessions(&items)[..] else { panic!("one session") };
    let summary = session.summary.as_deref().expect("one");
    assert_eq!((&*session.id, session.goal.as_deref()), ("claude-1", Some("make echidnas fast")));
    assert!(summary.contains("warm the cache first") && summary.contains("twice as fast"), "{summary}");
}

#[test]
fn mem0_is_read_from_openmemory_from_its_history_and_from_an_export() {
    let folder = Folder::new();
    let items = read(ForeignKind::Mem0, &folder.database("openmemory.db", include_str!("schemas/openmemory.sql")));
    let [kangaroo] = memories(&items)[..] else { panic!("one memory") };
    assert_eq!(
        (kangaroo.tags.as_slice(), kangaroo.origin.agent.as_deref()),
        (["preferences".to_owned()].as_slice(), Some("cursor"))
    );
    assert_eq!(reasons(&items), [("DELETED", 1)]);

    let items = read(ForeignKind::Mem0, &folder.database("history.db", include_str!("schemas/mem0-history.sql")));
    let [possum] = memories(&items)[..] else { panic!("one memory") };
    assert_eq!((&*possum.id, &*possum.content), ("m1", "Likes ringtail possums"));
    assert_eq!(reasons(&items), [("DELETED", 1)]);

    let export = r#"{"results": [
        {"id": "01234567-89ab-cdef-0123-456789abcdef", "memory": "Prefers kangaroo-case", "created_at": "2025-06-01T10:00:00-07:00", "categories": ["x"]},
        {"memory": "no id"}]}"#;
    let items = read(ForeignKind::Mem0, &folder.file("export.json", export));
    assert_eq!(memories(&items)[0].id, kangaroo.id, "an export and the database name a memory alike");
    assert_eq!(reasons(&items), [("UNREADABLE", 1)]);
}

#[test]
fn basic_memory_is_read_from_its_database_as_from_its_notes() {
    let folder = Folder::new();
    let items = read(ForeignKind::BasicMemory, &folder.database("memory.db", include_str!("schemas/basic-memory.sql")));
    let [coffee] = memories(&items)[..] else { panic!("one memory") };
    assert_eq!((&*coffee.id, &*coffee.title), ("food/coffee", "Coffee for koalas"));
    assert_eq!(coffee.content, "- [fact] Koalas sleep through espresso (tested)\n- pairs_with [[Eucalyptus]]\n");
    assert_eq!(reasons(&items), [("NO_PLACE", 1)]);

    let note = "---\ntitle: Coffee for koalas\npermalink: food/coffee\ntype: decision\ntags: [a, b]\n---\n\n# Coffee\n\nText.\n";
    folder.file("notes/food/coffee.md", note);
    let items = read(ForeignKind::BasicMemory, &folder.path().join("notes"));
    let [coffee] = memories(&items)[..] else { panic!("one memory") };
    assert_eq!((&*coffee.id, coffee.memory_type), ("food/coffee", Some(MemoryType::Decision)));
    assert_eq!((coffee.tags.len(), &*coffee.content), (2, "# Coffee\n\nText."));
}

#[test]
fn a_database_that_another_program_writes_is_read_and_left_as_it_is() {
    let folder = Folder::new();
    let path = folder.database("codex.db", include_str!("schemas/codex.sql"));
    let writer = rusqlite::Connection::open(&path).expect("opened");
    writer
        .execute_batch(
            "PRAGMA wal_autocheckpoint = 0;
             INSERT INTO items VALUES ('N-1', 'context', 'In the log', 'Only the log has this.', NULL, 'project', NULL, NULL, '2025-01-01', '2025-01-01');
             BEGIN EXCLUSIVE;
             INSERT INTO items VALUES ('N-2', 'context', 'Uncommitted', 'Nobody has this.', NULL, 'project', NULL, NULL, '2025-01-01', '2025-01-01');",
        )
        .expect("written");
    let before = bytes_below(folder.path());
    assert!(before.contains_key("codex.db-wal"), "{:?}", before.keys());
    let items = read(ForeignKind::EdiCodex, &path);
    let titles: Vec<_> = memories(&items).iter().map(|memory| &*memory.title).collect();
    assert!(titles.contains(&"In the log") && !titles.contains(&"Uncommitted"), "{titles:?}");
    assert_eq!(bytes_below(folder.path()), before);
}

#[test]
fn no_file_appears_next_to_a_database() {
    for (kind, schema) in [
        (ForeignKind::EdiCodex, include_str!("schemas/codex.sql")),
        (ForeignKind::RecallV0, include_str!("schemas/recall-v0.sql")),
    ] {
        let folder = Folder::new();
        let path = folder.database("a.db", schema);
        let before = bytes_below(folder.path());
        assert_eq!(before.len(), 1, "{:?}", before.keys());
        read(kind, &path);
        assert_eq!(bytes_below(folder.path()), before);
    }
}

#[test]
fn what_is_not_the_database_is_rejected_with_what_was_expected_and_found() {
    let folder = Folder::new();
    let codex = folder.database("codex.db", include_str!("schemas/codex.sql"));
    let v0 = folder.database("v0.db", include_str!("schemas/recall-v0.sql"));
    let other = folder.database("other.db", "CREATE TABLE animals (name TEXT); CREATE VIEW items AS SELECT 1 AS id;");
    let text = folder.file("text.db", "not a database at all");
    let empty = folder.file("empty.db", "");
    let mut bytes = fs::read(&v0).expect("readable");
    bytes.truncate(bytes.len() / 2);
    fs::write(folder.path().join("cut.db"), &bytes).expect("written");
    bytes[16..100].fill(0xff);
    fs::write(folder.path().join("broken.db"), &bytes).expect("written");
    let newer = folder
        .database("newer.db", &format!("{} UPDATE schema_version SET version = 9;", include_str!("schemas/codex.sql")));
    for (kind, path, expected) in [
        (ForeignKind::EdiCodex, &text, "is not a SQLite database: its first bytes are not those of one"),
        (ForeignKind::EdiCodex, &empty, "is not a SQLite database: it is empty"),
        (ForeignKind::RecallV0, &codex, "is not a database of RECALL v0: it is a database of EDI's Codex"),
        (ForeignKind::EdiCodex, &v0, "is not a database of EDI's Codex: its table `items` has no column `metadata`"),
        (ForeignKind::ClaudeMem, &other, "has no table `observations`; its tables are animals"),
        (ForeignKind::EdiCodex, &other, "has no table `items`; its tables are animals"),
        (ForeignKind::Mem0, &codex, "has no table `history`"),
        (ForeignKind::EdiCodex, &newer, "has version 9 of its format; this recall reads up to 1"),
        (ForeignKind::RecallV0, &folder.path().join("cut.db"), "is damaged"),
        (ForeignKind::RecallV0, &folder.path().join("broken.db"), "is not a SQLite database"),
        (ForeignKind::RecallV0, &folder.path().join("none.db"), "does not exist"),
        (ForeignKind::RecallV0, &folder.path().to_owned(), "is not a file: it is not a regular file"),
    ] {
        let error = crate::support::error(kind, path).to_string();
        assert!(error.contains(expected) && error.contains(&*path.to_string_lossy()), "{error}");
    }
}

#[test]
fn a_value_beyond_the_limit_is_an_error_and_not_an_allocation() {
    let folder = Folder::new();
    let huge = "INSERT INTO items VALUES ('H-1', 'note', 'h', hex(zeroblob(10000000)), NULL, 'project', NULL, NULL, '2025-01-01', '2025-01-01');";
    let path = folder.database("codex.db", &format!("{}{huge}", include_str!("schemas/codex.sql")));
    assert!(matches!(crate::support::error(ForeignKind::EdiCodex, &path), ReadError::Damaged { .. }));
}

#[test]
fn a_reader_stops_when_its_sink_does() {
    let folder = Folder::new();
    let path = folder.database("codex.db", include_str!("schemas/codex.sql"));
    let mut items: Vec<Item> = Vec::new();
    crate::support::read_until(ForeignKind::EdiCodex, &path, |item| {
        items.push(item);
        items.len() < 2
    })
    .expect("read");
    assert_eq!(items.len(), 2);
}
