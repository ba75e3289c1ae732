use std::collections::BTreeMap;
use std::fs;

use super::*;
use crate::document::Format;
use crate::place::System;
use crate::table::agents;

const SHIM: &str = "/opt/bin/recall-shim";

/// A user with an empty home folder.
struct User {
    root: tempfile::TempDir,
    folders: Folders,
    variables: ServerVariables,
}

impl User {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let home = root.path().join("home");
        fs::create_dir(&home).expect("made");
        let folders = Folders { system: System::Linux, home, variables: BTreeMap::new() };
        Self { root, folders, variables: ServerVariables::new() }
    }

    fn registrar(&self) -> Registrar<'_> {
        Registrar { folders: &self.folders, on_path: &|_| None, variables: &self.variables }
    }

    fn ledger(&self) -> Ledger {
        Ledger::open(&self.root.path().join("state")).expect("usable")
    }

    fn write(&self, agent: &Agent, text: &str) {
        let file = agent.user_file(&self.folders);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(file, text).expect("written");
    }

    fn text(&self, agent: &Agent) -> Option<String> {
        fs::read_to_string(agent.user_file(&self.folders)).ok()
    }

    fn register(&self, agent: &'static Agent, shim: &str) -> Option<Change> {
        let mut ledger = self.ledger();
        let change = self.registrar().register(agent, &Target::User, shim, &ledger).expect("usable");
        if let Some(change) = &change {
            change.make(&mut ledger).expect("made");
        }
        change
    }

    /// Registers the hooks, and returns how many files were changed.
    fn register_hooks(&self, agent: &'static Agent, recall: &str) -> usize {
        let mut ledger = self.ledger();
        let changes = self.registrar().register_hooks(agent, recall, &ledger).expect("usable");
        for change in &changes {
            change.make(&mut ledger).expect("made");
        }
        changes.len()
    }

    fn unregister(&self, agent: &'static Agent) -> usize {
        let mut ledger = self.ledger();
        let changes = self.registrar().unregister(agent, &Target::User, &ledger).expect("usable");
        for change in &changes {
            change.make(&mut ledger).expect("made");
        }
        changes.len()
    }

    /// Everything below the home folder.
    fn files(&self) -> Vec<PathBuf> {
        fn below(folder: &Path) -> Vec<PathBuf> {
            let entries = folder.read_dir().expect("readable").map(|entry| entry.expect("readable").path());
            entries
                .flat_map(|path| if path.is_dir() { [vec![path.clone()], below(&path)].concat() } else { vec![path] })
                .collect()
        }
        below(&self.folders.home)
    }
}

fn theirs(agent: &Agent) -> String {
    let section = agent.section;
    match agent.format {
        Format::Json => format!(
            "// mine\n{{\n  \"a\": 1.50,\n  \"{section}\": {{\n    \"other\": {{\"command\": \"x\"}} // y\n  }}\n}}\n"
        ),
        Format::Toml => format!("# mine\na = 1.50\n\n[{section}.other] # y\ncommand = 'x'\n"),
        Format::Yaml => format!("# mine\na: 1.50\n{section}:\n    # y\n    other:\n        cmd: 'x'\n"),
    }
}

#[test]
fn every_agent_gets_one_entry_and_its_file_is_restored_byte_by_byte() {
    for agent in agents() {
        for before in [None, Some(String::new()), Some(theirs(agent))] {
            let user = User::new();
            if let Some(text) = &before {
                user.write(agent, text);
            }
            let files = user.files();
            assert!(user.register(agent, SHIM).is_some(), "{}", agent.name);
            let text = user.text(agent).expect("written");
            let entry = agent.format.entry(&text, agent.section, NAME).expect("valid");
            assert_eq!(entry, Some(agent.shape.entry(SHIM, &user.variables)), "{}: {text}", agent.name);
            assert_eq!(user.register(agent, SHIM), None, "{}: a second time", agent.name);
            // Another program's path replaces the entry, and the undo still returns to the start.
            assert!(user.register(agent, "/new/recall-shim").is_some(), "{}", agent.name);
            assert_eq!(user.text(agent).expect("written").matches("recall-shim").count(), 1, "{}", agent.name);
            assert_eq!(user.unregister(agent), 1, "{}", agent.name);
            assert_eq!(user.text(agent), before, "{}", agent.name);
            assert_eq!(user.files(), files, "{}: nothing else is left", agent.name);
            assert_eq!(user.ledger().records(), [], "{}", agent.name);
        }
    }
}

