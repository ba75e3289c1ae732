//! A sandbox with a project and, if a test needs it, the runtime.

use std::path::{Path, PathBuf};

use recall_testkit::{Outcome, Project};
use recall_tests::{Sandbox, sandbox};
use serde_json::Value;

use super::network::write_model;

/// The variable that names the folder of Python packages.
const WHEELS: &str = "RECALL_TEST_WHEELS";

/// A separate home with one project.
pub(crate) struct Case {
    pub(crate) sandbox: Sandbox,
    pub(crate) project: Project,
}

/// Returns the package of the runtime.
///
/// # Panics
/// The variable is not set, or its folder lacks the package.
pub(crate) fn wheel() -> PathBuf {
    let wheels = std::env::var_os(WHEELS);
    let wheels =
        wheels.unwrap_or_else(|| panic!("{WHEELS} is not set; CONTRIBUTING.md says how to download the packages"));
    let files = std::fs::read_dir(wheels).expect("the folder is there").flatten().map(|entry| entry.path());
    let is_runtime =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("onnxruntime-"));
    files.into_iter().find(is_runtime).expect("the package is there")
}

impl Case {
    /// Creates a case without a runtime.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// Creates a case without a runtime, with environment variables.
    pub(crate) fn with(variables: &[(&str, &str)]) -> Self {
        let sandbox = variables.iter().fold(sandbox!(), |sandbox, (name, value)| sandbox.with_variable(name, value));
        let project = sandbox.project("shop", &[("docs/shop.md", "# Shop\n\nWe open the store at nine.\n")]);
        Self { sandbox, project }
    }

    /// Creates a case with the runtime installed.
    pub(crate) fn with_runtime(variables: &[(&str, &str)]) -> Self {
        let wheel = wheel();
        let case = Self::with(variables);
        case.succeeds(&["models", "runtime", "install", "--from", path(&wheel)]);
        case
    }

    pub(crate) fn recall(&self, arguments: &[&str]) -> Outcome {
        self.sandbox.recall(&self.project, arguments)
    }

    /// Runs a command that must succeed; returns its output.
    #[track_caller]
    pub(crate) fn succeeds(&self, arguments: &[&str]) -> String {
        let outcome = self.recall(arguments);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        outcome.stdout
    }

    /// Runs a command that must succeed or find nothing; returns the last line of its JSON output.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let outcome = self.recall(&[&["--json"], arguments].concat());
        assert!(matches!(outcome.code, Some(0 | 1)), "{outcome:?}");
        serde_json::from_str(outcome.stdout.lines().last().unwrap_or_default()).expect("an object")
    }

    /// Checks that a command is refused, in words and in JSON, with a message that says this and a hint that says that.
    #[track_caller]
    pub(crate) fn refuses(&self, arguments: &[&str], exit: i32, code: &str, says: &str, hints: &str) {
        let outcome = self.recall(&[&["--json"], arguments].concat());
        let reported: Value =
            serde_json::from_str(outcome.stdout.lines().last().unwrap_or_default()).expect("an object");
        let error = &reported["error"];
        assert_eq!((outcome.code, error["code"].as_str()), (Some(exit), Some(code)), "{outcome:?}");
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        assert!(text("message").contains(says), "{error}");
        assert!(text("hint").contains(hints) && !text("hint").is_empty(), "{error}");

        let outcome = self.recall(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(exit), ""), "{outcome:?}");
        let lines = |beginning: &str| outcome.stderr.lines().filter(|line| line.starts_with(beginning)).count();
        assert_eq!((lines("error: "), lines("hint: ")), (1, 1), "{outcome:?}");
    }

    /// The folder of a model that can be added.
    pub(crate) fn model(&self, name: &str, network: &[u8], manifest: &str) -> PathBuf {
        let folder = self.sandbox.path().join("models").join(name);
        write_model(&folder, network, manifest);
        folder
    }

    /// Whether a model of that name is installed.
    pub(crate) fn is_installed(&self, name: &str) -> bool {
        self.sandbox.dirs().models().join(name).exists()
    }

    /// A model, as the list has it.
    #[track_caller]
    pub(crate) fn listed(&self, name: &str) -> Value {
        let models = self.json(&["models", "list"])["models"].take();
        let found = models.as_array().and_then(|models| models.iter().find(|model| model["name"] == name));
        found.unwrap_or_else(|| panic!("{name} is not in {models}")).clone()
    }

    /// The model that embedded the query of a search, and the response.
    #[track_caller]
    pub(crate) fn search(&self, query: &str) -> (Option<String>, Value) {
        let answer = self.json(&["search", query]);
        (answer["stats"]["models"]["embed"].as_str().map(str::to_owned), answer)
    }
}

/// A path as an argument.
pub(crate) fn path(path: &Path) -> &str {
    path.to_str().expect("plain names")
}
