//! Precedence of layers, and messages about invalid values.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use recall_config::{ConfigError, DEFAULT_FILE, Dirs, Environment, Layer, Loaded, Origin, Place, Settings};
use recall_core::DocumentType;
use tempfile::TempDir;

/// A user with a project, both in a temporary folder.
struct User {
    place: TempDir,
    environment: Environment,
    flags: Vec<(String, String)>,
}

impl User {
    fn new() -> Self {
        let place = tempfile::tempdir().expect("temporary folder");
        let environment = Environment { recall_home: Some(place.path().join("r")), ..Environment::default() };
        Self { place, environment, flags: Vec::new() }
    }

    fn dirs(&self) -> Dirs {
        Dirs::from_environment(&self.environment).expect("short and absolute")
    }

    fn root(&self) -> PathBuf {
        self.place.path().join("project")
    }

    fn user_file(self, text: &str) -> Self {
        write(&self.dirs().user_config(), text.as_bytes());
        self
    }

    fn project_file(self, text: &str) -> Self {
        write(&Dirs::project_config(&self.root()), text.as_bytes());
        self
    }

    fn variable(mut self, name: &str, value: &str) -> Self {
        self.environment.settings.insert(name.to_owned(), value.into());
        self
    }

    fn flag(mut self, key: &str, value: &str) -> Self {
        self.flags.push((key.to_owned(), value.to_owned()));
        self
    }

    fn load(&self) -> Result<Loaded, ConfigError> {
        Settings::load(&self.dirs(), Some(&self.root()), &self.environment, &self.flags)
    }

    /// Returns the message of a failed load, without the path of the temporary folder.
    fn refusal(&self) -> String {
        let error = self.load().expect_err("does not fit");
        self.without_place(&error.to_string())
    }

    fn warnings(&self) -> Vec<String> {
        let loaded = self.load().expect("every value fits");
        loaded.warnings.iter().map(|warning| self.without_place(&warning.to_string())).collect()
    }

    fn without_place(&self, text: &str) -> String {
        text.replace(self.place.path().to_str().expect("plain name"), "")
    }
}

fn write(path: &std::path::Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().expect("in a folder")).expect("made");
    fs::write(path, bytes).expect("written");
}

#[test]
fn with_nothing_set_everything_is_the_default() {
    let loaded = User::new().load().expect("nothing to refuse");
    assert_eq!(loaded.settings, Settings::default());
    assert!(loaded.warnings.is_empty());
    assert!(loaded.table.rows().all(|row| row.origin == Origin { layer: Layer::Default, place: None }));
}

#[test]
fn the_default_file_has_every_setting_with_its_default() {
    let user = User::new().user_file(DEFAULT_FILE);
    let loaded = user.load().expect("the default file fits");
    assert_eq!(loaded.settings, Settings::default());
    assert_eq!(loaded.warnings, []);
    let missing: Vec<_> = loaded.table.rows().filter(|row| row.origin.layer != Layer::User).collect();
    assert!(missing.is_empty(), "not in the default file: {missing:?}");
}

#[test]
fn the_pages_name_every_setting_with_its_default() {
    let page = |name: &str| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let pages = page("configuration.md") + &page("models.md");
    let lines: Vec<&str> = pages.lines().filter(|line| line.starts_with("| `")).collect();
    let table = User::new().load().expect("valid").table;
    // The addresses of providers are too long for a cell.
    let is_written = |key: &str, default: &str| {
        let name = key.split_once('.').map_or(key, |(_, name)| name);
        let names = [format!("`{name}`"), format!("`{key}`")];
        let is_address = default.contains("://") && name != "editor";
        lines.iter().any(|line| {
            names.iter().any(|name| line.contains(name)) && (is_address || line.contains(&format!("`{default}`")))
        })
    };
    let missing: Vec<&str> = table.rows().filter(|row| !is_written(row.key, row.default)).map(|row| row.key).collect();
    assert!(missing.is_empty(), "docs/configuration.md and docs/models.md lack {missing:?}");
}

#[test]
fn every_setting_in_the_default_file_has_its_own_comment() {
    let mut commented = false;
    let mut bare = BTreeSet::new();
    for line in DEFAULT_FILE.lines() {
        if !commented && !line.is_empty() && !line.starts_with('#') {
            bare.insert(line);
        }
        commented = line.starts_with("# ");
    }
    assert!(bare.is_empty(), "without a comment: {bare:?}");
}

