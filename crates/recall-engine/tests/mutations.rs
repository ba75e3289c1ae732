//! Random changes of index files: a search returns the same answers as before, and the process never crashes.
//!
//! The variable `RECALL_TEST_MUTATIONS` sets the number of changes per file.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recall_core::Scope;
use recall_engine::{EmbeddingModel, Engine};
use recall_models::BuiltIn;

use crate::support::{Sandbox, request};

/// The default number of changes per file: enough to find fundamental errors in a run of all tests.
const MUTATIONS: usize = 3;

/// The queries of every damaged index: by a word, by a name, by embeddings only, and by a path.
const QUESTIONS: [&str; 4] = ["how is the ledger opened", "open_ledger", "automobile", "docs/cars.md"];

fn engine(sandbox: &Sandbox) -> Engine {
    sandbox.engine_with(Some(EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) }))
}

/// A closed store with code, prose and complete embeddings.
fn indexed() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("src/ledger.rs", "/// Opens the ledger.\npub fn open_ledger() -> Ledger {\n    read_pages()\n}\n"),
        ("src/pages.rs", "pub fn read_pages() -> Ledger {\n    Ledger::default()\n}\n"),
        ("docs/cars.md", "# Cars\n\nA mechanic repairs the motor of a vehicle.\n"),
        ("docs/ledger.md", "# Ledger\n\nThe ledger is opened by `open_ledger`, page by page.\n"),
    ]);
    let engine = engine(&sandbox);
    sandbox.index(&engine);
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
    engine.close();
    sandbox
}

/// Collects the files of a folder with their bytes.
fn files(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        if entry.path().is_dir() {
            files(&entry.path(), found);
        } else {
            found.push((entry.path(), fs::read(entry.path()).expect("readable")));
        }
    }
    found.sort();
}

/// Replaces the content of a folder with these files.
fn lay(folder: &Path, files: &[(PathBuf, Vec<u8>)]) {
    fs::remove_dir_all(folder).expect("removed");
    for (path, bytes) in files {
        fs::create_dir_all(path.parent().expect("below")).expect("a folder");
        fs::write(path, bytes).expect("written");
    }
}

/// Returns the places and texts of the hits of each query. They are sorted, since the order may be without embeddings for a moment.
fn answers(sandbox: &Sandbox, engine: &Engine) -> Vec<Vec<(String, String)>> {
    let ask = |question: &&str| {
        let answer = engine.search(&sandbox.origin(), &request(question)).expect("an answer");
        let mut hits: Vec<_> = answer.hits.into_iter().map(|hit| (hit.citation(), hit.text)).collect();
        hits.sort();
        hits
    };
    QUESTIONS.iter().map(ask).collect()
}

/// Damages a file in one of the ways in which files are damaged.
fn mutate(bytes: &mut Vec<u8>, rng: &mut fastrand::Rng) {
    let length = bytes.len();
    if length == 0 {
        bytes.extend((0..=rng.usize(..64)).map(|_| rng.u8(..)));
        return;
    }
    let range = |rng: &mut fastrand::Rng| {
        let start = rng.usize(..length);
        start..(start + 1 + rng.usize(..4096)).min(length)
    };
    match rng.u8(..5) {
        0 => (0..=rng.usize(..8)).for_each(|_| bytes[rng.usize(..length)] ^= 1 << rng.u8(..8)),
        1 => bytes.truncate(rng.usize(..length)),
        2 => bytes[range(rng)].fill(0),
        3 => bytes[range(rng)].fill_with(|| rng.u8(..)),
        _ => bytes.extend_from_within(range(rng)),
    }
}

#[test]
fn a_changed_file_of_an_index_changes_no_answer() {
    let mutations = std::env::var("RECALL_TEST_MUTATIONS").ok().and_then(|number| number.parse().ok());
    let mutations: usize = mutations.unwrap_or(MUTATIONS);
    let sandbox = indexed();
    let stores = fs::read_dir(sandbox.home().join("stores")).expect("readable");
    let folder = stores.flatten().next().expect("one store").path().join("index");
    let mut whole = Vec::new();
    files(&folder, &mut whole);
    assert!(whole.iter().any(|(path, _)| path.to_string_lossy().contains("vectors")), "{whole:?}");
    let before = engine(&sandbox);
    before.settle(&sandbox.origin(), Scope::Project).expect("settled");
    let expected = answers(&sandbox, &before);
    assert!(expected.iter().all(|hits| !hits.is_empty()), "{expected:?}");
    before.close();

    let mut rng = fastrand::Rng::with_seed(4);
    for (path, bytes) in &whole {
        for number in 0..mutations {
            lay(&folder, &whole);
            let mut damaged = bytes.clone();
            while damaged == *bytes {
                mutate(&mut damaged, &mut rng);
            }
            fs::write(path, damaged).expect("written");
            let engine = engine(&sandbox);
            // A damage that is noticed is repaired; until the embeddings are complete again, searches use words.
            answers(&sandbox, &engine);
            let what = format!("change {number} of {}", path.display());
            engine.settle(&sandbox.origin(), Scope::Project).unwrap_or_else(|error| panic!("{what}: {error:?}"));
            let found = answers(&sandbox, &engine);
            engine.close();
            assert_eq!(found, expected, "{what}");
        }
    }
}

