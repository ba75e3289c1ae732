//! Packages of the programs, and their trial.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::programs::{self, Install, Need};
use crate::{cargo, say, windows};

/// Whether the packages are installed and started.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trial {
    Skip,
    Run,
}

/// Builds the programs for Windows, and makes their packages.
pub(crate) fn windows(install: Install, trial: Trial) -> ExitCode {
    let made = windows::release(install).and_then(|built| {
        // Completions and manual pages are printed by a program that runs here.
        let runnable = programs::build_command()?;
        let out = programs::target_folder().join("dist/windows");
        succeed(packager().args([&built, &out]).arg(windows::TARGET).arg(runnable))?;
        if trial == Trial::Run { windows::try_archive(&find(&out, ".zip")?, install) } else { Ok(()) }
    });
    code(made)
}

/// Builds the programs for Linux systems with an older glibc, and makes their packages.
pub(crate) fn linux(target: &str, install: Install, trial: Trial) -> ExitCode {
    let made = programs::release_linux(target, install).and_then(|built| {
        let runnable = programs::build_command()?;
        let out = programs::target_folder().join("dist").join(target);
        succeed(packager().args([&built, &out]).arg(target).arg(runnable).arg(programs::GLIBC))?;
        if trial == Trial::Run {
            let architecture = if target.starts_with("aarch64") { "arm64" } else { "amd64" };
            try_package(&find(&out, ".deb")?, architecture, install)?;
        }
        Ok(())
    });
    code(made)
}

/// Makes the files of package managers for the archives in a folder.
pub(crate) fn channels(folder: &str, url: &str, homepage: &str) -> ExitCode {
    code(succeed(packager().args(["--channels", folder, url, homepage])))
}

/// Returns the command that makes packages.
fn packager() -> Command {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "recall-dist", "--"]);
    command
}

fn code(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

/// Builds the programs as they are installed, and makes packages in `dist/` of the target folder.
pub(crate) fn run(trial: Trial) -> ExitCode {
    code(make().and_then(|out| if trial == Trial::Run { try_all(&out) } else { Ok(()) }))
}

fn make() -> Result<PathBuf, String> {
    let target = programs::target_folder();
    let (built, out) = (target.join("dist/programs"), target.join("dist"));
    let native = || {
        let mut command = cargo();
        command.arg("build");
        command
    };
    programs::publish(native, &target, "", &built)?;
    succeed(packager().args([&built, &out]))?;
    Ok(out)
}

/// Installs each package into an empty folder with the tool that users have, and starts what it installed.
fn try_all(out: &Path) -> Result<(), String> {
    let folder = out.join("try");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("cannot delete {}: {error}", folder.display()))?;
    }
    let place = |name: &str| -> Result<PathBuf, String> {
        let place = folder.join(name);
        fs::create_dir_all(&place).map_err(|error| format!("cannot create {}: {error}", place.display()))?;
        Ok(place)
    };
    let mut skipped = Vec::new();
    let mut install = |tool: &str, install: &mut Command, programs: &Path| -> Result<(), String> {
        if Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            skipped.push(tool.to_owned());
            return Ok(());
        }
        succeed(install)?;
        start(programs, &folder.join("home"))?;
        say(&format!("installed with {tool} and started: {}\n", programs.display()));
        Ok(())
    };

    let archive = find(out, ".tar.gz")?;
    let at = place("tar")?;
    let inner = archive.file_name().and_then(|name| name.to_str()).unwrap_or_default().trim_end_matches(".tar.gz");
    install("tar", Command::new("tar").arg("xzf").arg(&archive).arg("-C").arg(&at), &at.join(inner))?;

    // Other systems than Debian have none.
    if let Ok(deb) = find(out, ".deb") {
        let at = place("deb")?;
        install("dpkg-deb", Command::new("dpkg-deb").arg("--extract").arg(deb).arg(&at), &at.join("usr/bin"))?;
    }

    let at = place("pip")?;
    succeed(Command::new("python3").args(["-m", "venv"]).arg(&at))?;
    let pip = at.join("bin/pip");
    let wheel = find(out, ".whl")?;
    let mut command = Command::new(&pip);
    command.args(["install", "--quiet", "--no-index", "--disable-pip-version-check"]).arg(wheel);
    install(&pip.to_string_lossy(), &mut command, &at.join("bin"))?;

    let at = place("npm")?;
    let mut command = Command::new("npm");
    command.args(["install", "--silent", "--global", "--offline", "--prefix"]).arg(&at).arg(find(out, ".tgz")?);
    install("npm", &mut command, &at.join("bin"))?;

    for tool in skipped {
        say(&format!("not tried, because `{tool}` is not here\n"));
    }
    Ok(())
}

