//! The checks that must pass before a change is merged.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crate::progress::clock;
use crate::{cargo, programs, say};

/// One check.
pub(crate) struct Step {
    /// The task's name.
    pub(crate) name: &'static str,
    /// Its description for `--help`.
    pub(crate) about: &'static str,
    /// The toolchain component that it needs in addition to cargo.
    component: Option<&'static str>,
    /// The arguments of cargo.
    arguments: &'static [&'static str],
    /// Additional environment variables of cargo.
    variables: &'static [(&'static str, &'static str)],
}

/// All checks, the cheapest first and the tests last, so that their output is at the end.
///
/// All checks use one profile, and clippy and the documentation share the metadata of all crates, since they have the same features. A
/// check of a fresh clone therefore builds each dependency twice: for metadata, and for programs.
pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "check the formatting",
        component: Some("rustfmt"),
        arguments: &["fmt", "--all", "--", "--check"],
        variables: &[],
    },
    Step {
        name: "clippy",
        about: "run clippy, with warnings as errors",
        component: Some("clippy"),
        // The tests of networks are linted even if they are not run.
        arguments: &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            TRAINING,
            "--features",
            ONNX_TESTS,
            "--",
            "-D",
            "warnings",
        ],
        variables: &[],
    },
    Step {
        name: "doc",
        about: "build the documentation, with broken links as errors",
        component: None,
        // The examples make cargo turn on the features that tests need, as for clippy; without them it would check dozens of dependencies
        // again. A program with a library of its name is left out, as cargo does by itself.
        arguments: &[
            "doc",
            "--workspace",
            "--no-deps",
            "--document-private-items",
            "--lib",
            "--examples",
            "--bin",
            "recall",
            "--bin",
            "recall-dist",
            "--bin",
            "xtask",
            "--features",
            TRAINING,
            "--features",
            ONNX_TESTS,
        ],
        variables: &[("RUSTDOCFLAGS", "-D warnings")],
    },
    Step {
        name: "test",
        about: "run all tests and doctests",
        component: None,
        arguments: &["test", "--workspace", "--features", TRAINING],
        variables: &[],
    },
];

/// The feature that builds the recipe of the shipped rankers. No program that is installed has it.
pub(crate) const TRAINING: &str = "recall-bench/training";

/// The features that build the tests of networks and of shared stores, which need packages.
const ONNX_TESTS: &str = "recall-models/onnx-tests,recall-tests/onnx-tests,recall-shared/server-tests,recall-engine/server-tests,recall-tests/server-tests";

/// The feature that builds the test that has systemd check the units.
const SYSTEMD_TESTS: &str = "recall-tests/systemd-tests";

/// Whether the tests of networks are run. They need ONNX Runtime.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Networks {
    /// They are run.
    Test,
    /// They are not run.
    Skip,
}

/// Runs steps until one fails. Says before which they are and how long each took the last time here, and afterwards how long each
/// took.
pub(crate) fn run(steps: &[Step], networks: Networks) -> ExitCode {
    let mut times = read_times();
    say(&list(steps, "Steps, with their times when they last passed here:", &times));
    for step in steps {
        let begin = Instant::now();
        if let Err(why) = run_one(step, networks) {
            say(&format!("error: {why}\n"));
            return ExitCode::FAILURE;
        }
        times.insert(step.name.to_owned(), begin.elapsed());
        write_times(&times);
    }
    say(&list(steps, "\nAll passed:", &times));
    ExitCode::SUCCESS
}

/// Lists steps with their times.
fn list(steps: &[Step], title: &str, times: &BTreeMap<String, Duration>) -> String {
    let rows = steps.iter().map(|step| {
        let time = times.get(step.name).map_or_else(|| "unknown".to_owned(), |time| clock(*time));
        format!("  {:<8} {time:>12}  {}\n", step.name, step.about)
    });
    std::iter::once(format!("{title}\n")).chain(rows).collect()
}

/// The file with the times of the steps: a line has a name and seconds.
fn times_file() -> PathBuf {
    programs::target_folder().join("check-times")
}

fn read_times() -> BTreeMap<String, Duration> {
    parse_times(&fs::read_to_string(times_file()).unwrap_or_default())
}

fn parse_times(text: &str) -> BTreeMap<String, Duration> {
    let rows = text.lines().filter_map(|line| line.split_once(' '));
    rows.filter_map(|(name, seconds)| Some((name.to_owned(), Duration::from_secs(seconds.parse().ok()?)))).collect()
}

fn write_times(times: &BTreeMap<String, Duration>) {
    let lines: Vec<String> = times.iter().map(|(name, time)| format!("{name} {}\n", time.as_secs())).collect();
    // The check does not depend on it.
    if let Err(error) = fs::write(times_file(), lines.concat()) {
        say(&format!("the times of the steps cannot be kept: {error}\n"));
    }
}

/// Runs the step of a name, without the tests of networks.
pub(crate) fn run_named(name: &str) -> Result<(), String> {
    let step = STEPS.iter().find(|step| step.name == name).ok_or_else(|| format!("there is no step `{name}`"))?;
    run_one(step, Networks::Skip)
}

fn run_one(step: &Step, networks: Networks) -> Result<(), String> {
    if let Some(component) = step.component {
        let found = cargo().args([step.name, "--version"]).output().is_ok_and(|output| output.status.success());
        if !found {
            return Err(format!("{component} is not installed; run `rustup component add {component}`"));
        }
    }
    let mut arguments = step.arguments.to_vec();
    if step.name == "test" {
        if networks == Networks::Test {
            arguments.extend(["--features", ONNX_TESTS]);
        }
        if has_systemd() {
            arguments.extend(["--features", SYSTEMD_TESTS]);
        } else {
            say("systemd-analyze was not found: the units of the service are not checked by systemd\n");
        }
    }
    say(&format!("\n== cargo {}\n", arguments.join(" ")));
    let status = cargo()
        .args(&arguments)
        .envs(step.variables.iter().copied())
        .status()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`cargo xtask {}` failed ({status})", step.name)) }
}

fn has_systemd() -> bool {
    Command::new("systemd-analyze").arg("--version").output().is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_listed_with_its_last_time() {
        let times = parse_times("fmt 2\nclippy 754\nnonsense\ntest x\n");
        let text = list(STEPS, "Steps:", &times);
        let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split_whitespace().take(2).collect()).collect();
        assert_eq!(rows, [["fmt", "2"], ["clippy", "12"], ["doc", "unknown"], ["test", "unknown"]]);
    }
}
