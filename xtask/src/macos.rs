//! The type-check for macOS. Nothing of it runs here, and nothing is linked: the frameworks of the system are not there.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::cross::{self, Install};
use crate::programs;
use crate::say;
use crate::zig::Zig;

const TARGET: &str = "aarch64-apple-darwin";

/// The headers of a framework that zig lacks, with what the C code of our libraries uses of them.
const HEADERS: [(&str, &str); 2] = [
    ("CommonCrypto/CommonCryptoError.h", "enum { kCCSuccess = 0 };\n"),
    ("CommonCrypto/CommonRandom.h", "#include <stddef.h>\nint CCRandomGenerateBytes(void *bytes, size_t count);\n"),
];

/// Checks every crate.
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
    let mut command = Zig::provide(install)?.cargo("macos", TARGET, "check");
    command.args(["--workspace", "--keep-going"]);
    command.env("CFLAGS_aarch64_apple_darwin", format!("-isystem {}", headers()?.display()));
    cross::run(&mut command)
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
