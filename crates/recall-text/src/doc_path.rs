//! Paths of documents in their store, and the spellings of a path: as it is written, as a `file:` URI, with `\\`
//! between its components.
//!
//! Which of them names a file is not decided here: that takes a look at the disk.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use crate::language::table::marks_a_file_in_queries;

/// The folder in a root that holds settings, journals, summaries and sessions. It holds no derived data.
pub const PROJECT_FOLDER: &str = ".recall";

/// A document's path below its store's root: UTF-8, `/` between components, no empty, `.` or `..` component.
///
/// A path outside the root cannot be expressed. Ordered bytewise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocPath(Box<str>);

impl DocPath {
    /// Checks a relative path that is already written with `/`.
    ///
    /// # Errors
    /// The path is empty or absolute, or has a NUL or an empty, `.` or `..` component.
    pub fn new(text: &str) -> Result<Self, DocPathError> {
        if text.is_empty() {
            return Err(DocPathError::Empty);
        }
        if text.contains('\0') {
            return Err(DocPathError::Nul);
        }
        if text.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(DocPathError::Component { path: text.to_owned() });
        }
        Ok(Self(text.into()))
    }

    /// Converts a relative path of the file system.
    ///
    /// # Errors
    /// As [`new`](Self::new), and when the path is not UTF-8.
    pub fn from_relative(path: &Path) -> Result<Self, DocPathError> {
        let text = path.to_str().ok_or_else(|| DocPathError::NotUtf8 { path: path.to_string_lossy().into_owned() })?;
        if std::path::MAIN_SEPARATOR == '/' { Self::new(text) } else { Self::new(&text.replace('\\', "/")) }
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component of the path, which every path has.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// Returns the last component up to its first dot, or all of it if it begins with a dot.
    pub fn stem(&self) -> &str {
        let name = self.file_name();
        match name.find('.') {
            Some(0) | None => name,
            Some(dot) => &name[..dot],
        }
    }

    /// Returns what follows the last dot of the last component.
    pub fn extension(&self) -> Option<&str> {
        match self.file_name().rsplit_once('.') {
            Some(("", _)) | None => None,
            Some((_, extension)) => Some(extension),
        }
    }

    /// Whether the path is that of a file or folder, or below it; see [`is_at_or_below`].
    pub fn is_at_or_below(&self, place: &str) -> bool {
        is_at_or_below(&self.0, place)
    }

    /// Returns the components, outermost first.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }
}

/// Whether a path is that of a file or folder, or below it. The empty path is that of no folder.
///
/// ```
/// use recall_text::is_at_or_below;
/// assert!(is_at_or_below("src", "src") && is_at_or_below("src/a.rs", "src"));
/// assert!(!is_at_or_below("src2/a.rs", "src") && !is_at_or_below("a.rs", ""));
/// ```
pub fn is_at_or_below(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl fmt::Display for DocPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is not the path of a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocPathError {
    /// The text is empty.
    #[error("the path is empty")]
    Empty,
    /// The text contains a NUL byte.
    #[error("the path contains a NUL byte")]
    Nul,
    /// A component is empty, `.` or `..`.
    #[error("`{path}` is not a plain path below the root: it has an empty, `.` or `..` component")]
    Component {
        /// The rejected text.
        path: String,
    },
    /// The name has bytes that are not UTF-8.
    #[error("the name `{path}` is not UTF-8")]
    NotUtf8 {
        /// The name with the offending bytes replaced.
        path: String,
    },
}

/// Returns the paths that a text may spell, the likeliest first: that of a `file:` URI, otherwise the text itself; then
/// the same with `/` for `\\`.
///
/// ```
/// assert_eq!(recall_text::path_spellings("file:///w/a%20b.rs"), ["/w/a b.rs"]);
/// assert_eq!(recall_text::path_spellings(r"src\a.rs"), [r"src\a.rs", "src/a.rs"]);
/// ```
pub fn path_spellings(text: &str) -> Vec<Cow<'_, str>> {
    let written = path_of_uri(text).map_or(Cow::Borrowed(text), Cow::Owned);
    if written.contains('\\') {
        let slashed = written.replace('\\', "/");
        return vec![written, Cow::Owned(slashed)];
    }
    vec![written]
}

