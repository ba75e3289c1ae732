//! The programs of a release build.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cargo, cross, workspace};

/// The programs of a package, with the profile that each is built with.
pub(crate) const PUBLISHED: [(&str, &str, &str); 4] = [
    ("recall-cli", "recall", "release"),
    ("recalld", "recalld", "release"),
    ("recall-bench", "recall-bench", "release"),
    ("recall-shim", "recall-shim", "small"),
];

/// Builds the programs of a package with commands of cargo, one a profile, and copies them into a folder. `built` is the folder that has a
/// folder a profile; the names of programs have an ending on some systems.
pub(crate) fn publish(
    mut command: impl FnMut() -> Command,
    built: &Path,
    suffix: &str,
    out: &Path,
) -> Result<(), String> {
    fs::create_dir_all(out).map_err(|error| format!("cannot create {}: {error}", out.display()))?;
    for profile in ["release", "small"] {
        let of_profile = PUBLISHED.iter().filter(|(_, _, of)| *of == profile);
        let names = of_profile.clone().flat_map(|(package, name, _)| ["--package", package, "--bin", name]);
        cross::run(command().args(["--profile", profile]).args(names))?;
        for (_, name, _) in of_profile {
            let name = format!("{name}{suffix}");
            let (from, to) = (built.join(profile).join(&name), out.join(&name));
            fs::copy(&from, &to).map_err(|error| format!("cannot copy {}: {error}", from.display()))?;
        }
    }
    Ok(())
}

/// Builds the command line, which prints completions and manual pages; returns its folder.
pub(crate) fn build_command() -> Result<PathBuf, String> {
    cross::run(cargo().args(["build", "--package", "recall-cli", "--bin", "recall"]))?;
    Ok(target_folder().join("debug"))
}

/// Builds the programs with a profile; returns their folder.
pub(crate) fn build(profile: &str) -> Result<PathBuf, String> {
    let bins = ["--bin", "recall", "--bin", "recalld", "--bin", "recall-shim", "--bin", "recall-bench"];
    let packages =
        ["--package", "recall-cli", "--package", "recalld", "--package", "recall-shim", "--package", "recall-bench"];
    let status = cargo()
        .args(["build", "--profile", profile])
        .args(bins)
        .args(packages)
        .status()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(target_folder().join(profile)) } else { Err(format!("the build failed ({status})")) }
}

/// Returns cargo's target folder.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}