#[test]
fn what_others_changed_meanwhile_stays() {
    for agent in agents() {
        let user = User::new();
        user.write(agent, &theirs(agent));
        user.register(agent, SHIM);
        let text = user.text(agent).expect("written").replace("1.50", "2.50");
        user.write(agent, &text);
        assert_eq!(user.unregister(agent), 1, "{}", agent.name);
        assert_eq!(user.text(agent), Some(theirs(agent).replace("1.50", "2.50")), "{}", agent.name);
        assert_eq!(user.unregister(agent), 0, "{}", agent.name);
    }
}

#[test]
fn an_entry_that_is_not_recorded_is_removed_too() {
    for agent in agents() {
        let user = User::new();
        user.write(agent, &theirs(agent));
        user.register(agent, SHIM);
        fs::remove_file(user.root.path().join("state/registrations.json")).expect("removed");
        assert_eq!(user.unregister(agent), 1, "{}", agent.name);
        assert_eq!(user.text(agent), Some(theirs(agent)), "{}", agent.name);
    }
}

#[test]
fn a_file_that_recall_made_and_others_used_stays() {
    let user = User::new();
    let agent = agent("cursor").expect("known");
    user.register(agent, SHIM);
    user.write(agent, "{\"mcpServers\":{\"recall\":{\"command\":\"/opt/bin/recall-shim\"},\"b\":{}}}");
    assert_eq!(user.unregister(agent), 1);
    let text = user.text(agent).expect("kept");
    assert_eq!(Format::Json.value(&text), Ok(serde_json::json!({"mcpServers": {"b": {}}})));
}

/// The agents whose hooks are entries in a file of the vendor, or are files of recall's own.
fn agents_with_hooks(are_own_files: bool) -> impl Iterator<Item = &'static Agent> {
    agents()
        .iter()
        .filter(move |agent| agent.hooks.is_some_and(|hooks| hooks.contract.has_own_files() == are_own_files))
}

#[test]
fn hooks_and_the_server_in_one_file_are_undone_in_turn() {
    for agent in agents_with_hooks(false) {
        let user = User::new();
        let hook_file = agent.hook_files(&user.folders).pop().expect("hooks");
        let theirs = "{\n  // mine\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}], \"stop\": [{\"command\": \"y\"}]}\n}\n";
        fs::create_dir_all(hook_file.parent().expect("a folder")).expect("made");
        fs::write(&hook_file, theirs).expect("written");
        let files = user.files();
        user.register(agent, SHIM);
        assert_eq!(user.register_hooks(agent, "/opt/bin/recall"), 1, "{}", agent.name);
        assert_eq!(user.register_hooks(agent, "/opt/bin/recall"), 0, "{}: a second time", agent.name);
        assert_eq!(user.register_hooks(agent, "/new/recall"), 1, "{}", agent.name);
        let text = fs::read_to_string(&hook_file).expect("readable");
        assert!(!text.contains("/opt/bin/recall ") && text.contains("// mine"), "{text}");
        assert_eq!(user.unregister(agent), 2, "{}", agent.name);
        assert_eq!(fs::read_to_string(&hook_file).expect("readable"), theirs, "{}", agent.name);
        assert_eq!(user.files(), files, "{}", agent.name);
    }
}

