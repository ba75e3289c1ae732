//! Where does each kind of file live?

mod runtime;

use std::path::{Path, PathBuf};

use recall_core::ContentHash;
pub use runtime::RuntimeError;

use crate::{Environment, PlatformHomes};

/// The directories of one user. None of them need exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Homes {
    /// What must be kept: the global store, the indexes of projects that were not initialised, models.
    pub data: PathBuf,
    /// What the user edits.
    pub config: PathBuf,
    /// What may be deleted at any time.
    pub cache: PathBuf,
    /// Logs.
    pub state: PathBuf,
    /// The socket and the lock; gone after a restart of the machine.
    pub runtime: PathBuf,
    /// The socket on which a service manager listens for the daemon of the user's default homes. The daemon there may
    /// serve other data, so that a client compares. `None` if these homes have no such socket.
    pub service_socket: Option<PathBuf>,
}

/// The longest path that the address of a Unix socket holds, without the NUL behind it.
const SOCKET_PATH_BYTES: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// The file name of the daemon's socket.
const SOCKET: &str = "recalld.sock";

/// A name of 16 digits for a path, made of its bytes.
fn short_hash(path: &Path) -> String {
    let hash = blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex();
    hash.as_str()[..16].to_owned()
}

impl Homes {
    /// Tells the homes.
    ///
    /// `RECALL_HOME` puts all under one folder: `data`, `config`, `cache`, `state`, `run`. Otherwise they follow the
    /// platform, and the socket lives in `/run/user/<user id>/recall-<hash of the data home>`, or in
    /// `/tmp/recall-<user id>-<hash of the data home>` where the first folder is not the user's alone. Thus every program
    /// of a user finds the same daemon, whatever variables it was given, and each data home has a daemon of its own.
    ///
    /// # Errors
    /// `RECALL_HOME` is relative, there is neither it nor a home folder, or the socket's path would be too long.
    pub fn from_environment(env: &Environment) -> Result<Self, HomesError> {
        let homes = match &env.recall_home {
            Some(home) if home.is_relative() => return Err(HomesError::Relative { path: home.clone() }),
            Some(home) => Self::below(home),
            None => Self::of_platform(env)?,
        };
        homes.check_socket_length()?;
        Ok(homes)
    }

