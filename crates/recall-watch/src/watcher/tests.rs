use std::fs;

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

/// A watched root with some directories.
struct Place {
    folder: tempfile::TempDir,
    watch: Watch,
}

/// Runs a test with watches of either reach. Of a tree, inotify watches each directory, and reports the same events.
fn with_either_reach(test: impl Fn(Place)) {
    [Reach::Directory, Reach::Tree].map(Place::new).into_iter().for_each(test);
}

impl Place {
    fn new(reach: Reach) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(folder.path().join("root/a/b")).expect("directories");
        fs::write(folder.path().join("root/a/b/kept.rs"), "one").expect("a file");
        let watcher = Arc::new(Watcher::reaching(reach, &folder.path().join("markers")).expect("a watcher"));
        let watch = watcher.watch(&folder.path().join("root"), 100);
        let place = Self { folder, watch };
        place.scan();
        place.scan();
        assert!(!place.is_changed());
        place
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("root").join(path)
    }

    /// Does what the engine does: lists the files and watches the directories found.
    fn scan(&self) {
        self.watch.begin_scan(Part::Files);
        self.watch.follow(Part::Files, &directories(&self.path("")));
    }

    fn is_changed(&self) -> bool {
        matches!(self.watch.changes(PATIENCE), Changes::Seen { files: true, .. })
    }

    /// Makes each change, and checks that it is seen and that the next scans settle.
    fn sees(&self, changes: &[(&str, &dyn Fn())]) {
        for (what, change) in changes {
            change();
            assert!(self.is_changed(), "{what} was not seen");
            assert!(self.scans() <= 2, "{what}");
        }
    }

    /// Scans until nothing has changed, as searches do. Returns the number of scans.
    fn scans(&self) -> usize {
        (1..9)
            .find(|_| {
                self.scan();
                !self.is_changed()
            })
            .expect("the root settles")
    }
}

fn directories(path: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::from([path.components().collect::<PathBuf>()]);
    for entry in fs::read_dir(path).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(directories(&path));
        }
    }
    found
}

#[test]
fn every_change_is_seen_by_a_later_call() {
    let place = Place::new(Reach::Directory);
    let changes: [(&str, &dyn Fn()); 8] = [
        ("a new file", &|| fs::write(place.path("new.rs"), "x").expect("written")),
        ("an edit", &|| fs::write(place.path("a/b/kept.rs"), "two").expect("written")),
        ("a rename over", &|| fs::rename(place.path("new.rs"), place.path("a/b/kept.rs")).expect("renamed")),
        ("a new directory", &|| fs::create_dir(place.path("a/c")).expect("made")),
        ("a directory moved", &|| fs::rename(place.path("a/b"), place.path("a/c/b")).expect("moved")),
        ("a deletion", &|| fs::remove_file(place.path("a/c/b/kept.rs")).expect("removed")),
        ("a directory deleted", &|| fs::remove_dir_all(place.path("a/c")).expect("removed")),
        ("its parent, too", &|| fs::remove_dir(place.path("a")).expect("removed")),
    ];
    place.sees(&changes);
}

/// Without directories that are moved: their events have old names for a moment, which is so with inotify alone.
#[test]
fn every_change_in_a_tree_is_seen_by_a_later_call() {
    let place = Place::new(Reach::Tree);
    let changes: [(&str, &dyn Fn()); 6] = [
        ("a new file", &|| fs::write(place.path("new.rs"), "x").expect("written")),
        ("an edit", &|| fs::write(place.path("a/b/kept.rs"), "two").expect("written")),
        ("a rename over", &|| fs::rename(place.path("new.rs"), place.path("a/b/kept.rs")).expect("renamed")),
        ("a new directory", &|| fs::create_dir(place.path("a/c")).expect("made")),
        ("a deletion", &|| fs::remove_file(place.path("a/b/kept.rs")).expect("removed")),
        ("a directory deleted", &|| fs::remove_dir(place.path("a/b")).expect("removed")),
    ];
    place.sees(&changes);
}

#[test]
fn reading_is_not_a_change() {
    with_either_reach(|place| {
        assert_eq!(fs::read(place.path("a/b/kept.rs")).expect("a file"), b"one");
        assert_eq!(fs::read_dir(place.path("a")).expect("a directory").count(), 1);
        assert!(!place.is_changed());
    });
}

#[test]
fn a_new_directory_counts_as_changed_once_it_is_watched() {
    with_either_reach(|place| {
        fs::create_dir(place.path("late")).expect("made");
        assert!(place.is_changed());
        place.watch.begin_scan(Part::Files);
        let found = directories(&place.path(""));
        // Written after the directory was listed and before it was watched.
        fs::write(place.path("late/new.rs"), "x").expect("written");
        place.watch.follow(Part::Files, &found);
        assert!(place.is_changed());
    });
}

