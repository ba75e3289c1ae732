//! What is checked before the first run.

use super::*;

#[track_caller]
fn refused(scene: &Scene, arguments: &[&str], code: i32, parts: &[&str]) {
    let outcome = scene.run(arguments);
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    for part in parts {
        assert!(outcome.stderr.contains(part), "{part}: {outcome:?}");
    }
    assert_eq!(scene.runs(), 0, "no agent ran");
}

#[test]
fn a_malformed_list_is_refused_with_its_mistakes() {
    let scene = Scene::new(r#"[{"id": "A", "title": "a", "depends_on": ["B"]}, {"id": "C"}]"#, &[]);
    let mistakes = ["PRD.json` is not a list of tasks", "task 2 (C): `title` is not a text on one line"];
    refused(&scene, &[], 2, &mistakes);
    refused(&scene, &["none.json"], 4, &["cannot read the list of tasks"]);
    scene.project.write("PRD.json", "{\"tasks\": [");
    refused(&scene, &[], 2, &["not JSON: EOF"]);
}

#[test]
fn a_missing_agent_is_refused() {
    let scene = Scene::new(one_task(), &[]);
    refused(&scene, &["--agent", "nonesuch -p"], 2, &["the agent's program `nonesuch` does not exist", "loop.agent"]);
    refused(&scene, &["--agent", "./bin/nonesuch"], 2, &["`./bin/nonesuch` does not exist"]);
    refused(&scene, &["--agent", "'x"], 2, &["is not a line of a shell"]);
}

#[test]
fn changes_of_the_user_are_not_committed_unasked() {
    let scene = Scene::new(one_task(), &["echo T1 done"]);
    scene.project.write("src/a.rs", "fn a() { mine() }\n");
    scene.project.write("new.txt", "mine");
    scene.project.write("PROMPT.md", "Work.\n");
    refused(&scene, &[], 4, &["2 changes are not committed: src/a.rs, new.txt", "--allow-dirty"]);
    assert_eq!(scene.summary(&["--no-commit"], 0)["passing"], json!(["T1"]));
    assert_eq!(scene.messages(), ["Begin"]);
    assert_eq!(scene.prompt(1), "# Task T1: Only\n\nWork.\n");
}

#[test]
fn uncommitted_changes_become_part_of_the_first_commit_if_asked_for() {
    let scene = Scene::new(one_task(), &["echo T1 done"]);
    scene.project.write("new.txt", "mine");
    scene.summary(&["--allow-dirty"], 0);
    assert_eq!(scene.git(&["show", "--format=", "--name-only"]), "PRD.json\nnew.txt\nwork.txt");
}

#[test]
fn without_a_repository_it_runs_only_if_nothing_is_committed() {
    let scene = Scene::new(one_task(), &["echo T1 done"]);
    fs::remove_dir_all(scene.project.path(".git")).expect("removed");
    refused(&scene, &[], 2, &["is not in a git repository", "--no-commit"]);
    scene.summary(&["--no-commit"], 0);
}

#[test]
fn a_repository_for_the_files_of_another_folder_is_refused() {
    let scene = Scene::new(one_task(), &[]);
    let private = scene.sandbox.path().join("private");
    fs::create_dir(&private).expect("made");
    fs::write(private.join("customers.txt"), "x").expect("written");
    scene.git(&["config", "core.worktree", private.to_str().expect("text")]);
    let outcome = scene.run(&[]);
    assert_eq!((outcome.code, scene.runs()), (Some(4), 0), "{outcome:?}");
    let told = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(told.contains("for the files of another folder") && !told.contains("customers"), "{told}");
    scene.git(&["config", "--unset", "core.worktree"]);
    fs::write(scene.project.path(".git/objects/info/alternates"), private.to_str().expect("text")).expect("written");
    refused(&scene, &[], 4, &["objects of another repository"]);
}

#[test]
fn a_repository_inside_the_work_tree_is_left_alone() {
    let scene = Scene::new(one_task(), &["git init --quiet inner && echo x > inner/x.txt; echo T1 done"]);
    scene.summary(&[], 0);
    assert_eq!(scene.git(&["show", "--format=", "--name-only"]), "PRD.json\nwork.txt");
}

#[test]
fn nothing_is_read_through_a_link_or_from_a_pipe() {
    let scene = Scene::new(one_task(), &[]);
    let private = scene.sandbox.path().join("private.txt");
    fs::write(&private, "SECRET of another project").expect("written");
    let prompt = scene.project.path("PROMPT.md");
    std::os::unix::fs::symlink(&private, &prompt).expect("linked");
    refused(&scene, &["--allow-dirty"], 4, &["PROMPT.md", "is a symbolic link"]);
    let make_pipe = |path: &Path| {
        fs::remove_file(path).expect("removed");
        assert!(Command::new("mkfifo").arg(path).status().expect("run").success());
    };
    make_pipe(&prompt);
    refused(&scene, &["--allow-dirty"], 4, &["PROMPT.md", "is not a regular file"]);
    fs::remove_file(&prompt).expect("removed");
    let list = scene.project.path("PRD.json");
    let outside = scene.sandbox.path().join("outside.json");
    fs::rename(&list, &outside).expect("moved");
    std::os::unix::fs::symlink(&outside, &list).expect("linked");
    refused(&scene, &["--allow-dirty"], 2, &["PRD.json` is a link that leads out of the project"]);
    make_pipe(&list);
    refused(&scene, &["--allow-dirty"], 4, &["PRD.json", "is not a regular file"]);
}

#[test]
fn a_link_in_place_of_the_loops_folder_is_refused() {
    let scene = Scene::new(one_task(), &[]);
    let elsewhere = scene.sandbox.path().join("elsewhere");
    fs::create_dir(&elsewhere).expect("made");
    std::os::unix::fs::symlink(&elsewhere, scene.project.path(".ralph")).expect("linked");
    refused(&scene, &[], 4, &["cannot use the loop's folder", "symbolic link"]);
    assert_eq!(fs::read_dir(&elsewhere).expect("there").count(), 0);
}
