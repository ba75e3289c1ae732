//! Backups while clients write.

use std::sync::atomic::{AtomicBool, Ordering};

use recall_tests::sandbox;

use super::{json_of, path, remember, zoo};

/// The number of backups.
const BACKUPS: usize = 4;

/// The number of clients that remember at once.
const CLIENTS: usize = 2;

#[test]
fn a_backup_has_every_memory_that_was_acknowledged_before_it_began() {
    let sandbox = sandbox!();
    let project = zoo(&sandbox);
    remember(&sandbox, &project, "The first memory of the zoo.", "project");
    let (ended, acknowledged) = (AtomicBool::new(false), std::sync::Mutex::new(Vec::new()));
    let mut backups = Vec::new();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (sandbox, project, ended, acknowledged) = (&sandbox, &project, &ended, &acknowledged);
            scope.spawn(move || {
                for number in 0.. {
                    if ended.load(Ordering::SeqCst) {
                        return;
                    }
                    let store = if number % 3 == 2 { "global" } else { "project" };
                    let text = format!("Keeper {client} saw animal number {number} at gate {}.", number * 7 + client);
                    let id = remember(sandbox, project, &text, store);
                    acknowledged.lock().expect("no panic").push(id);
                }
            });
        }
        for number in 0..BACKUPS {
            let known = acknowledged.lock().expect("no panic").len();
            // Some memories come between two backups.
            recall_testkit::wait_until("further memories", || {
                (acknowledged.lock().expect("no panic").len() > known + 1).then_some(())
            });
            let before = acknowledged.lock().expect("no panic").clone();
            let file = path(&sandbox, &format!("{number}.tar.gz"));
            json_of(&sandbox, &project, &["backup", &file]);
            backups.push((file, before));
        }
        ended.store(true, Ordering::SeqCst);
    });
    for (file, before) in backups {
        let there = sandbox!();
        let copy = zoo(&there);
        let restored = json_of(&there, &copy, &["restore", &file, "--trust"]);
        assert_eq!(restored["conflicts"].as_array().map(Vec::len), Some(0), "{restored}");
        assert!(before.len() >= 2);
        for id in before {
            let memory = json_of(&there, &copy, &["get", &id])["memory"].clone();
            assert_eq!(memory["ownership"], "own", "{memory}");
        }
        let doctor = json_of(&there, &copy, &["doctor"]);
        assert_eq!(doctor["findings"].as_array().map(Vec::len), Some(0), "{doctor}");
    }
}
