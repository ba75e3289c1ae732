//! Whether the programs, the running daemon and the service have one version.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use recall_api::v1::{Finding, Severity};
use recall_client::daemon;

use crate::command::service;
use crate::command_context::CommandContext;

/// The name of the check.
pub(super) const CHECK: &str = "versions";

/// The version of this program.
const OWN: &str = env!("CARGO_PKG_VERSION");

/// A program that works together with this one.
#[derive(Clone, Debug)]
struct Installed {
    /// What it is for the user: `the shim`.
    role: &'static str,
    path: PathBuf,
    /// The version that it prints; `None` if it cannot be started or prints none.
    version: Option<String>,
    /// What brings it to the version of this program.
    hint: &'static str,
}

/// Compares the running daemon, the programs that would be started next, and the program of the service with this program.
pub(super) fn findings(running: &str, context: &CommandContext) -> Vec<Finding> {
    let programs = [
        ("the installed daemon", daemon::program().ok(), &["recalld"][..], "install `recalld` of this version too"),
        (
            "the shim",
            context.process_env.programs.own_program("recall-shim"),
            &["recall-shim"],
            "install `recall-shim` of this version too",
        ),
        (
            "the program of the service",
            service::installed_program(context),
            // A scheduled task starts `recall`, which starts the daemon.
            &["recalld", "recall"],
            "run `recall service install` again, or install that program in this version",
        ),
    ];
    let installed = programs.into_iter().filter_map(|(role, path, names, hint)| {
        let path = path?;
        Some(Installed { role, version: version_of(&path, names), path, hint })
    });
    compare(running, installed.collect())
}

fn compare(running: &str, installed: Vec<Installed>) -> Vec<Finding> {
    let mut findings = Vec::new();
    if running != OWN {
        findings.push(finding(
            format!("the running daemon has version {running}, and this command {OWN}"),
            "run `recall daemon restart` when no work is running",
            None,
        ));
    }
    for Installed { role, path, version, hint } in installed {
        match version {
            Some(version) if version == OWN => {}
            Some(version) => findings.push(finding(
                format!("{role} has version {version}, and this command {OWN}"),
                hint,
                Some(&path),
            )),
            None => findings.push(finding(format!("{role} does not start"), hint, Some(&path))),
        }
    }
    findings
}

fn finding(message: String, hint: &str, path: Option<&Path>) -> Finding {
    Finding {
        check: CHECK.to_owned(),
        severity: Severity::Warning.into(),
        message,
        hint: hint.to_owned(),
        path: path.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default(),
        fixed: false,
        store_id: String::new(),
    }
}

/// Returns the version that a program prints after its name, which is one of these.
fn version_of(program: &Path, names: &[&str]) -> Option<String> {
    let ended = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    version_in(&String::from_utf8(ended.stdout).ok()?, names)
}

fn version_in(said: &str, names: &[&str]) -> Option<String> {
    let (name, version) = said.trim().split_once(' ')?;
    (names.contains(&name) && !version.is_empty()).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_says_its_name_and_its_version() {
        for (said, expected) in [
            ("recalld 1.2.3\n", Some("1.2.3")),
            ("recall 1.2.3\r\n", Some("1.2.3")),
            ("recall-shim 1.2.3", None),
            ("recalld", None),
        ] {
            assert_eq!(version_in(said, &["recalld", "recall"]).as_deref(), expected, "{said:?}");
        }
    }

    #[test]
    fn every_program_of_another_version_is_named_with_its_remedy() {
        let installed = |role, version: Option<&str>| Installed {
            role,
            path: PathBuf::from(format!("/x/{role}")),
            version: version.map(str::to_owned),
            hint: "install it",
        };
        assert_eq!(compare(OWN, vec![installed("the shim", Some(OWN))]), []);
        let found = compare("0.0.1", vec![installed("the shim", Some("0.0.2")), installed("the service", None)]);
        let messages: Vec<_> = found.iter().map(|finding| finding.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                format!("the running daemon has version 0.0.1, and this command {OWN}"),
                format!("the shim has version 0.0.2, and this command {OWN}"),
                "the service does not start".to_owned()
            ]
        );
        assert_eq!(found[1].path, "/x/the shim");
        assert!(found.iter().all(|finding| finding.severity() == Severity::Warning && !finding.hint.is_empty()));
    }
}
