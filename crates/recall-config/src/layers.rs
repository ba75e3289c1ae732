//! Which values were given, where, and in what order do they count?

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use recall_core::PROJECT_FOLDER;
use recall_folder::{Access, Folder, OpenError};
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::project::CONFIGURATION_FILE;
use crate::{ConfigError, Environment, Homes};

/// A layer of the configuration; a later one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// What is built in.
    Default,
    /// The user's file.
    User,
    /// The project's file.
    Project,
    /// Variables of the environment.
    Environment,
    /// Flags of the command line.
    Flag,
}

impl Layer {
    /// The layer's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User => "user",
            Self::Project => "project",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// Where a value was given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In a file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// In a variable of the environment.
    Variable {
        /// Its name.
        name: String,
    },
    /// In a flag of the command line.
    Flag,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Variable { name } => f.write_str(name),
            Self::Flag => f.write_str("command line"),
        }
    }
}

/// Where the value of a setting comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The layer that decided.
    pub layer: Layer,
    /// Where in it; `None` for the built-in default.
    pub place: Option<Place>,
}

/// One value that was given.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The setting: `section.key`.
    pub(crate) key: String,
    /// The value.
    pub(crate) value: toml::Value,
    /// Who gave it.
    pub(crate) layer: Layer,
    /// Where.
    pub(crate) place: Place,
}

/// A configuration of more than a megabyte is a mistake or an attack.
const FILE_BYTES: u64 = 1024 * 1024;

/// Collects what was given, the layer that counts least first.
pub(crate) fn collect(
    homes: &Homes,
    project_root: Option<&Path>,
    env: &Environment,
    flags: &[(String, String)],
) -> Result<Vec<Entry>, ConfigError> {
    let mut entries = Vec::new();
    let path = homes.user_config();
    if let Some(text) = read_file(open(&path), path)? {
        entries.extend(text.entries(Layer::User)?);
    }
    if let Some(root) = project_root
        && let Some(text) = read_file(open_in_project(root), Homes::project_config(root))?
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

/// `RECALL_DAEMON__IDLE_EXIT` gives `daemon.idle_exit`.
fn variable(name: &str, value: &OsString) -> Entry {
    let key = name.strip_prefix("RECALL_").unwrap_or(name).to_ascii_lowercase().replacen("__", ".", 1);
    let place = Place::Variable { name: name.to_owned() };
    Entry { key, value: loose(&value.to_string_lossy()), layer: Layer::Environment, place }
}

/// Reads a value from a place that knows no quotation marks: TOML where it is TOML, otherwise text.
fn loose(text: &str) -> toml::Value {
    DeValue::parse(text).ok().and_then(|value| typed(value).ok()).unwrap_or_else(|| text.into())
}

fn typed(value: Spanned<DeValue<'_>>) -> Result<toml::Value, toml::de::Error> {
    toml::Value::deserialize(ValueDeserializer::from(value))
}

/// The text of a configuration file.
struct FileText {
    /// The file.
    path: PathBuf,
    /// What it holds.
    text: String,
}

impl FileText {
    /// The values that the file gives, in no particular order.
    fn entries(&self, layer: Layer) -> Result<Vec<Entry>, ConfigError> {
        let sections = DeTable::parse(&self.text).map_err(|error| ConfigError::Syntax {
            place: self.place(error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
        })?;
        let mut entries = Vec::new();
        let mut push = |key: String, start: usize, value| -> Result<(), ConfigError> {
            // What parsed fails here only where a number does not fit into 64 bits.
            let value = typed(value).map_err(|_| ConfigError::Syntax {
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

/// The number of the line that a text ends in, counted from 1.
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

/// Opens a project's file. No link on the way is followed: a hostile project must not make an error message quote what a link
/// leads to.
fn open_in_project(root: &Path) -> Result<File, OpenError> {
    Folder::open(root)?.file(Path::new(PROJECT_FOLDER).join(CONFIGURATION_FILE), Access::Read)
}

/// Opens the user's file, which may be a link. Never waits for the other end of a pipe.
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
