//! The layers of the configuration, and the values that they set.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use recall_os::{Access, Folder, OpenError};
use recall_text::PROJECT_FOLDER;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::project::CONFIGURATION_FILE;
use crate::{ConfigError, Dirs, Environment, Layer, Place};

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
    read_file(open(&path), path)
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

/// Opens the user's file, which may be a link. Does not block on a pipe.
fn open(path: &Path) -> Result<File, OpenError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => OpenError::Missing { path: path.to_owned() },
        _ => OpenError::Io { path: path.to_owned(), source },
    };
    let file = open_without_waiting(path).map_err(failed)?;
    let is_file = file.metadata().map_err(failed)?.is_file();
    if is_file { Ok(file) } else { Err(OpenError::NotAFile { path: path.to_owned() }) }
}

#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    Ok(rustix::fs::open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}