#[test]
fn hooks_are_undone_after_others_changed_their_file() {
    for agent in agents_with_hooks(false) {
        let user = User::new();
        let hook_file = agent.hook_files(&user.folders).pop().expect("hooks");
        assert_eq!(user.register_hooks(agent, "/opt/bin/recall"), 1, "{}", agent.name);
        assert_eq!(agent.has_hooks(&user.folders), Some(true), "{}", agent.name);
        let text = fs::read_to_string(&hook_file).expect("readable");
        fs::write(&hook_file, format!("{text}\n\n")).expect("written");
        assert_eq!(user.unregister(agent), 1, "{}", agent.name);
        assert_eq!(user.files(), Vec::<PathBuf>::new(), "{}: recall made all of it", agent.name);
        // What somebody else wrote into it stays.
        assert_eq!(user.register_hooks(agent, "/opt/bin/recall"), 1, "{}", agent.name);
        let theirs = fs::read_to_string(&hook_file).expect("readable").replacen('{', "{\"mine\": 1,", 1);
        fs::write(&hook_file, theirs).expect("written");
        assert_eq!(user.unregister(agent), 1, "{}", agent.name);
        let rest = Format::Json.value(&fs::read_to_string(&hook_file).expect("readable")).expect("valid");
        assert_eq!((&rest["mine"], rest.get("hooks")), (&serde_json::json!(1), None), "{}: {rest}", agent.name);
    }
}

#[test]
fn files_of_recall_s_own_are_written_and_removed_as_a_whole() {
    for agent in agents_with_hooks(true) {
        let user = User::new();
        let files = agent.hook_files(&user.folders);
        assert_eq!(user.register_hooks(agent, "/a b/recall"), files.len(), "{}", agent.name);
        assert_eq!(user.register_hooks(agent, "/a b/recall"), 0, "{}: a second time", agent.name);
        assert!(files.iter().all(|file| fs::read_to_string(file).is_ok_and(|text| text.contains("/a b/recall"))));
        // Another version of recall wrote other hooks.
        fs::write(&files[0], "// Written by `recall mcp install`, long ago.").expect("written");
        assert_eq!(user.register_hooks(agent, "/a b/recall"), 1, "{}", agent.name);
        assert_eq!(user.unregister(agent), files.len(), "{}", agent.name);
        assert_eq!((user.files(), user.ledger().records()), (Vec::new(), &[][..]), "{}", agent.name);

        fs::create_dir_all(files[0].parent().expect("a folder")).expect("made");
        fs::write(&files[0], "mine, not recall's").expect("written");
        let refused = user.registrar().register_hooks(agent, "/a b/recall", &user.ledger());
        assert!(matches!(refused, Err(RegisterError::NotOurs { .. })), "{}: {refused:?}", agent.name);
        assert_eq!(user.unregister(agent), 0, "{}", agent.name);
        assert_eq!(fs::read_to_string(&files[0]).expect("kept"), "mine, not recall's", "{}", agent.name);
    }
}

#[test]
fn agents_that_read_the_same_file_share_its_hooks() {
    for (one, other) in [("copilot", "vscode"), ("cline", "cline-cli")] {
        let user = User::new();
        let [one, other] = [one, other].map(|name| agent(name).expect("known"));
        let count = one.hook_files(&user.folders).len();
        assert_eq!(user.register_hooks(one, "/opt/bin/recall"), count);
        assert_eq!(user.register_hooks(other, "/opt/bin/recall"), 0);
        assert_eq!(user.unregister(other), count, "{}", other.name);
        assert_eq!((user.unregister(one), user.files()), (0, Vec::new()), "{}", one.name);
    }
}

#[cfg(unix)]
#[test]
fn scripts_can_be_executed() {
    use std::os::unix::fs::PermissionsExt as _;

    let user = User::new();
    let cline = agent("cline").expect("known");
    user.register_hooks(cline, "/opt/bin/recall");
    for file in cline.hook_files(&user.folders) {
        assert_eq!(file.metadata().expect("written").permissions().mode() & 0o777, 0o700, "{}", file.display());
    }
    let windows = Folders { system: System::Windows, ..user.folders.clone() };
    assert_eq!(cline.has_hooks(&windows), None, "they are not PowerShell's");
}

