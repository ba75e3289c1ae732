//! The trial of a package on an older system: Debian 11 in a folder, for this machine's processor or for another one, which QEMU
//! imitates.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::programs::{self, Install, Need};
use crate::say;

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
