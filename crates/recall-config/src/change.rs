//! Changes of a configuration file: one setting is set or removed, and the rest of the text stays as it is.
//!
//! A person writes this file by hand, with comments, so the text is edited and not written from the settings. The result is read
//! before it is written. A file that another program changed since it was read is left alone.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::layers::{Entry, FileText, loose, on_one_line, project_text, user_text};
use crate::problem::likely;
use crate::project::{CONFIGURATION_FILE, initialise};
use crate::table::Reach;
use crate::{ConfigError, Dirs, Layer, Place, ProjectError, Settings, Table, Warning};
use recall_os::{Folder, OpenError};
use recall_text::PROJECT_FOLDER;
use toml_edit::{Document, DocumentMut, InlineTable, Item, Table as TomlTable, TableLike, Value};

/// A file that sets values: a layer of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsFile {
    /// The user's own.
    User,
    /// The project's own, which the repository may contain.
    Project,
}

/// A change of one setting in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It gets this value, in TOML. A text that is not TOML is a string.
    Set(String),
    /// Its line is removed, so that the layer below decides.
    Unset,
}

/// A file after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The path of the file.
    pub path: PathBuf,
    /// The value that the file had, in TOML; `None` if it had none.
    pub before: Option<String>,
    /// The value that it has, in TOML; `None` if the setting was removed.
    pub after: Option<String>,
    /// The line of the new value, from 1.
    pub line: Option<usize>,
    /// Whether the text of the file is another one.
    pub is_changed: bool,
}

/// Changes one setting in a file. The file is replaced at once, or left as it is.
///
/// Comments, order and formatting of everything else stay. A user's file that is a link is changed where the link leads; a
/// project's file is never a link. Missing files and folders are created.
///
/// # Errors
/// The setting is unknown, or a project may not set it; the value is invalid; the file is not TOML or cannot be written. Nothing
/// is changed then.
pub fn change(
    dirs: &Dirs,
    project_root: &Path,
    file: SettingsFile,
    key: &str,
    change: &Change,
) -> Result<Changed, ChangeError> {
    let (found, path) = match file {
        SettingsFile::User => (user_text(dirs)?, dirs.user_config()),
        SettingsFile::Project => (project_text(project_root)?, Dirs::project_config(project_root)),
    };
    let current = found.as_ref().map_or("", |found| &found.text);
    let text = match change {
        Change::Set(value) => {
            check_allowed(key, value, file)?;
            set(current, key, value)
        }
        Change::Unset => {
            check_known(key, current, &path)?;
            unset(current, key)
        }
    };
    let text = text.map_err(|fault| fault.at(&path, current))?;
    let (before, _) = value_in(current, key, &path)?;
    let (after, line) = value_in(&text, key, &path)?;
    let is_changed = text != current;
    if is_changed {
        write(dirs, project_root, file, found.as_ref().map(|found| &*found.text), &text)?;
    }
    Ok(Changed { path, before, after, line, is_changed })
}

/// Returns the text of a file; `None` if there is none.
///
/// # Errors
/// It cannot be read.
pub fn text_of(dirs: &Dirs, project_root: &Path, file: SettingsFile) -> Result<Option<String>, ConfigError> {
    let found = match file {
        SettingsFile::User => user_text(dirs)?,
        SettingsFile::Project => project_text(project_root)?,
    };
    Ok(found.map(|found| found.text))
}

/// Replaces the text of a file at once, if it is still `before` and the new text is valid. Returns what will be ignored.
///
/// `shown` is the path that errors name, such as that of a copy.
///
/// # Errors
/// The text is invalid, another program changed the file, or it cannot be written. Nothing is changed then.
pub fn replace_text(
    dirs: &Dirs,
    project_root: &Path,
    file: SettingsFile,
    before: Option<&str>,
    text: &str,
    shown: &Path,
) -> Result<Vec<Warning>, ChangeError> {
    let layer = match file {
        SettingsFile::User => Layer::User,
        SettingsFile::Project => Layer::Project,
    };
    let entries = FileText { path: shown.to_owned(), text: text.to_owned() }.entries(layer)?;
    let warnings = Settings::from_entries(entries)?.warnings;
    write(dirs, project_root, file, before, text)?;
    Ok(warnings)
}

