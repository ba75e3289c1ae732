//! What does the process environment say that concerns recall?

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The part of the process environment that concerns recall.
///
/// Read once by [`capture`](Self::capture) and passed on as an argument, so that no other code depends on the process
/// that it runs in. Its `Debug` output names the settings but shows none of their values.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// `RECALL_HOME`: the one folder that holds everything.
    pub recall_home: Option<PathBuf>,
    /// The user's home folder; `None` where the platform knows none.
    pub home: Option<PathBuf>,
    /// The homes of the platform; `None` where the user has no home folder.
    pub platform: Option<PlatformHomes>,
    /// The system's folder for this user's sockets, `/run/user/<user id>`; `None` if there is none that is this user's
    /// alone. `XDG_RUNTIME_DIR` does not decide: many programs that start others do not pass it on.
    pub runtime_dir: Option<PathBuf>,
    /// The effective user id; 0 where the platform has none.
    pub user: u32,
    /// `ALL_PROXY`, `HTTPS_PROXY` or `HTTP_PROXY`, in this order and in either case: through what files are fetched.
    pub proxy: Option<String>,
    /// `NO_PROXY`, in either case: hosts that are asked directly, separated by commas.
    pub no_proxy: Vec<String>,
    /// The variables that give settings, by name: `RECALL_<SECTION>__<KEY>`.
    pub settings: BTreeMap<String, OsString>,
}

/// Where a platform wants a program's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlatformHomes {
    /// What must be kept.
    pub data: PathBuf,
    /// What the user edits.
    pub config: PathBuf,
    /// What may be deleted at any time.
    pub cache: PathBuf,
    /// Logs and the like.
    pub state: PathBuf,
}

impl Environment {
    /// Reads the environment of this process.
    pub fn capture() -> Self {
        Self {
            home: directories::BaseDirs::new().map(|base| base.home_dir().to_owned()),
            platform: PlatformHomes::of_this_platform(),
            runtime_dir: runtime_folder_of(Path::new("/run/user"), effective_user()),
            user: effective_user(),
            ..Self::from_variables(std::env::vars_os())
        }
    }

    /// Picks out of all variables those that concern recall; an empty one counts as unset.
    ///
    /// The other fields, the homes of the platform, the runtime folder and the user id, are left empty.
    pub fn from_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut environment = Self::default();
        let mut proxies = [const { None }; PROXIES.len()];
        for (name, value) in variables {
            let Some(name) = name.to_str().filter(|_| !value.is_empty()) else { continue };
            match name {
                "RECALL_HOME" => environment.recall_home = Some(value.into()),
                _ if is_setting(name) => {
                    environment.settings.insert(name.to_owned(), value);
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

/// The variables that name a proxy, as other programs know them; the first one that is set counts.
const PROXIES: [&str; 3] = ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"];

/// The variable that names what is asked without a proxy, as other programs know it.
const NO_PROXY: &str = "NO_PROXY";

/// The hosts in a list.
fn hosts(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|host| !host.is_empty()).map(ToOwned::to_owned).collect()
}

/// Whether a variable gives a setting: section and key are joined by two underscores.
fn is_setting(name: &str) -> bool {
    name.strip_prefix("RECALL_").is_some_and(|rest| rest.contains("__"))
}

impl PlatformHomes {
    fn of_this_platform() -> Option<Self> {
        let project = directories::ProjectDirs::from("dev", "", "recall")?;
        Some(Self {
            data: project.data_dir().to_owned(),
            config: project.config_dir().to_owned(),
            cache: project.cache_dir().to_owned(),
            // Only Linux has a home for state; elsewhere logs lie beside the data of this machine.
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
        let Self { recall_home, home, platform, runtime_dir, user, proxy, no_proxy, settings } = self;
        f.debug_struct("Environment")
            .field("recall_home", recall_home)
            .field("home", home)
            .field("platform", platform)
            .field("runtime_dir", runtime_dir)
            .field("user", user)
            // Its address may hold a password.
            .field("proxy", &proxy.as_ref().map(|_| ".."))
            .field("no_proxy", no_proxy)
            .field("settings", &settings.keys().collect::<Vec<_>>())
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
    fn only_what_concerns_recall_is_kept() {
        let read = environment(&[
            ("RECALL_HOME", "/r"),
            ("XDG_RUNTIME_DIR", "/somewhere/else"),
            ("RECALL_DAEMON__DRAIN", "1s"),
            ("RECALL_API_KEY", "hush"),
            ("AWS_SECRET", "hush"),
        ]);
        let expected = Environment {
            recall_home: Some("/r".into()),
            settings: [("RECALL_DAEMON__DRAIN".to_owned(), "1s".into())].into(),
            ..Environment::default()
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        assert_eq!(environment(&[("RECALL_HOME", ""), ("RECALL_DAEMON__DRAIN", "")]), Environment::default());
    }

    #[test]
    fn hosts_without_a_proxy_are_listed() {
        let read = environment(&[("no_proxy", "localhost, .intern.example,,*")]);
        assert_eq!(read.no_proxy, ["localhost", ".intern.example", "*"]);
        assert!(environment(&[("NO_PROXY", "")]).no_proxy.is_empty());
    }

    #[test]
    fn the_first_proxy_that_is_set_counts() {
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
        let shown = format!("{:?}", environment(&[("RECALL_STORE__KEY", "hush")]));
        assert!(shown.contains("RECALL_STORE__KEY") && !shown.contains("hush"), "{shown}");
    }
}