#[test]
fn the_default_file_marks_exactly_the_settings_that_a_project_may_not_set() {
    let refused: BTreeSet<String> = User::new()
        .project_file(DEFAULT_FILE)
        .load()
        .expect("ignored, not refused")
        .warnings
        .into_iter()
        .map(|warning| match warning {
            recall_config::Warning::NotForProjects { key, .. } => key,
            recall_config::Warning::UnknownKey { .. } => panic!("{warning}"),
        })
        .collect();

    let mut marked = BTreeSet::new();
    let (mut section, mut comment) = ("", String::new());
    for line in DEFAULT_FILE.lines() {
        if let Some(text) = line.strip_prefix("# ") {
            comment.push_str(text);
            comment.push(' ');
        } else if let Some(name) = line.strip_prefix('[') {
            section = name.trim_end_matches(']');
        } else if let Some((key, _)) = line.split_once(" = ")
            && comment.ends_with("User only. ")
        {
            marked.insert(format!("{section}.{key}"));
        }
        if !line.starts_with("# ") {
            comment.clear();
        }
    }
    assert_eq!(marked, refused);
}

#[test]
fn a_later_layer_takes_precedence() {
    let everywhere = User::new()
        .user_file("[search]\nper_document = 3\n[index]\ninclude = [\"a\", \"b\"]")
        .project_file("[search]\nper_document = 4\n[index]\ninclude = [\"c\"]")
        .variable("RECALL_SEARCH__PER_DOCUMENT", "5")
        .flag("search.per_document", "6");
    let loaded = everywhere.load().expect("fits");
    assert_eq!(loaded.settings.search.per_document.get(), 6);
    assert_eq!(loaded.settings.index.include, ["c"], "lists are replaced");
    let origin = |key: &str| loaded.table.row(key).map(|row| row.origin.clone());
    assert_eq!(origin("search.per_document"), Some(Origin { layer: Layer::Flag, place: Some(Place::Flag) }));
    let file = Place::File { path: Dirs::project_config(&everywhere.root()), line: 4 };
    assert_eq!(origin("index.include"), Some(Origin { layer: Layer::Project, place: Some(file) }));
    assert_eq!(origin("index.exclude"), Some(Origin { layer: Layer::Default, place: None }));
    assert_eq!(origin("index.nothing"), None);
}

#[test]
fn variables_need_no_quotation_marks() {
    let settings = User::new()
        .variable("RECALL_DAEMON__IDLE_EXIT", "1h 30m")
        .variable("RECALL_DAEMON__LOG_LEVEL", "debug")
        .variable("RECALL_LIMITS__FILE_BYTES", "2 MiB")
        .variable("RECALL_ROOTS__ALLOWED", "[\"/srv/docs\"]")
        .variable("RECALL_INDEX__TYPES", "{ \"ops/*.md\" = \"runbook\" }")
        .flag("daemon.drain", "\"1s\"")
        .load()
        .expect("fits")
        .settings;
    assert_eq!(settings.daemon.idle_exit, Some(Duration::from_mins(90)));
    assert_eq!(settings.daemon.log_level, recall_config::LogLevel::Debug);
    assert_eq!(settings.limits.file_bytes, 2 * 1024 * 1024);
    assert_eq!(settings.roots.allowed, [PathBuf::from("/srv/docs")]);
    assert_eq!(settings.index.types, [("ops/*.md".to_owned(), DocumentType::Playbook)]);
    assert_eq!(settings.daemon.drain, Duration::from_secs(1));
}

#[test]
fn a_word_may_leave_the_choice_to_recall() {
    let settings = User::new()
        .user_file("daemon.idle_exit = \"never\"\n[index]\nthreads = \"auto\"\n[search]\nbm25_weight = 0.5\nranker = \"built-in\"")
        .load()
        .expect("fits")
        .settings;
    assert_eq!(settings.daemon.idle_exit, None);
    assert_eq!(settings.index.threads, None);
    assert_eq!(settings.search.bm25_weight, Some(0.5));
    assert_eq!(settings.search.ranker, recall_config::RankerSetting::BuiltIn);
}

#[test]
fn a_project_cannot_decide_about_the_daemon_or_what_is_read() {
    let user = User::new()
        .user_file("[daemon]\ndrain = \"1s\"")
        .project_file("[roots]\nallowed = [\"/\"]\n[daemon]\ndrain = \"9s\"\n[limits]\nfile_bytes = \"1 GiB\"");
    let settings = user.load().expect("only warnings").settings;
    assert_eq!(settings.roots.allowed, Vec::<PathBuf>::new());
    assert_eq!(settings.daemon.drain, Duration::from_secs(1));
    assert_eq!(settings.limits, Settings::default().limits);
    assert_eq!(
        user.warnings(),
        [
            "/project/.recall/recall.toml:2: `roots.allowed` has no effect in a project, only in the user's own configuration",
            "/project/.recall/recall.toml:4: `daemon.drain` has no effect in a project, only in the user's own configuration",
            "/project/.recall/recall.toml:6: `limits.file_bytes` has no effect in a project, only in the user's own configuration",
        ]
    );
}

