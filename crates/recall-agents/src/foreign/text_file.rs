//! Bounded reading of text files and folders, and the front matter of Markdown notes.

use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use recall_core::Timestamp;
use serde_json::{Map, Value};

use crate::foreign::ReadError;

/// The largest text file that is read as a whole.
pub(crate) const FILE_BYTES: u64 = 64 * 1024 * 1024;

/// The most files of a folder.
const MOST_FILES: usize = 100_000;

/// The deepest folder below the first.
const MOST_DEPTH: usize = 16;

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    /// Its path below the folder, with `/`.
    pub(crate) below: String,
    pub(crate) path: PathBuf,
    /// When it was modified.
    pub(crate) modified: Option<Timestamp>,
}

pub(crate) fn metadata(path: &Path) -> Result<Metadata, ReadError> {
    fs::metadata(path).map_err(|source| read_error(path, source))
}

/// Reads a text file. Invalid UTF-8 is replaced.
///
/// # Errors
/// It is not a regular file, exceeds the limit, or cannot be read.
pub(crate) fn read(path: &Path, limit: u64) -> Result<String, ReadError> {
    let mut bytes = Vec::new();
    let mut file = open(path)?.take(limit + 1);
    file.read_to_end(&mut bytes).map_err(|source| read_error(path, source))?;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { path: path.to_owned(), bytes: bytes.len() as u64, limit });
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Opens a regular file. Anything else, such as a pipe, is rejected before it is opened.
pub(crate) fn open(path: &Path) -> Result<File, ReadError> {
    if !metadata(path)?.is_file() {
        let found = "it is not a regular file".to_owned();
        return Err(ReadError::Unexpected { path: path.to_owned(), expected: "a file", found });
    }
    File::open(path).map_err(|source| read_error(path, source))
}

/// Returns the files with an extension below a folder, sorted by path. Links and hidden folders are not followed.
pub(crate) fn files_below(folder: &Path, extension: &str) -> Result<Vec<Found>, ReadError> {
    let mut found = Vec::new();
    let mut folders = vec![(folder.to_owned(), String::new(), 0)];
    while let Some((folder, below, depth)) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|source| read_error(&folder, source))?;
        for entry in entries {
            let entry = entry.map_err(|source| read_error(&folder, source))?;
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            let below = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            if kind.is_dir() && !name.starts_with('.') && depth < MOST_DEPTH {
                folders.push((entry.path(), below, depth + 1));
            } else if kind.is_file() && Path::new(&name).extension().is_some_and(|it| it == extension) {
                let modified = entry.metadata().ok().and_then(|it| it.modified().ok()).map(Timestamp::from);
                found.push(Found { below, path: entry.path(), modified });
            }
        }
        if found.len() > MOST_FILES {
            let found = format!("it has more than {MOST_FILES} files");
            return Err(ReadError::Unexpected { path: folder, expected: "a folder of notes", found });
        }
    }
    found.sort_unstable();
    Ok(found)
}

pub(crate) struct BoundedLines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    limit: u64,
}

impl<R: Read> BoundedLines<R> {
    pub(crate) fn new(reader: R, limit: u64) -> Self {
        Self { reader: BufReader::new(reader), line: Vec::new(), limit }
    }

    /// Returns the next line without its end: `None` at the end of the file, `Some(None)` for a line beyond the limit.
    #[expect(clippy::option_option, reason = "the end of the file, a line that is too long, a line")]
    pub(crate) fn next(&mut self) -> io::Result<Option<Option<&[u8]>>> {
        self.line.clear();
        let read = (&mut self.reader).take(self.limit).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        if self.line.last() != Some(&b'\n') && read as u64 >= self.limit {
            self.reader.skip_until(b'\n')?;
            return Ok(Some(None));
        }
        Ok(Some(Some(self.line.trim_ascii())))
    }
}

pub(crate) fn read_error(path: &Path, source: io::Error) -> ReadError {
    match source.kind() {
        io::ErrorKind::NotFound => ReadError::Missing { path: path.to_owned() },
        _ => ReadError::Io { path: path.to_owned(), source },
    }
}