    /// The same homes with another folder for the socket and the lock.
    ///
    /// # Errors
    /// The socket's path would be too long.
    pub fn with_runtime(self, runtime: PathBuf) -> Result<Self, HomesError> {
        let homes = Self { runtime, service_socket: None, ..self };
        homes.check_socket_length()?;
        Ok(homes)
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

    fn of_platform(env: &Environment) -> Result<Self, HomesError> {
        let platform = env.platform.clone().ok_or(HomesError::NoHome)?;
        let PlatformHomes { data, config, cache, state } = platform;
        let hash = short_hash(&data);
        let runtime = match &env.runtime_dir {
            Some(folder) => folder.join(format!("recall-{hash}")),
            None if cfg!(windows) => state.join("run"),
            // Not the temporary folder of the environment, which may differ between a shell and an editor.
            None => PathBuf::from(format!("/tmp/recall-{}-{hash}", env.user)),
        };
        let service_socket = env.runtime_dir.as_ref().map(|folder| folder.join("recall").join(SOCKET));
        Ok(Self { data, config, cache, state, runtime, service_socket })
    }

    fn check_socket_length(&self) -> Result<(), HomesError> {
        let path = self.socket();
        let length_bytes = path.as_os_str().len();
        // A named pipe's name is made of a hash, so that only Unix has the bound.
        if cfg!(unix) && length_bytes > SOCKET_PATH_BYTES {
            return Err(HomesError::SocketPathTooLong { path, length_bytes, limit_bytes: SOCKET_PATH_BYTES });
        }
        Ok(())
    }

    /// The daemon's socket.
    pub fn socket(&self) -> PathBuf {
        self.runtime.join(SOCKET)
    }

    /// The file whose lock makes the daemon the only one at its socket.
    pub fn lock(&self) -> PathBuf {
        self.runtime.join("recalld.lock")
    }

    /// The file whose lock makes the shared daemon the only one of its user. It is with the data, so that deleting the
    /// runtime folder frees no place for a second daemon.
    pub fn data_lock(&self) -> PathBuf {
        self.data.join("recalld.lock")
    }

    /// The file whose lock is held by the client that starts a daemon, so that others wait for that one.
    pub fn start_lock(&self) -> PathBuf {
        self.runtime.join("start.lock")
    }

    /// The folder of the daemon's logs.
    pub fn log_dir(&self) -> PathBuf {
        self.state.join("logs")
    }

    /// The log that the daemon writes. Older ones lie beside it with a number behind.
    pub fn log_file(&self) -> PathBuf {
        self.log_dir().join("recalld.log")
    }

    /// The root of the global store.
    pub fn global_root(&self) -> PathBuf {
        self.data.join("global")
    }

    /// The folder for the index of a project that was not initialised.
    ///
    /// Named by the hash of the root's bytes: the same for every spelling only when the root was resolved first.
    pub fn store_dir(&self, root: &Path) -> PathBuf {
        self.data.join("stores").join(short_hash(root))
    }

    /// The ranker for the code of the project with that root, learnt from its history. It need not exist.
    ///
    /// Named by the store's id, which is made of the root's bytes: the root must be resolved first.
    pub fn code_ranker(&self, root: &Path) -> PathBuf {
        let id = ContentHash::of(root.as_os_str().as_encoded_bytes()).short();
        self.data.join("rankers").join(id).join("code.ranker")
    }

    /// The folder of installed models.
    pub fn models(&self) -> PathBuf {
        self.data.join("models")
    }

    /// The folder of the libraries that run models, each version in a folder of its own.
    pub fn runtimes(&self) -> PathBuf {
        self.data.join("runtimes")
    }

    /// The store of embeddings, which all projects share.
    pub fn embeddings(&self) -> PathBuf {
        self.cache.join("embeddings.db")
    }

    /// The user's configuration file.
    pub fn user_config(&self) -> PathBuf {
        self.config.join("recall.toml")
    }

    /// The configuration file of the project with that root.
    pub fn project_config(root: &Path) -> PathBuf {
        root.join(".recall").join("recall.toml")
    }
}

/// The homes cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HomesError {
    /// The folder must be the same whoever asks.
    #[error("RECALL_HOME is `{}`, which is not an absolute path", path.display())]
    Relative {
        /// What was given.
        path: PathBuf,
    },
    /// Nothing says where the user's files are.
    #[error("there is no home folder: neither HOME nor RECALL_HOME is set")]
    NoHome,
    /// The operating system could not listen there.
    #[error("the path of the socket, `{}`, has {length_bytes} bytes; a socket's may have {limit_bytes}", path.display())]
    SocketPathTooLong {
        /// The path.
        path: PathBuf,
        /// Its length.
        length_bytes: usize,
        /// The longest that works.
        limit_bytes: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_platform(runtime_dir: Option<&str>) -> Environment {
        let platform = PlatformHomes {
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
        let homes = Homes::from_environment(&env).expect("absolute");
        let everything = [
            (homes.socket(), "/r/run/recalld.sock"),
            (homes.lock(), "/r/run/recalld.lock"),
            (homes.data_lock(), "/r/data/recalld.lock"),
            (homes.start_lock(), "/r/run/start.lock"),
            (homes.log_file(), "/r/state/logs/recalld.log"),
            (homes.global_root(), "/r/data/global"),
            (homes.models(), "/r/data/models"),
            (homes.runtimes(), "/r/data/runtimes"),
            (homes.embeddings(), "/r/cache/embeddings.db"),
            (homes.user_config(), "/r/config/recall.toml"),
            (homes.cache.clone(), "/r/cache"),
        ];
        for (path, expected) in everything {
            assert_eq!(path, Path::new(expected));
        }
    }

    #[test]
    fn the_socket_follows_from_the_user_and_the_data_home() {
        let hash = short_hash(Path::new("/h/data"));
        for (runtime_dir, expected, of_service) in [
            (Some("/run/user/7"), "/run/user/7/recall-", Some("/run/user/7/recall/recalld.sock")),
            (None, "/tmp/recall-7-", None),
        ] {
            let environment = on_platform(runtime_dir);
            let homes = Homes::from_environment(&environment).expect("short");
            assert_eq!(homes.socket(), Path::new(&format!("{expected}{hash}/recalld.sock")));
            assert_eq!(homes.service_socket.as_deref(), of_service.map(Path::new));

            let platform = environment.platform.clone().expect("given");
            let elsewhere = PlatformHomes { data: "/h2/data".into(), ..platform };
            let other = Homes::from_environment(&Environment { platform: Some(elsewhere), ..environment });
            assert_ne!(other.expect("short").socket(), homes.socket(), "another data home");
        }
    }

    #[test]
    fn what_cannot_work_is_refused() {
        let at = |home: &str| Environment { recall_home: Some(home.into()), ..Environment::default() };
        assert_eq!(Homes::from_environment(&at("r")), Err(HomesError::Relative { path: "r".into() }));
        assert_eq!(Homes::from_environment(&Environment::default()), Err(HomesError::NoHome));

        let behind_home = "/run/recalld.sock".len();
        let fitting = format!("/{}", "x".repeat(SOCKET_PATH_BYTES - behind_home - 1));
        assert!(Homes::from_environment(&at(&fitting)).is_ok());
        let deep = Homes::below(Path::new("/r")).with_runtime(format!("{fitting}/run/deeper").into());
        assert!(matches!(deep, Err(HomesError::SocketPathTooLong { .. })), "{deep:?}");
        let refused = Homes::from_environment(&at(&format!("{fitting}x")));
        assert!(
            matches!(refused, Err(HomesError::SocketPathTooLong { length_bytes, limit_bytes, .. }) if length_bytes == limit_bytes + 1),
            "{refused:?}"
        );
    }

    #[test]
    fn a_project_that_was_not_initialised_has_a_folder_of_its_own() {
        let homes = Homes::below(Path::new("/r"));
        let folder = homes.store_dir(Path::new("/src/a"));
        assert_eq!(folder, Path::new("/r/data/stores").join(folder.file_name().expect("named")));
        assert_eq!(folder.file_name().expect("named").len(), 16);
        assert_eq!(folder, homes.store_dir(Path::new("/src/a")));
        assert_ne!(folder, homes.store_dir(Path::new("/src/b")));
    }

    #[test]
    fn every_project_has_a_place_for_a_ranker_of_its_own() {
        let homes = Homes::below(Path::new("/r"));
        let file = homes.code_ranker(Path::new("/src/a"));
        let folder = file.parent().expect("in a folder");
        assert_eq!(file, folder.join("code.ranker"));
        assert_eq!(folder.parent(), Some(Path::new("/r/data/rankers")));
        assert_ne!(file, homes.code_ranker(Path::new("/src/b")));
    }
}