#[test]
fn rules_get_a_block_and_are_restored_byte_by_byte() {
    for agent in agents() {
        let user = User::new();
        let Some(file) = agent.rules_file(&user.folders) else { continue };
        let register = || {
            let mut ledger = user.ledger();
            let change = user.registrar().register_rules(agent, &ledger).expect("usable");
            change.map(|change| change.make(&mut ledger).expect("made")).is_some()
        };
        assert!(register() && !register() && agent.has_rules(&user.folders) == Some(true), "{}", agent.name);
        assert_eq!((user.unregister(agent), user.files()), (1, Vec::new()), "{}", agent.name);

        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        let mine = "# Mine\n\nAlways test.";
        fs::write(&file, mine).expect("written");
        assert!(register());
        assert_eq!(user.unregister(agent), 1, "{}", agent.name);
        assert_eq!(fs::read_to_string(&file).expect("kept"), mine, "{}", agent.name);
        assert!(register());
        let text = fs::read_to_string(&file).expect("readable");
        fs::write(&file, format!("{text}More.\n")).expect("written");
        assert_eq!((user.unregister(agent), user.unregister(agent)), (1, 0), "{}", agent.name);
        assert_eq!(fs::read_to_string(&file).expect("kept"), format!("{mine}\nMore.\n"), "{}", agent.name);
    }
}

#[test]
fn a_server_of_that_name_is_left_alone() {
    let user = User::new();
    let agent = agent("claude-code").expect("known");
    let text = "{\"mcpServers\":{\"recall\":{\"command\":\"npx\",\"args\":[\"total-recall\"]}}}";
    user.write(agent, text);
    let refused = user.registrar().register(agent, &Target::User, SHIM, &user.ledger());
    assert!(matches!(refused, Err(RegisterError::Taken { .. })), "{refused:?}");
    assert_eq!(user.unregister(agent), 0);
    assert_eq!(user.text(agent).as_deref(), Some(text));
}

#[test]
fn a_broken_file_is_not_touched() {
    for agent in agents() {
        let user = User::new();
        let broken = match agent.format {
            Format::Json => "{\"a\": ",
            Format::Toml => "a = ",
            Format::Yaml => "a: [",
        };
        user.write(agent, broken);
        let refused = user.registrar().register(agent, &Target::User, SHIM, &user.ledger());
        assert!(matches!(refused, Err(RegisterError::Document { .. })), "{}: {refused:?}", agent.name);
        assert_eq!(user.text(agent).as_deref(), Some(broken), "{}", agent.name);
    }
}

#[test]
fn a_change_of_another_program_after_the_plan_is_noticed() {
    let user = User::new();
    let agent = agent("zed").expect("known");
    user.write(agent, "{}");
    let mut ledger = user.ledger();
    let change = user.registrar().register(agent, &Target::User, SHIM, &ledger).expect("usable").expect("a change");
    user.write(agent, "{\"a\": 1}");
    let refused = change.make(&mut ledger);
    assert!(matches!(refused, Err(RegisterError::Meanwhile { .. })), "{refused:?}");
    assert_eq!(user.text(agent).as_deref(), Some("{\"a\": 1}"));
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_home_folder_and_refused_outside() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let user = User::new();
    let agent = agent("claude-code").expect("known");
    let link = agent.user_file(&user.folders);
    let inside = user.folders.home.join("dotfiles.json");
    let outside = user.root.path().join("shared.json");
    for file in [&inside, &outside] {
        fs::write(file, "{}").expect("written");
        fs::set_permissions(file, fs::Permissions::from_mode(0o640)).expect("own file");
    }
    symlink(&inside, &link).expect("linked");
    user.register(agent, SHIM);
    assert!(link.is_symlink() && fs::read_to_string(&inside).expect("readable").contains(SHIM));
    assert_eq!(inside.metadata().expect("exists").permissions().mode() & 0o777, 0o640);
    assert_eq!(user.unregister(agent), 1);
    assert_eq!(fs::read_to_string(&inside).expect("readable"), "{}");

    for target in [outside.clone(), user.root.path().join("nothing"), user.root.path().to_owned()] {
        fs::remove_file(&link).expect("removed");
        symlink(&target, &link).expect("linked");
        let refused = user.registrar().register(agent, &Target::User, SHIM, &user.ledger());
        assert!(refused.is_err(), "{target:?}");
    }
    assert_eq!(fs::read_to_string(&outside).expect("readable"), "{}");

    // A folder that is a link leads out as well.
    let cursor = crate::table::agent("cursor").expect("known");
    symlink(user.root.path(), user.folders.home.join(".cursor")).expect("linked");
    let refused = user.registrar().register(cursor, &Target::User, SHIM, &user.ledger());
    assert!(matches!(refused, Err(RegisterError::LinkOut { .. })), "{refused:?}");
}

