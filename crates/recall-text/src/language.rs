//! Programming and markup languages.
//!
//! Everything that the program knows of a language's files is one row of `table`. A language without a row is still a name, by which
//! its documents can be filtered.

#[rustfmt::skip]
pub(crate) mod syntaxes;
pub(crate) mod table;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use self::syntaxes::Syntax;
pub use self::table::{BuildFolder, Form};
use self::table::{LANGUAGES, LanguageRow};
use crate::likeness::near;
use crate::{DocPath, fold_case};

/// A language's name in lower case without spaces: `rust`, `csharp`, `markdown`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(Cow<'static, str>);

impl Language {
    /// A language known by name at compile time.
    pub const fn from_static(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// Returns the language of a file, by its name, then its extension, then the interpreter in its first line.
    ///
    /// `None` for an unknown kind of text.
    pub fn detect(path: &DocPath, text: &str) -> Option<Self> {
        let row = by_name(path).or_else(|| path.extension().and_then(by_extension)).or_else(|| by_shebang(text));
        row.map(|row| Self::from_static(row.name))
    }

    /// The name in lower case, such as `rust`, which filters and documents use.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Language {
    /// Takes any name, known or not.
    fn from(name: String) -> Self {
        Self(Cow::Owned(name))
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    /// Parses a language's name or alias, in any case: `py` is `python`, `c++` is `cpp`.
    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        let lower = fold_case(text.trim());
        let lower = &*lower;
        match LANGUAGES.iter().find(|row| row.name == lower || row.aliases.contains(&lower)) {
            Some(row) => Ok(Self::from_static(row.name)),
            None => {
                Err(UnknownLanguage { text: text.to_owned(), near: near(lower, LANGUAGES.iter().map(|row| row.name)) })
            }
        }
    }
}

impl Form {
    /// Returns the form of texts in a language. One that is not in the table is taken for a programming language.
    pub fn for_language(language: Option<&Language>) -> Self {
        let Some(language) = language else { return Self::Unknown };
        LANGUAGES.iter().find(|row| row.name == language.as_str()).map_or(Self::Program, |row| row.form)
    }
}

/// Returns how comments, strings and keywords of a language look; `None` if its row does not say it.
pub(crate) fn syntax_of(language: &str) -> Option<&'static Syntax> {
    LANGUAGES.iter().find(|row| row.name == language)?.syntax
}

/// Whether a file with this extension holds code of a programming language. Prose, data, markup, configuration and
/// build scripts are not code. Letter case counts: `.C` is C++.
pub fn is_code_extension(extension: &str) -> bool {
    LANGUAGES.iter().any(|row| row.code_extensions.contains(&extension))
}

/// Returns whether a path is that of a table of raw data: lines of values, which neither say nor do anything.
pub fn is_data_table(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    let language = extension.as_deref().and_then(language_of_extension);
    matches!(language, Some("csv" | "jsonl")) || extension.as_deref() == Some("dat")
}

/// Returns the language whose files have an extension.
pub(crate) fn language_of_extension(extension: &str) -> Option<&'static str> {
    by_extension(extension).map(|row| row.name)
}

/// The folders that the tools of all languages write. A name may occur several times, with different manifests.
pub fn build_folders() -> impl Iterator<Item = &'static BuildFolder> {
    LANGUAGES.iter().flat_map(|row| row.build_folders)
}

fn by_name(path: &DocPath) -> Option<&'static LanguageRow> {
    let lower = path.file_name().to_ascii_lowercase();
    let named = |name: &str| LANGUAGES.iter().find(|row| row.file_names.contains(&name));
    named(&lower).or_else(|| {
        if lower.starts_with("dockerfile.") {
            named("dockerfile")
        } else if lower.starts_with("requirements") && path.extension() == Some("txt") {
            named("requirements.txt")
        } else if lower.ends_with(".blade.php") {
            LANGUAGES.iter().find(|row| row.name == "template")
        } else {
            None
        }
    })
}

/// The language of an extension. Capitals count if the table has them.
fn by_extension(extension: &str) -> Option<&'static LanguageRow> {
    let with = |extension: &str| LANGUAGES.iter().find(|row| row.extensions().any(|known| known == extension));
    with(extension).or_else(|| with(&extension.to_ascii_lowercase()))
}

fn by_shebang(text: &str) -> Option<&'static LanguageRow> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let first = words.next()?.rsplit('/').next()?;
    // `env -S VAR=x python3 -u`: the interpreter is the first word that is neither an option nor an assignment.
    let program =
        if first == "env" { words.find(|word| !word.starts_with('-') && !word.contains('='))? } else { first };
    let program = program.rsplit('/').next()?.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    LANGUAGES.iter().find(|row| row.interpreters.contains(&program))
}

/// The text does not name a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLanguage {
    /// The name as it was given.
    pub text: String,
    /// The names nearest to it, nearest first.
    pub near: Vec<&'static str>,
}

impl std::error::Error for UnknownLanguage {}

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// A longer value is not a typing mistake.
        const SHOWN_BYTES: usize = 80;
        write!(f, "unknown language `{}`", &self.text[..self.text.floor_char_boundary(SHOWN_BYTES)])?;
        if self.near.is_empty() {
            return f.write_str(": expected a name such as rust, python, typescript, cpp, csharp, markdown, yaml");
        }
        let near: Vec<String> = self.near.iter().map(|name| format!("`{name}`")).collect();
        write!(f, "; did you mean {}?", near.join(" or "))
    }
}

#[cfg(test)]
mod tests;
