//! Generated files with a checksum on their last line, so that an edited file is recognised and kept.

use std::fs;
use std::io;
use std::path::PathBuf;

use recall_core::ContentHash;

/// The text before the checksum.
const SEAL: &str = "Written by `recall service install`; checksum of the lines above: ";

/// The comment syntax of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comment {
    /// `# …`
    Hash,
    /// `<!-- … -->`
    Xml,
}

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SealedFile {
    pub(crate) path: PathBuf,
    pub(crate) content: String,
}

/// The state of the file at the path of a generated one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileState {
    /// There is none.
    Missing,
    /// recall wrote it, and nobody changed it.
    Ours(String),
    /// Somebody else wrote or changed it.
    Foreign,
}

impl FileState {
    /// Returns the name in JSON output.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Ours(_) => "installed",
            Self::Foreign => "foreign",
        }
    }
}

impl SealedFile {
    /// Adds the line with the checksum.
    pub(crate) fn new(path: PathBuf, text: &str, comment: Comment) -> Self {
        let sum = ContentHash::hash(text.as_bytes()).short();
        let seal = match comment {
            Comment::Hash => format!("# {SEAL}{sum}\n"),
            Comment::Xml => format!("<!-- {SEAL}{sum} -->\n"),
        };
        Self { path, content: format!("{text}{seal}") }
    }

    /// Reads the file at the path.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn state(&self) -> io::Result<FileState> {
        let found = match fs::read(&self.path) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(FileState::Missing),
            Err(error) => return Err(error),
        };
        Ok(match String::from_utf8(found) {
            Ok(text) if is_sealed(&text) => FileState::Ours(text),
            _ => FileState::Foreign,
        })
    }

    /// Writes the file and its folder.
    ///
    /// # Errors
    /// The system refused.
    pub(crate) fn write(&self) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&self.path, &self.content)
    }
}

fn is_sealed(text: &str) -> bool {
    let Some((start, seal)) = text.rfind(SEAL).map(|place| text.split_at(place)) else { return false };
    let above = start.rfind('\n').map_or(0, |end| end + 1);
    let sum = seal[SEAL.len()..].split_whitespace().next();
    sum == Some(&ContentHash::hash(&text.as_bytes()[..above]).short()) && seal.lines().count() == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edited_file_is_foreign() {
        let place = tempfile::tempdir().expect("a temporary directory");
        for comment in [Comment::Hash, Comment::Xml] {
            let file = SealedFile::new(place.path().join("made/unit"), "a\nb\n", comment);
            let _ = fs::remove_file(&file.path);
            assert_eq!(file.state().expect("readable"), FileState::Missing);
            file.write().expect("writable");
            assert_eq!(file.state().expect("readable"), FileState::Ours(file.content.clone()));
            for edited in [file.content.replace('b', "c"), format!("{}d\n", file.content), "a\nb\n".to_owned()] {
                fs::write(&file.path, &edited).expect("writable");
                assert_eq!(file.state().expect("readable"), FileState::Foreign, "{edited}");
            }
        }
    }
}
