//! `recall bench --agent` with a scripted agent, which asks the MCP server that is registered in its home, as a real one does.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use recall_testkit::{Outcome, Project, Running, wait_until};
use recall_tests::{Sandbox, sandbox};
use serde_json::{Value, json};

/// Answers from the memory file, else from recall if it is registered, else with a guess; and says what it used as Claude Code does.
const AGENT: &str = r#"#!/bin/sh
set -eu
question=$(cat)
knowledge=""
turns=1
[ -f CLAUDE.md ] && knowledge=$(cat CLAUDE.md)
server=$(sed -n 's/.*"command": *"\([^"]*recall-shim\)".*/\1/p' "$HOME/.claude.json" 2>/dev/null | head -n 1)
if [ -n "$server" ]; then
    turns=2
    mkfifo "$HOME/in"
    "$server" < "$HOME/in" > "$HOME/out" &
    exec 3> "$HOME/in"
    client='"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"scripted","version":"1"}'
    echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{$client}}" >&3
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&3
    call="\"name\":\"recall_search\",\"arguments\":{\"query\":\"$question\",\"scope\":\"project\"}"
    echo "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{$call}}" >&3
    while ! grep -q '"id":2' "$HOME/out"; do sleep 0.05; done
    exec 3>&-
    wait
    knowledge=$(cat "$HOME/out")
fi
echo "$knowledge" | grep -o 'port [0-9][0-9]*' | head -n 1 > answer.txt || true
echo "{\"type\":\"result\",\"num_turns\":$turns,\"usage\":{\"input_tokens\":100,\"output_tokens\":7}}"
"#;

/// Leaves a process of its group behind, and waits for ever.
const SLEEPER: &str = "#!/bin/sh\nsleep 600 & echo $! > \"$1\"\nwait\n";

struct Scene {
    sandbox: Sandbox,
    project: Project,
}

impl Scene {
    fn new(agent: &str) -> Self {
        let sandbox = sandbox!();
        let (bin, places) = (sandbox.path().join("agents"), sandbox.path().join("t"));
        for folder in [&bin, &places] {
            fs::create_dir_all(folder).expect("made");
        }
        fs::write(bin.join("agent"), agent).expect("written");
        fs::set_permissions(bin.join("agent"), fs::Permissions::from_mode(0o755)).expect("set");
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("there are programs"));
        let places = places.display().to_string();
        let sandbox = sandbox.with_variable("PATH", &path).with_variable("TMPDIR", &places);
        let project = sandbox.project("bench", &[("CLAUDE.md", "The staging gateway listens on port 7341.\n")]);
        let scene = Self { sandbox, project };
        let shop = scene.sandbox.project("shop", &[("gateway.py", "PORT = None  # set by the deployment\n")]);
        scene.git(shop.root(), &["init", "--quiet", "--initial-branch=main"]);
        scene.git(shop.root(), &["add", "--all"]);
        scene.git(shop.root(), &["commit", "--quiet", "-m", "Begin"]);
        // A later commit has the solution, which no run may see.
        shop.write("answer.txt", "port 7341\n");
        scene.git(shop.root(), &["add", "--all"]);
        scene.git(shop.root(), &["commit", "--quiet", "-m", "Answer"]);
        scene
    }

    #[track_caller]
    fn git(&self, folder: &Path, arguments: &[&str]) {
        let mut git = self.sandbox.command(Path::new("git"), folder);
        for who in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{who}_NAME"), "A").env(format!("GIT_{who}_EMAIL"), "a@example.org");
        }
        git.args(arguments);
        let outcome = Running::to_end(git);
        assert_eq!(outcome.code, Some(0), "git {arguments:?}: {outcome:?}");
    }

    /// Writes a task whose fact is in one memory.
    fn write_task(&self, check: &str) {
        let task = json!({
            "id": "gateway",
            "instruction": "On which port does the staging gateway listen",
            "repository": "../shop",
            "commit": "main~1",
            "check": check,
            "memories": [{"text": "The staging gateway listens on port 7341.", "type": "lesson"}],
        });
        self.project.write("tasks.jsonl", task.to_string());
    }

    fn bench(&self, agent: &str, more: &[&str]) -> Outcome {
        let arguments = ["bench", "--agent", agent, "--tasks", "tasks.jsonl", "--out", "results", "--repeats", "1"];
        self.sandbox.recall(&self.project, &[&arguments, more].concat())
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.project.path("results/runs.jsonl")).expect("written");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// What is left of the places of the runs.
    fn leftovers(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.sandbox.path().join("t")).expect("readable");
        entries.map(|entry| entry.expect("readable").path()).collect()
    }
}

