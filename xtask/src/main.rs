//! The project's tasks: `cargo xtask --help` lists them.
//!
//! They need only what `rustup` installs, and the package depends on a reader of JSON alone, so it builds in a few seconds.

mod changed;
mod clients;
mod dist;
mod fixture;
mod programs;
mod progress;
mod proof;
mod publish;
mod record;
mod steps;
mod tour;
mod windows;

use std::path::Path;
use std::process::{Command, ExitCode};

use clients::PageTrial;
use dist::Trial;
use programs::Install;
use publish::Sending;
use steps::{Networks, STEPS};
use windows::Extent;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] | ["-h" | "--help" | "help"] => {
            say(&help());
            ExitCode::SUCCESS
        }
        ["check"] => steps::run(STEPS, Networks::Skip),
        ["check", "--onnx"] => steps::run(STEPS, Networks::Test),
        ["check", "--changed"] => changed::run(None),
        ["check", "--changed", base] => changed::run(Some(base)),
        ["tour"] => tour::run(None),
        ["tour", folder] => tour::run(Some(folder)),
        ["dist"] => dist::run(Trial::Skip),
        ["dist", "--try"] => dist::run(Trial::Run),
        ["dist", "--windows"] => dist::windows(Install::Ask, Trial::Skip),
        ["dist", "--windows", "--install"] => dist::windows(Install::Run, Trial::Skip),
        ["dist", "--windows", "--try"] => dist::windows(Install::Ask, Trial::Run),
        ["dist", "--windows", "--install", "--try"] => dist::windows(Install::Run, Trial::Run),
        ["dist", "--linux", target] => dist::linux(target, Install::Ask, Trial::Skip),
        ["dist", "--linux", target, "--install"] => dist::linux(target, Install::Run, Trial::Skip),
        ["dist", "--linux", target, "--try"] => dist::linux(target, Install::Ask, Trial::Run),
        ["dist", "--linux", target, "--install", "--try"] => dist::linux(target, Install::Run, Trial::Run),
        ["channels", folder, url, homepage] => dist::channels(folder, url, homepage),
        ["publish", channel, folder, repository] => publish::run(channel, folder, repository, Sending::Print),
        ["publish", channel, folder, repository, "--send"] => publish::run(channel, folder, repository, Sending::Run),
        ["page"] => clients::try_page(PageTrial::Look),
        ["page", "--approve"] => clients::try_page(PageTrial::Approve),
        ["page", "--speed", folder] => clients::try_page(PageTrial::Speed(folder)),
        ["record", project] => record::run(project, None),
        ["record", project, folder] => record::run(project, Some(folder)),
        ["proof", ref words @ ..] => proof::run(words),
        ["sdks"] => clients::try_sdks(),
        ["windows"] => windows::run(Extent::Try, Install::Ask, None),
        ["windows", "--install"] => windows::run(Extent::Try, Install::Run, None),
        ["windows", "--build"] => windows::run(Extent::Build, Install::Ask, None),
        ["windows", "--build", "--install"] => windows::run(Extent::Build, Install::Run, None),
        ["windows", "--try"] => windows::run(Extent::TryOnly, Install::Ask, None),
        ["windows", trial] => windows::run(Extent::TryOnly, Install::Ask, Some(trial)),
        ["macos"] => programs::check_macos(Install::Ask),
        ["macos", "--install"] => programs::check_macos(Install::Run),
        ["fixture"] => fixture::run(None),
        ["fixture", folder] => fixture::run(Some(folder)),
        [name] => match STEPS.iter().find(|step| step.name == name) {
            Some(step) => steps::run(std::slice::from_ref(step), Networks::Skip),
            None => refuse(&format!("unknown task `{name}`")),
        },
        _ => refuse("expected one task"),
    }
}

/// The tasks that are no steps of `check`.
const TASKS: &[(&str, &str)] = &[
    ("tour", "build the programs and use them on a clone of this repository, which is deleted at the end"),
    ("tour FOLDER", "the same with the programs in a folder"),
    ("dist", "make packages of the programs in `dist/` of the target folder"),
    ("dist --try", "the same, and install each with the tool that users have"),
    (
        "dist --windows",
        "make packages of the programs for Windows in `dist/windows/`; --install installs what is missing with apt-get, --try uses the archive \
         under Wine",
    ),
    (
        "dist --linux TARGET",
        "make packages for x86_64-unknown-linux-gnu or aarch64-unknown-linux-gnu that need no newer glibc than 2.17; --install installs what is \
         missing, --try installs and uses them on Debian 11 in a folder",
    ),
    (
        "channels FOLDER URL HOMEPAGE",
        "make the files of Homebrew, AUR, Nix and winget for the archives in a folder, which are published below URL",
    ),
    (
        "publish CHANNEL FOLDER OWNER/NAME",
        "print the commands that publish the packages in a folder, and what they send: CHANNEL is sign, github, pypi, npm, mcp, homebrew, aur, winget \
         or all; --send runs them",
    ),
    ("page", "go through every page in Chromium, and take the pictures of the documentation"),
    ("page --approve", "take the pictures that `page` compares the pages with, after a change that you looked at"),
    ("page --speed FOLDER", "measure the page over the files of a folder, in Chromium"),
    (
        "record PROJECT [FOLDER]",
        "draw the recording of the README in `docs/images/`, of commands in a clone of flask, with the programs in a folder",
    ),
    (
        "proof [--set NAME] [--peer NAME]",
        "measure recall and other programs on sets of questions, and write `docs/proof/`; --programs FOLDER takes built programs, --data FOLDER has public \
         benchmarks, --repository FOLDER is another one than this, --install installs the peers in the target folder, --limit N is the most questions of a set, --seed N draws others, --out FOLDER takes \
         the pages",
    ),
    ("sdks", "prove the fake server of models with the vendors' own clients, which Python must have"),
    ("windows", "build the programs for Windows and try them under Wine"),
    ("windows --install", "the same, and install what is missing with apt-get"),
    ("windows --build", "build them, and try nothing; --install as above"),
    ("windows --try", "try what was built last"),
    ("windows TRIAL", "run one trial with the programs that were built last"),
    ("macos", "check the types of every crate for macOS"),
    ("macos --install", "the same, and install what is missing"),
    ("fixture", "store a small project with this version, for tests of later ones"),
    ("fixture FOLDER", "the same with the programs in a folder"),
    ("check", "run all of the following, in this order, and stop at the first failure"),
    ("check --onnx", "the same with the tests of networks, which need `RECALL_TEST_WHEELS`"),
    (
        "check --changed [COMMIT]",
        "check the formatting and the lints, and run the tests of the packages that depend on what changed since a commit, by default since \
         the branch left origin/main",
    ),
];

fn help() -> String {
    let steps = STEPS.iter().map(|step| (step.name, step.about));
    let list: String =
        TASKS.iter().copied().chain(steps).flat_map(|(name, about)| ["  ", name, "\t", about, "\n"]).collect();
    format!("Usage: cargo xtask <task>\n\nTasks:\n{list}")
}

fn refuse(why: &str) -> ExitCode {
    say(&format!("error: {why}\n\n{}", help()));
    ExitCode::from(2)
}

/// Writes to the terminal.
#[expect(clippy::print_stderr, reason = "a task talks to the person at the terminal")]
fn say(text: &str) {
    eprint!("{text}");
}

/// Returns the folder of the workspace.
fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the workspace")
}

/// Returns a command for the cargo that runs this task, in the workspace.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace());
    // `cargo run` sets variables about the package xtask. Some build scripts run again when they change, so a check
    // after a plain build would start over.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")) {
            command.env_remove(name);
        }
    }
    command
}
