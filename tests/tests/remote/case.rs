//! A sandbox with a project, and a server of models with a key.

use std::fs;
use std::path::Path;

use recall_testkit::{FakeProvider, FakeRules, Outcome, Project, wait_until};
use recall_tests::{Sandbox, sandbox};
use serde_json::Value;

/// The key of the server.
pub(crate) const KEY: &str = "sk-the-key-that-nothing-may-show-4711";

/// A model of the server.
pub(crate) const MODEL: &str = "openai:text-embedding-3-small";

/// A language model of the server.
pub(crate) const JUDGE: &str = "anthropic:claude-test";

/// The number of pages of the project.
const PAGES: usize = 30;

/// A separate home with one project, and a server.
pub(crate) struct Case {
    pub(crate) sandbox: Sandbox,
    pub(crate) project: Project,
    pub(crate) fake: FakeProvider,
    secret: String,
}

impl Case {
    pub(crate) fn new() -> Self {
        let fake = FakeProvider::start(FakeRules { key: Some(KEY.to_owned()), ..FakeRules::default() });
        let sandbox = sandbox!()
            .with_variable("RECALL_REMOTE__OPENAI", &fake.v1())
            .with_variable("RECALL_REMOTE__ANTHROPIC", fake.address())
            .with_variable("RECALL_ANTHROPIC_API_KEY", KEY)
            // Nothing listens there.
            .with_variable("RECALL_REMOTE__OLLAMA", "http://127.0.0.1:1")
            .with_variable("RECALL_DAEMON__LOG_LEVEL", "debug")
            .with_variable("RECALL_OPENAI_API_KEY", KEY);
        let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let project = sandbox.project("shop", &[("docs/shop.md", "# Shop\n\nWe open the store at nine.\n")]);
        project.write("src/deploy.py", format!("TOKEN = \"{secret}\"\n\ndef deploy():\n    return push(TOKEN)\n"));
        for number in 0..PAGES {
            let text = format!("# Page {number}\n\nThe garden of house {number} has {number} trees.\n");
            project.write(&format!("docs/garden/{number}.md"), text);
        }
        let case = Self { sandbox, project, fake, secret };
        case.succeeds(&["add", "."]);
        case
    }

    pub(crate) fn with_variable(self, name: &str, value: &str) -> Self {
        Self { sandbox: self.sandbox.with_variable(name, value), ..self }
    }

    /// The secret in a file of the project.
    pub(crate) fn secret(&self) -> &str {
        &self.secret
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

    /// Runs a command; returns the last line of its JSON output.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let outcome = self.recall(&[&["--json"], arguments].concat());
        serde_json::from_str(outcome.stdout.lines().last().unwrap_or_default())
            .unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
    }

    /// Checks that a command is refused with a message that says this and a hint that says that.
    #[track_caller]
    pub(crate) fn refuses(&self, arguments: &[&str], exit: i32, code: &str, says: &str, hints: &str) {
        let outcome = self.recall(&[&["--json"], arguments].concat());
        let reported: Value =
            serde_json::from_str(outcome.stdout.lines().last().unwrap_or_default()).expect("an object");
        let error = &reported["error"];
        assert_eq!((outcome.code, error["code"].as_str()), (Some(exit), Some(code)), "{outcome:?}");
        let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
        assert!(text("message").contains(says), "{error}");
        assert!(text("hint").contains(hints), "{error}");
    }

    /// A model, as the list has it.
    #[track_caller]
    pub(crate) fn listed(&self, name: &str) -> Value {
        let models = self.json(&["models", "list"])["models"].take();
        let found = models.as_array().and_then(|models| models.iter().find(|model| model["name"] == name));
        found.unwrap_or_else(|| panic!("{name} is not in {models}")).clone()
    }

    /// The model that embedded the query of a search, and the answer.
    #[track_caller]
    pub(crate) fn search(&self, query: &str) -> (Option<String>, Value) {
        let answer = self.json(&["search", query]);
        (answer["stats"]["models"]["embed"].as_str().map(str::to_owned), answer)
    }

    /// Waits until a model answers a query that it has not seen.
    #[track_caller]
    pub(crate) fn wait_for_model(&self, name: &str) {
        let mut number = 0;
        wait_until("the model", || {
            number += 1;
            (self.search(&format!("garden {number}")).0.as_deref() == Some(name)).then_some(())
        });
    }

    /// Checks that the key is in no file that the programs wrote.
    #[track_caller]
    pub(crate) fn assert_key_is_nowhere(&self) {
        let mut files = 0;
        check_folder(self.sandbox.path(), &mut files);
        assert!(files > 40, "{files} files were read");
    }
}

#[track_caller]
fn check_folder(folder: &Path, files: &mut usize) {
    for entry in fs::read_dir(folder).expect("readable").flatten() {
        let path = entry.path();
        let kind = entry.file_type().expect("known");
        if kind.is_dir() {
            check_folder(&path, files);
        } else if kind.is_file() {
            // A file may be replaced meanwhile.
            let bytes = fs::read(&path).unwrap_or_default();
            assert!(
                !bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes()),
                "the key is in {}",
                path.display()
            );
            *files += 1;
        }
    }
}

/// Whether an answer says that embeddings were not used.
pub(crate) fn is_warned(answer: &Value) -> bool {
    let warnings = answer["warnings"].as_array().expect("a list");
    warnings.iter().any(|warning| warning["code"] == "EMBEDDINGS_UNUSABLE")
}
