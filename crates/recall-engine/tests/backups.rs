//! What is restored is a backup, and a folder is not one.

use std::fs;

use recall_core::{Provenance, Scope};
use recall_engine::{BackupRequest, ExistingFile, RestoreError, RestoreMode, RestoreRequest, Trust};

use crate::support::Sandbox;

#[test]
fn a_folder_in_place_of_a_backup_is_reported_with_the_newest_backup_in_it() {
    let sandbox = Sandbox::with(&[("a.rs", "fn a() {}\n")]);
    let engine = sandbox.engine();
    let folder = sandbox.root().parent().expect("a folder").join("backups");
    fs::create_dir(&folder).expect("made");
    let newest = || {
        let request = RestoreRequest {
            file: folder.clone(),
            scope: Scope::All,
            mode: RestoreMode::DryRun,
            trust: Trust::No,
            provenance: Provenance::default(),
        };
        match engine.restore(&sandbox.origin(), &request) {
            Err(RestoreError::Folder { path, newest }) if path == folder => newest,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(newest(), None);
    let back_up = |name: &str| {
        let file = folder.join(name);
        let request = BackupRequest { file: file.clone(), scope: Scope::All, existing: ExistingFile::Keep };
        engine.backup(&sandbox.origin(), &request).expect("backed up");
        file
    };
    back_up("b.recall");
    let last = back_up("a.recall");
    // A backup does not become newer by being copied.
    fs::copy(folder.join("b.recall"), folder.join("c.recall")).expect("copied");
    fs::write(folder.join("notes.txt"), "no backup").expect("written");
    fs::create_dir(folder.join("d.recall")).expect("made");
    assert_eq!(newest(), Some(last));
}
