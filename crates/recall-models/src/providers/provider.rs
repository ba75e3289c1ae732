//! The providers: a name, a wire format, an address and maybe a key; and how requests are sent to them.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZero;
use std::time::Duration;

/// The format of requests and responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Ollama's own format.
    Ollama,
    /// OpenAI's format, which many servers speak.
    OpenAi,
    /// Voyage's format, which has embeddings only.
    Voyage,
    /// Anthropic's format, which has language models only.
    Anthropic,
}

impl Wire {
    /// Returns the name that a fingerprint has of it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
            Self::Voyage => "voyage",
            Self::Anthropic => "anthropic",
        }
    }

    /// Returns the path of the request for embeddings, below the provider's address; `None` if it has none.
    pub(crate) fn embeddings_path(self) -> Option<&'static str> {
        match self {
            Self::Ollama => Some("/api/embed"),
            Self::OpenAi | Self::Voyage => Some("/embeddings"),
            Self::Anthropic => None,
        }
    }

    /// Returns the path of the request to a language model, below the provider's address; `None` if it has none.
    pub(crate) fn language_path(self) -> Option<&'static str> {
        match self {
            // Ollama speaks OpenAI's format there.
            Self::Ollama => Some("/v1/chat/completions"),
            Self::OpenAi => Some("/chat/completions"),
            Self::Anthropic => Some("/v1/messages"),
            Self::Voyage => None,
        }
    }
}

/// The key of a provider. Nothing shows or writes it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Wraps a key. Spaces around it are dropped; an empty key is none.
    pub fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        (!key.is_empty() && !key.contains(char::is_control)).then(|| Self(key.to_owned()))
    }

    /// Returns the key, for a header.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

/// A server that runs models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Its name, which precedes the names of its models.
    pub name: String,
    /// The format of its requests and responses.
    pub wire: Wire,
    /// Its address, without a slash at its end.
    pub address: String,
    /// Its key, if it has one.
    pub key: Option<Key>,
}

impl Provider {
    /// Returns the name of the environment variable of a provider's key.
    pub fn key_variable(name: &str) -> String {
        format!("RECALL_{}_API_KEY", name.to_ascii_uppercase().replace('-', "_"))
    }

    /// Returns whether its address is on this machine, where a request costs nothing and crosses no network.
    pub fn is_local(&self) -> bool {
        is_loopback(&self.address)
    }

    /// Returns whether its key would cross a network in plain text.
    pub(crate) fn exposes_key(&self) -> bool {
        self.key.is_some() && self.address.starts_with("http://") && !self.is_local()
    }
}

/// Returns whether the host of an address is this machine.
fn is_loopback(address: &str) -> bool {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host.eq_ignore_ascii_case("localhost") || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Returns whether a text can be the name of a provider.
pub fn is_provider_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.len() <= 40 && name.chars().all(is_plain)
}

/// The providers of the user's settings.
#[derive(Clone, Debug, Default)]
pub struct Providers(Vec<Provider>);

impl Providers {
    /// Builds the providers from their addresses and from the keys, by the names of their variables.
    pub fn new(addresses: &Addresses, keys: &BTreeMap<String, String>) -> Self {
        let key = |name: &str| keys.get(&Provider::key_variable(name)).and_then(|key| Key::new(key));
        let provider = |name: &str, wire: Wire, address: &str| Provider {
            name: name.to_owned(),
            wire,
            address: address.trim_end_matches('/').to_owned(),
            key: key(name),
        };
        let Addresses { ollama, openai, voyage, anthropic, compatible } = addresses;
        let own = [
            ("ollama", Wire::Ollama, ollama),
            ("openai", Wire::OpenAi, openai),
            ("voyage", Wire::Voyage, voyage),
            ("anthropic", Wire::Anthropic, anthropic),
        ];
        let own = own.into_iter().map(|(name, wire, address)| provider(name, wire, address));
        let others = compatible.iter().map(|(name, address)| provider(name, Wire::OpenAi, address));
        Self(own.chain(others).collect())
    }

    /// Returns the provider of a name.
    ///
    /// # Errors
    /// There is none.
    pub fn get(&self, name: &str) -> Result<&Provider, ProviderSetError> {
        if let Some(provider) = self.0.iter().find(|provider| provider.name == name) {
            return Ok(provider);
        }
        let known = self.0.iter().map(|provider| provider.name.clone()).collect();
        Err(ProviderSetError::Unknown { name: name.to_owned(), known })
    }
}

