//! A memory about a file that git renamed and that was edited since.

use recall_core::{AddMemory, AnchorState, MemoryType, Scope};
use recall_engine::{ItemRequest, Parent};

use super::{commit, git, repository};
use crate::support::new_memory;

#[test]
fn a_file_that_was_renamed_and_edited_is_followed_by_its_similarity() {
    let sandbox = repository();
    let lines: Vec<String> = (0..30).map(|line| format!("setting_{line} = {line}\n")).collect();
    let text = |last: &str| lines.concat() + last;
    sandbox.write("settings.toml", &text(""));
    commit(&sandbox);
    let engine = sandbox.engine();
    sandbox.search(&engine, "setting");
    let memory = AddMemory {
        related_files: vec!["settings.toml".to_owned()],
        ..new_memory(MemoryType::Lesson, "Settings are read once", "A wombat that edits them has to restart.")
    };
    let id = engine.add_memory(&sandbox.origin(), &memory).expect("kept").id;
    let standing = || {
        let request = ItemRequest { id: id.to_string(), parent: Parent::Leave, scope: Scope::Project };
        let memory = engine.get(&sandbox.origin(), &request).expect("there").memory.expect("a memory");
        let moved = memory.verification.moved.iter().map(|file| file.to.as_str().to_owned()).collect::<Vec<_>>();
        (memory.verification.state, moved)
    };
    assert_eq!(standing(), (AnchorState::Verified, Vec::new()));
    std::fs::create_dir_all(sandbox.root().join("conf")).expect("a folder");
    assert!(git(&sandbox.root(), &["mv", "settings.toml", "conf/main.toml"]));
    assert_eq!(standing(), (AnchorState::Verified, vec!["conf/main.toml".to_owned()]));
    sandbox.write("conf/main.toml", &text("one_more = true\n"));
    commit(&sandbox);
    assert_eq!(standing(), (AnchorState::Changed, vec!["conf/main.toml".to_owned()]));
}