/// Starts the programs of a folder with an empty home: a search in it, which starts the daemon, and the shim.
fn start(programs: &Path, home: &Path) -> Result<(), String> {
    let project = home.join("project");
    fs::create_dir_all(&project).map_err(|error| format!("cannot create {}: {error}", project.display()))?;
    fs::write(project.join("hello.rs"), "pub fn hello_from_a_package() {}\n").map_err(|error| error.to_string())?;
    let command = |name: &str| {
        let mut command = Command::new(programs.join(name));
        command.current_dir(&project).env_clear().env("HOME", home).stdin(Stdio::null());
        command
    };
    for name in ["recall", "recalld", "recall-shim", "recall-bench"] {
        succeed(command(name).arg("--version").stdout(Stdio::null()))?;
    }
    let search = command("recall").args(["search", "hello_from_a_package"]).output();
    let stop = succeed(command("recall").args(["daemon", "stop"]));
    let search = search.map_err(|error| format!("cannot start recall: {error}"))?;
    if !String::from_utf8_lossy(&search.stdout).contains("hello.rs") {
        return Err(format!("the search found nothing: {}", String::from_utf8_lossy(&search.stderr)));
    }
    stop
}

/// Returns the only file of a folder whose name ends so.
fn find(folder: &Path, end: &str) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut found = entries.filter_map(|entry| Some(entry.ok()?.path()));
    found
        .find(|path| path.to_string_lossy().ends_with(end))
        .ok_or_else(|| format!("there is no `*{end}` in {}", folder.display()))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| format!("cannot start {name}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{name}` failed ({status})")) }
}

/// The release, and where it comes from. Its glibc is 2.31.
const RELEASE: &str = "bullseye";
const MIRROR: &str = "http://deb.debian.org/debian";

const DEBOOTSTRAP: Need = Need { file: "/usr/sbin/debootstrap", package: "debootstrap" };

/// What runs programs of other processors, and what tells the kernel so.
const QEMU: [Need; 2] = [
    Need { file: "/usr/bin/qemu-aarch64-static", package: "qemu-user-static" },
    Need { file: "/usr/sbin/update-binfmts", package: "binfmt-support" },
];

/// The home in the system, which is empty at first.
const HOME: &str = "/tmp/recall-trial";

/// What is done in the system, with an empty home: the daemon starts, indexes, answers, and ends.
const SCRIPT: &str = r#"
set -eu
for program in recall recalld recall-shim recall-bench; do "$program" --version; done
mkdir --parents "$HOME/project" && cd "$HOME/project"
echo 'pub fn hello_from_a_package() {}' > hello.rs
recall search hello_from_a_package | tee found
grep --quiet hello.rs found
recall remember 'The package runs here.'
recall search 'where does the package run' | grep --quiet 'runs here'
recall daemon stop
"#;

/// Installs a package in the system of an architecture, and uses it. Only root may do that.
pub(crate) fn try_package(package: &Path, architecture: &str, install: Install) -> Result<(), String> {
    let system = provide(architecture, install)?;
    let inside = system.join("recall.deb");
    std::fs::copy(package, &inside).map_err(|error| format!("cannot copy {}: {error}", package.display()))?;
    programs::run_command(in_system(&system).args(["rm", "--recursive", "--force", HOME]))?;
    programs::run_command(in_system(&system).args(["dpkg", "--install", "/recall.deb"]))?;
    programs::run_command(in_system(&system).args(["sh", "-c", SCRIPT]))?;
    say(&format!("installed and used on Debian {RELEASE}, {architecture}\n"));
    Ok(())
}

/// Makes the system, unless it is there.
fn provide(architecture: &str, install: Install) -> Result<PathBuf, String> {
    let is_foreign = architecture == "arm64" && !cfg!(target_arch = "aarch64");
    let mut needs = vec![&DEBOOTSTRAP];
    if is_foreign {
        needs.extend(&QEMU);
    }
    programs::provide_toolchain(&needs, install)?;
    if is_foreign {
        programs::run_command(Command::new("update-binfmts").args(["--enable", "qemu-aarch64"]))?;
    }
    let folder = programs::target_folder().join("systems");
    let (made, partial) =
        (folder.join(format!("{RELEASE}-{architecture}")), folder.join(format!("{RELEASE}-{architecture}.part")));
    if !made.exists() {
        std::fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        let mut command = Command::new("debootstrap");
        command.args(["--variant=minbase", &format!("--arch={architecture}"), RELEASE]);
        programs::run_command(command.arg(&partial).arg(MIRROR))?;
        std::fs::rename(&partial, &made).map_err(|error| format!("cannot rename {}: {error}", partial.display()))?;
    }
    Ok(made)
}

/// Returns a command that runs in the system, with processes of its own, which end with it.
fn in_system(system: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]).arg("--root").arg(system);
    command.env_clear().envs([
        ("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),
        ("HOME", HOME),
        ("DEBIAN_FRONTEND", "noninteractive"),
        ("LC_ALL", "C.UTF-8"),
    ]);
    command
}