/// Returns the path of a `file:` URI of this machine; `None` if the text is not one.
pub fn path_of_uri(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => rest,
    };
    let path = decode_percent(path.starts_with('/').then_some(path)?)?;
    // `/C:/src` is the path `C:/src` on Windows.
    let is_drive = matches!(path.as_bytes(), [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
    Some(if is_drive { path[1..].to_owned() } else { path })
}

/// Decodes `%20`; `None` if what is decoded is not UTF-8. A `%` that begins no escape stays.
fn decode_percent(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        match (first, after) {
            (b'%', [high, low, further @ ..]) if digit(high).is_some() && digit(low).is_some() => {
                bytes.extend(digit(high).zip(digit(low)).map(|(high, low)| high * 16 + low));
                rest = further;
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// How sure it is that a word is a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathForm {
    /// A path or a file name.
    Sure,
    /// Two names and a slash between them: a path, or alternatives.
    Possible,
}

/// Returns whether a word is a path or a file name; `None` if it is neither.
///
/// A known file extension, a leading `/`, `./` or `~/`, a trailing slash, a pattern, and more than two components are signs of a
/// path. Prose writes alternatives with one slash: `request/response`, `GET/POST`.
pub fn path_form(word: &str) -> Option<PathForm> {
    if word.contains("//") || word.contains("::") || word.len() < 3 {
        return None;
    }
    let names_a_file = word.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty() && (extension == LOCK_FILE || marks_a_file_in_queries(extension))
    });
    let has_slash = word.trim_matches('/').contains('/');
    let is_plain = |more: &str| word.chars().all(|c| c.is_alphanumeric() || more.contains(c));
    if !has_slash {
        return (names_a_file && is_plain("._-")).then_some(PathForm::Sure);
    }
    if !is_plain("/._-@+$[]()*~") {
        return None;
    }
    let components = word.split('/').filter(|component| !component.is_empty()).count();
    let is_rooted = word.starts_with(['/', '.', '~']) || word.ends_with('/');
    let is_sure = names_a_file || is_rooted || components > 2 || word.contains('*');
    Some(if is_sure { PathForm::Sure } else { PathForm::Possible })
}

/// Whether a word may be a path or a file name.
pub fn looks_like_path(word: &str) -> bool {
    path_form(word).is_some()
}

/// The extension of the files in which package managers pin versions. Their text is in various languages.
const LOCK_FILE: &str = "lock";

/// Whether a word is written like an identifier and unlike an English word.
pub fn looks_like_identifier(word: &str) -> bool {
    let word = word.trim_end_matches("()");
    let Some(first) = word.chars().next() else { return false };
    if !(first.is_alphabetic() || matches!(first, '_' | '$' | '@')) {
        return false;
    }
    if !word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '$' | '@' | '#' | '!' | '?')) {
        return false;
    }
    let inner_capital = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let acronym_word = word.chars().filter(|c| c.is_uppercase()).count() > 1 && word.chars().any(char::is_lowercase);
    word.contains('_')
        || word.contains("::")
        || inner_capital
        || acronym_word
        || matches!(first, '$' | '@')
        || word.split_once('.').is_some_and(|(left, right)| !left.is_empty() && !right.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_relative_paths_are_paths() {
        for good in ["a", "a/b.rs", ".github/x.yml", "..a/b"] {
            assert!(DocPath::new(good).is_ok(), "{good}");
        }
        for bad in ["", "/a", "a//b", "a/", "../a", "a/../b", "./a", "a\0b"] {
            assert!(DocPath::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_path_has_a_name_a_stem_and_an_extension() {
        let path = DocPath::new("src/store.test.ts").expect("plain");
        assert_eq!((path.file_name(), path.stem(), path.extension()), ("store.test.ts", "store", Some("ts")));
        let hidden = DocPath::new(".bashrc").expect("plain");
        assert_eq!((hidden.stem(), hidden.extension()), (".bashrc", None));
    }

    #[test]
    fn the_path_of_a_uri_is_decoded() {
        for (uri, path) in [
            ("file:///w/a.rs", Some("/w/a.rs")),
            ("FILE://localhost/w/a%20b%C3%BC.rs", Some("/w/a b\u{fc}.rs")),
            ("file:/w/100%.md", Some("/w/100%.md")),
            ("file:///C:/w/a.rs", Some("C:/w/a.rs")),
            ("file://server/share/a.rs", None),
            ("file:a.rs", None),
            ("file:///w/%ff", None),
            ("https://host/a.rs", None),
            ("src/a.rs", None),
        ] {
            assert_eq!(path_of_uri(uri).as_deref(), path, "{uri}");
        }
    }

    #[test]
    fn backslashes_are_separators_only_if_the_text_is_no_name_itself() {
        assert_eq!(path_spellings(r"src\net\a.rs"), [r"src\net\a.rs", "src/net/a.rs"]);
        assert_eq!(path_spellings("src/a.rs"), ["src/a.rs"]);
    }
}
