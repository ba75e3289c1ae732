//! The programs for Linux systems with an older glibc than this one, and for other processors.

use std::path::PathBuf;

use crate::cross::{self, Install};
use crate::programs;
use crate::zig::Zig;

/// The oldest glibc that the programs run with: that of 2012, the oldest that Rust's library supports.
pub(crate) const GLIBC: &str = "2.17";

/// Builds the programs as they are published; returns their folder.
pub(crate) fn release(target: &str, install: Install) -> Result<PathBuf, String> {
    let zig = Zig::provide(install)?;
    let folder = cross::folder_of("linux");
    let out = folder.join("programs").join(target);
    let target_with_glibc = format!("{target}.{GLIBC}");
    programs::publish(|| zig.cargo("linux", &target_with_glibc, "zigbuild"), &folder.join(target), "", &out)?;
    Ok(out)
}
