//! The client for HTTP and HTTPS: certificates, proxies and timeouts.
//!
//! Certificates are verified by the operating system, so that a company's own root certificates are accepted. The module sends
//! nothing on its own and retries nothing.

use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

pub use ureq;

/// How to use the network.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// The proxy, `http://host:port`; `None` for direct connections.
    pub proxy: Option<String>,
    /// Hosts that are reached directly, each including its subdomains; `*` means all hosts.
    pub no_proxy: Vec<String>,
    /// The time limit for a connection with TLS.
    pub connect_timeout: Duration,
    /// The timeout for the beginning of a response.
    pub response_timeout: Duration,
    /// The longest pause in a transfer before it times out.
    pub silence_timeout: Duration,
    /// What happens if a server names another address.
    pub redirects: Redirects,
}

/// What happens if a server names another address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirects {
    /// The request is sent there.
    Follow,
    /// The response is returned as it is.
    Refuse,
}

/// Creates a client. It connects to nothing yet. A status of failure is returned as a response.
///
/// # Errors
/// The address of the proxy is invalid.
pub fn agent(settings: &ClientSettings) -> Result<Agent, ureq::Error> {
    let proxy = settings.proxy.as_deref().map(|address| proxy(address, &settings.no_proxy)).transpose()?;
    let tls = TlsConfig::builder()
        .provider(TlsProvider::Rustls)
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .build();
    let config = Agent::config_builder()
        .proxy(proxy)
        .tls_config(tls)
        .timeout_connect(Some(settings.connect_timeout))
        .timeout_recv_response(Some(settings.response_timeout))
        .timeout_per_read(Some(settings.silence_timeout))
        .http_status_as_error(false)
        .user_agent(concat!("recall/", env!("CARGO_PKG_VERSION")));
    let config = match settings.redirects {
        Redirects::Follow => config,
        Redirects::Refuse => config.max_redirects(0).max_redirects_will_error(false),
    };
    Ok(config.build().new_agent())
}

/// Creates the proxy of an address, with the hosts that bypass it.
pub(crate) fn proxy(address: &str, no_proxy: &[String]) -> Result<ureq::Proxy, ureq::Error> {
    let whole = ureq::Proxy::new(address)?;
    let mut proxy = ureq::Proxy::builder(whole.protocol()).host(whole.host()).port(whole.port());
    if let Some(name) = whole.username() {
        proxy = proxy.username(name);
    }
    if let Some(password) = whole.password() {
        proxy = proxy.password(password);
    }
    for host in no_proxy {
        // `a.example`, `.a.example` and `*.a.example` have the same meaning to most programs that read `NO_PROXY`.
        let plain = host.trim_start_matches('*').trim_start_matches('.');
        proxy =
            if plain.is_empty() { proxy.no_proxy("*") } else { proxy.no_proxy(plain).no_proxy(&format!(".{plain}")) };
    }
    proxy.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_in_no_proxy_are_reached_directly() {
        let is_direct = |no_proxy: &[&str], url: &str| {
            let no_proxy: Vec<String> = no_proxy.iter().map(|host| (*host).to_owned()).collect();
            let proxy = proxy("http://me:p%40ss@proxy.example:3128", &no_proxy).expect("an address");
            assert_eq!((proxy.host(), proxy.port(), proxy.password()), ("proxy.example", 3128, Some("p@ss")));
            proxy.is_no_proxy(&url.parse().expect("a URL"))
        };
        for host in ["hub.example", ".hub.example", "*.hub.example", "HUB.example", "*"] {
            assert!(is_direct(&["localhost", host], "https://hub.example/a"), "{host}");
            assert!(is_direct(&["localhost", host], "https://cdn.Hub.example:8443/a"), "{host}");
        }
        assert!(is_direct(&["127.0.0.1"], "http://127.0.0.1:9000/a"));
        for url in ["https://otherhub.example/a", "https://example/a"] {
            assert!(!is_direct(&["hub.example"], url), "{url}");
        }
        assert!(!is_direct(&[], "https://hub.example/a"));
    }
}
