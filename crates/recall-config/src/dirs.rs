//! The directories of recall's files.
//!
//! Every program of a user must find the same daemon, from a shell, an editor or a service. So the socket's folder depends on the
//! user and the data home only, and not on variables that differ between them, such as `TMPDIR`. Each data home has a daemon of its
//! own.

mod runtime;

use std::path::{Path, PathBuf};

pub use runtime::RuntimeError;

use crate::{Environment, PlatformDirs};

/// The directories of one user. They need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirs {
    /// Persistent data: the global store, the indexes of uninitialised projects, models.
    pub data: PathBuf,
    /// Configuration edited by the user.
    pub config: PathBuf,
    /// Files that may be deleted at any time.
    pub cache: PathBuf,
    /// Logs, and other state that is kept between runs.
    pub state: PathBuf,
    /// The socket and its lock, which do not survive a restart of the machine.
    pub runtime: PathBuf,
    /// The socket on which a service manager listens for the daemon of the user's default dirs. The daemon there may
    /// serve other data, so that a client compares. `None` if these dirs have no such socket.
    pub service_socket: Option<PathBuf>,
}

/// The longest path of a Unix socket in bytes, without the terminating NUL.
const SOCKET_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The file name of the daemon's socket.
const SOCKET: &str = "recalld.sock";

/// A name of 16 digits for a path, made of its bytes.
fn short_hash(path: &Path) -> String {
    let hash = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
    hash.as_str()[..16].to_owned()
}

/// Returns the named pipe of a runtime folder. Names of pipes are of the whole machine; the folder's path is of one user.
fn pipe_of(runtime: &Path) -> PathBuf {
    // Windows compares paths without regard to case.
    let folder = runtime.to_string_lossy().to_lowercase();
    PathBuf::from(format!(r"\\.\pipe\recall-{}", short_hash(Path::new(&folder))))
}

impl Dirs {
    /// Determines the directories.
    ///
    /// `RECALL_HOME` puts them all into one folder: `data`, `config`, `cache`, `state`, `run`. Otherwise they follow
    /// the platform's conventions, and the socket is in `/run/user/<user id>/recall-<hash of the data home>` or, if
    /// `/run/user/<user id>` is not this user's alone, in `/tmp/recall-<user id>-<hash of the data home>`. So every program
    /// of a user finds the same daemon, whatever variables it has, and each data home has a daemon of its own.
    ///
    /// # Errors
    /// `RECALL_HOME` is relative, neither it nor a home folder is set, or the path of the socket is too long.
    pub fn from_environment(env: &Environment) -> Result<Self, DirsError> {
        let dirs = match &env.recall_home {
            Some(home) if home.is_relative() => return Err(DirsError::Relative { path: home.clone() }),
            Some(home) => Self::below(home),
            None => Self::for_platform(env)?,
        };
        dirs.check_socket_length()?;
        Ok(dirs)
    }

    /// Replaces the folder of the socket and its lock.
    ///
    /// # Errors
    /// The path of the socket is too long.
    pub fn with_runtime(self, runtime: PathBuf) -> Result<Self, DirsError> {
        let dirs = Self { runtime, service_socket: None, ..self };
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
            service_socket: None,
        }
    }

    fn for_platform(env: &Environment) -> Result<Self, DirsError> {
        let platform = env.platform.clone().ok_or(DirsError::NoHome)?;
        let PlatformDirs { data, config, cache, state } = platform;
        let hash = short_hash(&data);
        let runtime = match &env.runtime_dir {
            Some(folder) => folder.join(format!("recall-{hash}")),
            None if cfg!(windows) => state.join("run"),
            // `TMPDIR` may differ between a shell and an editor of the same user.
            None => PathBuf::from(format!("/tmp/recall-{}-{hash}", env.user)),
        };
        let service_socket = match &env.runtime_dir {
            Some(folder) => Some(folder.join("recall").join(SOCKET)),
            // Next to the data: launchd listens there from the login on, and nothing of macOS is a user's alone until then.
            None if cfg!(target_os = "macos") => Some(data.join("service").join(SOCKET)),
            None => None,
        };
        Ok(Self { data, config, cache, state, runtime, service_socket })
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

    /// Returns the path of the daemon's socket. On Windows it is a named pipe, whose name has a hash of the runtime folder's
    /// path.
    pub fn socket(&self) -> PathBuf {
        if cfg!(windows) { pipe_of(&self.runtime) } else { self.runtime.join(SOCKET) }
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
        self.data.join("stores").join(short_hash(root))
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
        /// The path that the socket would have.
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
    fn a_pipe_has_the_name_of_its_folder_in_any_case() {
        let pipe = pipe_of(Path::new(r"C:\Users\Ana\AppData\Local\recall\data\state\run"));
        let name = pipe.to_str().and_then(|path| path.strip_prefix(r"\\.\pipe\recall-")).expect("a pipe");
        assert_eq!(name.len(), 16);
        assert_eq!(pipe, pipe_of(Path::new(r"c:\users\ana\appdata\local\Recall\data\state\run")));
        assert_ne!(pipe, pipe_of(Path::new(r"C:\Users\Eve\AppData\Local\recall\data\state\run")));
    }

    #[test]
    fn the_socket_follows_from_the_user_and_the_data_home() {
        let hash = short_hash(Path::new("/h/data"));
        for (runtime_dir, expected, of_service) in [
            (Some("/run/user/7"), "/run/user/7/recall-", Some("/run/user/7/recall/recalld.sock")),
            (None, "/tmp/recall-7-", None),
        ] {
            let environment = on_platform(runtime_dir);
            let dirs = Dirs::from_environment(&environment).expect("short");
            assert_eq!(dirs.socket(), Path::new(&format!("{expected}{hash}/recalld.sock")));
            assert_eq!(dirs.service_socket.as_deref(), of_service.map(Path::new));

            let platform = environment.platform.clone().expect("given");
            let elsewhere = PlatformDirs { data: "/h2/data".into(), ..platform };
            let other = Dirs::from_environment(&Environment { platform: Some(elsewhere), ..environment });
            assert_ne!(other.expect("short").socket(), dirs.socket(), "another data home");
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
}
