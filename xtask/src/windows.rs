//! The programs for Windows: built with Debian's mingw, and tried under Wine.
//!
//! Wine is not Windows. What is tried here is said to be tested under Wine; `docs/platforms.md` lists what is not.

mod trials;
mod wine;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::programs::{self, Install, Need, TOOLCHAIN_NEEDS};
use crate::say;
use wine::Wine;

pub(crate) const TARGET: &str = "x86_64-pc-windows-gnu";

/// The profile of what is tried.
const PROFILE: &str = "wine";

/// The programs that are tried, with their packages.
const TRIED: [(&str, &str); 4] = [
    ("recalld", "recalld"),
    ("recall-cli", "recall"),
    ("recall-shim", "recall-shim"),
    ("recall-tests", "test-recalld"),
];

/// What the build and the trials need besides the toolchain.
const NEEDS: [Need; 4] = [
    Need { file: "/usr/bin/x86_64-w64-mingw32-gcc-posix", package: "gcc-mingw-w64-x86-64" },
    Need { file: "/usr/bin/x86_64-w64-mingw32-g++-posix", package: "g++-mingw-w64-x86-64" },
    Need { file: "/usr/lib/wine/wine64", package: "wine64" },
    Need { file: "/usr/bin/wineboot", package: "wine" },
];

/// The compilers of C and C++, the archiver and the linker. The `posix` ones have the threads of C++.
const VARIABLES: [(&str, &str); 4] = [
    ("CC_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-gcc-posix"),
    ("CXX_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-g++-posix"),
    ("AR_x86_64_pc_windows_gnu", "x86_64-w64-mingw32-ar"),
    ("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", "x86_64-w64-mingw32-gcc-posix"),
];

/// A library that the programs import and that Wine 8 lacks. Windows has its own.
const BCRYPT_PRIMITIVES: &str = "\
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG count);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T count) { return SystemFunction036(bytes, (ULONG)count); }
";

