//! Edits of a single entry in another program's JSON file; everything else is preserved.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Serializer, Value};

/// Another program's JSON file. It holds an object or does not exist yet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JsonFile {
    /// The path, with symlinks resolved.
    path: PathBuf,
    /// The text; `None` if there is no file.
    text: Option<String>,
    object: Map<String, Value>,
}

impl JsonFile {
    /// Reads a file. One that does not exist is an empty object.
    pub(crate) fn read(path: &Path) -> Result<Self, JsonFileError> {
        // Many users keep such files in a repository and link to them; the link is preserved.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path, text: None, object: Map::new() });
            }
            Err(source) => return Err(JsonFileError::Io { path, source }),
        };
        if text.trim().is_empty() {
            return Ok(Self { path, text: Some(text), object: Map::new() });
        }
        match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Ok(Self { path, text: Some(text), object }),
            Ok(_) => Err(JsonFileError::NotAnObject { path }),
            Err(source) => Err(JsonFileError::Syntax { path, source }),
        }
    }

    /// The path, with symlinks resolved.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The entry `name` of the object `section`.
    pub(crate) fn entry(&self, section: &str, name: &str) -> Option<&Value> {
        self.object.get(section)?.get(name)
    }

    /// Sets the entry and writes the file. The original is kept in [`backup`](Self::backup), unless one exists.
    pub(crate) fn set(mut self, section: &str, name: &str, value: Value) -> Result<(), JsonFileError> {
        let place = self.object.entry(section).or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(entries) = place else { return Err(JsonFileError::NotAnObject { path: self.path }) };
        entries.insert(name.to_owned(), value);
        if let Some(text) = &self.text {
            let backup = self.backup();
            if !backup.exists() {
                let mode = self.path.metadata().ok().map(|seen| seen.permissions());
                replace(&backup, text, mode).map_err(|source| JsonFileError::Io { path: backup, source })?;
            }
        }
        let text = self.render();
        self.write(&text)
    }

    /// Removes the entry and writes the file. If nothing else changed since [`set`](Self::set), the original is
    /// restored byte for byte, or the file is removed if there was none.
    pub(crate) fn unset(mut self, section: &str, name: &str) -> Result<(), JsonFileError> {
        let before = Self::read(&self.backup()).ok().filter(|before| before.text.is_some());
        if let Some(Value::Object(entries)) = self.object.get_mut(section) {
            entries.shift_remove(name);
            let had_section = before.as_ref().is_some_and(|before| before.object.contains_key(section));
            if entries.is_empty() && !had_section {
                self.object.shift_remove(section);
            }
        }
        match &before {
            Some(before) if before.object == self.object => {
                let text = before.text.clone().unwrap_or_default();
                self.write(&text)?;
            }
            None if self.object.is_empty() => {
                return fs::remove_file(&self.path).map_err(|source| JsonFileError::Io { path: self.path, source });
            }
            _ => {
                let text = self.render();
                self.write(&text)?;
            }
        }
        if before.is_some() {
            let backup = self.backup();
            fs::remove_file(&backup).map_err(|source| JsonFileError::Io { path: backup, source })?;
        }
        Ok(())
    }

    /// The path of the backup of the original.
    pub(crate) fn backup(&self) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".before-recall");
        self.path.with_file_name(name)
    }

    /// Formats the object with the indentation of the file that was read.
    fn render(&self) -> String {
        let indent = self.text.as_deref().and_then(indentation).unwrap_or("  ");
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(indent.as_bytes());
        let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
        self.object.serialize(&mut serializer).expect("an object of texts is written to memory");
        let mut text = String::from_utf8(bytes).expect("JSON is text");
        if self.text.as_ref().is_none_or(|text| text.ends_with('\n')) {
            text.push('\n');
        }
        text
    }

    fn write(&self, text: &str) -> Result<(), JsonFileError> {
        let mode = self.path.metadata().ok().map(|seen| seen.permissions());
        replace(&self.path, text, mode).map_err(|source| JsonFileError::Io { path: self.path.clone(), source })
    }
}

/// The white space before the first key.
fn indentation(text: &str) -> Option<&str> {
    let line = text.lines().nth(1)?;
    let indent = &line[..line.len() - line.trim_start().len()];
    (!indent.is_empty()).then_some(indent)
}

/// Replaces the file atomically, so that no reader sees a partial file.
fn replace(path: &Path, text: &str, mode: Option<fs::Permissions>) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let fresh = path.with_file_name(name);
    let written = write_out(&fresh, text, mode).and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        // The first error is returned; a failure to clean up is not reported.
        let _ = fs::remove_file(&fresh);
    }
    written?;
    sync_folder(path)
}

