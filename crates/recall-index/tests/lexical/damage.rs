//! Damaged files are reported, or change no result. They never cause a panic.

use std::fs;
use std::path::{Path, PathBuf};

use recall_core::{Candidate, Filters, Generation, understand};
use recall_index::lexical::{Lexical, LexicalOpenError};

use crate::fixture::{Doc, Store, definitions, doc};

fn store() -> Store {
    let docs: Vec<Doc> = (1..40)
        .map(|row| match row % 2 {
            0 => {
                definitions(row, &format!("src/m{row}/f{row}.rs"), &["open_store", "Store::close", &format!("n{row}")])
            }
            _ => doc(row, &format!("src/f{row}.rs"), &["lock page tree", &format!("node w{row} lock"), "disk"]),
        })
        .collect();
    let store = Store::of(&docs);
    store.commit(2, &[3, 4], &[doc(50, "docs/a.md", &["lock the page"])]);
    store.writer().finish().expect("sealed");
    store
}

/// The results of every kind of search. An error of any step is the error of all.
fn answers(dir: &Path) -> Result<(Generation, Vec<Vec<Candidate>>), String> {
    let lexical = Lexical::open(dir).map_err(|error| match error {
        LexicalOpenError::Damaged { .. } | LexicalOpenError::Outdated { .. } => "damaged".to_owned(),
        io @ LexicalOpenError::Io { .. } => panic!("damage was reported as an I/O error: {io:?}"),
    })?;
    let searcher = lexical.searcher();
    let mut lists = Vec::new();
    for query in ["lock page", "open_store", "Store::close", "src/f7.rs", "f7", "what is the w9"] {
        let understood = understand(query);
        for filters in [Filters::default(), understand("path:src/* lang:rust type:code").filters] {
            lists.push(searcher.lexical(&understood, &filters, 20).map_err(|_| "damaged")?);
            lists.push(searcher.symbols(&understood, &filters, 20).map_err(|_| "damaged")?);
            lists.push(searcher.paths(&understood, &filters, 20).map_err(|_| "damaged")?);
        }
    }
    Ok((lexical.generation(), lists))
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .expect("listed")
        .map(|entry| entry.expect("listed").path())
        .filter(|path| path.is_file() && !path.to_string_lossy().ends_with(".lock"))
        .collect();
    files.sort();
    files
}

fn copy(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().expect("a temporary folder");
    for file in files(from) {
        fs::copy(&file, to.path().join(file.file_name().expect("a file"))).expect("copied");
    }
    to
}

/// Damages one file of a copy of an index, and runs every search on the copy.
fn check(store: &Store, file: &Path, damage: impl FnOnce(&mut Vec<u8>)) -> Result<(), String> {
    let copy = copy(store.dir.path());
    let target = copy.path().join(file.file_name().expect("a file"));
    let mut bytes = fs::read(&target).expect("read");
    damage(&mut bytes);
    fs::write(&target, bytes).expect("written");
    let intact = answers(store.dir.path()).expect("the original is intact");
    let damaged = answers(copy.path())?;
    assert_eq!(damaged, intact, "{} was damaged without detection", file.display());
    Ok(())
}

#[test]
fn an_intact_copy_gives_the_same_results() {
    let store = store();
    check(&store, &store.dir.path().join("meta.json"), |_| ()).expect("nothing was damaged");
}

#[test]
fn a_flipped_byte_is_detected_or_harmless() {
    let store = store();
    let mut detected = 0;
    for file in files(store.dir.path()) {
        let len = fs::metadata(&file).expect("known").len() as usize;
        for step in 0..12 {
            let at = len * step / 12;
            detected += usize::from(check(&store, &file, |bytes| bytes[at] ^= 0x15).is_err());
        }
    }
    assert!(detected > 50, "{detected}");
}

#[test]
fn a_truncated_file_is_detected_or_harmless() {
    let store = store();
    for file in files(store.dir.path()) {
        for keep in [0, 1, 2, 3] {
            let cut = check(&store, &file, |bytes| bytes.truncate(bytes.len() * keep / 4));
            let is_derived = matches!(file.file_name().and_then(|name| name.to_str()), Some("seal"));
            assert_eq!(cut.is_err(), !is_derived, "{} cut to {keep}/4", file.display());
        }
    }
}

