//! zig as the compiler of C and C++ and as the linker: it has the headers and libraries of other systems, of every age.

use std::path::PathBuf;
use std::process::Command;

use crate::cross::{self, Install, TOOLCHAIN_NEEDS};
use crate::programs;

/// The packages of Python with zig, and with the program that has cargo use it.
const PACKAGES: [&str; 2] = ["ziglang==0.15.2", "cargo-zigbuild==0.24.1"];

/// Installed packages of Python.
pub(crate) struct Zig {
    /// The folder of their programs.
    programs: PathBuf,
}

impl Zig {
    /// Checks that the packages and the toolchain are there, or installs them.
    pub(crate) fn provide(install: Install) -> Result<Self, String> {
        cross::provide(&TOOLCHAIN_NEEDS.iter().collect::<Vec<_>>(), install)?;
        let folder = programs::target_folder().join("zig");
        let zig = Self { programs: folder.join("bin") };
        let list = PACKAGES.join(" ");
        // Its name says which packages are in it, so that other versions are another folder.
        let installed = folder.join(list.replace(' ', "+"));
        // Its interpreter is a link to that of the machine, which may be another one by now.
        if installed.exists() && zig.programs.join("python3").exists() {
            return Ok(zig);
        }
        if install == Install::Ask {
            return Err(format!(
                "there is no C compiler for other systems; add `--install`, which installs {list} in {}",
                folder.display()
            ));
        }
        cross::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        cross::run(Command::new(zig.programs.join("pip")).args(["install", "--quiet"]).args(PACKAGES))?;
        std::fs::write(&installed, "").map_err(|error| format!("cannot write {}: {error}", installed.display()))?;
        Ok(zig)
    }

    /// Returns a command of cargo. The target may end with a version of glibc.
    pub(crate) fn cargo(&self, system: &str, target: &str, subcommand: &str) -> Command {
        let folder = programs::target_folder().join("zig-cache");
        let mut command = cross::cargo_by(&self.programs.join("cargo-zigbuild"), system, target, subcommand);
        command
            .env("PATH", cross::path_with(&self.programs))
            .env("CARGO_ZIGBUILD_CACHE_DIR", folder.join("wrappers"))
            .env("ZIG_GLOBAL_CACHE_DIR", folder.join("global"))
            .env("ZIG_LOCAL_CACHE_DIR", folder.join("local"));
        command
    }
}
