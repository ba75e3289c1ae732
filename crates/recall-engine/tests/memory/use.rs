//! Feedback on items.

use recall_core::{AddMemory, Feedback, ItemId, PathFilter, RateItem, Repeats, Scope, Trust, UpdateMemory, Verdict};
use recall_engine::{Engine, FeedbackReport, Hit, ListRequest, ListSort, MemoryError, Said};

use super::{add, agent, found, lesson, with_others};
use crate::support::{Sandbox, request};

fn rate(sandbox: &Sandbox, engine: &Engine, item: ItemId, verdict: Verdict) -> Result<FeedbackReport, MemoryError> {
    let feedback = Feedback { verdict, note: None };
    engine.rate_item(&sandbox.origin(), &RateItem { item, feedback, provenance: agent() })
}

#[test]
fn feedback_is_counted_changes_the_order_and_survives_a_restart() {
    let sandbox = with_others(&[]);
    let engine = sandbox.engine();
    let force = |memory: AddMemory| AddMemory { repeats: Repeats::Accept, ..memory };
    add(&sandbox, &engine, &force(lesson("About wombats", "Here wombats dig their burrows by night in spring.")));
    add(&sandbox, &engine, &force(lesson("About wombats", "Here wombats by night in spring dig their burrows.")));
    let before = found(&sandbox, &engine, "wombats");
    assert_eq!(before.len(), 2);
    let last = ItemId::Memory(before[1]);
    for _ in 0..5 {
        rate(&sandbox, &engine, last, Verdict::Useful).expect("kept");
        rate(&sandbox, &engine, ItemId::Memory(before[0]), Verdict::NotUseful).expect("kept");
    }
    let stats = rate(&sandbox, &engine, last, Verdict::Useful).expect("kept").stats;
    assert_eq!((stats.useful, stats.not_useful, stats.usefulness), (6, 0, Some(1.0)));
    let after = sandbox.search(&engine, "wombats");
    let hit = after.hits.iter().find(|hit| hit.memory.is_some()).expect("a memory");
    let first = hit.memory.as_ref().expect("a memory");
    assert_eq!((first.memory.id, first.trust), (before[1], Trust::Medium));
    let priors = &hit.explanation.as_ref().expect("explained").priors;
    assert!(priors.iter().any(|factor| factor.name == "usefulness" && factor.value > 1.0), "{priors:?}");
    engine.close();
    let again = sandbox.search(&sandbox.engine(), "wombats");
    assert_eq!(again.hits.iter().find_map(|hit| hit.memory.as_ref()), hit.memory.as_ref());
}

#[test]
fn feedback_changes_the_order_of_code_and_prose_too() {
    for (first, second, text) in [
        ("src/a.rs", "src/b.rs", "/// Digs a burrow.\npub fn dig_burrow() {\n    NAME.dig()\n}\n"),
        ("docs/a.md", "docs/b.md", "# Burrows NAME\n\nTo dig a burrow, dig deep with NAME.\n"),
    ] {
        let sandbox = with_others(&[]);
        sandbox.write(first, &text.replace("NAME", "north"));
        sandbox.write(second, &text.replace("NAME", "south"));
        // Scores are standardised over the candidates: with two candidates, any difference would have the same size.
        for n in 0..10 {
            let others = format!("To dig {n} holes is no way to a burrow of {n} rooms.");
            sandbox.write(&format!("src/o{n}.rs"), &format!("/// {others}\nfn hole_{n}() {{ dig(); }}\n"));
            sandbox.write(&format!("docs/o{n}.md"), &format!("# Holes {n}\n\n{others}\n"));
        }
        let engine = sandbox.engine();
        let order = || {
            let answer = sandbox.search(&engine, "dig burrow");
            let hits = answer.hits.into_iter().filter(|hit| [first, second].contains(&hit.document.path.as_str()));
            hits.collect::<Vec<_>>()
        };
        let before = order();
        let (up, down) = (before[1].document.id, before[0].document.id);
        assert!(before.iter().all(|hit| !has_prior(hit)), "nothing was said");
        for _ in 0..40 {
            rate(&sandbox, &engine, ItemId::Chunk(before[1].id), Verdict::Useful).expect("kept");
            rate(&sandbox, &engine, ItemId::Document(down), Verdict::NotUseful).expect("kept");
        }
        let after = order();
        assert_eq!((after[0].document.id, after[1].document.id), (up, down), "{first}");
        assert!(has_prior(&after[0]) && has_prior(&after[1]));
        let odds = |hit: &Hit| hit.score / (1.0 - hit.score);
        let moved = (odds(&after[0]) / odds(&before[1])) / (odds(&after[1]) / odds(&before[0]));
        assert!(moved > 1.0 && moved <= 4.0 + 1e-6, "bounded: {moved}");
        engine.close();
        let engine = sandbox.engine();
        let again = sandbox.search(&engine, "dig burrow").hits.into_iter().find(|hit| hit.document.id == up);
        assert!(again.is_some_and(|hit| has_prior(&hit)), "it outlives the engine");
    }
}

