//! Masking of secrets in everything that the engine stores or returns: texts, memories and events.
//!
//! The index holds the unmasked text of the files, so that a change is detected by comparing texts. Text is masked when it
//! leaves the engine: that is a few kilobytes an answer, and the masker's prefilter for keywords runs at memory speed. A mask
//! keeps line breaks, so line numbers stay valid. Memories and events are masked before they are written, and again when they
//! are read, because another program may have written them.
//!
//! A path that contains a secret is shown masked. The masked path still identifies the file if no other path has the same
//! masked form.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use recall_core::{Cue, Document, Memory, Provenance, Symbol, title_of};
use recall_secrets::{Finding, Masker, Settings};
use recall_text::DocPath;

/// The masker of the process. A pattern is compiled on first use and kept.
static MASKER: LazyLock<Masker> =
    LazyLock::new(|| Masker::new(Settings::default()).expect("these settings turn off no rule"));

/// The beginning of every mask.
const MARK: &str = "[secret: ";

/// Whether anything was masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Masked {
    /// No secret was found.
    No,
    /// At least one secret was masked.
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

/// The characters of the shortest mask without the name of its rule.
pub(crate) const SHORTEST_MASK: usize = MARK.len() + 1;

/// Whether a run of characters in a masked text, `None` for any one character, may be made by masking: it may touch a mask, or the line
/// breaks that a mask keeps. It begins and ends with a character, and has fewer than [`SHORTEST_MASK`] others in a row.
pub(crate) fn may_be_of_mask(run: &[Option<char>]) -> bool {
    let breaks = [Some('\n'), Some('\r')];
    run.iter().any(|one| breaks.contains(one))
        || Masker::rules().any(|rule| may_touch(run, &format!("{MARK}{}]", rule.id)))
}

/// Whether a run may lie so that it overlaps a mask.
fn may_touch(run: &[Option<char>], mask: &str) -> bool {
    let mask: Vec<char> = mask.chars().collect();
    (1..run.len() + mask.len()).any(|end| {
        // The run ends after `end` characters of the mask, counted from as many before it as the run has.
        let overlap = run[run.len().saturating_sub(end)..].iter().zip(&mask[end.saturating_sub(run.len())..]);
        overlap.into_iter().all(|(one, of_mask)| one.is_none_or(|one| one == *of_mask))
    })
}

/// Returns the secrets in the whole text of a file.
pub(crate) fn find_in_file(path: &DocPath, text: &str) -> Vec<Finding> {
    MASKER.find_in_file(path.as_str(), text)
}