#[test]
fn a_directory_that_replaced_another_is_watched() {
    let place = Place::new(Reach::Directory);
    fs::remove_dir_all(place.path("a/b")).expect("removed");
    fs::create_dir(place.path("a/b")).expect("made");
    place.scans();
    fs::write(place.path("a/b/new.rs"), "x").expect("written");
    assert!(place.is_changed());
    place.scans();
    // The same with a renamed directory and those below it.
    fs::create_dir_all(place.path("z/b")).expect("made");
    place.scans();
    fs::rename(place.path("a"), place.path("y")).expect("renamed");
    fs::rename(place.path("z"), place.path("a")).expect("renamed");
    place.scans();
    for file in ["a/b/1.rs", "y/b/2.rs"] {
        fs::write(place.path(file), "x").expect("written");
        assert!(place.is_changed(), "{file}");
        place.scans();
    }
}

#[test]
fn journals_are_a_separate_part() {
    with_either_reach(|place| {
        fs::create_dir_all(place.path(".recall/day")).expect("made");
        place.scans();
        place.watch.begin_scan(Part::Journals);
        let days = BTreeSet::from([place.path(".recall/day")]);
        place.watch.follow(Part::Journals, &days);
        place.watch.follow(Part::Files, &BTreeSet::from([place.path("a")]));
        place.watch.begin_scan(Part::Files);
        place.watch.begin_scan(Part::Journals);
        fs::write(place.path(".recall/day/memories.jsonl"), "{}").expect("written");
        assert_eq!(place.watch.changes(PATIENCE), Changes::Seen { files: false, journals: true });
    });
}

#[test]
fn roots_that_share_directories_are_independent() {
    with_either_reach(|place| {
        let inner = place.watch.watcher.watch(&place.path("a"), 100);
        inner.begin_scan(Part::Files);
        inner.follow(Part::Files, &directories(&place.path("a")));
        inner.begin_scan(Part::Files);
        fs::write(place.path("outside.rs"), "x").expect("written");
        let is_changed = |watch: &Watch| matches!(watch.changes(PATIENCE), Changes::Seen { files: true, .. });
        assert!(is_changed(&place.watch) && !is_changed(&inner));
        place.scans();
        drop(inner);
        fs::write(place.path("a/b/kept.rs"), "x").expect("written");
        assert!(place.is_changed(), "the directory is watched while any root needs it");
    });
}

#[test]
fn too_many_directories_are_not_watched() {
    with_either_reach(|place| {
        (0..100).for_each(|number| fs::create_dir(place.path(&format!("a/{number}"))).expect("made"));
        place.scan();
        assert_eq!(place.watch.changes(PATIENCE), Changes::Unknown);
        assert!(place.watch.problem().is_some_and(|problem| problem.contains("limits.watched_directories")));
        assert_eq!(place.watch.directories(), 0);
        fs::remove_dir_all(place.path("a")).expect("removed");
        place.scans();
        assert_eq!(place.watch.changes(PATIENCE), Changes::Seen { files: false, journals: true });
    });
}

#[test]
fn many_readers_may_call_at_once() {
    with_either_reach(|place| {
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let place = &place;
                scope.spawn(move || {
                    for round in 0..50 {
                        let path = place.path(&format!("a/{thread}-{round}"));
                        fs::write(path, "x").expect("written");
                        assert!(place.is_changed());
                    }
                });
            }
        });
    });
}

#[test]
fn a_directory_that_nobody_depends_on_does_not_count() {
    with_either_reach(|place| {
        fs::create_dir_all(place.path("ignored/deep")).expect("made");
        assert!(place.is_changed());
        place.watch.begin_scan(Part::Files);
        let all = directories(&place.path(""));
        let wanted = all.into_iter().filter(|directory| !directory.starts_with(place.path("ignored"))).collect();
        place.watch.follow(Part::Files, &wanted);
        place.is_changed();
        place.watch.begin_scan(Part::Files);
        fs::write(place.path("ignored/deep/log"), "x").expect("written");
        assert!(!place.is_changed());
        fs::write(place.path("a/b/kept.rs"), "x").expect("written");
        assert!(place.is_changed());
    });
}

#[test]
fn an_event_outside_of_all_trees_changes_everything() {
    let place = Place::new(Reach::Tree);
    // The system names the tree otherwise than its watch did.
    place.watch.watcher.shared.directories.change(Path::new("/Root/a/b/kept.rs"), false);
    assert!(place.is_changed());
}

#[test]
fn another_tree_changes_everything_and_its_end_too() {
    let place = Place::new(Reach::Tree);
    let trees = |place: &Place| place.watch.watcher.shared.directories.trees();
    let outer = place.folder.path().join("other");
    fs::create_dir(&outer).expect("made");
    let other = place.watch.watcher.watch(&outer, 100);
    other.follow(Part::Files, &BTreeSet::from([outer]));
    assert_eq!(trees(&place), 2);
    assert!(place.is_changed(), "what happened while the stream restarted is lost");
    place.scans();
    drop(other);
    assert_eq!(trees(&place), 1);
    assert!(place.is_changed());
}
