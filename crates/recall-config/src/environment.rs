//! The parts of the process environment that concern recall.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use recall_text::{AGENT_FOLDERS, AgentFolder};

/// The part of the process environment that concerns recall.
///
/// It is read once by [`capture`](Self::capture) and passed on as an argument, so that no other code depends on the
/// process environment. Its `Debug` output has the names of settings, but not their values.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// `RECALL_HOME`: a single folder for all files.
    pub recall_home: Option<PathBuf>,
    /// The user's home folder; `None` if there is none.
    pub home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, if absolute: where git may keep the user's configuration, if not in `.config` in the home folder.
    pub config_home: Option<PathBuf>,
    /// The variables that replace the folders of coding agents in the home folder, if absolute: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`.
    pub agent_variables: BTreeMap<String, PathBuf>,
    /// The platform's folders; `None` if the user has no home folder.
    pub platform: Option<PlatformDirs>,
    /// The system's folder for this user's sockets, `/run/user/<user id>`; `None` if there is none that is this user's
    /// alone. `XDG_RUNTIME_DIR` does not decide: many programs do not pass it on to the programs that they start.
    pub runtime_dir: Option<PathBuf>,
    /// The effective user id; 0 on platforms without user ids.
    pub user: u32,
    /// The proxy for downloads: the first set variable of `ALL_PROXY`, `HTTPS_PROXY` and `HTTP_PROXY`, in either case.
    pub proxy: Option<String>,
    /// `NO_PROXY`, in either case: a comma-separated list of hosts that are reached directly.
    pub no_proxy: Vec<String>,
    /// The keys of remote models, by the names of their variables: `RECALL_<PROVIDER>_API_KEY`.
    pub keys: BTreeMap<String, String>,
    /// The variables with settings, by name: `RECALL_<SECTION>__<KEY>`.
    pub settings: BTreeMap<String, OsString>,
    /// The keys of shared stores, by name in lower case: `RECALL_STORE_<NAME>_KEY`, with `_` for each `-` of the name.
    pub store_keys: BTreeMap<String, String>,
}

/// The folders for a program's files on this platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformDirs {
    /// Data that is kept.
    pub data: PathBuf,
    /// Configuration edited by the user.
    pub config: PathBuf,
    /// Files that may be deleted at any time.
    pub cache: PathBuf,
    /// Logs and other state.
    pub state: PathBuf,
}

impl Environment {
    /// Captures the environment of this process.
    pub fn capture() -> Self {
        Self {
            home: directories::BaseDirs::new().map(|base| base.home_dir().to_owned()),
            platform: PlatformDirs::detect(),
            runtime_dir: runtime_folder_of(Path::new("/run/user"), effective_user()),
            user: effective_user(),
            ..Self::from_variables(std::env::vars_os())
        }
    }

    /// Returns the folder of each coding agent's files of this user, by the name of the agent.
    pub fn agent_folders(&self) -> BTreeMap<&'static str, PathBuf> {
        AGENT_FOLDERS.iter().filter_map(|agent| Some((agent.agent, self.agent_folder(agent)?))).collect()
    }

    fn agent_folder(&self, agent: &AgentFolder) -> Option<PathBuf> {
        let named = agent.variable.and_then(|(name, below)| Some(self.agent_variables.get(name)?.join(below)));
        named.or_else(|| self.home.as_ref().map(|home| home.join(agent.below_home)))
    }

    /// Selects the variables that concern recall. An empty variable counts as unset.
    ///
    /// The other fields (the platform's folders, the runtime folder and the user id) are left empty.
    pub fn from_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut environment = Self::default();
        let mut proxies = [const { None }; PROXIES.len()];
        for (name, value) in variables {
            let Some(name) = name.to_str().filter(|_| !value.is_empty()) else { continue };
            match name {
                "RECALL_HOME" => environment.recall_home = Some(value.into()),
                "XDG_CONFIG_HOME" => {
                    environment.config_home = Some(value.into()).filter(|path: &PathBuf| path.is_absolute());
                }
                _ if AGENT_FOLDERS.iter().any(|agent| agent.variable.is_some_and(|(known, _)| known == name)) => {
                    let named = PathBuf::from(value);
                    if named.is_absolute() {
                        environment.agent_variables.insert(name.to_owned(), named);
                    }
                }
                _ if is_key(name) => {
                    // A key that is not text cannot be sent.
                    if let Ok(key) = value.into_string() {
                        environment.keys.insert(name.to_owned(), key);
                    }
                }
                _ if is_setting(name) => {
                    environment.settings.insert(name.to_owned(), value);
                }
                _ if is_store_key(name) => {
                    environment.store_keys.extend(store_of_key(name).zip(value.into_string().ok()));
                }
                _ if name.eq_ignore_ascii_case(NO_PROXY) => environment.no_proxy = hosts(&value.to_string_lossy()),
                _ => {
                    if let Some(place) = PROXIES.iter().position(|known| known.eq_ignore_ascii_case(name)) {
                        proxies[place] = value.into_string().ok();
                    }
                }
            }
        }
        environment.proxy = proxies.into_iter().flatten().next();
        environment
    }
}