fn write_out(path: &Path, text: &str, mode: Option<fs::Permissions>) -> io::Result<()> {
    let mut file = private(OpenOptions::new().write(true).create_new(true)).open(path)?;
    file.write_all(text.as_bytes())?;
    if let Some(mode) = mode {
        file.set_permissions(mode)?;
    }
    file.sync_all()
}

/// Such files are private, because agents keep tokens in them.
#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;

    options.mode(0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// The file cannot be changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JsonFileError {
    /// The file system refused.
    #[error("cannot read or write `{}`", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The text is not JSON, for example after a manual edit.
    #[error("`{}` is not JSON", path.display())]
    Syntax {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    /// The root or the section is not an object.
    #[error("`{}` does not hold an object where one is expected", path.display())]
    NotAnObject { path: PathBuf },
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const THEIRS: &str =
        "{\n    \"zeta\": 1.50,\n    \"alpha\": [1, 2],\n    \"mcpServers\": {\"other\": {\"command\": \"x\"}}\n}";

    fn file(text: Option<&str>) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(".claude.json");
        if let Some(text) = text {
            fs::write(&path, text).expect("written");
        }
        (folder, path)
    }

    fn set(path: &Path) {
        let value = json!({"type": "stdio"});
        JsonFile::read(path).expect("readable").set("mcpServers", "recall", value).expect("written");
    }

    fn unset(path: &Path) {
        JsonFile::read(path).expect("readable").unset("mcpServers", "recall").expect("written");
    }

    fn names(path: &Path) -> Vec<String> {
        let folder = path.parent().expect("a folder").read_dir().expect("readable");
        folder.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn an_entry_is_added_and_the_rest_keeps_order_and_layout() {
        let (_folder, path) = file(Some(THEIRS));
        set(&path);
        insta::assert_snapshot!(fs::read_to_string(&path).expect("readable"), @r#"
        {
            "zeta": 1.5,
            "alpha": [
                1,
                2
            ],
            "mcpServers": {
                "other": {
                    "command": "x"
                },
                "recall": {
                    "type": "stdio"
                }
            }
        }
        "#);
    }

    #[test]
    fn taking_the_entry_out_restores_the_file_byte_by_byte() {
        for theirs in [THEIRS, "{}\n", "{\"mcpServers\":{}}", "{\"a\":1}", ""] {
            let (_folder, path) = file(Some(theirs));
            set(&path);
            set(&path);
            unset(&path);
            assert_eq!(fs::read_to_string(&path).expect("readable"), theirs);
            assert_eq!(names(&path), [".claude.json"], "nothing else is left");
        }
    }

    #[test]
    fn a_file_that_was_made_is_gone_again() {
        let (_folder, path) = file(None);
        set(&path);
        assert!(path.exists());
        unset(&path);
        assert_eq!(names(&path), Vec::<String>::new());
    }

    #[test]
    fn what_others_changed_meanwhile_stays() {
        let (_folder, path) = file(Some(THEIRS));
        set(&path);
        let text = fs::read_to_string(&path).expect("readable").replace("1.5", "2");
        fs::write(&path, text).expect("written");
        unset(&path);
        let now: Value = serde_json::from_str(&fs::read_to_string(&path).expect("readable")).expect("JSON");
        assert_eq!(now, json!({"zeta": 2, "alpha": [1, 2], "mcpServers": {"other": {"command": "x"}}}));
        assert_eq!(names(&path), [".claude.json"]);
    }

    #[test]
    fn what_cannot_be_understood_is_not_touched() {
        for broken in ["{\"a\": ", "[1]", "{\"mcpServers\": 7}"] {
            let (_folder, path) = file(Some(broken));
            let outcome = JsonFile::read(&path).and_then(|file| file.set("mcpServers", "recall", json!({})));
            assert!(outcome.is_err(), "{broken}");
            assert_eq!(fs::read_to_string(&path).expect("readable"), broken);
            assert_eq!(names(&path), [".claude.json"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_the_mode_stays() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let (folder, link) = file(None);
        let real = folder.path().join("dotfiles.json");
        fs::write(&real, "{}").expect("written");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("own file");
        symlink(&real, &link).expect("linked");
        set(&link);
        assert!(link.is_symlink());
        assert_eq!(real.metadata().expect("exists").permissions().mode() & 0o777, 0o640);
        assert!(fs::read_to_string(&real).expect("readable").contains("recall"));
    }
}