/// The most bytes of front matter that are parsed. More is text.
const MOST_BYTES: usize = 64 * 1024;

/// A Markdown note: the fields of its front matter and its text.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Note<'t> {
    fields: Map<String, Value>,
    pub(crate) text: &'t str,
}

impl<'t> Note<'t> {
    /// Splits a note. Front matter that is not a YAML mapping counts as text.
    pub(crate) fn split(text: &'t str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let whole = Self { fields: Map::new(), text };
        let Some(rest) = text.strip_prefix("---").map(|rest| rest.trim_start_matches([' ', '\t'])) else {
            return whole;
        };
        let Some(rest) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')) else { return whole };
        let mut at = 0;
        for line in rest.split_inclusive('\n') {
            if at > MOST_BYTES {
                break;
            }
            if line.trim_end() == "---" {
                // Without it, `y` and `no` are not texts.
                let options = serde_saphyr::options! { strict_booleans: true };
                let fields = serde_saphyr::from_str_with_options(&rest[..at], options);
                return match fields {
                    Ok(Value::Object(fields)) => Self { fields, text: &rest[at + line.len()..] },
                    Ok(_) | Err(_) => whole,
                };
            }
            at += line.len();
        }
        whole
    }

    /// Returns a field's value.
    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// Returns a field that is a text, a number or a boolean, as a text that is not blank.
    pub(crate) fn text_of(&self, name: &str) -> Option<String> {
        plain(self.field(name)?)
    }

    /// Returns the entries of a list, or of a text that is separated by commas.
    pub(crate) fn list_of(&self, name: &str) -> Vec<String> {
        match self.field(name) {
            Some(Value::Array(values)) => values.iter().filter_map(plain).collect(),
            Some(Value::String(text)) => {
                text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn plain(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_beyond_the_limit_is_skipped_and_the_next_one_is_read() {
        let mut lines = BoundedLines::new(&b"ab\n123456789\ncd"[..], 5);
        let mut all = Vec::new();
        while let Some(line) = lines.next().expect("readable") {
            all.push(line.map(<[u8]>::to_vec));
        }
        assert_eq!(all, [Some(b"ab".to_vec()), None, Some(b"cd".to_vec())]);
    }

    #[test]
    fn files_are_found_below_plain_folders_only() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b.md", "a/c.md", ".git/d.md", "e.txt"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("one")).expect("made");
            fs::write(path, "x").expect("written");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", folder.path().join("root")).expect("linked");
        let found = files_below(folder.path(), "md").expect("readable");
        assert_eq!(found.iter().map(|found| &*found.below).collect::<Vec<_>>(), ["a/c.md", "b.md"]);
        assert!(matches!(read(&folder.path().join("b.md"), 0), Err(ReadError::TooLarge { .. })));
        assert!(matches!(read(&folder.path().join("no"), 9), Err(ReadError::Missing { .. })));
        assert!(matches!(read(folder.path(), 9), Err(ReadError::Unexpected { .. })));
    }

    #[test]
    fn fields_and_text_are_split() {
        let note = Note::split("---\r\ntitle: \"A: b\"\ntags: [x, y]\nn: 3\n---\n# H\n\ntext\n");
        assert_eq!(note.text_of("title").as_deref(), Some("A: b"));
        assert_eq!(note.list_of("tags"), ["x", "y"]);
        assert_eq!(note.text_of("n").as_deref(), Some("3"));
        assert_eq!(note.text, "# H\n\ntext\n");
        assert_eq!(Note::split("---\ntags: a, b\n---\n").list_of("tags"), ["a", "b"]);
    }

    #[test]
    fn what_is_not_front_matter_is_text() {
        let bomb = "---\na: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n---\nx";
        for text in ["", "---", "---\nno end", "---\n- a list\n---\nx", "---\na: [\n---\nx", "--- x\n", bomb] {
            assert_eq!(Note::split(text).text, text);
        }
    }
}