/// The proxy variables used by other programs, in order of precedence.
const PROXIES: [&str; 3] = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"];

/// The variable used by other programs for hosts without a proxy.
const NO_PROXY: &str = "NO_PROXY";

/// Splits a list of hosts.
fn hosts(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|host| !host.is_empty()).map(ToOwned::to_owned).collect()
}

/// Returns whether a variable has the key of a store.
fn is_store_key(name: &str) -> bool {
    store_of_key(name).is_some()
}

/// Returns the store whose key a variable has.
fn store_of_key(name: &str) -> Option<String> {
    let store = name.strip_prefix("RECALL_STORE_")?.strip_suffix("_KEY")?;
    Some(store.to_ascii_lowercase().replace('_', "-"))
}

/// Returns whether a variable has a setting. Section and key are joined by two underscores.
fn is_setting(name: &str) -> bool {
    name.strip_prefix("RECALL_").is_some_and(|rest| rest.contains("__"))
}

/// Returns whether a variable has the key of a remote model. `RECALL_API_KEY` is that of the page's API.
fn is_key(name: &str) -> bool {
    let provider = name.strip_prefix("RECALL_").and_then(|rest| rest.strip_suffix("_API_KEY"));
    provider.is_some_and(|provider| !provider.is_empty() && !provider.contains("__"))
}

impl PlatformDirs {
    fn detect() -> Option<Self> {
        let project = directories::ProjectDirs::from("dev", "", "recall")?;
        // The local folders differ from the others on Windows only, where those are copied between machines: an index and a
        // socket belong to one machine.
        Some(Self {
            data: project.data_local_dir().to_owned(),
            config: project.config_local_dir().to_owned(),
            cache: project.cache_dir().to_owned(),
            // Only Linux has a state folder. On other systems the logs are next to the machine's local data.
            state: project.state_dir().map_or_else(|| project.data_local_dir().join("state"), ToOwned::to_owned),
        })
    }
}

#[cfg(unix)]
fn effective_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn effective_user() -> u32 {
    0
}

/// The folder of one user below the folder of all users' runtime folders; `None` unless it is a directory of that user
/// with mode 0700. A link is not followed.
#[cfg(unix)]
fn runtime_folder_of(all: &Path, user: u32) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt as _;

    let folder = all.join(user.to_string());
    let found = std::fs::symlink_metadata(&folder).ok()?;
    let is_private = found.is_dir() && found.uid() == user && found.mode() & 0o777 == 0o700;
    is_private.then_some(folder)
}