/// Damages bytes without changing their number.
fn garble(bytes: &mut [u8], rng: &mut fastrand::Rng) {
    let start = rng.usize(..bytes.len());
    let end = (start + 1 + rng.usize(..4096)).min(bytes.len());
    match rng.u8(..3) {
        0 => (0..=rng.usize(..8)).for_each(|_| bytes[rng.usize(..bytes.len())] ^= 1 << rng.u8(..8)),
        1 => bytes[start..end].iter_mut().for_each(|byte| *byte = !*byte),
        _ => bytes.iter_mut().for_each(|byte| *byte ^= 0x5A),
    }
}

#[test]
fn a_file_that_is_changed_under_an_open_index_changes_no_answer() {
    let sandbox = indexed();
    let stores = fs::read_dir(sandbox.home().join("stores")).expect("readable");
    let folder = stores.flatten().next().expect("one store").path().join("index");
    let engine = engine(&sandbox);
    let settled = || {
        answers(&sandbox, &engine);
        engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
        answers(&sandbox, &engine)
    };
    let expected = settled();
    let mut rng = fastrand::Rng::with_seed(7);
    let is_garbled = |path: &Path| {
        let is_lexical = path.parent().is_some_and(|above| above.ends_with("lexical"));
        let is_base = path.extension().is_some_and(|end| end == "vectors");
        let name = path.file_name().expect("a file").to_string_lossy();
        // A lock file has no content to damage, and the seal is read only when the index is opened.
        (is_lexical && !name.ends_with(".lock") && name != "seal") || is_base || name == "catalog.db"
    };
    for round in 0..2 {
        let mut whole = Vec::new();
        files(&folder, &mut whole);
        whole.retain(|(path, bytes)| is_garbled(path) && !bytes.is_empty());
        assert!(whole.len() > 5, "{whole:?}");
        for (path, bytes) in whole {
            let mut garbled = bytes.clone();
            while garbled == bytes {
                garble(&mut garbled, &mut rng);
            }
            // Files that were quarantined and rebuilt have other names.
            if !path.exists() {
                continue;
            }
            if round == 0 {
                let file = fs::File::options().write(true).open(&path).expect("there");
                std::io::Write::write_all(&mut &file, &garbled).expect("written");
            } else {
                let beside = folder.join("beside");
                fs::write(&beside, &garbled).expect("written");
                fs::rename(&beside, &path).expect("renamed");
            }
            assert_eq!(settled(), expected, "round {round}: {}", path.display());
        }
    }
    engine.close();
}

#[test]
fn replacing_an_open_catalog_by_an_older_one_changes_no_answer() {
    let sandbox = indexed();
    let stores = fs::read_dir(sandbox.home().join("stores")).expect("readable");
    let catalog = stores.flatten().next().expect("one store").path().join("index/catalog.db");
    let earlier = fs::read(&catalog).expect("there");
    let engine = engine(&sandbox);
    sandbox.write("docs/cars.md", "# Cars\n\nAn electrician repairs the motor of a vehicle.\n");
    sandbox.write("docs/boats.md", "# Boats\n\nA shipwright repairs the hull.\n");
    answers(&sandbox, &engine);
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
    let expected = answers(&sandbox, &engine);
    assert!(expected.iter().all(|hits| !hits.is_empty()), "{expected:?}");
    fs::write(catalog.with_extension("new"), &earlier).expect("written");
    fs::rename(catalog.with_extension("new"), &catalog).expect("renamed");
    answers(&sandbox, &engine);
    engine.settle(&sandbox.origin(), Scope::Project).expect("settled");
    assert_eq!(answers(&sandbox, &engine), expected);
    engine.close();
}
