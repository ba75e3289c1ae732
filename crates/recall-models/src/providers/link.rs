//! The link to a provider: single requests and the meaning of their status; keys, retries, pauses and costs.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use crate::http::ureq::{self, Agent};
use crate::http::{ClientSettings, Redirects};
use parking_lot::Mutex;
use recall_core::breaker::{Breaker, BreakerSettings, Failure, Pause};
use recall_secrets::{Masker, Settings};

use crate::http::ureq::http::HeaderMap;
use crate::providers::error::{BadAnswer, ProviderError};
use crate::providers::provider::{Key, LinkSettings, Provider, Wire};
use crate::providers::usage::Usage;
use crate::providers::wire::message;

/// How long connecting takes at most.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest delay that a request waits for itself. After a longer one, the caller asks again.
const MOST_DELAY: Duration = Duration::from_secs(2);

/// The least time in which a request can be answered; with less left, none is sent.
const LEAST_TIME: Duration = Duration::from_millis(5);

/// How the network is reached.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// The proxy, `http://host:port`; `None` for direct connections. Addresses of this machine are always reached directly.
    pub proxy: Option<String>,
    /// Hosts that are reached directly, each including its subdomains; `*` means all hosts.
    pub no_proxy: Vec<String>,
}

/// The time that a request has.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Patience {
    /// The time limit of the settings, and retries.
    Background,
    /// Until a point in time, with retries while it lasts.
    Until(Instant),
}

/// The link to a provider. All requests to it share the pauses.
pub struct Link {
    provider: Provider,
    agent: Agent,
    settings: LinkSettings,
    breaker: Mutex<Breaker>,
    usage: Arc<Usage>,
}

impl Link {
    /// Creates a link. Connects to nothing yet.
    ///
    /// # Errors
    /// The provider needs a key and has none, the key would be exposed, or the proxy's address is invalid.
    pub fn new(
        provider: Provider,
        network: &Network,
        settings: LinkSettings,
        usage: Arc<Usage>,
    ) -> Result<Self, ProviderError> {
        if provider.key.is_none() && needs_key(&provider) {
            let variable = Provider::key_variable(&provider.name);
            return Err(ProviderError::NoKey { provider: provider.name, variable });
        }
        if provider.exposes_key() {
            return Err(ProviderError::ExposedKey { address: provider.address });
        }
        let client = ClientSettings {
            proxy: network.proxy.clone().filter(|_| !provider.is_local()),
            no_proxy: network.no_proxy.clone(),
            connect_timeout: CONNECT_TIMEOUT,
            response_timeout: settings.request_timeout,
            silence_timeout: settings.request_timeout,
            // What is sent is for the address that the user knows of, and so is the key.
            redirects: Redirects::Refuse,
        };
        let agent = crate::http::agent(&client).map_err(|source| ProviderError::Proxy {
            proxy: MASKER.mask(network.proxy.as_deref().unwrap_or_default()).into_owned(),
            source: Box::new(source),
        })?;
        let LinkSettings { failures, pause, longest_pause: longest, .. } = settings;
        let breaker = Mutex::new(Breaker::new(BreakerSettings { failures, pause, longest }));
        Ok(Self { provider, agent, settings, breaker, usage })
    }

    /// Returns the provider that is asked.
    pub fn provider(&self) -> &Provider {
        &self.provider
    }

    /// Returns how requests are sent.
    pub fn settings(&self) -> &LinkSettings {
        &self.settings
    }

    /// Returns what remote models have cost.
    pub fn usage(&self) -> &Arc<Usage> {
        &self.usage
    }

    /// Returns why requests are or were paused; `None` if one has succeeded since.
    pub fn problem(&self) -> Option<String> {
        self.breaker.lock().problem().map(str::to_owned)
    }

    /// Returns why and for how long requests are paused; `None` if they are not.
    pub(crate) fn pause(&self) -> Option<Pause> {
        self.breaker.lock().pause(Instant::now())
    }

