//! `recall loop` with a scripted agent: tasks in order, questions to a person, errors, limits, interruption and resumption.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use recall_testkit::{Outcome, Project, wait_until};
use recall_tests::{Sandbox, sandbox};
use serde_json::{Value, json};

mod limits;
mod start;

/// Keeps its prompt, changes a file, and does what the script of its run says.
const AGENT: &str = "#!/bin/sh\nn=$(($(ls \"$HOME/seen\" | wc -l) + 1))\ncat > \"$HOME/seen/$n\"\necho \"run $n\" >> work.txt\n. \"$HOME/replies/$n\"\n";

const TWO_TASKS: &str = r#"{
    "project": "shop",
    "userStories": [
        {"id": "US-002", "title": "Second", "depends_on": ["US-001"], "passes": false, "notes": "kept"},
        {"id": "US-001", "title": "First", "acceptance_criteria": ["It works."], "passes": false}
    ]
}
"#;

/// A project with a repository, a list of tasks and a scripted agent.
struct Scene {
    sandbox: Sandbox,
    project: Project,
}

impl Scene {
    /// `replies` are the shell scripts of the agent's runs, in order.
    fn new(prd: &str, replies: &[&str]) -> Self {
        Self::with(sandbox!(), prd, replies)
    }

    fn with(sandbox: Sandbox, prd: &str, replies: &[&str]) -> Self {
        let home = sandbox.user_home();
        for folder in ["seen", "replies", "bin"] {
            fs::create_dir_all(home.join(folder)).expect("made");
        }
        for (at, reply) in replies.iter().enumerate() {
            fs::write(home.join("replies").join((at + 1).to_string()), reply).expect("written");
        }
        program(&home.join("bin/agent"), AGENT);
        let path = format!("{}:{}", home.join("bin").display(), std::env::var("PATH").expect("set"));
        let sandbox = sandbox.with_variable("PATH", &path).with_variable("RECALL_LOOP__AGENT", "agent");
        let project = sandbox.project("shop", &[("src/a.rs", "fn a() {}\n"), ("PRD.json", prd)]);
        let scene = Self { sandbox, project };
        scene.git(&["init", "--quiet", "--initial-branch=main"]);
        scene.git(&["config", "user.name", "A Person"]);
        scene.git(&["config", "user.email", "a@example.org"]);
        scene.git(&["add", "--all"]);
        scene.git(&["commit", "--quiet", "-m", "Begin"]);
        scene
    }

    #[track_caller]
    fn git(&self, arguments: &[&str]) -> String {
        let output = self.sandbox.command(Path::new("git"), self.project.root()).args(arguments).output().expect("git");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).expect("text").trim().to_owned()
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> Outcome {
        self.sandbox.recall(&self.project, &[&["loop"], arguments].concat())
    }

    /// Runs the loop and returns its summary.
    #[track_caller]
    fn summary(&self, arguments: &[&str], code: i32) -> Value {
        let outcome = self.run(&[&["--json"], arguments].concat());
        assert_eq!(outcome.code, Some(code), "{outcome:?}");
        serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
    }

    /// The prompt of a run.
    #[track_caller]
    fn prompt(&self, run: usize) -> String {
        fs::read_to_string(self.sandbox.user_home().join("seen").join(run.to_string())).expect("the agent ran")
    }

    fn runs(&self) -> usize {
        fs::read_dir(self.sandbox.user_home().join("seen")).expect("there").count()
    }

    fn messages(&self) -> Vec<String> {
        self.git(&["log", "--reverse", "--format=%s"]).lines().map(str::to_owned).collect()
    }

    /// Returns the id that a process has written to a file in the home; `None` until the line is whole.
    fn process(&self, name: &str) -> Option<String> {
        let line = fs::read_to_string(self.home(name)).ok()?;
        line.strip_suffix('\n').map(str::to_owned)
    }

    fn home(&self, path: &str) -> PathBuf {
        self.sandbox.user_home().join(path)
    }
}

fn program(path: &Path, text: &str) {
    fs::write(path, text).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("set");
}

fn one_task() -> &'static str {
    r#"[{"id": "T1", "title": "Only"}]"#
}

