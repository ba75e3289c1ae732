//! The programs of a release build; the toolchain that builds the standard library with them, for systems that this machine has
//! no library for; and zig as the compiler of C and C++ and as the linker, for Linux systems with an older glibc, for other
//! processors, and for the type-check for macOS.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::{cargo, say, workspace};

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
        run_command(command().args(["--profile", profile]).args(names))?;
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
    run_command(cargo().args(["build", "--package", "recall-cli", "--bin", "recall"]))?;
    Ok(target_folder().join("debug"))
}

/// Builds the programs with a profile; returns their folder.
pub(crate) fn build(profile: &str) -> Result<PathBuf, String> {
    let status = cargo_build(profile).status().map_err(|error| format!("cannot start cargo: {error}"))?;
    if status.success() { Ok(target_folder().join(profile)) } else { Err(format!("the build failed ({status})")) }
}

/// Returns the command that builds the programs with a profile.
pub(crate) fn cargo_build(profile: &str) -> Command {
    let mut command = cargo();
    command.args(["build", "--locked", "--profile", profile]);
    for (package, name, _) in PUBLISHED {
        command.args(["--package", package, "--bin", name]);
    }
    command
}

/// The warnings of an answer that lacks files, links or embeddings.
const PARTIAL: [&str; 5] =
    ["\"INDEXING\"", "\"NOT_INDEXED_YET\"", "\"NOT_REFRESHED\"", "\"LINKS_BEHIND\"", "\"EMBEDDINGS_TO_COME\""];

/// Whether an answer as JSON is made from everything that the project has.
pub(crate) fn is_whole(answer: &str) -> bool {
    answer.contains("\"ok\":true") && !PARTIAL.iter().any(|code| answer.contains(code))
}

/// Counts the packages that the programs consist of.
pub(crate) fn packages() -> Result<usize, String> {
    let mut tree = cargo();
    tree.args(["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]);
    for (package, _, _) in PUBLISHED {
        tree.args(["--package", package]);
    }
    let output = tree.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("`cargo tree` failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // A package that was listed before has a mark.
    let packages: BTreeSet<&str> = text.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    Ok(packages.iter().filter(|package| !package.is_empty()).count())
}

/// Returns cargo's target folder.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

/// The folder of the toolchain that has the library's sources. It is a distribution's: `rustup` may not reach its server.
const TOOLCHAIN: &str = "/usr/bin";

/// A file that a task needs, and the package of Debian that has it.
pub(crate) struct Need {
    pub(crate) file: &'static str,
    pub(crate) package: &'static str,
}

/// What every target needs.
pub(crate) const TOOLCHAIN_NEEDS: [Need; 3] = [
    Need { file: "/usr/bin/rustc", package: "rustc-web" },
    Need { file: "/usr/bin/cargo", package: "cargo-web" },
    Need { file: "/usr/lib/rustlib/src/rust/library/Cargo.lock", package: "rust-web-src" },
];

/// Whether missing packages are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Install {
    /// The task says what is missing and ends.
    Ask,
    /// The task installs it, which only root may do.
    Run,
}

/// Checks that the files are there, or installs their packages.
///
/// # Errors
/// A file is missing, or the installation failed.
pub(crate) fn provide_toolchain(needs: &[&Need], install: Install) -> Result<(), String> {
    let missing = |needs: &[&Need]| -> Vec<&'static str> {
        needs.iter().filter(|need| !Path::new(need.file).exists()).map(|need| need.package).collect()
    };
    let packages = missing(needs);
    if packages.is_empty() {
        return Ok(());
    }
    let commands = [vec!["update"], [&["install", "--yes", "--no-install-recommends"], &packages[..]].concat()];
    if install == Install::Ask {
        let list = commands.map(|words| format!("    apt-get {}\n", words.join(" "))).concat();
        return Err(format!(
            "these packages of Debian are missing: {}. Install them as root, or add `--install`:\n{list}",
            packages.join(", ")
        ));
    }
    for words in commands {
        run_command(Command::new("apt-get").args(&words).env("DEBIAN_FRONTEND", "noninteractive"))?;
    }
    match missing(needs)[..] {
        [] => Ok(()),
        ref left => Err(format!("apt-get installed no {}: another release of Debian has other names", left.join(", "))),
    }
}

/// Returns the folder of what is built for a system.
pub(crate) fn folder_of(system: &str) -> PathBuf {
    target_folder().join(system)
}

/// Returns a command of cargo that builds the standard library too. Its registry is a folder of its own, since the toolchain is
/// another one than that of the workspace.
pub(crate) fn cargo_for(system: &str, target: &str, subcommand: &str) -> Command {
    cargo_by(&Path::new(TOOLCHAIN).join("cargo"), system, target, subcommand)
}

/// Returns the same command for a program that calls cargo.
pub(crate) fn cargo_by(program: &Path, system: &str, target: &str, subcommand: &str) -> Command {
    let is_kept = |name: &str| name == "CARGO_BUILD_JOBS" || !(name.starts_with("CARGO") || name.starts_with("RUST"));
    let toolchain = Path::new(TOOLCHAIN);
    let mut command = Command::new(program);
    command
        .current_dir(workspace())
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_kept)))
        .env("CARGO", toolchain.join("cargo"))
        .env("CARGO_HOME", target_folder().join(format!("cargo-{system}")))
        .env("CARGO_TARGET_DIR", folder_of(system))
        .env("CARGO_TERM_COLOR", "never")
        .env("RUSTC", toolchain.join("rustc"))
        // Building the library is a feature of nightly compilers; this variable allows it in others.
        .env("RUSTC_BOOTSTRAP", "1")
        .args([subcommand, "--locked", "-Z", "build-std=std,panic_unwind,panic_abort", "--target", target]);
    command
}

