//! What must hold before a change goes in?

use std::process::ExitCode;

use crate::{cargo, say};

/// One thing that must hold.
pub(crate) struct Step {
    /// The task's name.
    pub(crate) name: &'static str,
    /// What it does, for `--help`.
    pub(crate) about: &'static str,
    /// The component of the toolchain that it needs beside cargo itself.
    component: Option<&'static str>,
    /// What cargo is asked to do.
    arguments: &'static [&'static str],
    /// Variables that cargo sees.
    variables: &'static [(&'static str, &'static str)],
}

/// Everything that must hold, the cheapest first, the tests last: their lines are what one wants to see at the end.
///
/// All share one profile, and clippy and the documentation share what they know of the dependencies, so that a check of
/// a fresh clone builds each dependency twice, not four times.
pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "the layout is rustfmt's",
        component: Some("rustfmt"),
        arguments: &["fmt", "--all", "--", "--check"],
        variables: &[],
    },
    Step {
        name: "clippy",
        about: "neither the compiler nor clippy warns",
        component: Some("clippy"),
        // The tests of networks are linted even if they are not run.
        arguments: &["clippy", "--workspace", "--all-targets", "--features", ONNX_TESTS, "--", "-D", "warnings"],
        variables: &[],
    },
    Step {
        name: "doc",
        about: "the documentation builds, and its links lead somewhere",
        component: None,
        arguments: &["doc", "--workspace", "--no-deps", "--document-private-items"],
        variables: &[("RUSTDOCFLAGS", "-D warnings")],
    },
    Step {
        name: "test",
        about: "the tests pass, those in the documentation too",
        component: None,
        arguments: &["test", "--workspace"],
        variables: &[],
    },
];

/// The features that build the tests of networks.
const ONNX_TESTS: &str = "recall-models/onnx-tests,recall-tests/onnx-tests";

/// Whether the tests of networks are run. They need ONNX Runtime.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Networks {
    /// They are run.
    Test,
    /// They are not run.
    Skip,
}

/// Runs steps until one fails.
pub(crate) fn run(steps: &[Step], networks: Networks) -> ExitCode {
    for step in steps {
        if let Err(why) = run_one(step, networks) {
            say(&format!("error: {why}\n"));
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn run_one(step: &Step, networks: Networks) -> Result<(), String> {
    if let Some(component) = step.component {
        let found = cargo().args([step.name, "--version"]).output().is_ok_and(|output| output.status.success());
        if !found {
            return Err(format!("{component} is not installed; `rustup component add {component}` installs it"));
        }
    }
    let mut arguments = step.arguments.to_vec();
    if step.name == "test" && networks == Networks::Test {
        arguments.extend(["--features", ONNX_TESTS]);
    }
    say(&format!("\n== cargo {}\n", arguments.join(" ")));
    let status = cargo()
        .args(&arguments)
        .envs(step.variables.iter().copied())
        .status()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`cargo xtask {}` failed ({status})", step.name)) }
}
