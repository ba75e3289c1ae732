//! The layers of the configuration, the values that they set, and the resolution of settings from these.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use recall_os::{Access, Folder, OpenError, open_own};
use recall_text::PROJECT_FOLDER;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::project::CONFIGURATION_FILE;
use crate::table::{Described, Kind, Reach, Row, Table};
use crate::{ConfigError, Dirs, Environment, Layer, Origin, Place, Warning, table};

/// A value set by a layer.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The name of the setting: `section.key`.
    pub(crate) key: String,
    pub(crate) value: toml::Value,
    pub(crate) layer: Layer,
    /// Where it was set.
    pub(crate) place: Place,
}

/// The size limit of a configuration file, in bytes. A larger file is a mistake or an attack.
const FILE_BYTES: u64 = 1024 * 1024;

/// Collects the values of all layers, in ascending precedence.
pub(crate) fn collect(
    dirs: &Dirs,
    project_root: Option<&Path>,
    env: &Environment,
    flags: &[(String, String)],
) -> Result<Vec<Entry>, ConfigError> {
    let mut entries = Vec::new();
    if let Some(text) = user_text(dirs)? {
        entries.extend(text.entries(Layer::User)?);
    }
    if let Some(root) = project_root
        && let Some(text) = project_text(root)?
    {
        entries.extend(text.entries(Layer::Project)?);
    }
    for (name, value) in &env.settings {
        entries.push(variable(name, value));
    }
    for (key, value) in flags {
        entries.push(Entry { key: key.clone(), value: loose(value), layer: Layer::Flag, place: Place::Flag });
    }
    Ok(entries)
}

/// Reads the user's file; `None` if there is none.
pub(crate) fn user_text(dirs: &Dirs) -> Result<Option<FileText>, ConfigError> {
    let path = dirs.user_config();
    read_file(open_own(&path), path)
}

/// Reads a project's file; `None` if there is none.
pub(crate) fn project_text(root: &Path) -> Result<Option<FileText>, ConfigError> {
    read_file(open_in_project(root), Dirs::project_config(root))
}

/// Converts a variable: `RECALL_DAEMON__IDLE_EXIT` sets `daemon.idle_exit`.
fn variable(name: &str, value: &OsString) -> Entry {
    let key = name.strip_prefix("RECALL_").unwrap_or(name).to_ascii_lowercase().replacen("__", ".", 1);
    let place = Place::Variable { name: name.to_owned() };
    Entry { key, value: loose(&value.to_string_lossy()), layer: Layer::Environment, place }
}

/// Parses a value that may be unquoted: as TOML if it is valid, otherwise as a string.
pub(crate) fn loose(text: &str) -> toml::Value {
    DeValue::parse(text).ok().and_then(|value| convert_type(value).ok()).unwrap_or_else(|| text.into())
}

fn convert_type(value: Spanned<DeValue<'_>>) -> Result<toml::Value, toml::de::Error> {
    toml::Value::deserialize(ValueDeserializer::from(value))
}

/// The content of a configuration file.
pub(crate) struct FileText {
    /// The file.
    pub(crate) path: PathBuf,
    /// What it holds.
    pub(crate) text: String,
}

