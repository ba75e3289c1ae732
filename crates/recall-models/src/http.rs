//! The client for HTTP and HTTPS: certificates, proxies and timeouts.
//!
//! Certificates are verified by the operating system, so that a company's own root certificates are accepted. The module sends
//! nothing on its own and retries nothing.

mod proxy;

use std::sync::Arc;
use std::time::Duration;

pub use ureq;
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

/// How to use the network.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// The proxy, `http://host:port`; `None` for direct connections.
    pub proxy: Option<String>,
    /// Hosts that are reached directly, each including its subdomains; `*` means all hosts.
    pub no_proxy: Vec<String>,
    /// The timeout for connecting.
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
    let proxy = settings.proxy.as_deref().map(|address| proxy::proxy(address, &settings.no_proxy)).transpose()?;
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
