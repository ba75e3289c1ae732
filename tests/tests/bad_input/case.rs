//! A sandbox with a project that contains one known file.

use std::path::PathBuf;
use std::time::Duration;

use recall_api::v1::RequestContext;
use recall_client::{Client, ConnectOptions, Launch, Replace};
use recall_testkit::{Outcome, Project, Running};
use recall_tests::{Sandbox, sandbox};
use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use serde_json::Value;

/// The symbol that every case can find, and its file.
pub(crate) const KNOWN: (&str, &str) = ("open_sessions", "src/sessions.rs");

/// A project with one known file, and a home of its own.
pub(crate) struct Case {
    pub(crate) sandbox: Sandbox,
    pub(crate) project: Project,
}

impl Case {
    pub(crate) fn new() -> Self {
        let sandbox = sandbox!();
        let text = "/// Opens the session store.\npub fn open_sessions() {}\n";
        let project = sandbox.project("shop", &[(KNOWN.1, text)]);
        Self { sandbox, project }
    }

    /// Creates a case with a folder `.recall` in the project.
    pub(crate) fn initialised() -> Self {
        let case = Self::new();
        std::fs::create_dir(case.project.path(".recall")).expect("a new folder");
        case
    }

    pub(crate) fn recall(&self, arguments: &[&str]) -> Outcome {
        self.sandbox.recall(&self.project, arguments)
    }

    /// Runs a command and returns its exit code and its response, or the last line of the response.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let outcome = self.recall(&[&["--json"], arguments].concat());
        let value = serde_json::from_str(outcome.stdout.lines().last().unwrap_or_default());
        (outcome.code, value.unwrap_or_else(|error| panic!("{error}: {outcome:?}")))
    }

    /// Checks that a command is refused, in words and in JSON, with a message that says this and a hint.
    #[track_caller]
    pub(crate) fn refuses(&self, arguments: &[&str], exit: i32, code: &str, says: &str) {
        let outcome = self.recall(arguments);
        let error = outcome.stderr.lines().find(|line| line.starts_with("error: ")).unwrap_or_default();
        assert!(error.contains(says), "{outcome:?}");
        assert!(outcome.stderr.lines().any(|line| line.starts_with("hint: ")), "{outcome:?}");
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(exit), ""), "{outcome:?}");
        let (again, reported) = self.json(arguments);
        let reported = &reported["error"];
        assert_eq!((again, reported["code"].as_str()), (Some(exit), Some(code)), "{reported}");
        assert!(reported["message"].as_str().is_some_and(|message| message.contains(says)), "{reported}");
        assert!(reported["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{reported}");
    }

    /// The paths of the hits of a search, the best first, and the codes of its warnings.
    #[track_caller]
    pub(crate) fn search(&self, query: &str) -> (Vec<String>, Vec<String>) {
        let (code, answer) = self.json(&["search", "--scope", "project", "--k", "50", "--", query]);
        assert!(matches!(code, Some(0 | 1)), "{code:?}: {answer}");
        let texts = |list: &Value, pointer: &str| -> Vec<String> {
            let elements = list.as_array().into_iter().flatten();
            elements.filter_map(|element| element.pointer(pointer)?.as_str().map(str::to_owned)).collect()
        };
        (texts(&answer["results"], "/doc/path"), texts(&answer["warnings"], "/code"))
    }

    /// The daemon's process id, which shows whether it is still the same process.
    #[track_caller]
    pub(crate) fn daemon(&self) -> u64 {
        let (_, status) = self.json(&["daemon", "status"]);
        status["daemon"]["pid"].as_u64().unwrap_or_else(|| panic!("no daemon runs: {status}"))
    }

    /// Starts the daemon by a search, and returns its process id.
    #[track_caller]
    pub(crate) fn first_daemon(&self) -> u64 {
        self.search(KNOWN.0);
        self.daemon()
    }

    /// Checks that the known file is found by the same daemon.
    #[track_caller]
    pub(crate) fn still_answers(&self, daemon: u64) {
        assert_eq!(self.search(KNOWN.0).0.first().map(String::as_str), Some(KNOWN.1));
        assert_eq!(self.daemon(), daemon, "another daemon had to be started");
    }

    /// Returns the reason why a file is not in the index, as the status reports it.
    #[track_caller]
    pub(crate) fn reason(&self, path: &str) -> Option<String> {
        let (_, status) = self.json(&["status", "--failures"]);
        let stores = status["stores"].as_array().expect("a list");
        let mut failures = stores.iter().flat_map(|store| store["failures"].as_array().into_iter().flatten());
        let failure = failures.find(|failure| failure["item"] == path)?;
        failure["reason"].as_str().map(str::to_owned)
    }

    /// The folder of the project's index.
    pub(crate) fn index(&self) -> PathBuf {
        let stores = self.sandbox.recall_home().join("data/stores");
        let mut stores = std::fs::read_dir(stores).expect("something was indexed");
        stores.next().expect("one store").expect("readable").path().join("index")
    }

    /// A client of the daemon that runs.
    pub(crate) async fn client(&self) -> Client {
        let options = ConnectOptions {
            dirs: self.sandbox.dirs(),
            launch: Launch::Never,
            daemon_binary: None,
            daemon_home: None,
            client_name: "recall-tests".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            replace: Replace::Older,
            deadline: Duration::from_mins(1),
            attempts: 1,
        };
        Client::connect(&options).await.expect("a daemon runs")
    }

    /// Returns the context of a request from the project.
    pub(crate) fn context(&self) -> RequestContext {
        let working_directory = self.project.root().to_string_lossy().into_owned();
        RequestContext { working_directory, ..RequestContext::default() }
    }

    /// Starts the daemon without the two capabilities that let root ignore file permissions.
    pub(crate) fn start_daemon_bound_by_permissions(&self) -> Running {
        // On Linux, capabilities belong to a thread, and a child inherits those of the thread that starts it.
        let start = || {
            if geteuid().is_root() {
                for capability in [CapabilitySet::DAC_OVERRIDE, CapabilitySet::DAC_READ_SEARCH] {
                    remove_capability_from_bounding_set(capability).expect("root may give up what it may");
                }
            }
            self.sandbox.start_daemon(&[])
        };
        std::thread::scope(|scope| scope.spawn(start).join()).expect("the daemon starts")
    }
}
