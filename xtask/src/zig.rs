//! zig as the compiler of C and C++ and as the linker: the programs for Linux systems with an older glibc and for other
//! processors, and the type-check for macOS.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::programs::{self, Install, TOOLCHAIN_NEEDS};
use crate::say;

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
        programs::provide_toolchain(&TOOLCHAIN_NEEDS.iter().collect::<Vec<_>>(), install)?;
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
        programs::run_command(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        programs::run_command(Command::new(zig.programs.join("pip")).args(["install", "--quiet"]).args(PACKAGES))?;
        std::fs::write(&installed, "").map_err(|error| format!("cannot write {}: {error}", installed.display()))?;
        Ok(zig)
    }

    /// Returns a command of cargo. The target may end with a version of glibc.
    pub(crate) fn cargo(&self, system: &str, target: &str, subcommand: &str) -> Command {
        let folder = programs::target_folder().join("zig-cache");
        let mut command = programs::cargo_by(&self.programs.join("cargo-zigbuild"), system, target, subcommand);
        command
            .env("PATH", programs::path_with_toolchain(&self.programs))
            .env("CARGO_ZIGBUILD_CACHE_DIR", folder.join("wrappers"))
            .env("ZIG_GLOBAL_CACHE_DIR", folder.join("global"))
            .env("ZIG_LOCAL_CACHE_DIR", folder.join("local"));
        command
    }
}

const TARGET: &str = "aarch64-apple-darwin";

/// The headers of a framework that zig lacks, with what the C code of our libraries uses of them.
const HEADERS: [(&str, &str); 2] = [
    ("CommonCrypto/CommonCryptoError.h", "enum { kCCSuccess = 0 };\n"),
    ("CommonCrypto/CommonRandom.h", "#include <stddef.h>\nint CCRandomGenerateBytes(void *bytes, size_t count);\n"),
];

/// Checks every crate.
pub(crate) fn check_macos(install: Install) -> ExitCode {
    match check(install) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn check(install: Install) -> Result<(), String> {
    let mut command = Zig::provide(install)?.cargo("macos", TARGET, "check");
    command.args(["--workspace", "--keep-going"]);
    command.env("CFLAGS_aarch64_apple_darwin", format!("-isystem {}", headers()?.display()));
    programs::run_command(&mut command)
}

/// Writes the headers. Returns their folder.
fn headers() -> Result<PathBuf, String> {
    let folder = programs::target_folder().join("macos-headers");
    for (name, text) in HEADERS {
        let path = folder.join(name);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    Ok(folder)
}

/// The oldest glibc that the programs run with: that of 2012, the oldest that Rust's library supports.
pub(crate) const GLIBC: &str = "2.17";

/// Builds the programs as they are published; returns their folder.
pub(crate) fn release_linux(target: &str, install: Install) -> Result<PathBuf, String> {
    let zig = Zig::provide(install)?;
    let folder = programs::folder_of("linux");
    let out = folder.join("programs").join(target);
    let target_with_glibc = format!("{target}.{GLIBC}");
    programs::publish(|| zig.cargo("linux", &target_with_glibc, "zigbuild"), &folder.join(target), "", &out)?;
    Ok(out)
}