impl FileText {
    /// Returns the values that the file sets, in no particular order.
    pub(crate) fn entries(&self, layer: Layer) -> Result<Vec<Entry>, ConfigError> {
        let sections = DeTable::parse(&self.text).map_err(|error| ConfigError::Syntax {
            place: self.place(error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        let mut entries = Vec::new();
        let mut push = |key: String, start: usize, value| -> Result<(), ConfigError> {
            // Parsed values only fail here if a number does not fit into 64 bits.
            let value = convert_type(value).map_err(|_| ConfigError::Syntax {
                place: self.place(start),
                message: format!("the number of `{key}` is out of range"),
            })?;
            entries.push(Entry { key, value, layer, place: self.place(start) });
            Ok(())
        };
        for (section, value) in sections.into_inner() {
            let span = value.span();
            match value.into_inner() {
                DeValue::Table(keys) => {
                    for (key, value) in keys {
                        push(format!("{}.{}", section.get_ref(), key.get_ref()), key.span().start, value)?;
                    }
                }
                value => push(section.get_ref().to_string(), section.span().start, Spanned::new(span, value))?,
            }
        }
        Ok(entries)
    }

    fn place(&self, byte: usize) -> Place {
        let before = self.text.as_bytes().get(..byte).unwrap_or(self.text.as_bytes());
        Place::File { path: self.path.clone(), line: last_line(before) }
    }
}

/// Returns the number of a text's last line, counted from 1.
fn last_line(text: &[u8]) -> usize {
    text.split(|byte| *byte == b'\n').count()
}

/// Reads a configuration file; `None` if there is none.
fn read_file(opened: Result<File, OpenError>, path: PathBuf) -> Result<Option<FileText>, ConfigError> {
    let file = match opened {
        Ok(file) => file,
        Err(OpenError::Missing { .. } | OpenError::NotAFolder { .. }) => return Ok(None),
        Err(OpenError::Io { source, .. }) => return Err(ConfigError::Read { path, source }),
        Err(_) => return Err(ConfigError::NotAFile { path }),
    };
    let mut bytes = Vec::new();
    match file.take(FILE_BYTES + 1).read_to_end(&mut bytes) {
        Ok(length) if length as u64 > FILE_BYTES => Err(ConfigError::TooLarge { path, limit_bytes: FILE_BYTES }),
        Ok(_) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(FileText { path, text })),
            Err(error) => {
                let line = last_line(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
                Err(ConfigError::Syntax { place: Place::File { path, line }, message: "not UTF-8".to_owned() })
            }
        },
        Err(source) => Err(ConfigError::Read { path, source }),
    }
}

/// Opens a project's file without following links: otherwise a hostile project could make an error message quote
/// another file.
fn open_in_project(root: &Path) -> Result<File, OpenError> {
    Folder::open(root)?.file(Path::new(PROJECT_FOLDER).join(CONFIGURATION_FILE), Access::Read)
}

/// Resolves settings key by key.
///
/// The keys that are requested are the known settings. Keys that are left at the end are unknown.
pub(crate) struct Reader {
    given: BTreeMap<String, Vec<Entry>>,
    described: BTreeMap<String, Described<'static>>,
    rows: Vec<Row>,
    warnings: Vec<Warning>,
}

impl Reader {
    /// Takes the values of all layers, in ascending precedence.
    pub(crate) fn new(entries: Vec<Entry>) -> Self {
        let mut given: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for entry in entries {
            given.entry(entry.key.clone()).or_default().push(entry);
        }
        Self { given, described: table::descriptions(), rows: Vec::new(), warnings: Vec::new() }
    }

    /// Returns the value of a setting: that of the last layer that set it, or the default.
    ///
    /// # Errors
    /// A layer set an invalid value, even if a later layer replaces it.
    pub(crate) fn key<T>(
        &mut self,
        key: &'static str,
        reach: Reach,
        default: T,
        kind: &Kind<T>,
    ) -> Result<T, ConfigError> {
        let described = self.described.get(key).copied().expect("the default file has every setting");
        let mut chosen = default;
        let mut origin = Origin { layer: Layer::Default, place: None };
        let mut text = described.default.to_owned();
        for Entry { key: _, value, layer, place } in self.given.remove(key).unwrap_or_default() {
            if layer == Layer::Project && reach != Reach::Project {
                self.warnings.push(Warning::NotForProjects { place, key: key.to_owned() });
                continue;
            }
            chosen = kind.parse(&value).map_err(|expected| ConfigError::Value {
                place: place.clone(),
                key: key.to_owned(),
                expected,
                found: value_text(&value),
            })?;
            text = on_one_line(&value);
            origin = Origin { layer, place: Some(place) };
        }
        let shape = kind.shape().clone();
        self.rows.push(Row {
            key,
            reach,
            shape,
            value: text,
            origin,
            default: described.default,
            doc: described.doc(),
        });
        Ok(chosen)
    }

    /// Returns the values of a family of settings, `section.<name>`, by name. A project's file cannot set them. They are in no table,
    /// since their names are the user's.
    ///
    /// # Errors
    /// A layer set an invalid value, even if a later layer replaces it.
    pub(crate) fn family<T>(
        &mut self,
        section: &str,
        kind: impl Fn(String) -> Kind<T>,
    ) -> Result<BTreeMap<String, T>, ConfigError> {
        let name_of = |key: &str| Some(key.strip_prefix(section)?.strip_prefix('.')?.to_owned());
        let keys: Vec<(String, String)> =
            self.given.keys().filter_map(|key| Some((key.clone(), name_of(key)?))).collect();
        let mut family = BTreeMap::new();
        for (key, name) in keys {
            let kind = kind(name.clone());
            for Entry { key: _, value, layer, place } in self.given.remove(&key).unwrap_or_default() {
                if layer == Layer::Project {
                    self.warnings.push(Warning::NotForProjects { place, key: key.clone() });
                    continue;
                }
                let invalid =
                    |expected| ConfigError::Value { place, key: key.clone(), expected, found: value_text(&value) };
                family.insert(name.clone(), kind.parse(&value).map_err(invalid)?);
            }
        }
        Ok(family)
    }

    /// Returns the table of all settings, and the warnings, ordered by place.
    ///
    /// # Errors
    /// A flag names an unknown setting.
    pub(crate) fn finish(mut self) -> Result<(Table, Vec<Warning>), ConfigError> {
        let table: Table = self.rows.into_iter().collect();
        for Entry { key, layer, place, .. } in self.given.into_values().flatten() {
            let nearest = table.nearest(&key);
            if layer == Layer::Flag {
                return Err(ConfigError::UnknownFlag { key, nearest });
            }
            self.warnings.push(Warning::UnknownKey { place, key, nearest });
        }
        self.warnings.sort_by(|left, right| left.place().cmp(right.place()));
        Ok((table, self.warnings))
    }
}

/// The number of characters of a value that an error shows.
const SHOWN_CHARS: usize = 60;

/// Formats a value in TOML on one line. The user and password of an address are masked: they are for its server only.
pub(crate) fn on_one_line(value: &toml::Value) -> String {
    let text = value.to_string().replace('\n', " ");
    let mut shown = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some((before, after)) = rest.split_once("://") {
        let host = after.find(['/', '"', '\'', ',', ' ']).unwrap_or(after.len());
        shown.push_str(before);
        shown.push_str("://");
        rest = match after[..host].rfind('@') {
            Some(at) => {
                shown.push_str(MASK);
                &after[at..]
            }
            None => after,
        };
    }
    shown + rest
}

/// Replaces the user and password of an address.
const MASK: &str = "[secret]";

/// Formats a value in TOML, on one line and truncated.
fn value_text(value: &toml::Value) -> String {
    let text = on_one_line(value);
    if text.chars().count() <= SHOWN_CHARS {
        return text;
    }
    text.chars().take(SHOWN_CHARS).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_of_an_address_is_not_shown() {
        let check = |value: &str, expected: &str| {
            assert_eq!(on_one_line(&toml::Value::String(value.to_owned())), format!("\"{expected}\""));
        };
        check("http://me:p@ss@proxy:8080/x@y", "http://[secret]@proxy:8080/x@y");
        check("https://proxy/a@b", "https://proxy/a@b");
        check("me@home", "me@home");
    }
}
