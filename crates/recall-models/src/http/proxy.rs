//! The proxy, and the hosts that bypass it.

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
