//! How is a secret kept from being remembered, and from being told?

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use recall_core::Memory;

use crate::mask::MASKER;

/// Masks texts, and knows what it found in them.
#[derive(Debug, Default)]
pub(crate) struct Masking {
    /// The rules of the secrets that were masked.
    pub(crate) rules: BTreeSet<&'static str>,
}

impl Masking {
    /// The text without its secrets.
    pub(crate) fn mask(&mut self, text: &str) -> String {
        let findings = MASKER.find(text);
        if findings.is_empty() {
            return text.to_owned();
        }
        self.rules.extend(findings.into_iter().map(|finding| finding.rule));
        MASKER.mask(text).into_owned()
    }

    /// The same of a text that may be missing.
    pub(crate) fn mask_some(&mut self, text: Option<&str>) -> Option<String> {
        text.map(|text| self.mask(text))
    }

    /// The same of several texts.
    pub(crate) fn mask_all(&mut self, texts: &[String]) -> Vec<String> {
        texts.iter().map(|text| self.mask(text)).collect()
    }
}

/// The memory without its secrets: what somebody else wrote into a journal may hold some.
pub(crate) fn masked(mut memory: Memory) -> Memory {
    let mask = |text: &mut Arc<str>| {
        if let Cow::Owned(masked) = MASKER.mask(text) {
            *text = masked.into();
        }
    };
    mask(&mut memory.title);
    mask(&mut memory.content);
    for text in memory.tags.iter_mut().chain(&mut memory.source) {
        if let Cow::Owned(masked) = MASKER.mask(text) {
            *text = masked;
        }
    }
    memory
}