#[test]
fn an_unknown_setting_is_reported_with_its_place() {
    let user = User::new()
        .user_file("colour = true\n\n[daemon]\nidel_exit = \"1h\"\n[nothing]\nkey = 1\n")
        .variable("RECALL_DAEMON__IDEL_EXIT", "1h");
    assert_eq!(
        user.warnings(),
        [
            "/r/config/recall.toml:1: unknown setting `colour`",
            "/r/config/recall.toml:4: unknown setting `daemon.idel_exit`; did you mean `daemon.idle_exit`?",
            "/r/config/recall.toml:6: unknown setting `nothing.key`",
            "RECALL_DAEMON__IDEL_EXIT: unknown setting `daemon.idel_exit`; did you mean `daemon.idle_exit`?",
        ]
    );
    let refusal = User::new().flag("daemon.idel_exit", "1h").refusal();
    assert_eq!(refusal, "unknown setting `daemon.idel_exit`; did you mean `daemon.idle_exit`?");
}

#[test]
fn an_invalid_value_is_refused_with_its_place() {
    for (text, expected) in [
        (
            "[limits]\n\nhits = \"many\"",
            "/r/config/recall.toml:3: `limits.hits` is \"many\"; expected a whole number from 1 to 1000",
        ),
        ("limits.hits = 0", "/r/config/recall.toml:1: `limits.hits` is 0; expected a whole number from 1 to 1000"),
        (
            "[daemon]\ndrain = 5",
            "/r/config/recall.toml:2: `daemon.drain` is 5; expected a duration from 0 ms to 1 m, such as \"1h 30m\"",
        ),
        (
            "[roots]\nallowed = [\"docs\"]",
            "/r/config/recall.toml:2: `roots.allowed` is [\"docs\"]; expected a list of absolute paths, such as [\"/srv/docs\"]",
        ),
        ("[daemon\n", "/r/config/recall.toml:1: unclosed table, expected `]`"),
        ("limits.hits = 99999999999999999999", "/r/config/recall.toml:1: the number of `limits.hits` is out of range"),
    ] {
        assert_eq!(User::new().user_file(text).refusal(), expected, "{text}");
    }
    assert_eq!(
        User::new().variable("RECALL_LIMITS__HITS", "many").refusal(),
        "RECALL_LIMITS__HITS: `limits.hits` is \"many\"; expected a whole number from 1 to 1000"
    );
    assert_eq!(
        User::new().flag("limits.hits", "0").refusal(),
        "command line: `limits.hits` is 0; expected a whole number from 1 to 1000"
    );
}

#[test]
fn an_invalid_value_is_refused_even_if_a_later_layer_replaces_it() {
    let user = User::new().user_file("limits.hits = -1").flag("limits.hits", "5");
    assert_eq!(user.refusal(), "/r/config/recall.toml:1: `limits.hits` is -1; expected a whole number from 1 to 1000");
}

#[test]
fn a_file_that_is_not_utf8_is_refused_with_its_line() {
    let user = User::new();
    write(&user.dirs().user_config(), b"[limits]\nhits = 5 # \xff\n");
    assert_eq!(user.refusal(), "/r/config/recall.toml:2: not UTF-8");
    write(&user.dirs().user_config(), &vec![b'#'; 1024 * 1024 + 1]);
    assert_eq!(user.refusal(), "the configuration `/r/config/recall.toml` has more than 1048576 bytes");
}

#[cfg(unix)]
#[test]
fn a_pipe_or_folder_is_refused_without_blocking() {
    let user = User::new();
    let path = user.dirs().user_config();
    fs::create_dir_all(&path).expect("made");
    assert_eq!(user.refusal(), "the configuration `/r/config/recall.toml` is not a regular file");
    fs::remove_dir(&path).expect("empty");
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).expect("made");
    assert_eq!(user.refusal(), "the configuration `/r/config/recall.toml` is not a regular file");
}

#[cfg(unix)]
#[test]
fn the_users_file_may_be_a_link_but_a_projects_may_not() {
    let secret = "-----BEGIN KEY-----\nhush\n";
    let user = User::new().project_file("");
    let (link, elsewhere) = (Dirs::project_config(&user.root()), user.place.path().join("elsewhere"));
    write(&elsewhere, secret.as_bytes());
    fs::remove_file(&link).expect("was written");
    std::os::unix::fs::symlink(&elsewhere, &link).expect("linked");
    assert_eq!(user.refusal(), "the configuration `/project/.recall/recall.toml` is not a regular file");

    let user = User::new().user_file("");
    let (link, elsewhere) = (user.dirs().user_config(), user.place.path().join("elsewhere"));
    write(&elsewhere, b"limits.hits = 7");
    fs::remove_file(&link).expect("was written");
    std::os::unix::fs::symlink(&elsewhere, &link).expect("linked");
    assert_eq!(user.load().expect("fits").settings.limits.hits, 7);
}
