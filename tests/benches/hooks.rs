//! A benchmark of the time of a hook as a whole process, next to the time of the daemon's calls that it makes.
//!
//! `cargo bench -p recall-tests --bench hooks -- DIRECTORY` prints a line an event. Without a directory it takes this
//! repository. Nothing is written into the directory.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use recall_api::v1;
use recall_client::{Client, ConnectOptions, Launch, Replace};
use recall_testkit::Sandbox;

/// Prompts as people write them for any project.
const PROMPTS: [&str; 5] = [
    "where are errors converted, and why does the message lack the path",
    "add a limit to the number of open files",
    "the lock is not released when the process is killed",
    "how is the configuration loaded",
    "write a test for the parser of dates",
];

/// The runs of an event.
const RUNS: usize = 100;

fn main() {
    let root = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).map(PathBuf::from);
    let root = root.unwrap_or_else(recall_tests::workspace).canonicalize().expect("the directory exists");
    // A late hook answers nothing, which would be no measurement.
    let sandbox = recall_tests::sandbox!().with_variable("RECALL_HOOKS__WAIT", "30s");
    let bench = Bench { sandbox: &sandbox, root: &root };
    let indexed = sandbox.recall_in(&root, &["search", "error handling", "--project", &root.to_string_lossy()]);
    assert_eq!(indexed.code, Some(0), "{indexed:?}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(bench.prompts());
    bench.line("post-tool, a read", "post-tool", r#""tool_name":"Read","tool_input":{"file_path":"README.md"}"#);
    bench.failures();
    bench.line("stop, nothing changed", "stop", r#""last_assistant_message":"done""#);
}

/// A directory, and programs with a home of their own.
struct Bench<'a> {
    sandbox: &'a Sandbox,
    root: &'a Path,
}

impl Bench<'_> {
    /// Measures prompts, and the call that each makes on an open connection, in turn.
    async fn prompts(&self) {
        let options = ConnectOptions {
            dirs: self.sandbox.dirs(),
            launch: Launch::Never,
            daemon_binary: None,
            daemon_home: None,
            client_name: "bench".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            replace: Replace::Never,
            deadline: Duration::from_secs(10),
            attempts: 1,
        };
        let client = Client::connect(&options).await.expect("the daemon runs");
        let root = self.root.to_string_lossy().into_owned();
        let context = v1::RequestContext { working_directory: root.clone(), project_root: root, ..Default::default() };
        let (mut calls, mut processes) = (Vec::new(), Vec::new());
        for run in 0..RUNS {
            let prompt = PROMPTS[run % PROMPTS.len()];
            let request = v1::RemindRequest {
                context: Some(context.clone()),
                occasion: Some(v1::remind_request::Occasion::Prompt(prompt.to_owned())),
                ..v1::RemindRequest::default()
            };
            let began = Instant::now();
            client.remind(request).await.expect("an answer");
            calls.push(began.elapsed());
            processes.push(self.hook("prompt", &format!(r#""session_id":"{run}","prompt":"{prompt}""#)));
        }
        let (calls, processes) = (median(&mut calls), median(&mut processes));
        println!("  {:<32} daemon p50 {calls:>7.2} ms   process p50 {processes:>7.2} ms", "prompt");
    }

    /// Measures commands that fail at the first line of the directory's README, each in a session of its own.
    fn failures(&self) {
        let fail = |run: usize| {
            let output = r#"  File \"README.md\", line 1, in total\nError: the lock is not released when the process is killed\n"#;
            let call = r#""tool_name":"Bash","tool_input":{"command":"make test"}"#;
            self.hook("post-tool", &format!(r#""session_id":"failure {run}",{call},"error":"{output}""#))
        };
        let mut processes: Vec<_> = (0..RUNS).map(fail).collect();
        println!("  {:<32} {:26} process p50 {:>7.2} ms", "post-tool, a failure", "", median(&mut processes));
    }

    /// Measures an event that makes no call.
    fn line(&self, name: &str, event: &str, fields: &str) {
        let mut processes: Vec<_> = (0..RUNS).map(|_| self.hook(event, fields)).collect();
        println!("  {name:<32} daemon p50    none      process p50 {:>7.2} ms", median(&mut processes));
    }

    /// Runs a hook to its end.
    fn hook(&self, event: &str, fields: &str) -> Duration {
        let mut command = self.sandbox.command(&self.sandbox.binaries().recall, self.root);
        command.args(["hook", event]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let cwd = self.root.to_string_lossy();
        let began = Instant::now();
        let mut child = command.spawn().expect("the program runs");
        let mut input = child.stdin.take().expect("piped");
        input.write_all(format!(r#"{{"cwd":"{cwd}",{fields}}}"#).as_bytes()).expect("read");
        drop(input);
        let ended = child.wait_with_output().expect("ended");
        let took = began.elapsed();
        assert!(ended.status.success() && ended.stderr.is_empty(), "{}", String::from_utf8_lossy(&ended.stderr));
        took
    }
}

/// The median, in milliseconds.
fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}
