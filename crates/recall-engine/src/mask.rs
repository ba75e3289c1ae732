//! The one masker of the engine: what keeps a secret from being kept and from being shown.
//!
//! What is indexed is what stands in the files, so that a changed file is known by its text. What leaves the engine of it is
//! masked: only what is shown, some kilobytes, which the three letters of the masker's keywords pass at memory speed. A mask
//! keeps the line breaks, so that every line keeps its number. What is remembered or recorded is masked before it is written,
//! and again when it is read, since somebody else may have written it.
//!
//! A path with a secret in it is shown with a mask. It still names its file, as long as no other path reads the same.

mod kept;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use recall_core::{DocPath, Document, Symbol};
use recall_secrets::{Finding, Masker, Settings};

pub(crate) use kept::{Masking, memory, provenance};

/// One for the process: a pattern is compiled when it is first needed, and stays.
static MASKER: LazyLock<Masker> =
    LazyLock::new(|| Masker::new(Settings::default()).expect("these settings turn off no rule"));

/// How every mask begins.
const MARK: &str = "[secret: ";

/// Whether anything was masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Masked {
    /// Nothing: there was no secret.
    No,
    /// Something.
    Yes,
}

impl Masked {
    pub(crate) fn or(self, other: Self) -> Self {
        if other == Self::Yes { other } else { self }
    }

    pub(crate) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::No, Self::or)
    }
}

/// The secrets of the whole text of a file.
pub(crate) fn find_in_file(path: &DocPath, text: &str) -> Vec<Finding> {
    MASKER.find_in_file(path.as_str(), text)
}

/// Masks the secrets in a text.
pub(crate) fn text(text: &mut String) -> Masked {
    match MASKER.mask(text) {
        Cow::Borrowed(_) => Masked::No,
        Cow::Owned(masked) => replace(text, masked),
    }
}

fn replace(text: &mut String, masked: String) -> Masked {
    if *text == masked {
        return Masked::No;
    }
    *text = masked;
    Masked::Yes
}

/// Masks the secrets in a text that may be missing.
pub(crate) fn some_text(part: &mut Option<String>) -> Masked {
    part.as_mut().map_or(Masked::No, text)
}

/// Masks the secrets in a path, or in a text that begins with one, such as a citation.
pub(crate) fn path_text(text: &mut String) -> Masked {
    match MASKER.mask_path(text) {
        Cow::Borrowed(_) => Masked::No,
        Cow::Owned(masked) => replace(text, masked),
    }
}

/// A path or a citation without its secrets.
pub(crate) fn shown_path(mut path: String) -> String {
    path_text(&mut path);
    path
}

/// Masks the secrets in a document's path.
pub(crate) fn path(path: &mut DocPath) -> Masked {
    match MASKER.mask_path(path.as_str()) {
        Cow::Borrowed(_) => Masked::No,
        Cow::Owned(masked) => {
            *path = DocPath::new(&masked).expect("a mask adds no empty component");
            Masked::Yes
        }
    }
}

/// Whether a path may be one that was masked.
pub(crate) fn is_masked_path(path: &DocPath) -> bool {
    path.as_str().contains(MARK)
}

/// Whether a path reads so once it is masked.
pub(crate) fn reads_as(path: &DocPath, masked: &DocPath) -> bool {
    MASKER.mask_path(path.as_str()) == masked.as_str()
}

/// Whether a path holds a secret.
pub(crate) fn is_secret_path(path: &DocPath) -> bool {
    matches!(MASKER.mask_path(path.as_str()), Cow::Owned(_))
}

/// Masks what a document is called and labelled.
pub(crate) fn document(document: &mut Document) -> Masked {
    let labels = Masked::all(document.tags.iter_mut().map(text));
    let title = text(&mut document.title).or(path_text(&mut document.title));
    path(&mut document.path).or(title).or(labels).or(some_text(&mut document.source))
}

/// Masks what a definition is called.
pub(crate) fn symbol(symbol: &mut Symbol) -> Masked {
    text(&mut symbol.name).or(text(&mut symbol.qualified))
}

/// Whether what a part of a file shows can be masked only with the file's whole text.
pub(crate) fn depends_on_whole(path: &DocPath, part: &str) -> bool {
    MASKER.depends_on_whole(path.as_str(), part)
}

/// The whole text of a file, of which parts are shown.
pub(crate) struct Whole {
    path: String,
    text: String,
}

impl Whole {
    pub(crate) fn new(path: &DocPath, text: String) -> Self {
        Self { path: path.as_str().to_owned(), text }
    }

    /// Masks a part as it is within the whole. One that is no longer in it is masked by itself.
    pub(crate) fn mask_part(&self, part: &mut String, at: Range<usize>) -> Masked {
        let is_there = self.text.get(at.clone()) == Some(part.as_str());
        let at = if is_there { Some(at) } else { self.text.find(part.as_str()).map(|start| start..start + part.len()) };
        let Some(at) = at else { return text(part) };
        let masked = MASKER.mask_part(&self.path, &self.text, at).into_owned();
        replace(part, masked)
    }

    /// Masks in a text what is a secret in the file: its first line may be the title.
    pub(crate) fn mask_label(&self, label: &mut String) -> Masked {
        let mut masked = label.clone();
        for Finding { rule, span } in MASKER.find_in_file(&self.path, &self.text) {
            masked = masked.replace(&self.text[span], &format!("{MARK}{rule}]"));
        }
        replace(label, masked)
    }
}
