//! A release: the programs of one system, and the files that go with them.

use std::path::Path;

use recall_os::git::Program;

use crate::contents::{self, Item};
use crate::debian::{Glibc, Needs};
use crate::dependencies::{self, Library};

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
    /// What the programs need of the system, on Linux.
    pub(crate) needs: Needs,
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
    /// The libraries in the programs.
    pub(crate) dependencies: Vec<Library>,
}

/// A kind of system, with its name in each registry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct System {
    pub(crate) target: &'static str,
    /// The platform of wheels; that of Linux has the version of glibc before it.
    pub(crate) wheel: &'static str,
    /// `os` and `cpu` of npm.
    pub(crate) npm: (&'static str, &'static str),
    /// The architecture of Debian, if it is one.
    pub(crate) deb: Option<&'static str>,
    /// How the names of programs end.
    pub(crate) suffix: &'static str,
}

/// The systems that packages are made for.
pub(crate) const SYSTEMS: [System; 6] = [
    System {
        target: "x86_64-unknown-linux-gnu",
        wheel: "x86_64",
        npm: ("linux", "x64"),
        deb: Some("amd64"),
        suffix: "",
    },
    System {
        target: "aarch64-unknown-linux-gnu",
        wheel: "aarch64",
        npm: ("linux", "arm64"),
        deb: Some("arm64"),
        suffix: "",
    },
    System {
        target: "aarch64-apple-darwin",
        wheel: "macosx_11_0_arm64",
        npm: ("darwin", "arm64"),
        deb: None,
        suffix: "",
    },
    System {
        target: "x86_64-unknown-linux-musl",
        wheel: "musllinux_1_2_x86_64",
        npm: ("linux", "x64"),
        deb: None,
        suffix: "",
    },
    System {
        target: "aarch64-unknown-linux-musl",
        wheel: "musllinux_1_2_aarch64",
        npm: ("linux", "arm64"),
        deb: None,
        suffix: "",
    },
    System { target: "x86_64-pc-windows-gnu", wheel: "win_amd64", npm: ("win32", "x64"), deb: None, suffix: ".exe" },
];

impl System {
    /// Returns the system with that target.
    pub(crate) fn find(target: &str) -> Result<Self, String> {
        let known = || SYSTEMS.map(|system| system.target).join(", ");
        let system = SYSTEMS.iter().find(|system| system.target == target).copied();
        system.ok_or_else(|| format!("there are no packages for {target}; there are for {}", known()))
    }

    /// Returns the system that this program was built for.
    pub(crate) fn host() -> Result<Self, String> {
        Self::find(env!("RECALL_DIST_HOST"))
    }

    /// Whether its programs need a version of glibc.
    pub(crate) fn has_glibc(&self) -> bool {
        self.target.ends_with("-gnu") && self.npm.0 == "linux"
    }

    /// Whether its programs need musl, as on Alpine.
    pub(crate) fn has_musl(&self) -> bool {
        self.target.ends_with("-musl")
    }

    /// Returns the name of the package for npm, as its launcher finds it: after `recall-shim-`, `process.platform` and `process.arch`.
    pub(crate) fn npm_name(&self) -> String {
        format!("{REGISTRY_NAME}-{}", self.npm_system())
    }

    /// Returns what tells the system from others in npm.
    pub(crate) fn npm_system(&self) -> String {
        format!("{}-{}{}", self.npm.0, self.npm.1, if self.has_musl() { "-musl" } else { "" })
    }

    /// Returns the name of the archive without its ending, which is that of the folder in it too.
    pub(crate) fn archive_name(&self) -> String {
        format!("recall-{VERSION}-{}", self.target)
    }

    pub(crate) fn archive_ending(&self) -> &'static str {
        if self.npm.0 == "win32" { ".zip" } else { ".tar.gz" }
    }
}

impl Release {
    /// Reads the programs of a system, and has those of this machine print completions and manual pages.
    ///
    /// # Errors
    /// Among others, a program needs a newer glibc than the given one.
    pub(crate) fn gather(
        system: System,
        programs: &Path,
        runnable: &Path,
        glibc: Option<Glibc>,
    ) -> Result<Self, String> {
        let programs = contents::programs(programs, system.suffix)?;
        let needs = if system.has_glibc() { needs(&programs)? } else { Needs::default() };
        if let Some(glibc) = glibc.filter(|glibc| needs.glibc > *glibc) {
            return Err(format!(
                "the programs need glibc {} or newer, but these packages are for glibc {glibc}: something was not built by zig for it",
                needs.glibc
            ));
        }
        let mut documents = contents::documents()?;
        let dependencies = dependencies::list_libraries(&system)?;
        documents.push(dependencies::licences(&dependencies)?);
        Ok(Self {
            system,
            needs,
            time: time()?,
            programs,
            documents,
            completions: contents::completions(runnable)?,
            pages: contents::pages(runnable)?,
            units: contents::units()?,
            dependencies,
        })
    }
}

fn needs(programs: &[Item]) -> Result<Needs, String> {
    let of = |program: &Item| Needs::read(&program.bytes).map_err(|why| format!("{}: {why}", program.path));
    programs.iter().try_fold(Needs::default(), |needs, program| Ok(needs.and(of(program)?)))
}

/// Returns `SOURCE_DATE_EPOCH`, or the time of the last commit.
pub(crate) fn time() -> Result<u64, String> {
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
