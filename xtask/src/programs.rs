//! The programs of a release build.

use std::path::PathBuf;

use crate::{cargo, workspace};

/// Builds the programs; returns their folder.
pub(crate) fn build() -> Result<PathBuf, String> {
    let bins = ["--bin", "recall", "--bin", "recalld", "--bin", "recall-shim", "--bin", "recall-bench"];
    let packages =
        ["--package", "recall-cli", "--package", "recalld", "--package", "recall-shim", "--package", "recall-bench"];
    let status = cargo()
        .args(["build", "--release"])
        .args(bins)
        .args(packages)
        .status()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(target_folder().join("release")) } else { Err(format!("the build failed ({status})")) }
}

/// Returns cargo's target folder.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}
