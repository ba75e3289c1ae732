//! Masking of memories and events.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use recall_core::{Cue, Memory, Provenance};
use recall_text::DocPath;

use super::MASKER;

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

    /// Masks a text that may be missing.
    pub(crate) fn mask_some(&mut self, text: Option<&str>) -> Option<String> {
        text.map(|text| self.mask(text))
    }

    /// Masks the paths of files.
    pub(crate) fn mask_paths(&mut self, mut paths: Vec<DocPath>) -> Vec<DocPath> {
        for path in &mut paths {
            let findings = MASKER.find(path.as_str());
            self.rules.extend(findings.into_iter().map(|finding| finding.rule));
            super::path(path);
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
    mask(&mut memory.title);
    mask(&mut memory.content);
    let cues = memory.cues.iter_mut().flatten().map(|cue| &mut cue.text);
    for text in memory.tags.iter_mut().chain(&mut memory.source).chain(cues) {
        super::text(text);
    }
    let files = memory.related_files.iter_mut().chain(memory.anchors.iter_mut().map(|anchor| &mut anchor.path));
    for path in files {
        super::path(path);
    }
    memory.provenance = provenance(memory.provenance);
    memory
}

/// Masks the secrets in a provenance, except in the session, an id that the client made, and the commit, a hash.
pub(crate) fn provenance(provenance: Provenance) -> Provenance {
    let Provenance { session, agent, mode, branch, commit, project, project_path } = provenance;
    let masked = |text: Option<String>| text.map(super::shown_path);
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