#[test]
fn a_missing_file_is_detected_or_harmless() {
    let store = store();
    let intact = answers(store.dir.path()).expect("intact");
    for file in files(store.dir.path()) {
        let copy = copy(store.dir.path());
        fs::remove_file(copy.path().join(file.file_name().expect("a file"))).expect("removed");
        let needed = !matches!(file.file_name().and_then(|name| name.to_str()), Some("seal" | ".managed.json"));
        match answers(copy.path()) {
            Ok(answers) => assert!(!needed && answers == intact, "{} is missing without detection", file.display()),
            Err(_) => assert!(needed, "{} is not needed", file.display()),
        }
    }
}

#[test]
fn garbage_for_a_list_of_segments_is_damage() {
    let store = store();
    for garbage in ["", "{}", "[]", "\0\0\0", "{\"segments\": 3}", "null"] {
        check(&store, &store.dir.path().join("meta.json"), |bytes| *bytes = garbage.as_bytes().to_vec())
            .expect_err("detected");
    }
}

#[test]
fn damage_hidden_from_the_seal_never_panics() {
    let store = store();
    for file in files(store.dir.path()) {
        let name = file.file_name().expect("a file");
        let len = fs::metadata(&file).expect("known").len() as usize;
        for step in 0..12 {
            let copy = copy(store.dir.path());
            drop(Lexical::open(copy.path()).expect("verified and sealed"));
            let target = copy.path().join(name);
            let time = fs::metadata(&target).and_then(|known| known.modified()).expect("known");
            let mut bytes = fs::read(&target).expect("read");
            bytes[(len * step / 12).min(len - 1)] ^= 1 << (step % 8);
            fs::write(&target, bytes).expect("written");
            fs::File::options().write(true).open(&target).and_then(|file| file.set_modified(time)).expect("dated back");
            // Whether it is detected depends on the meaning of the byte. This test only checks that it returns.
            let _ = answers(copy.path());
        }
    }
}

#[test]
fn an_index_of_another_format_is_outdated_not_damaged() {
    let store = store();
    let meta = store.dir.path().join("meta.json");
    let text = fs::read_to_string(&meta).expect("read");
    let start = text.find("recall-lexical ").expect("the payload");
    let end = start + text[start..].find('"').expect("its end");
    let head = "recall-lexical 4294967295 2";
    let sum = head
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    fs::write(&meta, format!("{}{head} {sum:016x}{}", &text[..start], &text[end..])).expect("written");
    let error = Lexical::open(store.dir.path()).expect_err("another format");
    assert!(matches!(error, LexicalOpenError::Outdated { found: u32::MAX, known: 8, .. }), "{error:?}");
}

#[test]
fn a_change_of_a_file_by_another_program_is_detected() {
    for change in ["overwritten", "replaced", "removed"] {
        let store = store();
        let dir = store.dir.path();
        let lexical = Lexical::open(dir).expect("opened");
        assert!(!lexical.is_disturbed());
        let segments = files(dir).into_iter().filter(|path| path.file_name().is_some_and(|name| name.len() > 32));
        for file in segments {
            let bytes = fs::read(&file).expect("there");
            let lexical = Lexical::open(dir).expect("opened");
            let before = fs::metadata(&file).and_then(|known| known.modified()).expect("a time");
            match change {
                "overwritten" => fs::write(&file, &bytes).expect("written"),
                "replaced" => {
                    fs::write(dir.join("new"), &bytes).expect("written");
                    fs::rename(dir.join("new"), &file).expect("renamed");
                }
                _ => fs::remove_file(&file).expect("removed"),
            }
            // The clock of the file system may not have advanced.
            if let Ok(open) = fs::File::options().write(true).open(&file) {
                open.set_modified(before + std::time::Duration::from_secs(1)).expect("set");
            }
            assert!(lexical.is_disturbed(), "{} was {change}", file.display());
            fs::write(&file, &bytes).expect("written");
        }
    }
}

#[test]
fn a_commit_is_not_a_disturbance() {
    let store = store();
    let lexical = Lexical::open(store.dir.path()).expect("opened");
    store.commit(3, &[5], &[doc(60, "docs/b.md", &["lock another page"])]);
    assert!(!lexical.is_disturbed());
    assert_eq!(lexical.generation(), Generation(3), "it is published");
}