#[cfg(unix)]
#[test]
fn a_read_only_file_and_a_pipe_are_refused() {
    use std::os::unix::fs::PermissionsExt as _;

    let user = User::new();
    let agent = agent("kiro").expect("known");
    user.write(agent, "{}");
    fs::set_permissions(agent.user_file(&user.folders), fs::Permissions::from_mode(0o444)).expect("own file");
    let mut ledger = user.ledger();
    let change = user.registrar().register(agent, &Target::User, SHIM, &ledger).expect("usable").expect("a change");
    assert!(matches!(change.make(&mut ledger), Err(RegisterError::ReadOnly { .. })));
    drop(ledger);

    let agent = crate::table::agent("junie").expect("known");
    let file = agent.user_file(&user.folders);
    fs::create_dir_all(&file).expect("made");
    let refused = user.registrar().register(agent, &Target::User, SHIM, &user.ledger());
    assert!(matches!(refused, Err(RegisterError::NotAFile { .. })), "{refused:?}");
}

#[test]
fn a_project_has_its_own_file() {
    let user = User::new();
    let project = user.root.path().join("project");
    fs::create_dir(&project).expect("made");
    for agent in agents() {
        let target = Target::Project(project.clone());
        let mut ledger = user.ledger();
        let planned = user.registrar().register(agent, &target, "recall-shim", &ledger);
        let Some(file) = agent.project_file(&project) else {
            assert!(matches!(planned, Err(RegisterError::NoProjectFile { .. })), "{}", agent.name);
            continue;
        };
        planned.expect("usable").expect("a change").make(&mut ledger).expect("made");
        let text = fs::read_to_string(&file).expect("written");
        assert!(text.contains("\"recall-shim\""), "{}: {text}", agent.name);
        let record = ledger.records()[0].clone();
        let change = user.registrar().undo(&record, &ledger).expect("usable").expect("a change");
        change.make(&mut ledger).expect("made");
        assert_eq!(project.read_dir().expect("readable").count(), 0, "{}", agent.name);
    }
}

#[test]
fn the_variables_of_the_server_travel_with_the_entry_of_the_user() {
    for agent in agents() {
        let mut user = User::new();
        assert!(user.register(agent, SHIM).is_some(), "{}", agent.name);
        user.variables.insert("RECALL_HOME".to_owned(), "/data/my recall".to_owned());
        assert!(user.register(agent, SHIM).is_some(), "{}: an entry without them is replaced", agent.name);
        assert_eq!(user.register(agent, SHIM), None, "{}", agent.name);
        let text = user.text(agent).expect("written");
        let entry = agent.format.entry(&text, agent.section, NAME).expect("valid");
        assert_eq!(entry, Some(agent.shape.entry(SHIM, &user.variables)), "{}: {text}", agent.name);
        assert_eq!(user.unregister(agent), 1, "{}", agent.name);
    }
    // Other users of a project have other folders.
    let user = User { variables: [("RECALL_HOME".to_owned(), "/data".to_owned())].into(), ..User::new() };
    let agent = agent("cursor").expect("known");
    let root = user.root.path().join("project");
    fs::create_dir(&root).expect("made");
    let change = user.registrar().register(agent, &Target::Project(root), SHIM, &user.ledger()).expect("usable");
    let Some(How::Edit(_, Some(after))) = change.as_ref().map(Change::how) else { panic!("{change:?}") };
    assert!(!after.contains("RECALL_HOME"), "{after}");
}

#[test]
fn a_command_of_the_vendor_that_takes_no_variables_is_not_used_for_them() {
    let user = User { variables: [("RECALL_HOME".to_owned(), "/data".to_owned())].into(), ..User::new() };
    let on_path = |name: &str| Some(PathBuf::from("/opt/bin").join(name));
    let registrar = Registrar { on_path: &on_path, ..user.registrar() };
    for (name, is_run) in [("claude-code", true), ("codex", false)] {
        let agent = agent(name).expect("known");
        let change = registrar.register(agent, &Target::User, SHIM, &user.ledger()).expect("usable").expect("new");
        assert_eq!(matches!(change.how(), How::Vendor(_)), is_run, "{name}");
    }
}
