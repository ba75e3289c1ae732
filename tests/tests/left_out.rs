//! What of a project is in its index, and where a person or an agent is told about the rest.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use recall_testkit::{Outcome, Project};
use recall_tests::{Agent, Sandbox, sandbox};
use serde_json::Value;

fn git(at: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "core.excludesFile="]);
    assert!(git.args(arguments).current_dir(at).status().expect("git runs").success(), "{arguments:?}");
}

/// Commits everything in a project, ignored or not.
fn commit(project: &Project) {
    git(project.root(), &["init", "-q", "-b", "main"]);
    git(project.root(), &["add", "--all", "--force"]);
    git(project.root(), &["commit", "-q", "-m", "change"]);
}

/// Returns the paths of the results, best first.
fn paths(sandbox: &Sandbox, project: &Project, query: &str) -> Vec<String> {
    let Outcome { stdout, stderr, .. } = sandbox.recall(project, &["search", "--json", query]);
    let answer: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {stdout}{stderr}"));
    let path = |hit: &Value| hit["doc"]["path"].as_str().expect("a path").to_owned();
    answer["results"].as_array().expect("results").iter().map(path).collect()
}

#[track_caller]
fn finds(sandbox: &Sandbox, project: &Project, query: &str, path: &str) {
    assert_eq!(paths(sandbox, project, query).first().map(String::as_str), Some(path), "{query}");
}

#[test]
fn what_is_committed_is_found_in_any_folder_and_the_rest_of_the_folder_is_listed() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[(".gitignore", "conf/\n")]);
    let folders = ["src", "build", "target", "vendor", "dist", "conf", ".githooks", ".vscode", ".agents/skills/x"];
    let name = |folder: &str| folder.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    for folder in folders {
        project.write(&format!("{folder}/f.py"), format!("def heron_{}():\n    return 1\n", name(folder)));
    }
    commit(&project);
    for folder in folders {
        finds(&sandbox, &project, &format!("heron_{}", name(folder)), &format!("{folder}/f.py"));
    }
    let status = sandbox.recall(&project, &["status", "--failures"]).stdout;
    let left_out: Vec<&str> = status.lines().skip_while(|line| !line.contains("left out")).collect();
    for folder in ["build/", "conf/", ".githooks/"] {
        assert!(left_out.iter().any(|line| line.trim_start().starts_with(folder)), "{folder}: {status}");
    }
}

#[test]
fn what_the_user_ignores_in_every_repository_is_not_indexed() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[("priv/c.py", "def heron_priv():\n    return 1\n")]);
    project.write("scratch/a.py", "def heron_scratch():\n    return 1\n");
    git(project.root(), &["init", "-q"]);
    let home = sandbox.user_home();
    std::fs::create_dir_all(home.join(".config/git")).expect("a folder");
    std::fs::write(home.join(".config/git/ignore"), "priv/\n").expect("written");
    assert!(!paths(&sandbox, &project, "heron_priv").contains(&"priv/c.py".to_owned()));
    finds(&sandbox, &project, "heron_scratch", "scratch/a.py");
    // A search sees the change without a restart of the daemon.
    let other = home.join("ignored everywhere");
    std::fs::write(&other, "scratch/\n").expect("written");
    let config = format!("[core]\n\texcludesFile = \"{}\"\n", other.display());
    std::fs::write(home.join(".gitconfig"), config).expect("written");
    assert!(!paths(&sandbox, &project, "heron_scratch").contains(&"scratch/a.py".to_owned()));
    finds(&sandbox, &project, "heron_priv", "priv/c.py");
    let told = sandbox.recall(&project, &["get", "scratch/a.py"]).stderr;
    assert!(told.contains("ignored: `scratch/` in"), "{told}");
}

#[test]
fn a_source_file_above_a_mebibyte_is_found_and_said_to_be_large() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[("small.ts", "export const a = 1\n")]);
    let mut text = String::new();
    for number in 0..20_000 {
        let _ = write!(text, "export function filler{number}(x: number) {{\n    return x + {number};\n}}\n\n");
    }
    text.push_str("export function createHeronChecker(host: string) {\n    return host;\n}\n");
    assert!(text.len() > 1024 * 1024);
    project.write("checker.ts", text);
    finds(&sandbox, &project, "createHeronChecker", "checker.ts");
    assert!(sandbox.recall(&project, &["get", "checker.ts"]).stdout.contains("export function filler0("));
    let added = sandbox.recall(&project, &["add", "checker.ts"]);
    assert!(added.stdout.contains("1 large file in parts"), "{added:?}");
}

#[test]
fn a_file_that_is_too_large_is_named_by_every_command_and_tool() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[("small.ts", "export const a = 1\n")]);
    let config = sandbox.dirs().config.join("recall.toml");
    std::fs::create_dir_all(sandbox.dirs().config).expect("a folder");
    std::fs::write(config, "[limits]\nfile_bytes = \"1 KiB\"\n").expect("written");
    project.write("checker.ts", "export function createHeronChecker() {}\n".repeat(100));
    let reason = "too large: 3.9 KiB, the limit is 1.0 KiB (setting `limits.file_bytes`)";
    let search = sandbox.recall(&project, &["search", "createHeronChecker"]);
    assert!(search.stderr.contains("1 file is left out of the index: 1 too large"), "{search:?}");
    let exact = sandbox.recall(&project, &["search", "--exact", "const a"]);
    assert!(exact.stderr.contains(" · 1 file was not searched: `recall status --failures` · "), "{exact:?}");
    let get = sandbox.recall(&project, &["get", "checker.ts"]);
    assert!(get.code == Some(1) && get.stderr.contains(reason), "{get:?}");
    let add = sandbox.recall(&project, &["add", "checker.ts"]);
    assert!(add.stderr.contains(&format!("not indexed: {reason}")), "{add:?}");
    let status = sandbox.recall(&project, &["status"]).stdout;
    assert!(status.contains("left out     1 file: 1 too large; `recall status --failures` lists them"), "{status}");

    let mut agent = Agent::new(sandbox.start_shim(&project, &[]));
    let status = agent.ask("recall_status", serde_json::json!({}));
    assert!(status.contains("complete but for files that are left out"), "{status}");
    assert!(status.contains("left out: 1 file (1 too large)"), "{status}");
    let get = agent.ask("recall_get", serde_json::json!({"id": "checker.ts"}));
    assert!(get.contains(reason), "{get}");
    let search = agent.ask("recall_search", serde_json::json!({"query": "createHeronChecker"}));
    assert!(search.contains("1 file is left out of the index: 1 too large"), "{search}");
}

#[test]
fn a_notebook_of_many_pictures_is_found_by_its_code() {
    let sandbox = sandbox!();
    let project = sandbox.project("shop", &[]);
    let config = sandbox.dirs().config.join("recall.toml");
    std::fs::create_dir_all(sandbox.dirs().config).expect("a folder");
    std::fs::write(config, "[limits]\nfile_bytes = \"100 KiB\"\n").expect("written");
    let picture = "iVBORw0K".repeat(20_000);
    let cell = |number: u32| {
        serde_json::json!({
            "cell_type": "code", "execution_count": number, "metadata": {},
            "outputs": [{"output_type": "display_data", "data": {"image/png": picture}, "metadata": {}}],
            "source": [format!("def heron_feature_{number}(df):\n"), "    return df\n"],
        })
    };
    let cells: Vec<Value> = (0..4).map(cell).collect();
    let notebook = serde_json::json!({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
    project.write("eda.ipynb", notebook.to_string());
    finds(&sandbox, &project, "heron_feature_2", "eda.ipynb");
}