#[cfg(not(unix))]
fn runtime_folder_of(_all: &Path, _user: u32) -> Option<PathBuf> {
    None
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            recall_home,
            home,
            config_home,
            agent_variables,
            platform,
            runtime_dir,
            user,
            proxy,
            no_proxy,
            keys,
            settings,
            store_keys,
        } = self;
        f.debug_struct("Environment")
            .field("recall_home", recall_home)
            .field("home", home)
            .field("config_home", config_home)
            .field("agent_variables", agent_variables)
            .field("platform", platform)
            .field("runtime_dir", runtime_dir)
            .field("user", user)
            // The address may contain a password.
            .field("proxy", &proxy.as_ref().map(|_| ".."))
            .field("no_proxy", no_proxy)
            .field("keys", &keys.keys().collect::<Vec<_>>())
            .field("settings", &settings.keys().collect::<Vec<_>>())
            .field("store_keys", &store_keys.keys().collect::<Vec<_>>())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment::from_variables(variables.iter().map(|(name, value)| (name.into(), value.into())))
    }

    #[test]
    fn only_variables_that_concern_recall_are_kept() {
        let read = environment(&[
            ("RECALL_HOME", "/r"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("CODEX_HOME", "relative"),
            ("GEMINI_CLI_HOME", "/g"),
            ("XDG_RUNTIME_DIR", "/somewhere/else"),
            ("RECALL_DAEMON__DRAIN", "1s"),
            ("RECALL_API_KEY", "hush"),
            ("RECALL_OPENAI_API_KEY", "hush"),
            ("OPENAI_API_KEY", "hush"),
            ("AWS_SECRET", "hush"),
        ]);
        let expected = Environment {
            recall_home: Some("/r".into()),
            agent_variables: [("CLAUDE_CONFIG_DIR", "/c"), ("GEMINI_CLI_HOME", "/g")]
                .map(|(name, folder)| (name.to_owned(), folder.into()))
                .into(),
            keys: [("RECALL_OPENAI_API_KEY".to_owned(), "hush".to_owned())].into(),
            settings: [("RECALL_DAEMON__DRAIN".to_owned(), "1s".into())].into(),
            ..Environment::default()
        };
        assert_eq!(read, expected);
        let folders = Environment { home: Some("/h".into()), ..read }.agent_folders();
        for (agent, folder) in [("claude", "/c"), ("codex", "/h/.codex"), ("gemini", "/g/.gemini")] {
            assert_eq!(folders[agent], Path::new(folder));
        }
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        assert_eq!(environment(&[("RECALL_HOME", ""), ("RECALL_DAEMON__DRAIN", "")]), Environment::default());
    }

    #[test]
    fn the_list_of_hosts_without_a_proxy_is_split() {
        let read = environment(&[("no_proxy", "localhost, .intern.example,,*")]);
        assert_eq!(read.no_proxy, ["localhost", ".intern.example", "*"]);
        assert!(environment(&[("NO_PROXY", "")]).no_proxy.is_empty());
    }

    #[test]
    fn the_first_set_proxy_variable_wins() {
        let read = environment(&[("http_proxy", "http://c"), ("https_proxy", "http://b"), ("ALL_PROXY", "")]);
        assert_eq!(read.proxy.as_deref(), Some("http://b"));
    }

    #[cfg(unix)]
    #[test]
    fn the_runtime_folder_is_a_directory_of_the_user_that_is_closed_to_others() {
        use std::fs;
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let (place, user) = (tempfile::tempdir().expect("a temporary folder"), effective_user());
        let (all, folder) = (place.path(), place.path().join(user.to_string()));
        assert_eq!(runtime_folder_of(all, user), None, "there is none");
        fs::create_dir(&folder).expect("writable");
        for (mode, expected) in [(0o755, None), (0o770, None), (0o700, Some(folder.clone()))] {
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).expect("ours");
            assert_eq!(runtime_folder_of(all, user), expected, "{mode:o}");
        }
        fs::rename(&folder, all.join("real")).expect("writable");
        symlink(all.join("real"), &folder).expect("writable");
        assert_eq!(runtime_folder_of(all, user), None, "a link");
        fs::rename(all.join("real"), all.join((user + 1).to_string())).expect("writable");
        assert_eq!(runtime_folder_of(all, user + 1), None, "it belongs to another user");
    }

    #[test]
    fn debug_output_shows_no_value_of_a_setting() {
        let shown = format!("{:?}", environment(&[("RECALL_STORE__KEY", "hush"), ("RECALL_OPENAI_API_KEY", "hush")]));
        assert!(shown.contains("RECALL_OPENAI_API_KEY"), "{shown}");
        assert!(shown.contains("RECALL_STORE__KEY") && !shown.contains("hush"), "{shown}");
    }
}