/// Checks a new value as if it were a flag, and whether the file may set it.
fn check_allowed(key: &str, value: &str, file: SettingsFile) -> Result<(), ChangeError> {
    let entry = Entry { key: key.to_owned(), value: loose(value), layer: Layer::Flag, place: Place::Flag };
    let loaded = Settings::from_entries(vec![entry]).map_err(|error| match error {
        ConfigError::UnknownFlag { key, nearest } => ChangeError::UnknownKey { key, nearest },
        error => error.into(),
    })?;
    let reach = loaded.table.row(key).map(|row| row.reach);
    if file == SettingsFile::Project && reach != Some(Reach::Project) {
        return Err(ChangeError::NotForProjects { key: key.to_owned() });
    }
    Ok(())
}

/// Checks that a setting is known, or at least in the file.
fn check_known(key: &str, text: &str, path: &Path) -> Result<(), ChangeError> {
    let table = defaults();
    if table.row(key).is_some() || value_in(text, key, path)?.0.is_some() {
        return Ok(());
    }
    Err(ChangeError::UnknownKey { key: key.to_owned(), nearest: table.nearest(key) })
}

/// Returns the table of all settings with their defaults.
///
/// # Panics
/// If a default is not valid, which a test excludes.
pub fn defaults() -> Table {
    Settings::from_entries(Vec::new()).expect("the defaults are valid").table
}

/// Returns the value of a setting in a file's text, with its line.
fn value_in(text: &str, key: &str, path: &Path) -> Result<(Option<String>, Option<usize>), ConfigError> {
    let entries = FileText { path: path.to_owned(), text: text.to_owned() }.entries(Layer::User)?;
    let Some(entry) = entries.into_iter().find(|entry| entry.key == key) else { return Ok((None, None)) };
    let line = match entry.place {
        Place::File { line, .. } => Some(line),
        Place::Variable { .. } | Place::Flag => None,
    };
    Ok((Some(on_one_line(&entry.value)), line))
}

/// Why a text cannot be changed.
#[derive(Debug)]
enum Fault {
    /// It is not TOML.
    Syntax(toml_edit::TomlError),
    /// The section is a value.
    NotATable { section: String },
}

impl Fault {
    fn at(self, path: &Path, text: &str) -> ChangeError {
        match self {
            Self::Syntax(error) => {
                let start = error.span().map_or(0, |span| span.start);
                let line = text.get(..start).unwrap_or(text).split('\n').count();
                let place = Place::File { path: path.to_owned(), line };
                ConfigError::Syntax { place, message: error.message().to_owned() }.into()
            }
            Self::NotATable { section } => ChangeError::NotATable { path: path.to_owned(), section },
        }
    }
}

/// Returns the text with a setting set.
fn set(text: &str, key: &str, value: &str) -> Result<String, Fault> {
    let mut document: DocumentMut = text.parse().map_err(Fault::Syntax)?;
    let (section, name) = halves(key);
    let mut value = value.parse::<Value>().unwrap_or_else(|_| value.into());
    value.decor_mut().clear();
    let table = section_of(&mut document, section, Missing::Add)?.expect("it is added");
    if let Some(Item::Value(old)) = table.get_mut(name) {
        *value.decor_mut() = old.decor().clone();
        *old = value;
    } else {
        table.remove(name);
        table.insert(name, Item::Value(value));
    }
    Ok(document.to_string())
}

/// Returns the text without a setting. Comments above it stay.
fn unset(text: &str, key: &str) -> Result<String, Fault> {
    let (section, name) = halves(key);
    if let Some(lines) = own_lines(text, section, name)? {
        return Ok(format!("{}{}", &text[..lines.start], &text[lines.end..]));
    }
    let mut document: DocumentMut = text.parse().map_err(Fault::Syntax)?;
    if let Some(table) = section_of(&mut document, section, Missing::Leave)? {
        table.remove(name);
    }
    Ok(document.to_string())
}