/// Returns the secrets in a text.
pub(crate) fn find(text: &str) -> Vec<Finding> {
    MASKER.find(text)
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

/// Returns a path or a citation with its secrets masked.
pub(crate) fn shown_path(mut path: String) -> String {
    path_text(&mut path);
    path
}

/// The characters of a path from another program that are shown: of its beginning and of its end.
const BRIEF_CHARS: (usize, usize) = (160, 60);

/// Returns a path or a name that another program chose, as a list of what was left out shows it: with its secrets masked, and without
/// the middle of a long one.
pub(crate) fn brief_path(path: &str) -> String {
    let shown = shown_path(path.to_owned());
    let (beginning, end) = BRIEF_CHARS;
    let count = shown.chars().count();
    if count <= beginning + end {
        return shown;
    }
    let head: String = shown.chars().take(beginning).collect();
    let tail: String = shown.chars().skip(count - end).collect();
    format!("{head}…{tail}")
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

/// Returns whether a path may contain a mask.
pub(crate) fn is_masked_path(path: &DocPath) -> bool {
    path.as_str().contains(MARK)
}

/// Returns whether a path has this masked form.
pub(crate) fn reads_as(path: &DocPath, masked: &DocPath) -> bool {
    MASKER.mask_path(path.as_str()) == masked.as_str()
}

/// Returns whether a path contains a secret.
pub(crate) fn is_secret_path(path: &DocPath) -> bool {
    matches!(MASKER.mask_path(path.as_str()), Cow::Owned(_))
}

/// Masks the secrets in a document's path, title, tags and source.
pub(crate) fn document(document: &mut Document) -> Masked {
    let labels = Masked::all(document.tags.iter_mut().map(text));
    let title = text(&mut document.title).or(path_text(&mut document.title));
    path(&mut document.path).or(title).or(labels).or(some_text(&mut document.source))
}

/// Masks the secrets in a symbol's names.
pub(crate) fn symbol(symbol: &mut Symbol) -> Masked {
    text(&mut symbol.name).or(text(&mut symbol.qualified))
}

/// Returns whether a part of a file can be masked only with the file's whole text.
pub(crate) fn depends_on_whole(path: &DocPath, part: &str) -> bool {
    MASKER.depends_on_whole(path.as_str(), part)
}

/// The whole text of a file, as context for masking its parts.
pub(crate) struct Whole {
    path: String,
    text: String,
    /// Whether it has secrets, once that is known.
    has_secrets: OnceCell<bool>,
}

impl Whole {
    pub(crate) fn new(path: &DocPath, text: String) -> Self {
        Self { path: path.as_str().to_owned(), text, has_secrets: OnceCell::new() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the text has secrets.
    pub(crate) fn has_secrets(&self) -> bool {
        *self.has_secrets.get_or_init(|| !MASKER.find_in_file(&self.path, &self.text).is_empty())
    }

    /// Masks a part in the context of the whole text. A part that the text no longer contains is masked by itself.
    pub(crate) fn mask_part(&self, part: &mut String, at: Range<usize>) -> Masked {
        let is_there = self.text.get(at.clone()) == Some(part.as_str());
        let at = if is_there { Some(at) } else { self.text.find(part.as_str()).map(|start| start..start + part.len()) };
        let Some(at) = at else { return text(part) };
        let masked = MASKER.mask_part(&self.path, &self.text, at).into_owned();
        replace(part, masked)
    }

    /// Returns a part with its secrets masked, as answers show it; empty if the text has no such part.
    pub(crate) fn mask_range(&self, at: Range<usize>) -> String {
        let Some(part) = self.text.get(at.clone()) else { return String::new() };
        // One pass over the file costs less than one over each of its chunks.
        if !self.has_secrets() {
            return part.to_owned();
        }
        if MASKER.depends_on_whole(&self.path, part) {
            MASKER.mask_part(&self.path, &self.text, at).into_owned()
        } else {
            MASKER.mask(part).into_owned()
        }
    }

    /// Masks every secret of the file that occurs in a label. The title may be the file's first line.
    pub(crate) fn mask_label(&self, label: &mut String) -> Masked {
        let mut masked = label.clone();
        for Finding { rule, span } in MASKER.find_in_file(&self.path, &self.text) {
            masked = masked.replace(&self.text[span], &format!("{MARK}{rule}]"));
        }
        replace(label, masked)
    }
}

/// Masks texts and collects the rules that matched.
#[derive(Debug, Default)]
pub(crate) struct Masking {
    /// The rules of the secrets that were masked.
    pub(crate) rules: BTreeSet<&'static str>,
}

impl Masking {
    /// Returns the text with its secrets masked.
    pub(crate) fn mask(&mut self, text: &str) -> String {
        let findings = MASKER.find(text);
        if findings.is_empty() {
            return text.to_owned();
        }
        self.rules.extend(findings.into_iter().map(|finding| finding.rule));
        MASKER.mask(text).into_owned()
    }

    /// Returns the title of a content with its secrets masked. A title that is the beginning of the content becomes that of the masked
    /// content: the beginning may end in the middle of a secret.
    pub(crate) fn mask_title(&mut self, title: &str, content: &str) -> String {
        if title == title_of(content) { title_of(&self.mask(content)) } else { self.mask(title) }
    }

    /// Masks a text that may be missing.
    pub(crate) fn mask_some(&mut self, text: Option<&str>) -> Option<String> {
        text.map(|text| self.mask(text))
    }

    /// Masks the paths of files.
    pub(crate) fn mask_paths(&mut self, mut paths: Vec<DocPath>) -> Vec<DocPath> {
        for path in &mut paths {
            let findings = MASKER.find(path.as_str());
            self.rules.extend(findings.into_iter().map(|finding| finding.rule));
            self::path(path);
        }
        paths
    }

    /// Masks the texts of cues, sorts them and removes repetitions.
    pub(crate) fn mask_cues(&mut self, cues: &[Cue]) -> Vec<Cue> {
        let mut masked: Vec<Cue> = cues.iter().map(|cue| Cue { kind: cue.kind, text: self.mask(&cue.text) }).collect();
        masked.sort_unstable();
        masked.dedup();
        masked
    }

    pub(crate) fn mask_all(&mut self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.mask(text)).collect()
    }
}

/// Masks the secrets in a memory. Another program may have written them into a journal.
pub(crate) fn memory(mut memory: Memory) -> Memory {
    let mask = |text: &mut Arc<str>| {
        if let Cow::Owned(masked) = MASKER.mask(text) {
            *text = masked.into();
        }
    };
    let is_beginning = *memory.title == title_of(&memory.content);
    mask(&mut memory.content);
    if is_beginning {
        memory.title = title_of(&memory.content).into();
    }
    mask(&mut memory.title);
    let cues = memory.cues.iter_mut().flatten().map(|cue| &mut cue.text);
    for text in memory.tags.iter_mut().chain(&mut memory.source).chain(cues) {
        self::text(text);
    }
    let files = memory.related_files.iter_mut().chain(memory.anchors.iter_mut().map(|anchor| &mut anchor.path));
    for path in files {
        self::path(path);
    }
    memory.provenance = provenance(memory.provenance);
    memory
}

/// Masks the secrets in a provenance, except in the session, an id that the client made, and the commit, a hash.
pub(crate) fn provenance(provenance: Provenance) -> Provenance {
    let Provenance { session, agent, mode, branch, commit, project, project_path } = provenance;
    let masked = |text: Option<String>| text.map(shown_path);
    Provenance {
        session,
        agent: masked(agent),
        mode: masked(mode),
        branch: masked(branch),
        commit,
        project: masked(project),
        project_path: masked(project_path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_of_another_program_is_shown_without_its_middle() {
        assert_eq!(brief_path("docs/zoo.md"), "docs/zoo.md");
        let shown = brief_path(&format!("{}/ende.md", "ä".repeat(5_000)));
        assert!(shown.chars().count() <= 221 && shown.ends_with("ä/ende.md") && shown.contains('…'), "{shown}");
    }
}