/// There is no provider of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderSetError {
    /// No provider has the name.
    #[error("no provider is called `{name}`; there are: {}", known.join(", "))]
    Unknown {
        /// The name as given.
        name: String,
        /// The names of the providers that are configured or built in.
        known: Vec<String>,
    },
}

/// The addresses of the providers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// The address of Ollama.
    pub ollama: String,
    /// Of OpenAI, or of what stands in for it, such as a gateway.
    pub openai: String,
    /// The address of Voyage.
    pub voyage: String,
    /// The address of Anthropic.
    pub anthropic: String,
    /// Of further servers that speak OpenAI's format, by name.
    pub compatible: BTreeMap<String, String>,
}

impl Default for Addresses {
    fn default() -> Self {
        Self {
            ollama: "http://127.0.0.1:11434".to_owned(),
            openai: "https://api.openai.com/v1".to_owned(),
            voyage: "https://api.voyageai.com/v1".to_owned(),
            anthropic: "https://api.anthropic.com".to_owned(),
            compatible: BTreeMap::new(),
        }
    }
}

/// How requests are sent.
#[derive(Clone, Debug)]
pub struct LinkSettings {
    /// How long a search waits for the embedding of its query.
    pub query_wait: Duration,
    /// How long a request for the embeddings of documents may take.
    pub request_timeout: Duration,
    /// How often a failed request is sent again at once. Later attempts are the caller's.
    pub retries: u32,
    /// The delay before the first retry. It doubles with each further one, and varies by half.
    pub retry_after: Duration,
    /// The most texts of one request.
    pub batch_texts: NonZero<usize>,
    /// The most tokens of one request, by estimate. A single text may have more.
    pub batch_tokens: usize,
    /// The number of consecutive failures after which requests are paused.
    pub failures: u32,
    /// The first pause. It doubles up to [`longest_pause`](Self::longest_pause) while the server keeps failing.
    pub pause: Duration,
    /// The longest pause. A server that asks for a longer one is not asked before that has passed.
    pub longest_pause: Duration,
}

impl Default for LinkSettings {
    fn default() -> Self {
        Self {
            query_wait: Duration::from_secs(2),
            request_timeout: Duration::from_mins(1),
            retries: 3,
            retry_after: Duration::from_millis(250),
            batch_texts: NonZero::new(64).expect("64 is not zero"),
            batch_tokens: 50_000,
            failures: 3,
            pause: Duration::from_secs(5),
            longest_pause: Duration::from_mins(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let provider = Provider {
            name: "openai".to_owned(),
            wire: Wire::OpenAi,
            address: "https://api.example/v1".to_owned(),
            key: Key::new(" hush \n"),
        };
        assert_eq!(provider.key.as_ref().map(Key::reveal), Some("hush"));
        assert!(!format!("{provider:?}").contains("hush"));
        assert_eq!((Key::new(" "), Key::new("a\nb")), (None, None), "a line feed would end the header");
    }

    #[test]
    fn only_addresses_of_this_machine_are_local() {
        for local in ["http://127.0.0.1:11434", "http://localhost/v1", "http://[::1]:8080/v1", "http://me:x@127.0.0.1"]
        {
            assert!(is_loopback(local), "{local}");
        }
        for remote in [
            "https://api.openai.com/v1",
            "http://localhost.evil.example",
            "http://127.0.0.1@evil.example/",
            "http://10.0.0.1",
        ] {
            assert!(!is_loopback(remote), "{remote}");
        }
    }

    #[test]
    fn providers_are_found_by_name() {
        let compatible = [("lab-1".to_owned(), "http://10.0.0.1:8000/v1/".to_owned())].into();
        let keys = [("RECALL_LAB_1_API_KEY".to_owned(), "k".to_owned())].into();
        let providers = Providers::new(&Addresses { compatible, ..Addresses::default() }, &keys);
        let lab = providers.get("lab-1").expect("it is named");
        assert_eq!(
            (lab.address.as_str(), lab.key.is_some(), lab.exposes_key()),
            ("http://10.0.0.1:8000/v1", true, true)
        );
        assert!(!providers.get("ollama").expect("built in").exposes_key());
        assert_eq!(providers.get("anthropic").map(|found| found.wire.embeddings_path()), Ok(None));
        assert!(matches!(providers.get("other"), Err(ProviderSetError::Unknown { known, .. }) if known.len() == 5));
    }
}