/// Returns a variable of paths with a folder, and that of the toolchain, before the others.
pub(crate) fn path_with_toolchain(folder: &Path) -> OsString {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let first = [folder.to_owned(), PathBuf::from(TOOLCHAIN)];
    std::env::join_paths(first.into_iter().chain(std::env::split_paths(&paths))).unwrap_or(paths)
}

/// Runs a command, says that it does, and waits for it.
///
/// # Errors
/// It cannot be started, or it failed.
pub(crate) fn run_command(command: &mut Command) -> Result<(), String> {
    say(&format!("\n== {}\n", words(command)));
    run_quietly(command)
}

/// Runs a command and waits for it.
///
/// # Errors
/// It cannot be started, or it failed.
pub(crate) fn run_quietly(command: &mut Command) -> Result<(), String> {
    let status = command.status();
    let status = status.map_err(|error| format!("cannot start {}: {error}", command.get_program().display()))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", words(command))) }
}

/// Returns the words of a command, as a person reads them.
fn words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

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
        provide_toolchain(&TOOLCHAIN_NEEDS.iter().collect::<Vec<_>>(), install)?;
        let folder = target_folder().join("zig");
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
        run_command(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        run_command(Command::new(zig.programs.join("pip")).args(["install", "--quiet"]).args(PACKAGES))?;
        std::fs::write(&installed, "").map_err(|error| format!("cannot write {}: {error}", installed.display()))?;
        Ok(zig)
    }

    /// Returns a command of cargo. The target may end with a version of glibc.
    pub(crate) fn cargo(&self, system: &str, target: &str, subcommand: &str) -> Command {
        let folder = target_folder().join("zig-cache");
        let mut command = cargo_by(&self.programs.join("cargo-zigbuild"), system, target, subcommand);
        command
            .env("PATH", path_with_toolchain(&self.programs))
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
    run_command(&mut command)
}

/// Writes the headers. Returns their folder.
fn headers() -> Result<PathBuf, String> {
    let folder = target_folder().join("macos-headers");
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
    let folder = folder_of("linux");
    let out = folder.join("programs").join(target);
    let target_with_glibc = format!("{target}.{GLIBC}");
    publish(|| zig.cargo("linux", &target_with_glibc, "zigbuild"), &folder.join(target), "", &out)?;
    Ok(out)
}
