//! The type-check for macOS. Nothing of it runs here, and nothing is linked: the frameworks of the system are not there.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::cross::{self, Install, TOOLCHAIN_NEEDS};
use crate::{programs, say};

/// The target.
const TARGET: &str = "aarch64-apple-darwin";

/// The package of Python with a C and C++ compiler for macOS, and its version.
const ZIG: &str = "ziglang==0.15.2";

/// Checks every crate, with its tests.
pub(crate) fn run(install: Install) -> ExitCode {
    match check(install) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn check(install: Install) -> Result<(), String> {
    cross::provide(&TOOLCHAIN_NEEDS.iter().collect::<Vec<_>>(), install)?;
    let folder = programs::target_folder().join("macos-tools");
    let zig = folder.join("venv/bin/python");
    if !zig.exists() {
        if install == Install::Ask {
            return Err(format!(
                "there is no C compiler for macOS; `cargo xtask macos --install` installs {ZIG} in {}",
                folder.display()
            ));
        }
        cross::run(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
        cross::run(Command::new(&zig).args(["-m", "pip", "install", "--quiet", ZIG]))?;
    }
    let [cc, cxx, ar] = ["cc", "c++", "ar"].map(|tool| (tool, folder.join(format!("zig-{tool}"))));
    for (tool, path) in [&cc, &cxx, &ar] {
        wrap(path, &zig, tool)?;
    }
    let mut command = cross::cargo("macos", TARGET, "check");
    command
        .env("CC_aarch64_apple_darwin", cc.1)
        .env("CXX_aarch64_apple_darwin", cxx.1)
        .env("AR_aarch64_apple_darwin", ar.1)
        .args(["--workspace", "--keep-going"]);
    cross::run(&mut command)
}

/// Writes a program that runs a tool of zig. A compiler gets the target in zig's form, in place of the one that the caller names.
fn wrap(path: &Path, python: &Path, tool: &str) -> Result<(), String> {
    let python = python.display();
    let script = if tool == "ar" {
        format!("#!/bin/sh\nexec '{python}' -m ziglang ar \"$@\"\n")
    } else {
        format!(
            "#!/bin/bash\nwords=()\nfor word in \"$@\"; do\n  case \"$word\" in --target=*|-mmacosx-version-min=*|-arch|arm64) ;; *) words+=(\"$word\");; esac\ndone\n\
             exec '{python}' -m ziglang {tool} -target aarch64-macos \"${{words[@]}}\"\n"
        )
    };
    let failed = |error: std::io::Error| format!("cannot write {}: {error}", path.display());
    std::fs::write(path, script).map_err(failed)?;
    cross::run(Command::new("chmod").arg("+x").arg(path))
}
