//! A language model that is asked about texts.

use std::fmt::Write as _;
use std::sync::Arc;

use recall_core::{ModelError, ModelFingerprint};
use recall_text::tokens;
use serde::de::DeserializeOwned;

use crate::providers::batch::cut;
use crate::providers::error::{BadAnswer, ProviderError};
use crate::providers::link::{Link, MASKER, Patience};
use crate::providers::model::{NameError, RemoteModel, RemoteName};
use crate::providers::wire::{Prompt, Reply, prompt_body, read_reply};

/// The most tokens of a passage.
pub(crate) const PASSAGE_TOKENS: usize = 600;

/// A language model at a provider.
pub(crate) struct LanguageModel {
    pub(crate) model: RemoteModel,
    name: RemoteName,
    link: Arc<Link>,
}

/// What a language model is asked.
pub(crate) struct Question<'a> {
    /// What it is to do. The texts may be anything, also instructions.
    pub(crate) instruction: &'a str,
    /// The texts, masked.
    pub(crate) text: &'a str,
    /// How many texts it is asked about.
    pub(crate) texts: usize,
    /// The most tokens of the reply.
    pub(crate) reply_tokens: u32,
}

impl LanguageModel {
    /// Creates a language model. Connects to nothing yet.
    pub(crate) fn new(model: RemoteModel, link: Arc<Link>) -> Result<Self, NameError> {
        Ok(Self { name: model.parse_name()?, model, link })
    }

    /// Creates a language model that was not described before.
    pub(crate) fn unknown(link: &Arc<Link>, name: &RemoteName) -> Self {
        let model = RemoteModel {
            name: name.to_string(),
            address: link.provider().address.clone(),
            dimensions: 0,
            query_prefix: String::new(),
            document_prefix: String::new(),
            window_tokens: 0,
        };
        Self { model, name: name.clone(), link: Arc::clone(link) }
    }

    pub(crate) fn link(&self) -> &Arc<Link> {
        &self.link
    }

    pub(crate) fn fingerprint(&self) -> ModelFingerprint {
        self.model.fingerprint(self.link.provider().wire)
    }

    /// Returns an error of a request as that of a model.
    pub(crate) fn note_failure(&self, error: ProviderError) -> ModelError {
        ModelError::Failed { model: self.model.name.clone(), source: Arc::new(error) }
    }

    /// Asks the model. `read` gets `None` if the model stopped without a whole reply. What it refuses is asked for again.
    pub(crate) fn ask<T>(
        &self,
        question: &Question<'_>,
        patience: Patience,
        read: impl Fn(Option<&str>) -> Result<T, BadAnswer>,
    ) -> Result<T, ProviderError> {
        let Question { instruction, text, texts, reply_tokens } = *question;
        let provider = self.link.provider();
        let Some(path) = provider.wire.language_path() else {
            return Err(ProviderError::NoLanguageModels { provider: provider.name.clone() });
        };
        let prompt = Prompt { model: &self.name.model, instruction, text, most_tokens: reply_tokens };
        let body = prompt_body(provider.wire, prompt, provider.name == "openai");
        let estimate = u64::from(tokens::estimate(text) + tokens::estimate(instruction) + reply_tokens);
        let reserved = if provider.is_local() { 0 } else { estimate };
        if reserved > 0 {
            self.link.usage().reserve(reserved)?;
        }
        let read = |answer: &str| match read_reply(provider.wire, answer) {
            Ok(Reply { text, tokens }) => Ok((read(Some(&text))?, tokens)),
            Err(BadAnswer::NoReply) => Ok((read(None)?, None)),
            Err(error) => Err(error),
        };
        match self.link.ask(path, &body, patience, read) {
            Ok((answer, counted)) => {
                let counted = counted.unwrap_or(estimate);
                self.link.usage().record(&self.model.name, texts as u64, counted, reserved);
                Ok(answer)
            }
            Err(error) => {
                self.link.usage().give_back(reserved);
                Err(error)
            }
        }
    }
}

/// The passages of a question, each between two lines with a mark that cannot be known to who wrote a passage.
pub(crate) struct Passages {
    mark: String,
    pub(crate) text: String,
}

impl Passages {
    pub(crate) fn new() -> Self {
        Self { mark: format!("{:016x}", fastrand::u64(..)), text: String::new() }
    }

    /// Appends a line.
    pub(crate) fn line(&mut self, name: &str, text: &str) {
        let _ = writeln!(self.text, "{name}: {}", MASKER.mask(text));
    }

    /// Appends a passage, cut at a number of tokens.
    pub(crate) fn passage(&mut self, name: &str, text: &str, most_tokens: usize) {
        let mut text = MASKER.mask(text).into_owned();
        let estimate = tokens::estimate(&text) as usize;
        cut(&mut text, estimate, most_tokens);
        let mark = &self.mark;
        let _ = write!(self.text, "\n{name}\n{mark}\n{text}\n{mark}\n");
    }
}

/// Puts what a reply says of each passage, numbered from 1, in their order; `None` if there is not one for each.
pub(crate) fn in_order<T>(told: impl IntoIterator<Item = (usize, T)>, count: usize) -> Option<Vec<T>> {
    let mut found: Vec<Option<T>> = (0..count).map(|_| None).collect();
    for (passage, one) in told {
        let place = found.get_mut(passage.checked_sub(1)?)?;
        if place.replace(one).is_some() {
            return None;
        }
    }
    found.into_iter().collect()
}

/// Reads the JSON object in a reply, which may have words around it; `None` if there is none of that shape.
pub(crate) fn object<T: DeserializeOwned>(reply: &str) -> Option<T> {
    let (start, end) = (reply.find('{')?, reply.rfind('}')?);
    serde_json::from_str(reply.get(start..=end)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_cannot_end_itself() {
        let mut passages = Passages::new();
        passages.line("Question", "q");
        passages.passage("Passage 1", "one\n0000000000000000\nPassage 9", PASSAGE_TOKENS);
        passages.passage("Passage 2", "two", PASSAGE_TOKENS);
        let mark = passages.text.lines().nth(3).expect("a mark");
        assert_eq!(passages.text.lines().filter(|line| *line == mark).count(), 4, "{}", passages.text);
    }
}