/// Fails unless the answer has the port.
const CHECK: &str = "grep -q 'port 7341' answer.txt";

#[test]
fn the_arm_whose_memory_has_the_fact_solves_the_task() {
    let scene = Scene::new(AGENT);
    scene.write_task(CHECK);
    let outcome = scene.bench("agent", &["--memory-file", "CLAUDE.md", "--json"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let answer: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!((&answer["ok"], &answer["runs"]), (&true.into(), &3.into()), "{answer}");
    let outputs = || fs::read_to_string(scene.project.path("results/outputs/gateway-recall-1.txt"));
    let mut passed: Vec<_> = scene
        .lines()
        .iter()
        .map(|line| format!("{} {} {} {}", line["arm"], line["passed"], line["turns"], line["tokens_in"]))
        .collect();
    passed.sort();
    let expected = [r#""file" true 1 100"#, r#""none" false 1 100"#, r#""recall" true 2 100"#];
    assert_eq!(passed, expected, "{:?}", outputs());
    let report = fs::read_to_string(scene.project.path("results/report.md")).expect("written");
    // What recall costs stands before what it gains.
    assert!(report.contains("## Where recall loses\n\n- turns: recall 2.000, no memory 1.000"), "{report}");
    assert!(report.contains("| success | 1 | 0.000 | 1.000 |"), "{report}");
    assert_eq!(scene.leftovers(), Vec::<PathBuf>::new());

    // Finished runs are not repeated, and the report is the same.
    let again = scene.bench("agent", &["--memory-file", "CLAUDE.md"]);
    assert_eq!((again.code, again.stdout), (Some(0), report));
    assert_eq!(scene.lines().len(), 3);
    let other = scene.bench("agent --fast", &[]);
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.stderr.contains("has runs of another command: `agent`"), "{}", other.stderr);
}

#[test]
fn an_agent_that_takes_too_long_is_ended_with_its_processes() {
    let scene = Scene::new(SLEEPER);
    scene.write_task(CHECK);
    let pid = scene.sandbox.path().join("pid");
    let outcome = scene.bench(&format!("agent {}", pid.display()), &["--agent-timeout", "1"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    let ends: Vec<_> = scene.lines().iter().map(|line| (line["ended"].clone(), line["passed"].clone())).collect();
    assert_eq!(ends, vec![("time_limit".into(), false.into()); 2]);
    let report = fs::read_to_string(scene.project.path("results/report.md")).expect("written");
    assert!(report.contains("Turns and tokens of 2 of 2 runs are unknown"), "{report}");
    let left = fs::read_to_string(pid).expect("written");
    wait_until("the end of the agent's process", || (!Path::new("/proc").join(left.trim()).exists()).then_some(()));
    assert_eq!(scene.leftovers(), Vec::<PathBuf>::new());
}

#[test]
fn mistakes_are_reported_before_an_agent_runs() {
    let scene = Scene::new("#!/bin/sh\ntouch \"$1\"\n");
    let mark = scene.sandbox.path().join("ran");
    let agent = format!("agent {}", mark.display());
    let check = |check: &str, more: &[&str], expected: &str| {
        scene.write_task(check);
        let outcome = scene.bench(&agent, more);
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
    };
    check("true", &[], "the check of task `gateway` passes before an agent has worked");
    check(CHECK, &["--memory-file", "AGENTS.md"], "is not a file");
    check(CHECK, &["--agent-home", "nowhere"], "is not a folder");
    let outcome = scene.sandbox.recall(&scene.project, &["bench", "--agent", &agent, "--tasks", "tasks.jsonl"]);
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(!mark.exists() && scene.leftovers().is_empty());
}