/// Returns the bytes of the lines that hold a setting and nothing else; `None` for a setting of another form.
fn own_lines(text: &str, section: &str, name: &str) -> Result<Option<Range<usize>>, Fault> {
    let document = Document::parse(text).map_err(Fault::Syntax)?;
    let table: &TomlTable = match document.as_table().get(section) {
        _ if section.is_empty() => document.as_table(),
        Some(Item::Table(table)) => table,
        _ => return Ok(None),
    };
    let Some((key, Item::Value(value))) = table.get_key_value(name) else { return Ok(None) };
    // A dotted name begins with its section, on the same line.
    let (Some(key), Some(value)) = (key.span(), value.span()) else { return Ok(None) };
    let start = text[..key.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[value.end..].find('\n').map_or(text.len(), |at| value.end + at + 1);
    Ok(Some(start..end))
}

/// Whether a missing section is added.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Add,
    Leave,
}

fn section_of<'d>(
    document: &'d mut DocumentMut,
    section: &str,
    missing: Missing,
) -> Result<Option<&'d mut dyn TableLike>, Fault> {
    let root = document.as_table_mut();
    if section.is_empty() {
        return Ok(Some(root));
    }
    if !root.contains_key(section) {
        if missing == Missing::Leave {
            return Ok(None);
        }
        root.insert(section, Item::Table(TomlTable::new()));
    }
    match root.get_mut(section) {
        Some(Item::Table(table)) => Ok(Some(table)),
        Some(Item::Value(Value::InlineTable(table))) => {
            let table: &mut InlineTable = table;
            Ok(Some(table))
        }
        _ => Err(Fault::NotATable { section: section.to_owned() }),
    }
}

/// Splits `daemon.idle_exit` into its section and its name. A name without a section is in the root.
fn halves(key: &str) -> (&str, &str) {
    key.split_once('.').unwrap_or(("", key))
}

/// Writes a changed file, unless another program has changed it since it was read.
fn write(
    dirs: &Dirs,
    project_root: &Path,
    file: SettingsFile,
    before: Option<&str>,
    text: &str,
) -> Result<(), ChangeError> {
    match file {
        SettingsFile::User => {
            let path = dirs.user_config();
            // The folder of a dotfile manager keeps the file; the link to it stays.
            let path = dunce::canonicalize(&path).unwrap_or(path);
            let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
                return Err(ConfigError::NotAFile { path }.into());
            };
            let failed = |source: io::Error| OpenError::Io { path: path.clone(), source };
            fs::create_dir_all(parent).map_err(failed)?;
            // Right before the replacement. An editor that saves in between is overwritten; a lock would not stop it.
            check_unchanged(user_text(dirs)?.as_ref(), before, &path)?;
            Folder::open(parent)?.replace(name, text.as_bytes())?;
        }
        SettingsFile::Project => {
            check_unchanged(project_text(project_root)?.as_ref(), before, &Dirs::project_config(project_root))?;
            if before.is_none() {
                initialise(project_root)?;
            }
            Folder::open(project_root)?.folder(PROJECT_FOLDER)?.replace(CONFIGURATION_FILE, text.as_bytes())?;
        }
    }
    Ok(())
}

fn check_unchanged(now: Option<&FileText>, before: Option<&str>, path: &Path) -> Result<(), ChangeError> {
    if now.map(|now| &*now.text) == before { Ok(()) } else { Err(ChangeError::Meanwhile { path: path.to_owned() }) }
}