fn has_prior(hit: &Hit) -> bool {
    let priors = hit.explanation.iter().flat_map(|explanation| &explanation.priors);
    priors.into_iter().any(|factor| factor.name == "usefulness")
}

#[test]
fn items_that_seldom_help_are_flagged_in_the_listing() {
    let sandbox =
        Sandbox::with(&[("src/a.rs", "fn wombat() {}\n"), ("src/b.rs", "fn badger() {}\n"), ("c.md", "# C\n")]);
    let engine = sandbox.engine();
    let id = add(&sandbox, &engine, &lesson("Wombats", "They dig."));
    let listed = |path: Option<&str>, said| {
        let request = ListRequest {
            scope: Scope::All,
            types: Vec::new(),
            languages: Vec::new(),
            tags: Vec::new(),
            path: path.map(|path| PathFilter(path.to_owned())),
            since: None,
            before: None,
            said,
            sort: ListSort::Path,
            offset: 0,
            limit: 100,
        };
        let listing = engine.list(&sandbox.origin(), &request).expect("a listing");
        assert_eq!(listing.total, listing.documents.len() as u64);
        listing.documents.iter().map(|listed| listed.document.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(listed(None, Said::Flagged), [""; 0]);
    for _ in 0..10 {
        sandbox.search(&engine, "wombat");
    }
    let wombat = sandbox.search(&engine, "wombat").hits.into_iter().find(|hit| hit.memory.is_none()).expect("a file");
    let stats = rate(&sandbox, &engine, ItemId::Chunk(wombat.id), Verdict::NotUseful).expect("kept").stats;
    assert_eq!((stats.counts.retrievals, stats.is_flagged), (11, true));
    rate(&sandbox, &engine, ItemId::Memory(id), Verdict::Outdated).expect("kept");
    assert_eq!(listed(None, Said::Flagged), [id.to_string().as_str(), "src/a.rs"]);
    assert_eq!(listed(Some("src"), Said::Flagged), ["src/a.rs"]);
    assert_eq!(listed(Some("src"), Said::Anything), ["src/a.rs", "src/b.rs"]);
    assert_eq!(listed(Some("src/b*"), Said::Anything), ["src/b.rs"]);
    assert_eq!(listed(Some("*.md"), Said::Anything), ["c.md"]);
    assert_eq!(listed(Some("sr"), Said::Anything), [""; 0]);
    let amend = UpdateMemory {
        id,
        title: Some("Wombats of today".to_owned()),
        content: None,
        tags: None,
        cues: None,
        related_files: None,
        expected: None,
        provenance: agent(),
        valid: recall_core::WordedTime::default(),
    };
    engine.update_memory(&sandbox.origin(), &amend).expect("amended");
    assert_eq!(listed(None, Said::Flagged), ["src/a.rs"]);
    engine.close();
    let engine = sandbox.engine();
    let stats = engine.rate_item(
        &sandbox.origin(),
        &RateItem {
            item: ItemId::Document(wombat.document.id),
            feedback: Feedback { verdict: Verdict::Useful, note: None },
            provenance: agent(),
        },
    );
    assert_eq!(stats.expect("kept").stats.counts.retrievals, 11, "counts are kept where the engine is closed");
}

#[test]
fn documents_and_chunks_can_be_rated_and_unknown_items_cannot() {
    let sandbox = Sandbox::with(&[("a.rs", "fn wombat() {}\n")]);
    let engine = sandbox.engine();
    let hit = engine.search(&sandbox.origin(), &request("wombat")).expect("an answer").hits.remove(0);
    let stats = rate(&sandbox, &engine, ItemId::Chunk(hit.id), Verdict::Useful).expect("kept").stats;
    assert_eq!(stats.useful, 1);
    let stats = rate(&sandbox, &engine, ItemId::Document(hit.document.id), Verdict::Outdated).expect("kept").stats;
    assert!(stats.is_flagged);
    let id = add(&sandbox, &engine, &lesson("Burrows", "They are deep."));
    let part = sandbox.search(&engine, "burrows deep").hits.remove(0);
    assert_eq!(rate(&sandbox, &engine, ItemId::Chunk(part.id), Verdict::Useful).expect("kept").stats.useful, 1);
    let stats = rate(&sandbox, &engine, ItemId::Memory(id), Verdict::Useful).expect("kept").stats;
    assert_eq!(stats.useful, 2, "a part of a memory stands for it");
    let unknown = "L-00000000".parse().expect("an id");
    assert!(matches!(rate(&sandbox, &engine, unknown, Verdict::Useful), Err(MemoryError::NotFound { .. })));
    let repeats = Verdict::Duplicate { of: unknown };
    assert!(matches!(rate(&sandbox, &engine, ItemId::Chunk(hit.id), repeats), Err(MemoryError::NotFound { .. })));
    let told = engine.status(&sandbox.origin(), Scope::Project, 0).expect("told");
    assert_eq!(told.stores[0].memories, 1);
}