/// A program that keeps a file open for itself alone until its input ends.
const HOLD: &str = "\
#include <windows.h>
#include <stdio.h>
int main(int count, char **words) {
    HANDLE file = CreateFileA(words[1], GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return 1;
    puts(\"held\");
    fflush(stdout);
    return getchar() == EOF ? 0 : 2;
}
";

/// How much is done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The programs are built.
    Build,
    /// The programs are built and tried.
    Try,
    /// The programs that were built last are tried.
    TryOnly,
}

/// Builds the programs and tries them.
pub(crate) fn run(extent: Extent, install: Install, only: Option<&str>) -> ExitCode {
    match trials::check_name(only)
        .and_then(|()| prepare(extent, install))
        .and_then(|wine| if extent == Extent::Build { Ok(()) } else { trials::run(&wine, only) })
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn prepare(extent: Extent, install: Install) -> Result<Wine, String> {
    programs::provide_toolchain(&TOOLCHAIN_NEEDS.iter().chain(&NEEDS).collect::<Vec<_>>(), install)?;
    let folder = programs::folder_of("windows");
    if extent != Extent::TryOnly {
        let mut command = build(&headers(&folder)?);
        command.args(["--profile", PROFILE]);
        for (package, program) in TRIED {
            command.args(["--package", package, "--bin", program]);
        }
        programs::run_command(&mut command)?;
    }
    let built = folder.join(TARGET).join(PROFILE);
    if !built.is_dir() {
        return Err("nothing was built yet; `cargo xtask windows --build` builds the programs".to_owned());
    }
    let wine = Wine::new(&folder.join("trial"))?;
    for (_, program) in TRIED {
        let program = format!("{program}.exe");
        copy(&built.join(&program), &wine.programs().join(&program))?;
    }
    compile(&wine, "bcryptprimitives.dll", BCRYPT_PRIMITIVES, &["-shared"], &["-ladvapi32"])?;
    compile(&wine, "hold.exe", HOLD, &[], &[])?;
    for library in ["libstdc++-6.dll", "libgcc_s_seh-1.dll", "libwinpthread-1.dll"] {
        copy(&find_compiler_library(library)?, &wine.programs().join(library))?;
    }
    Ok(wine)
}

/// Builds the programs as they are published; returns their folder. They need no library of the compiler beside them.
pub(crate) fn release(install: Install) -> Result<PathBuf, String> {
    programs::provide_toolchain(&TOOLCHAIN_NEEDS.iter().chain(&NEEDS[..2]).collect::<Vec<_>>(), install)?;
    let folder = programs::folder_of("windows");
    let out = folder.join("programs");
    let include = headers(&folder)?;
    let command = || {
        let mut command = build(&include);
        command.env("RUSTFLAGS", "-Ctarget-feature=+crt-static -Clink-args=-static");
        // `-static` does not apply to libstdc++: build scripts ask for it by name, and that links the DLL.
        command.env("CXXSTDLIB_x86_64_pc_windows_gnu", "static:-bundle=stdc++");
        command
    };
    programs::publish(command, &folder.join(TARGET), ".exe", &out)?;
    for (_, name, _) in programs::PUBLISHED {
        needs_the_system_alone(&out.join(format!("{name}.exe")))?;
    }
    Ok(out)
}

/// Refuses a program that needs a library of the compiler. Their names begin with `lib`, those of Windows do not.
fn needs_the_system_alone(program: &Path) -> Result<(), String> {
    let asked = Command::new("x86_64-w64-mingw32-objdump").arg("-p").arg(program).output();
    let answer = asked.map_err(|error| format!("cannot start objdump: {error}"))?;
    if !answer.status.success() {
        return Err(format!("objdump cannot read {}", program.display()));
    }
    let text = String::from_utf8_lossy(&answer.stdout);
    let libraries = text.lines().filter_map(|line| line.trim().strip_prefix("DLL Name: "));
    let foreign: Vec<&str> = libraries.filter(|name| name.starts_with("lib")).collect();
    if foreign.is_empty() {
        Ok(())
    } else {
        Err(format!("{} needs {}, which Windows does not have", program.display(), foreign.join(", ")))
    }
}

/// The trials of an archive.
const OF_ARCHIVE: [&str; 3] = ["first-search", "memories", "two-shims"];

/// Unpacks an archive in a Windows that has no library of the compiler, and tries its programs.
pub(crate) fn try_archive(archive: &Path, install: Install) -> Result<(), String> {
    programs::provide_toolchain(&TOOLCHAIN_NEEDS.iter().chain(&NEEDS).collect::<Vec<_>>(), install)?;
    let folder = programs::folder_of("windows").join("archive");
    let wine = Wine::new(&folder)?;
    programs::run_command(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(archive).arg(&folder))?;
    let unpacked = folder.join(archive.file_stem().unwrap_or_default());
    for (_, name, _) in programs::PUBLISHED {
        let name = format!("{name}.exe");
        copy(&unpacked.join(&name), &wine.programs().join(&name))?;
    }
    // Every Windows has it, Debian's Wine does not.
    compile(&wine, "bcryptprimitives.dll", BCRYPT_PRIMITIVES, &["-shared"], &["-ladvapi32"])?;
    OF_ARCHIVE.into_iter().try_for_each(|name| trials::run(&wine, Some(name)))
}

/// Writes the header that usearch includes as `Windows.h`, which is `windows.h` in mingw; returns its folder.
fn headers(folder: &Path) -> Result<PathBuf, String> {
    let headers = folder.join("headers");
    write(&headers.join("Windows.h"), "#include <windows.h>\n")?;
    Ok(headers)
}

/// Returns a command that builds programs, which are named by its further arguments.
fn build(headers: &Path) -> Command {
    let mut command = programs::cargo_for("windows", TARGET, "build");
    command.envs(VARIABLES).env("CXXFLAGS_x86_64_pc_windows_gnu", format!("-I{}", headers.display()));
    command
}

fn compile(wine: &Wine, name: &str, text: &str, before: &[&str], after: &[&str]) -> Result<(), String> {
    let (source, made) = (wine.programs().join(name).with_extension("c"), wine.programs().join(name));
    write(&source, text)?;
    programs::run_command(
        Command::new("x86_64-w64-mingw32-gcc-posix").args(before).arg("-o").arg(made).arg(source).args(after),
    )
}

/// Finds a library of the compiler that the programs link.
fn find_compiler_library(library: &str) -> Result<PathBuf, String> {
    let asked = Command::new("x86_64-w64-mingw32-gcc-posix").arg(format!("-print-file-name={library}")).output();
    let answer = asked.map_err(|error| format!("cannot start the compiler: {error}"))?;
    let path = PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim());
    if path.is_absolute() { Ok(path) } else { Err(format!("the compiler has no {library}")) }
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    std::fs::copy(from, to).map(drop).map_err(|error| format!("cannot copy {}: {error}", from.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(path, text));
    made.map_err(|error| format!("cannot write {}: {error}", path.display()))
}
