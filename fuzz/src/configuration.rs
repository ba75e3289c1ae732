//! Configuration files, variables, flags, and the note in the daemon's lock.

use recall_config::{DEFAULT_FILE, Dirs, Environment, LockNote, Settings};

/// Reads bytes as both configuration files, as the value of each setting, and as a lock's note.
///
/// # Panics
/// If an error has no text, or if what was read is written as another thing.
pub fn configuration(bytes: &[u8]) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let environment = Environment { recall_home: Some(home.path().to_owned()), ..Environment::default() };
    let dirs = Dirs::from_environment(&environment).expect("a home");
    let project = home.path().join("project");
    for path in [dirs.user_config(), Dirs::project_config(&project)] {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    }
    match Settings::load(&dirs, Some(&project), &environment, &[]) {
        Ok(loaded) => assert_eq!(loaded.table.rows().count(), keys().count(), "each setting has a row"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let text = &*String::from_utf8_lossy(bytes);
    let other =
        Dirs::from_environment(&Environment { recall_home: Some("/nonexistent".into()), ..environment.clone() });
    let other = other.expect("a home");
    for key in keys() {
        let flags = [(key, text.trim().to_owned())];
        if let Err(error) = Settings::load(&other, None, &environment, &flags) {
            assert!(!error.to_string().is_empty());
        }
    }
    if let Some(note) = LockNote::parse(text) {
        assert_eq!(LockNote::parse(&note.to_text()).as_ref(), Some(&note));
    }
}

/// The names of all settings.
fn keys() -> impl Iterator<Item = String> {
    let nowhere = Environment { recall_home: Some("/nonexistent".into()), ..Environment::default() };
    let dirs = Dirs::from_environment(&nowhere).expect("a home");
    let loaded = Settings::load(&dirs, None, &nowhere, &[]).expect("the defaults");
    let keys: Vec<String> = loaded.table.rows().map(|row| row.key.to_owned()).collect();
    keys.into_iter()
}

/// The built-in file, values of every type, and notes.
pub fn configuration_seeds() -> Vec<Vec<u8>> {
    const SEEDS: &[&str] = &[
        DEFAULT_FILE,
        "[index]\ninclude = [\"docs/**\"]\nexclude = [\"a[\"]\nthreads = 3\n[search]\nmodel = \"none\"\n",
        "limits.parse_time = \"250 ms\"\nlimits.file_bytes = \"1 MiB\"\n[roots]\ndomains = { web = [\"/a\", \"b\"] }\n",
        "9223372036854775807",
        "1e308",
        "18446744073709551615 GiB",
        "\"90 min\"",
        "[\"a\", \"**/[b\"]",
        "{ web = [\"/srv\"] }",
        "17\nstarted 123\nsince 1700000000000\nsocket /run/user/1000/recalld.sock\n",
    ];
    SEEDS.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}
