//! The name of a remote model: `ollama:nomic-embed-text`, `openai:text-embedding-3-large@256`.

use std::fmt;

use crate::providers::provider::is_provider_name;

/// The maximum length of a name, in bytes.
const LONGEST_NAME: usize = 200;

/// The name of a remote model.
///
/// The provider is before the first colon. A number after the last `@` is the number of dimensions to ask for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemoteName {
    /// The name of the provider.
    pub provider: String,
    /// The name that the provider gives the model.
    pub model: String,
    /// The number of dimensions to ask for; `None` for the model's own.
    pub dimensions: Option<usize>,
}

impl RemoteName {
    /// Returns whether a name is that of a remote model. Installed models have no colon in their names.
    pub fn is_remote(name: &str) -> bool {
        name.contains(':')
    }

    /// Parses a name.
    ///
    /// # Errors
    /// See [`NameError`].
    pub fn parse(name: &str) -> Result<Self, NameError> {
        let malformed = || NameError::Malformed { name: name.to_owned() };
        let (provider, rest) = name.split_once(':').ok_or_else(malformed)?;
        let (model, dimensions) = match rest.rsplit_once('@') {
            Some((model, number)) => (model, Some(number.parse().map_err(|_| malformed())?)),
            None => (rest, None),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/');
        let is_good = name.len() <= LONGEST_NAME
            && is_provider_name(provider)
            && model.starts_with(|c: char| c.is_ascii_alphanumeric())
            && model.chars().all(is_plain)
            && dimensions != Some(0);
        if !is_good {
            return Err(malformed());
        }
        Ok(Self { provider: provider.to_owned(), model: model.to_owned(), dimensions })
    }
}

impl fmt::Display for RemoteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { provider, model, dimensions } = self;
        write!(f, "{provider}:{model}")?;
        dimensions.map_or(Ok(()), |dimensions| write!(f, "@{dimensions}"))
    }
}

/// A name is not that of a remote model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The name is malformed.
    #[error(
        "`{name}` is not the name of a remote model, such as `ollama:nomic-embed-text` or `openai:text-embedding-3-large@256`"
    )]
    Malformed {
        /// The name.
        name: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_provider_a_model_and_maybe_dimensions() {
        let check = |name: &str, provider: &str, model: &str, dimensions| {
            let parsed = RemoteName::parse(name).expect(name);
            assert_eq!(
                (parsed.provider.as_str(), parsed.model.as_str(), parsed.dimensions),
                (provider, model, dimensions)
            );
            assert_eq!(parsed.to_string(), name);
        };
        check("ollama:nomic-embed-text", "ollama", "nomic-embed-text", None);
        check("ollama:nomic-embed-text:v1.5", "ollama", "nomic-embed-text:v1.5", None);
        check("openai:text-embedding-3-large@256", "openai", "text-embedding-3-large", Some(256));
        check("lab-1:BAAI/bge-m3", "lab-1", "BAAI/bge-m3", None);
        for wrong in [
            "minilm",
            ":x",
            "openai:",
            "openai:x@",
            "openai:x@0",
            "openai:x@many",
            "open ai:x",
            "openai:x y",
            "openai:../x",
        ] {
            assert!(RemoteName::parse(wrong).is_err(), "{wrong}");
        }
    }
}