/// A setting could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The name is unknown.
    #[error("unknown setting `{key}`{}", likely(*nearest))]
    UnknownKey {
        /// The name as given.
        key: String,
        /// The known name that is nearest.
        nearest: Option<&'static str>,
    },
    /// A project's file may not set it.
    #[error("`{key}` has no effect in a project, only in the user's own configuration")]
    NotForProjects {
        /// The dotted name of the setting.
        key: String,
    },
    /// The section of the setting is something other than a table.
    #[error("`{section}` in `{}` is a value, not a section", path.display())]
    NotATable {
        /// The path of the file.
        path: PathBuf,
        /// The name before the dot.
        section: String,
    },
    /// Another program changed the file at the same time.
    #[error("another program changed `{}` at the same time", path.display())]
    Meanwhile {
        /// The path of the file, which was left as the other program wrote it.
        path: PathBuf,
    },
    /// The value is invalid, or the file cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file cannot be written.
    #[error("cannot write the configuration")]
    Write(#[from] OpenError),
    /// The project's folder cannot be created.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with comments, a section of each form, and settings in an unusual order.
    const FILE: &str = "# mine\n\n[search]\n# three, because\nper_document = 3 # yes\nranker=\"none\"\n\n# what is read\n[index]\nexclude = [\n  \"a\", # first\n]\n# the end\n";

    fn check(changed: Result<String, Fault>, expected: &str) {
        assert_eq!(changed.expect("TOML"), expected);
    }

    #[test]
    fn a_new_value_replaces_the_old_one_and_nothing_else() {
        check(set(FILE, "search.per_document", "5"), &FILE.replace("= 3 #", "= 5 #"));
        check(set(FILE, "search.ranker", "built-in"), &FILE.replace("\"none\"", "\"built-in\""));
        check(set("search.ranker = \"none\" # x\n", "search.ranker", "built-in"), "search.ranker = \"built-in\" # x\n");
        check(
            set("search = { ranker = \"none\" }\n", "search.ranker", "built-in"),
            "search = { ranker = \"built-in\" }\n",
        );
    }

    #[test]
    fn a_new_setting_is_added_to_its_section() {
        check(
            set(FILE, "search.domains", "[\"team\"]"),
            &FILE.replace("\"none\"\n", "\"none\"\ndomains = [\"team\"]\n"),
        );
        check(set("", "daemon.idle_exit", "1h"), "[daemon]\nidle_exit = \"1h\"\n");
        let added = format!("{}\n[daemon]\nidle_exit = \"1h\"\n", "[search]\nranker = \"none\"\n");
        check(set("[search]\nranker = \"none\"\n", "daemon.idle_exit", "1h"), &added);
        check(
            set("[roots.domains]\na = \"/a\"\n", "roots.domains", "{ b = \"/b\" }"),
            "[roots]\ndomains = { b = \"/b\" }\n",
        );
    }

    #[test]
    fn a_removed_setting_leaves_the_other_lines() {
        check(unset(FILE, "search.per_document"), &FILE.replace("per_document = 3 # yes\n", ""));
        check(unset(FILE, "index.exclude"), &FILE.replace("exclude = [\n  \"a\", # first\n]\n", ""));
        check(unset(FILE, "index.include"), FILE);
        check(unset(FILE, "daemon.drain"), FILE);
        check(unset("a = 1\nsearch.ranker = \"none\"", "search.ranker"), "a = 1\n");
        check(
            unset("search = { ranker = \"none\", model = \"static\" }\n", "search.ranker"),
            "search = { model = \"static\" }\n",
        );
        check(unset("colour = true\n[search]\n", "colour"), "[search]\n");
    }

    #[test]
    fn a_value_in_place_of_a_section_is_refused() {
        assert!(
            matches!(set("search = 1\n", "search.ranker", "built-in"), Err(Fault::NotATable { section }) if section == "search")
        );
        assert!(matches!(set("[search", "search.ranker", "built-in"), Err(Fault::Syntax(_))));
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_changed_all_other_lines_stay(name in "[a-z]{1,8}", value in 0_u32..1000) {
            let key = format!("search.{name}");
            let changed = set(FILE, &key, &value.to_string()).expect("TOML");
            for line in FILE.lines().filter(|line| !line.starts_with(&*name)) {
                assert!(changed.lines().any(|kept| kept == line), "{line}: {changed}");
            }
            assert!(changed.contains(&format!("{name} = {value}")) || changed.contains(&format!("{name}={value}")), "{changed}");
        }
    }
}
