//! Places of an agent's files on each system.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An operating system, by where programs keep files of users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Linux and the other Unix systems that follow the XDG directories.
    Linux,
    /// macOS, with `~/Library`.
    Macos,
    /// Windows, with `%APPDATA%`.
    Windows,
}

impl System {
    /// Returns the system for which this program was built.
    pub fn here() -> Self {
        if cfg!(target_os = "macos") {
            Self::Macos
        } else if cfg!(windows) {
            Self::Windows
        } else {
            Self::Linux
        }
    }
}

/// The folders of one user below which agents keep their files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// The system whose conventions hold.
    pub system: System,
    /// The home folder.
    pub home: PathBuf,
    /// The variables of [`Folders::VARIABLES`] that are set to an absolute path.
    pub variables: BTreeMap<String, PathBuf>,
}

impl Folders {
    /// The variables that move the files of agents.
    pub const VARIABLES: &[&str] = &[
        "APPDATA",
        "CLAUDE_CONFIG_DIR",
        "CLINE_DIR",
        "CODEX_HOME",
        "COPILOT_HOME",
        "GEMINI_CLI_HOME",
        "XDG_CONFIG_HOME",
    ];

    fn base_path(&self, base: Base) -> PathBuf {
        let variable = |name: &str| self.variables.get(name).cloned();
        match base {
            Base::Home => self.home.clone(),
            Base::Config => variable("XDG_CONFIG_HOME").unwrap_or_else(|| self.home.join(".config")),
            Base::Support => match self.system {
                System::Linux => self.base_path(Base::Config),
                System::Macos => self.home.join("Library/Application Support"),
                System::Windows => variable("APPDATA").unwrap_or_else(|| self.home.join("AppData/Roaming")),
            },
            Base::Variable(name, below_home) => variable(name).unwrap_or_else(|| self.home.join(below_home)),
        }
    }
}

/// A folder of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// The home folder.
    Home,
    /// `XDG_CONFIG_HOME`, else `~/.config`, on every system.
    Config,
    /// The system's folder for the configuration of applications.
    Support,
    /// The folder in a variable, else this one below the home folder.
    Variable(&'static str, &'static str),
}

/// A file or a folder of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    linux: (Base, &'static str),
    macos: (Base, &'static str),
    windows: (Base, &'static str),
}

impl Place {
    /// The same path on every system.
    pub(crate) const fn new(base: Base, path: &'static str) -> Self {
        Self { linux: (base, path), macos: (base, path), windows: (base, path) }
    }

    /// Another path on Windows.
    pub(crate) const fn on_windows(self, base: Base, path: &'static str) -> Self {
        Self { windows: (base, path), ..self }
    }

    fn at(self, system: System) -> (Base, &'static str) {
        match system {
            System::Linux => self.linux,
            System::Macos => self.macos,
            System::Windows => self.windows,
        }
    }

    pub(crate) fn path(self, folders: &Folders) -> PathBuf {
        let (base, path) = self.at(folders.system);
        // Components are joined one by one, so that Windows shows one kind of separator.
        path.split('/').filter(|part| !part.is_empty()).fold(folders.base_path(base), |folder, part| folder.join(part))
    }

    /// Returns the folder that may contain the file: the user's home folder, or the folder that a variable names.
    pub(crate) fn bounds(self, folders: &Folders) -> Vec<PathBuf> {
        let (base, _) = self.at(folders.system);
        vec![folders.home.clone(), folders.base_path(base)]
    }
}

/// Returns the first path that exists, else the first.
pub(crate) fn first_existing(paths: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    let paths: Vec<PathBuf> = paths.into_iter().collect();
    paths.iter().find(|path| exists(path)).or(paths.first()).cloned()
}

/// Whether there is something at the path, be it a link to nowhere.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