    /// Records that the server refused a request whatever its size.
    pub(crate) fn is_useless(&self, error: &ProviderError) {
        self.breaker.lock().note_failure(Instant::now(), Failure::Transient, &recall_text::error_chain(error));
    }

    /// Ends a pause, because the server has answered another link.
    pub fn resume(&self) {
        self.breaker.lock().note_success();
    }

    /// Sends a request and reads its response, again if it failed and time is left.
    pub(crate) fn ask<T>(
        &self,
        path: &str,
        body: &[u8],
        patience: Patience,
        read: impl Fn(&str) -> Result<T, BadAnswer>,
    ) -> Result<T, ProviderError> {
        let mut delay = self.settings.retry_after;
        let mut failed: Option<ProviderError> = None;
        for attempt in 0..=self.settings.retries {
            let Some(timeout) = self.time_left(patience) else { break };
            if let Err(Pause { left, reason }) = self.breaker.lock().admit(Instant::now(), timeout) {
                let address = self.provider.address.clone();
                return Err(failed.unwrap_or(ProviderError::Paused { address, left, reason }));
            }
            let error = match self.attempt(path, body, timeout, &read) {
                Ok(answer) => {
                    self.breaker.lock().note_success();
                    return Ok(answer);
                }
                Err(error) if error.asks_for_less() => {
                    self.breaker.lock().note_success();
                    return Err(error);
                }
                Err(error) => error,
            };
            let asked = match &error {
                ProviderError::Busy { retry_after, .. } => *retry_after,
                _ => None,
            };
            let failure = match asked {
                _ if error.is_about_the_key() => Failure::Permanent,
                Some(wait) if wait > MOST_DELAY => Failure::AskedToWait(wait),
                _ => Failure::Transient,
            };
            let reason = recall_text::error_chain(&error);
            tracing::debug!(provider = self.provider.name, reason, attempt, "a request failed");
            self.breaker.lock().note_failure(Instant::now(), failure, &reason);
            if failure != Failure::Transient || !error.is_transient() {
                return Err(error);
            }
            failed = Some(error);
            // The exact time is varied, so that several clients do not come back together.
            let wait = asked.unwrap_or_else(|| delay.mul_f64(0.5 + fastrand::f64()));
            if attempt == self.settings.retries || self.time_left(patience).is_none_or(|left| left <= wait) {
                break;
            }
            std::thread::sleep(wait);
            delay = (delay * 2).min(MOST_DELAY);
        }
        Err(failed
            .unwrap_or_else(|| ProviderError::Late { address: self.provider.address.clone(), waited: Duration::ZERO }))
    }

    fn attempt<T>(
        &self,
        path: &str,
        body: &[u8],
        timeout: Duration,
        read: &impl Fn(&str) -> Result<T, BadAnswer>,
    ) -> Result<T, ProviderError> {
        let text = post_once(&self.agent, &self.provider, path, body, timeout)?;
        read(&text).map_err(|problem| ProviderError::BadAnswer { address: self.provider.address.clone(), problem })
    }

    /// Returns the time limit of the next attempt; `None` if there is no time for one.
    fn time_left(&self, patience: Patience) -> Option<Duration> {
        match patience {
            Patience::Background => Some(self.settings.request_timeout),
            Patience::Until(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                (left >= LEAST_TIME).then(|| left.min(self.settings.request_timeout))
            }
        }
    }
}

/// Returns whether a provider refuses every request without a key. Servers of one's own may need none.
fn needs_key(provider: &Provider) -> bool {
    let is_vendor = matches!(provider.wire, Wire::Voyage | Wire::Anthropic) || provider.name == "openai";
    is_vendor && !provider.is_local()
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("provider", &self.provider).finish_non_exhaustive()
    }
}

/// The largest response that is read, in bytes: some thousand vectors of the most dimensions, as text.
const MOST_BODY_BYTES: u64 = 64 << 20;

/// The version of Anthropic's format.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Replaces the key in what a server says.
const MASK: &str = "[secret: key]";