#[test]
fn two_dependent_tasks_are_done_in_order_and_committed() {
    let scene = Scene::new(TWO_TASKS, &["echo hello; echo task US-001 complete", "echo '**US-002** done.'"]);
    let outcome = scene.run(&["PRD.json"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stdout.starts_with("hello\ntask US-001 complete\n"), "the output is shown: {outcome:?}");
    assert!(outcome.stdout.ends_with("done: 2 of 2 tasks pass, 0 skipped, 0 open\n"), "{outcome:?}");
    assert_eq!(scene.messages(), ["Begin", "Complete US-001: First", "Complete US-002: Second"]);
    assert_eq!(scene.git(&["ls-files"]).matches(".ralph").count(), 0);
    assert_eq!(scene.git(&["show", "--format=", "--name-only", "HEAD~"]), "PRD.json\nwork.txt");
    let prd = fs::read_to_string(scene.project.path("PRD.json")).expect("readable");
    let expected: Value = serde_json::from_str(&TWO_TASKS.replace("false", "true")).expect("JSON");
    assert_eq!(serde_json::from_str::<Value>(&prd).expect("JSON"), expected);
    assert!(prd.starts_with("{\n    \"project\"") && prd.ends_with("}\n"), "{prd}");
    assert!(scene.prompt(1).starts_with("# Task US-001: First\n\n## Acceptance criteria\n\n- It works.\n"));
    assert!(scene.prompt(2).starts_with("# Task US-002: Second\n"));
    let output = scene.project.path(".ralph/output_1.txt");
    assert_eq!(fs::read_to_string(output).expect("kept"), "hello\ntask US-001 complete\n");

    let shown = scene.sandbox.recall(&scene.project, &["--json", "session", "list"]);
    let sessions: Value = serde_json::from_str(&shown.stdout).expect("JSON");
    let id = sessions["results"][0]["id"].as_str().expect("the loop's session");
    assert_eq!(sessions["results"][0]["state"], "ended", "{sessions}");
    let shown = scene.sandbox.recall(&scene.project, &["session", "show", id, "--type", "milestone"]);
    assert!(shown.stdout.contains("Completed US-001: First"), "{shown:?}");
    assert_eq!(scene.summary(&[], 0)["iterations"], 0, "nothing is left to do");
}

#[test]
fn a_stuck_agent_is_answered_in_the_next_loop() {
    let question = "echo '<escalate type=\"stuck\">No pool.'; echo '1. Make one'; echo '2. Use ours</escalate>'";
    let scene = Scene::new(one_task(), &[question, "echo T1 done"]);
    let summary = scene.summary(&[], 5);
    let asked = json!({"task": "T1", "type": "stuck", "text": "No pool.\n1. Make one\n2. Use ours"});
    assert_eq!((&summary["ended"], &summary["escalation"]), (&json!("escalated"), &asked), "{summary}");
    let again = scene.run(&[]);
    assert_eq!((again.code, scene.runs()), (Some(5), 1), "the question waits: {again:?}");
    assert!(again.stderr.contains("stuck at T1\n> No pool.") && again.stderr.contains("--guidance"), "{again:?}");
    assert_eq!(scene.summary(&["--guidance", "2"], 0)["passing"], json!(["T1"]));
    let prompt = scene.prompt(2);
    assert!(prompt.contains("> 2. Use ours\n\nThe answer: Proceed with option 2.\n"), "{prompt}");
    assert!(!scene.project.path(".ralph/human-input.txt").exists(), "it is used once");
    assert_eq!(scene.messages(), ["Begin", "Complete T1: Only"]);
}

#[test]
fn a_task_with_a_deviation_is_skipped_and_blocks_the_next() {
    let scene = Scene::new(TWO_TASKS, &["echo '<escalate type=\"deviation\">The spec is wrong.</escalate>'"]);
    assert_eq!(scene.summary(&[], 5)["escalation"]["type"], "deviation");
    let skipped = scene.run(&["--skip"]);
    assert_eq!(skipped.code, Some(6), "{skipped:?}");
    assert!(skipped.stderr.contains("US-002 waits for US-001"), "{skipped:?}");
    assert_eq!(scene.messages(), ["Begin", "Skip US-001: First"]);
    let refused = scene.run(&["--skip"]);
    assert!(refused.code == Some(2) && scene.runs() == 1, "nothing is asked any more: {refused:?}");
}

#[test]
fn the_same_error_three_times_is_a_question() {
    let failing = "echo 'error:  no   disk'; exit 1";
    let other = "echo 'error: other'";
    let scene = Scene::new(one_task(), &[failing, other, failing, failing, failing, "echo T1 done"]);
    let summary = scene.summary(&["--max-iterations", "4"], 6);
    assert_eq!((&summary["ended"], &summary["open"]), (&json!("max_iterations"), &json!(["T1"])), "{summary}");
    let summary = scene.summary(&[], 5);
    assert_eq!(summary["iterations"], 1, "the count survives the end of a loop: {summary}");
    let text = summary["escalation"]["text"].as_str().expect("a question");
    assert!(text.starts_with("3 runs ended with the same error: error: no disk\n"), "{text}");
    assert_eq!(scene.summary(&["--retry"], 0)["passing"], json!(["T1"]));
    let progress = scene.messages().iter().filter(|message| *message == "Progress on T1: Only").count();
    assert_eq!(progress, 4, "{:?}", scene.messages());
}

#[test]
fn a_promise_completes_the_task_and_not_the_others() {
    let promise = "echo '<promise>DONE</promise>'";
    let scene = Scene::new(TWO_TASKS, &[promise, promise]);
    let summary = scene.summary(&[], 0);
    assert_eq!((&summary["iterations"], &summary["passing"]), (&json!(2), &json!(["US-002", "US-001"])), "{summary}");
}

#[test]
fn a_failed_agent_has_completed_nothing() {
    let scene = Scene::new(one_task(), &["echo T1 done; exit 3", "cat \"$HOME/seen/2\"", "echo T1 done"]);
    let summary = scene.summary(&[], 0);
    assert_eq!(summary["iterations"], 3, "a failure and a repeated prompt are no completion: {summary}");
}

#[test]
fn a_killed_loop_goes_on_with_its_task() {
    let scene = Scene::new(one_task(), &["echo $$ > \"$HOME/agent\"; exec sleep 100", "echo T1 done"]);
    let mut running = scene.sandbox.start_recall(&scene.project, &["loop", "--guidance", "Use WAL."]);
    let agent = wait_until("the agent works", || scene.process("agent"));
    running.kill();
    let refused = scene.run(&[]);
    // The loop may have been killed before it noted the agent's process.
    assert!(refused.code == Some(4) && refused.stderr.contains("is still at work"), "{refused:?}");
    assert!(
        !refused.stderr.contains("(process ") || refused.stderr.contains(&format!("(process {agent})")),
        "{refused:?}"
    );
    assert!(Command::new("kill").args(["-KILL", &agent]).status().expect("killed").success());
    wait_until("the agent is gone", || (!is_alive(&agent)).then_some(()));
    assert_eq!(scene.summary(&[], 0)["passing"], json!(["T1"]), "its changes do not stop the next loop");
    assert!(scene.prompt(2).contains("Use WAL."), "the guidance was not used up");
    assert_eq!(scene.git(&["show", "HEAD:work.txt"]), "run 1\nrun 2");
}

#[test]
fn an_interrupt_ends_the_agent_and_all_its_processes() {
    let spawning = "sleep 100 & echo $! > \"$HOME/child\"; echo $$ > \"$HOME/agent\"; wait";
    let scene = Scene::new(one_task(), &[spawning, "echo T1 done"]);
    let running = scene.sandbox.start_recall(&scene.project, &["loop"]);
    wait_until("the agent works", || scene.process("agent"));
    assert!(Command::new("kill").args(["-INT", &running.id().to_string()]).status().expect("sent").success());
    let outcome = running.finish();
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
    for process in ["agent", "child"] {
        let id = fs::read_to_string(scene.home(process)).expect("its id");
        assert!(!is_alive(id.trim()), "{process} is left");
    }
    assert_eq!(scene.summary(&[], 0)["passing"], json!(["T1"]));
}

fn is_alive(process: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // A zombie has ended; its parent has not asked for it yet.
    !state.is_empty() && !state.contains(") Z ")
}
