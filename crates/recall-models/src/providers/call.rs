//! One request over HTTP, and the meaning of its status.

use std::time::Duration;

use crate::http::ureq::http::HeaderMap;
use crate::http::ureq::{self, Agent};

use crate::providers::error::ProviderError;
use crate::providers::mask::MASKER;
use crate::providers::provider::{Key, Provider, Wire};
use crate::providers::wire::message;

/// The largest response that is read, in bytes: some thousand vectors of the most dimensions, as text.
const MOST_BODY_BYTES: u64 = 64 << 20;

/// The version of Anthropic's format.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Replaces the key in what a server says.
const MASK: &str = "[secret: key]";

/// Sends a request; returns the body of a response of success.
pub(crate) fn post(
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
