//! End-to-end tests of the real programs, and tests of the repository as a whole.
//!
//! The tests are in `tests/`. This library has what they share: the [`sandbox!`] with the programs that this package builds,
//! the root of the [`workspace`], an [`Agent`] that speaks to a shim, and the imports between the files of a crate ([`imports`]).

mod agent;
pub mod imports;

use std::path::{Path, PathBuf};

pub use agent::Agent;
pub use recall_testkit::{Binaries, Sandbox};
use recall_testkit::{Project, wait_until};
use serde_json::Value;

/// The root of the workspace.
///
/// # Panics
/// Never: the package is a folder of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package is a folder of the workspace").to_owned()
}

/// Waits until searches in a project have everything: all files, their links and their embeddings.
///
/// # Panics
/// If that takes longer than [`recall_testkit::DEADLINE`], or if a search gives no JSON.
pub fn settle(sandbox: &Sandbox, project: &Project) {
    const PARTIAL: [&str; 4] = ["INDEXING", "NOT_INDEXED_YET", "LINKS_BEHIND", "EMBEDDINGS_TO_COME"];
    wait_until("an answer from everything", || {
        let outcome = sandbox.recall(project, &["--json", "search", "is everything of this project there"]);
        let answer: Value =
            serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"));
        let warnings = answer["warnings"].as_array().expect("warnings");
        let is_partial = warnings.iter().any(|warning| PARTIAL.iter().any(|code| warning["code"] == *code));
        (!is_partial).then_some(())
    });
}

/// Makes a [`Sandbox`] with the programs that this package builds.
///
/// A macro, because Cargo sets the variables with the programs' paths only for tests.
#[macro_export]
macro_rules! sandbox {
    () => {{
        let built = $crate::Binaries {
            recall: env!("CARGO_BIN_EXE_test-recall").into(),
            recalld: env!("CARGO_BIN_EXE_test-recalld").into(),
            recall_shim: env!("CARGO_BIN_EXE_test-recall-shim").into(),
            recall_bench: env!("CARGO_BIN_EXE_test-recall-bench").into(),
        };
        let folder = ::std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("bin");
        $crate::Sandbox::new(built.installed_in(&folder))
    }};
}
