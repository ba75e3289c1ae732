//! The directories of recall's files.

mod runtime;

use std::path::{Path, PathBuf};

use recall_core::ContentHash;
pub use runtime::RuntimeError;

use crate::Environment;

/// The directories of one user. They need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirs {
    /// Persistent data: the global store, the indexes of uninitialised projects, models.
    pub data: PathBuf,
    /// Configuration edited by the user.
    pub config: PathBuf,
    /// Files that may be deleted at any time.
    pub cache: PathBuf,
    /// Logs.
    pub state: PathBuf,
    /// The socket and its lock, which do not survive a restart of the machine.
    pub runtime: PathBuf,
}

/// The longest path of a Unix socket in bytes, without the terminating NUL.
const SOCKET_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

impl Dirs {
    /// Determines the directories.
    ///
    /// `RECALL_HOME` puts them all into one folder: `data`, `config`, `cache`, `state`, `run`. Otherwise they follow
    /// the platform's conventions, and the socket is in `$XDG_RUNTIME_DIR/recall` or, without that variable, in
    /// `/tmp/recall-<user id>`.
    ///
    /// # Errors
    /// `RECALL_HOME` is relative, neither it nor a home folder is set, or the path of the socket is too long.
    pub fn from_environment(env: &Environment) -> Result<Self, DirsError> {
        let dirs = match &env.recall_home {
            Some(home) if home.is_relative() => return Err(DirsError::Relative { path: home.clone() }),
            Some(home) => Self::below(home),
            None => Self::of_platform(env)?,
        };
        dirs.check_socket_length()?;
        Ok(dirs)
    }

    /// Replaces the folder of the socket and its lock.
    ///
    /// # Errors
    /// The path of the socket is too long.
    pub fn with_runtime(self, runtime: PathBuf) -> Result<Self, DirsError> {
        let dirs = Self { runtime, ..self };
        dirs.check_socket_length()?;
        Ok(dirs)
    }

    fn below(home: &Path) -> Self {
        Self {
            data: home.join("data"),
            config: home.join("config"),
            cache: home.join("cache"),
            state: home.join("state"),
            runtime: home.join("run"),
        }
    }

    fn of_platform(env: &Environment) -> Result<Self, DirsError> {
        let platform = env.platform.clone().ok_or(DirsError::NoHome)?;
        let runtime = match env.runtime_dir.as_ref().filter(|dir| dir.is_absolute()) {
            Some(dir) => dir.join("recall"),
            None if cfg!(windows) => platform.state.join("run"),
            // `TMPDIR` may differ between a shell and an editor of the same user, but all of them must find the same
            // socket.
            None => PathBuf::from(format!("/tmp/recall-{}", env.user)),
        };
        Ok(Self { data: platform.data, config: platform.config, cache: platform.cache, state: platform.state, runtime })
    }

    fn check_socket_length(&self) -> Result<(), DirsError> {
        let path = self.socket();
        let length_bytes = path.as_os_str().len();
        // The name of a named pipe contains a hash instead, so only Unix has the limit.
        if cfg!(unix) && length_bytes > SOCKET_PATH_BYTES {
            return Err(DirsError::SocketPathTooLong { path, length_bytes, limit_bytes: SOCKET_PATH_BYTES });
        }
        Ok(())
    }

    /// Returns the path of the daemon's socket.
    pub fn socket(&self) -> PathBuf {
        self.runtime.join("recalld.sock")
    }

    /// Returns the lock file that makes a daemon the only one at its socket.
    pub fn lock(&self) -> PathBuf {
        self.runtime.join("recalld.lock")
    }

    /// Returns the lock file that makes the shared daemon the only one of its user. It is in the data folder, so that a
    /// second daemon cannot start if the runtime folder is deleted.
    pub fn data_lock(&self) -> PathBuf {
        self.data.join("recalld.lock")
    }

    /// Returns the lock file held by a client that starts a daemon, so that other clients wait for it.
    pub fn start_lock(&self) -> PathBuf {
        self.runtime.join("start.lock")
    }

    /// Returns the folder of the daemon's logs.
    pub fn log_dir(&self) -> PathBuf {
        self.state.join("logs")
    }

    /// Returns the current log file of the daemon. Older ones have a numeric suffix.
    pub fn log_file(&self) -> PathBuf {
        self.log_dir().join("recalld.log")
    }

    /// Returns the root of the global store.
    pub fn global_root(&self) -> PathBuf {
        self.data.join("global")
    }

    /// Returns the folder for the index of an uninitialised project.
    ///
    /// Its name is a hash of the root's path, so the root must be resolved first.
    pub fn store_dir(&self, root: &Path) -> PathBuf {
        let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        self.data.join("stores").join(&hash.as_str()[..16])
    }

    /// Returns the path of a project's own code ranker, trained on its history. The file need not exist.
    ///
    /// The path contains the store's id, which is a hash of the root's path, so the root must be resolved first.
    pub fn code_ranker(&self, root: &Path) -> PathBuf {
        let id = ContentHash::of(root.as_os_str().as_encoded_bytes()).short();
        self.data.join("rankers").join(id).join("code.ranker")
    }

    /// Returns the folder of installed models.
    pub fn models(&self) -> PathBuf {
        self.data.join("models")
    }

    /// Returns the folder of installed runtimes, with one subfolder per version.
    pub fn runtimes(&self) -> PathBuf {
        self.data.join("runtimes")
    }