/// Sends a request; returns the body of a response of success.
pub(crate) fn post_once(
    agent: &Agent,
    provider: &Provider,
    path: &str,
    body: &[u8],
    timeout: Duration,
) -> Result<String, ProviderError> {
    let address = || provider.address.clone();
    let failed = |source| {
        if is_timeout(&source) {
            ProviderError::Late { address: address(), waited: timeout }
        } else {
            ProviderError::Network { address: address(), source: Box::new(source) }
        }
    };
    let mut request = agent
        .post(format!("{}{path}", provider.address))
        .config()
        .timeout_global(Some(timeout))
        .build()
        .content_type("application/json");
    if let Some(key) = &provider.key {
        request = match provider.wire {
            Wire::Anthropic => request.header("x-api-key", key.reveal()),
            Wire::Ollama | Wire::OpenAi | Wire::Voyage => {
                request.header("authorization", format!("Bearer {}", key.reveal()))
            }
        };
    }
    if provider.wire == Wire::Anthropic {
        request = request.header("anthropic-version", ANTHROPIC_VERSION);
    }
    let mut response = request.send(body).map_err(failed)?;
    let status = response.status();
    let retry_after = retry_after(response.headers());
    let read = response.body_mut().with_config().limit(MOST_BODY_BYTES).read_to_string();
    if status.is_success() {
        return read.map_err(failed);
    }
    let message = mask_key(&message(&read.unwrap_or_default()), provider.key.as_ref());
    let (address, status) = (address(), status.as_u16());
    Err(match status {
        408 | 425 | 429 | 500..=599 => ProviderError::Busy { address, status, message, retry_after },
        _ => ProviderError::Refused { address, status, message },
    })
}

/// Returns whether the client gave up waiting.
fn is_timeout(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Timeout(_) => true,
        ureq::Error::Io(error) => error.kind() == std::io::ErrorKind::TimedOut,
        _ => false,
    }
}

/// Returns after which time a server wants to be asked again, from a number or a date. A date counts from that of the answer, so that the
/// clocks of both machines may differ.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name| text(name)?.parse::<f64>().ok();
    if let Some(seconds) = number("retry-after-ms").map(|ms| ms / 1_000.0).or_else(|| number("retry-after")) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |name| httpdate::parse_http_date(text(name)?).ok();
    Some(date("retry-after")?.duration_since(date("date")?).unwrap_or_default())
}

/// Masks the key, and other secrets, in what a server says: some repeat what was sent.
fn mask_key(message: &str, key: Option<&Key>) -> String {
    let message = key.map_or_else(|| message.to_owned(), |key| message.replace(key.reveal(), MASK));
    MASKER.mask(&message).into_owned()
}

/// The masker of the process. A pattern is compiled on first use and kept.
pub(crate) static MASKER: LazyLock<Masker> =
    LazyLock::new(|| Masker::new(Settings::default()).expect("these settings turn off no rule"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_is_read_as_a_number_and_as_a_date() {
        let check = |headers: &[(&'static str, &'static str)], expected: Option<u64>| {
            let headers: HeaderMap = headers
                .iter()
                .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")))
                .collect();
            assert_eq!(retry_after(&headers), expected.map(Duration::from_millis), "{headers:?}");
        };
        check(&[("retry-after", "2")], Some(2_000));
        check(&[("retry-after", "0.5"), ("retry-after-ms", "20")], Some(20));
        let (at, later) = ("Wed, 21 Oct 2026 07:27:30 GMT", "Wed, 21 Oct 2026 07:28:00 GMT");
        check(&[("retry-after", later), ("date", at)], Some(30_000));
        check(&[("retry-after", at), ("date", later)], Some(0));
        check(&[("retry-after", later)], None);
        check(&[("retry-after", "tomorrow"), ("date", at)], None);
        check(&[("retry-after", "-1")], None);
        check(&[], None);
    }

    #[test]
    fn the_key_is_masked_in_what_a_server_says() {
        let key = Key::new("sk-hush").expect("not empty");
        assert_eq!(mask_key("wrong key sk-hush.", Some(&key)), "wrong key [secret: key].");
    }
}
