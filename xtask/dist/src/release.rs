//! A release: the programs of one system, and the files that go with them.

use std::path::Path;

use recall_git::Program;

use crate::contents::{self, Item};
use crate::elf::{self, Glibc};
use crate::licences;

/// The programs, in the order of their importance.
pub(crate) const PROGRAMS: [&str; 4] = ["recall", "recalld", "recall-shim", "recall-bench"];

/// The name in the package registries: that of the program which an agent starts, so that `npx` and `uvx` find it.
pub(crate) const REGISTRY_NAME: &str = "recall-shim";

/// The name in the registry of MCP servers.
pub(crate) const MCP_NAME: &str = "dev.recall/recall";

/// What the packages say in one line.
pub(crate) const SUMMARY: &str = "One local memory for every coding agent on a machine";

/// The licence, as an SPDX expression.
pub(crate) const LICENCE: &str = "MIT OR Apache-2.0";

/// The version of recall.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What the packages are made of.
pub(crate) struct Release {
    pub(crate) system: System,
    /// The oldest glibc that all programs run with.
    pub(crate) glibc: Glibc,
    /// Seconds since 1970: the modification time of every file.
    pub(crate) time: u64,
    pub(crate) programs: Vec<Item>,
    /// The licences and documents of the project and of its dependencies.
    pub(crate) documents: Vec<Item>,
    /// Completions, by the shell's name.
    pub(crate) completions: Vec<Item>,
    /// Manual pages.
    pub(crate) pages: Vec<Item>,
    /// The units of the service.
    pub(crate) units: Vec<Item>,
}

/// A kind of system, with its name in each registry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct System {
    pub(crate) target: &'static str,
    /// The architecture of wheels.
    pub(crate) wheel: &'static str,
    /// `os` and `cpu` of npm.
    pub(crate) npm: (&'static str, &'static str),
    /// The architecture of Debian, if it is one.
    pub(crate) deb: Option<&'static str>,
}

/// The systems that packages are made on.
const SYSTEMS: [System; 2] = [
    System { target: "x86_64-unknown-linux-gnu", wheel: "x86_64", npm: ("linux", "x64"), deb: Some("amd64") },
    System { target: "aarch64-unknown-linux-gnu", wheel: "aarch64", npm: ("linux", "arm64"), deb: Some("arm64") },
];

impl System {
    /// Returns the system that this program was built for.
    pub(crate) fn host() -> Result<Self, String> {
        let host = format!("{}-unknown-{}-gnu", std::env::consts::ARCH, std::env::consts::OS);
        let is_host = |system: &&Self| system.target == host && cfg!(target_env = "gnu");
        SYSTEMS
            .iter()
            .find(is_host)
            .copied()
            .ok_or_else(|| format!("packages are made on Linux with glibc, x86_64 or aarch64; this is {host}"))
    }
}

impl Release {
    /// Reads the programs, and has them print their completions and manual pages.
    pub(crate) fn gather(programs: &Path) -> Result<Self, String> {
        let folder = programs;
        let programs = contents::programs(folder)?;
        let versions = programs
            .iter()
            .map(|program| elf::needed_glibc(&program.bytes).map_err(|why| format!("{}: {why}", program.path)));
        let glibc = versions.collect::<Result<Vec<_>, _>>()?.into_iter().max().unwrap_or_default();
        let mut documents = contents::documents()?;
        documents.push(licences::of_dependencies()?);
        Ok(Self {
            system: System::host()?,
            glibc,
            time: time()?,
            programs,
            documents,
            completions: contents::completions(folder)?,
            pages: contents::pages(folder)?,
            units: contents::units()?,
        })
    }
}

/// Returns `SOURCE_DATE_EPOCH`, or the time of the last commit.
fn time() -> Result<u64, String> {
    let given = if let Ok(given) = std::env::var("SOURCE_DATE_EPOCH") {
        given
    } else {
        let unusable = |error: &dyn std::fmt::Display| format!("cannot run git: {error}; set SOURCE_DATE_EPOCH");
        let git = Program::find(&contents::workspace()).map_err(|error| unusable(&error))?;
        let git = git
            .command()
            .current_dir(contents::workspace())
            .args(["log", "-1", "--format=%ct"])
            .output()
            .map_err(|error| unusable(&error))?;
        String::from_utf8_lossy(&git.stdout).into_owned()
    };
    given.trim().parse().map_err(|_| "no commit has a time; set SOURCE_DATE_EPOCH to seconds since 1970".to_owned())
}