    /// Returns the path of the embedding store, which all projects share.
    pub fn embeddings(&self) -> PathBuf {
        self.cache.join("embeddings.db")
    }

    /// Returns the path of the user's configuration file.
    pub fn user_config(&self) -> PathBuf {
        self.config.join("recall.toml")
    }

    /// Returns the path of a project's configuration file.
    pub fn project_config(root: &Path) -> PathBuf {
        root.join(".recall").join("recall.toml")
    }
}

/// The directories could not be determined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DirsError {
    /// `RECALL_HOME` is relative, so it would depend on the current directory.
    #[error("RECALL_HOME is `{}`, which is not an absolute path", path.display())]
    Relative {
        /// The path as given.
        path: PathBuf,
    },
    /// Neither `RECALL_HOME` nor a home folder is set.
    #[error("there is no home folder: neither HOME nor RECALL_HOME is set")]
    NoHome,
    /// The path of the socket exceeds the operating system's limit.
    #[error("the path of the socket `{}` has {length_bytes} bytes; the limit is {limit_bytes}", path.display())]
    SocketPathTooLong {
        /// The path.
        path: PathBuf,
        /// Its length in bytes.
        length_bytes: usize,
        /// The limit in bytes.
        limit_bytes: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlatformDirs;

    fn on_platform(runtime_dir: Option<&str>) -> Environment {
        let platform = PlatformDirs {
            data: "/h/data".into(),
            config: "/h/config".into(),
            cache: "/h/cache".into(),
            state: "/h/state".into(),
        };
        Environment {
            platform: Some(platform),
            runtime_dir: runtime_dir.map(PathBuf::from),
            user: 7,
            ..Environment::default()
        }
    }

    #[test]
    fn recall_home_puts_everything_under_one_folder() {
        let env = Environment { recall_home: Some("/r".into()), ..on_platform(Some("/run/user/7")) };
        let dirs = Dirs::from_environment(&env).expect("absolute");
        let everything = [
            (dirs.socket(), "/r/run/recalld.sock"),
            (dirs.lock(), "/r/run/recalld.lock"),
            (dirs.data_lock(), "/r/data/recalld.lock"),
            (dirs.start_lock(), "/r/run/start.lock"),
            (dirs.log_file(), "/r/state/logs/recalld.log"),
            (dirs.global_root(), "/r/data/global"),
            (dirs.models(), "/r/data/models"),
            (dirs.runtimes(), "/r/data/runtimes"),
            (dirs.embeddings(), "/r/cache/embeddings.db"),
            (dirs.user_config(), "/r/config/recall.toml"),
            (dirs.cache.clone(), "/r/cache"),
        ];
        for (path, expected) in everything {
            assert_eq!(path, Path::new(expected));
        }
    }

    #[test]
    fn the_socket_is_in_xdg_runtime_dir_or_in_tmp() {
        for (runtime_dir, expected) in [
            (Some("/run/user/7"), "/run/user/7/recall/recalld.sock"),
            (None, "/tmp/recall-7/recalld.sock"),
            (Some("relative"), "/tmp/recall-7/recalld.sock"),
        ] {
            let dirs = Dirs::from_environment(&on_platform(runtime_dir)).expect("short");
            assert_eq!(dirs.socket(), Path::new(expected));
        }
    }

    #[test]
    fn invalid_directories_are_refused() {
        let at = |home: &str| Environment { recall_home: Some(home.into()), ..Environment::default() };
        assert_eq!(Dirs::from_environment(&at("r")), Err(DirsError::Relative { path: "r".into() }));
        assert_eq!(Dirs::from_environment(&Environment::default()), Err(DirsError::NoHome));

        let behind_home = "/run/recalld.sock".len();
        let fitting = format!("/{}", "x".repeat(SOCKET_PATH_BYTES - behind_home - 1));
        assert!(Dirs::from_environment(&at(&fitting)).is_ok());
        let deep = Dirs::below(Path::new("/r")).with_runtime(format!("{fitting}/run/deeper").into());
        assert!(matches!(deep, Err(DirsError::SocketPathTooLong { .. })), "{deep:?}");
        let refused = Dirs::from_environment(&at(&format!("{fitting}x")));
        assert!(
            matches!(refused, Err(DirsError::SocketPathTooLong { length_bytes, limit_bytes, .. }) if length_bytes == limit_bytes + 1),
            "{refused:?}"
        );
    }

    #[test]
    fn an_uninitialised_project_has_its_own_index_folder() {
        let dirs = Dirs::below(Path::new("/r"));
        let folder = dirs.store_dir(Path::new("/src/a"));
        assert_eq!(folder, Path::new("/r/data/stores").join(folder.file_name().expect("named")));
        assert_eq!(folder.file_name().expect("named").len(), 16);
        assert_eq!(folder, dirs.store_dir(Path::new("/src/a")));
        assert_ne!(folder, dirs.store_dir(Path::new("/src/b")));
    }

    #[test]
    fn every_project_has_its_own_ranker_path() {
        let dirs = Dirs::below(Path::new("/r"));
        let file = dirs.code_ranker(Path::new("/src/a"));
        let folder = file.parent().expect("in a folder");
        assert_eq!(file, folder.join("code.ranker"));
        assert_eq!(folder.parent(), Some(Path::new("/r/data/rankers")));
        assert_ne!(file, dirs.code_ranker(Path::new("/src/b")));
    }
}
