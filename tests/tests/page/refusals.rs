//! Requests that must be refused: wrong hosts, origins, methods, content types, cookies and paths.

use std::fmt::Write as _;

use recall_tests::sandbox;
use serde_json::json;

use super::browser::{Answer, Browser, send};

/// What no refused request may see.
const SECRET: &str = "wombat_secret_name";

/// The least number of requests that are refused.
const LEAST: usize = 100;

/// A request in parts.
#[derive(Clone, Debug)]
struct Parts {
    method: String,
    target: String,
    version: &'static str,
    headers: Vec<(String, String)>,
    body: String,
}

impl Parts {
    fn get(browser: &Browser, page: &str) -> Self {
        Self {
            method: "GET".to_owned(),
            target: format!("/{}/{page}", browser.key),
            version: "HTTP/1.1",
            headers: vec![
                ("Host".to_owned(), format!("127.0.0.1:{}", browser.port)),
                ("Cookie".to_owned(), browser.cookie.clone()),
                ("Connection".to_owned(), "close".to_owned()),
            ],
            body: String::new(),
        }
    }

    fn post(browser: &Browser, id: &str) -> Self {
        let body = json!({ "id": id, "extra": "useful" }).to_string();
        Self { method: "POST".to_owned(), body, ..Self::get(browser, "do/feedback") }
            .with("Origin", &format!("http://127.0.0.1:{}", browser.port))
            .with("Content-Type", "application/json")
    }

    /// Replaces a header, or adds it.
    fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a header, next to one of the same name.
    fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    fn to(mut self, target: &str) -> Self {
        target.clone_into(&mut self.target);
        self
    }

    fn by(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    fn send(&self, port: u16) -> Option<Answer> {
        let mut text = format!("{} {} {}\r\n", self.method, self.target, self.version);
        for (name, value) in &self.headers {
            let _ = write!(text, "{name}: {value}\r\n");
        }
        if !self.body.is_empty() {
            let _ = write!(text, "Content-Length: {}\r\n", self.body.len());
        }
        send(port, format!("{text}\r\n{}", self.body).as_bytes())
    }
}

#[test]
fn everything_but_the_right_request_is_refused() {
    let sandbox = sandbox!();
    let project = sandbox.project("p", &[("src/dig.rs", &format!("pub fn {SECRET}() {{}}\n"))]);
    let saved = sandbox.recall(&project, &["--json", "remember", "Wombats dig at night."]);
    let id = serde_json::from_str::<serde_json::Value>(&saved.stdout).expect("JSON")["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let browser = Browser::open(&sandbox, &project);
    let other = Browser::open(&sandbox, &sandbox.project("q", &[("a.md", "# A\n")]));
    let (get, post) = (Parts::get(&browser, &format!("?q={SECRET}")), Parts::post(&browser, &id));

    for right in right(&get, &post, &browser) {
        let answer = right.send(browser.port).expect("an answer");
        assert_eq!(answer.status, 200, "{right:?}: {answer:?}");
        check_headers(&answer);
    }
    let before = rating(&browser, &id);
    let mut count = 0;
    for wrong in wrong(&get, &post, &browser, &other) {
        count += 1;
        // A head that is not HTTP may be answered by closing the connection.
        let Some(answer) = wrong.send(browser.port) else { continue };
        assert!((400..=505).contains(&answer.status), "{wrong:?}: {answer:?}");
        assert!(!answer.body.contains(SECRET) && answer.header("set-cookie").is_empty(), "{wrong:?}: {answer:?}");
        assert!(answer.header("access-control-allow-origin").is_empty(), "{wrong:?}: {answer:?}");
        if !answer.body.is_empty() {
            check_headers(&answer);
        }
    }
    assert!(count >= LEAST, "only {count} requests were tried");
    assert_eq!(rating(&browser, &id), before, "a refused change was made");
}

/// Returns how often a memory was rated useful, as the page shows it.
fn rating(browser: &Browser, id: &str) -> String {
    let shown = browser.get(&format!("memory?id={id}")).body;
    let at = shown.find(" useful, ").unwrap_or_else(|| panic!("{shown}"));
    shown[..at].rsplit('>').next().unwrap_or_default().to_owned()
}

fn check_headers(answer: &Answer) {
    let policy = answer.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self'"), "{answer:?}");
    assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"), "{policy}");
    for (name, value) in
        [("x-content-type-options", "nosniff"), ("cache-control", "no-store"), ("x-frame-options", "DENY")]
    {
        assert_eq!(answer.header(name), value, "{answer:?}");
    }
}

/// Requests that are answered.
fn right(get: &Parts, post: &Parts, browser: &Browser) -> Vec<Parts> {
    let at = browser.port;
    let mut right = vec![
        get.clone(),
        get.clone().by("HEAD"),
        post.clone(),
        post.clone().with("Content-Type", "application/json; charset=utf-8"),
        get.clone().with("Cookie", &format!("theme=dark; {}", browser.cookie)),
        get.clone().to("/open").without("Cookie"),
        get.clone().to("/open.js").without("Cookie"),
        get.clone().to("/open").without("Cookie").with("Sec-Fetch-Site", "cross-site"),
        get.clone().to(&format!("http://127.0.0.1:{at}{}", get.target)),
    ];
    for host in [format!("localhost:{at}"), format!("LOCALHOST:{at}"), format!("[::1]:{at}")] {
        right.push(get.clone().with("Host", &host));
        right.push(post.clone().with("Host", &host).with("Origin", &format!("http://{}", host.to_lowercase())));
    }
    for site in ["same-origin", "none"] {
        right.push(get.clone().with("Sec-Fetch-Site", site));
    }
    right
}

/// Requests that are refused, each for one reason.
fn wrong(get: &Parts, post: &Parts, browser: &Browser, other: &Browser) -> Vec<Parts> {
    [
        of_hosts(get, post, browser),
        of_origins(get, post, browser),
        of_methods_and_types(get, post),
        of_cookies(get, post, browser, other),
        of_paths(get, browser, other),
        of_forms(get, post),
    ]
    .concat()
}

fn of_hosts(get: &Parts, post: &Parts, browser: &Browser) -> Vec<Parts> {
    let at = browser.port;
    let mut wrong = Vec::new();
    let hosts = [
        format!("evil.example:{at}"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        "127.0.0.1:1".to_owned(),
        format!("127.0.0.2:{at}"),
        format!("0.0.0.0:{at}"),
        format!("127.1:{at}"),
        format!("2130706433:{at}"),
        format!("[::]:{at}"),
        format!("[::ffff:127.0.0.1]:{at}"),
        format!("localhost.evil.example:{at}"),
        format!("127.0.0.1.nip.io:{at}"),
        format!("127.0.0.1:{at}@evil.example"),
        format!("localhost.:{at}"),
        String::new(),
    ];
    for request in [get, post] {
        for host in &hosts {
            wrong.push(request.clone().with("Host", host));
        }
        wrong.push(request.clone().without("Host"));
        wrong.push(request.clone().and("Host", &format!("evil.example:{at}")));
    }
    wrong
}

fn of_origins(get: &Parts, post: &Parts, browser: &Browser) -> Vec<Parts> {
    let at = browser.port;
    let mut wrong = Vec::new();
    let origins = [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("http://evil.example:{at}"),
        format!("https://127.0.0.1:{at}"),
        "http://127.0.0.1".to_owned(),
        "http://127.0.0.1:1".to_owned(),
        format!("http://localhost:{at}"),
        format!("http://[::1]:{at}"),
        format!("http://127.0.0.1:{at}.evil.example"),
        format!("http://127.0.0.1:{at}/"),
        "chrome-extension://abc".to_owned(),
        "file://".to_owned(),
        String::new(),
    ];
    for request in [get, post] {
        for origin in &origins {
            wrong.push(request.clone().with("Origin", origin));
        }
        for site in ["cross-site", "same-site", "weird", ""] {
            wrong.push(request.clone().with("Sec-Fetch-Site", site));
        }
        wrong.push(request.clone().with("Sec-Fetch-Site", "same-origin").and("Sec-Fetch-Site", "cross-site"));
    }
    wrong.push(post.clone().without("Origin"));
    wrong.push(post.clone().and("Origin", "http://evil.example"));
    wrong
}

fn of_methods_and_types(get: &Parts, post: &Parts) -> Vec<Parts> {
    let mut wrong = Vec::new();
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "post", "GETT"] {
        wrong.push(get.clone().by(method));
        wrong.push(post.clone().by(method));
    }
    wrong.push(post.clone().by("GET"));
    wrong.push(get.clone().by("POST"));
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json, text/plain",
        "application/jsonp",
        "application/json; charset=utf-7",
        "text/json",
        "",
    ] {
        wrong.push(post.clone().with("Content-Type", kind));
    }
    wrong.push(post.clone().without("Content-Type"));
    wrong.push(post.clone().and("Content-Type", "text/plain"));
    wrong
}

fn of_cookies(get: &Parts, post: &Parts, browser: &Browser, other: &Browser) -> Vec<Parts> {
    let mut wrong = Vec::new();
    let secret = browser.cookie.split_once('=').map_or("", |(_, value)| value);
    let cookies = [
        "recall=".to_owned(),
        "recall".to_owned(),
        format!("recall={}", &secret[1..]),
        format!("recall={secret}0"),
        format!("RECALL={secret}"),
        format!("other={secret}"),
        format!("recall=\"{secret}\""),
        format!("recall={}", secret.to_uppercase()),
        other.cookie.clone(),
        format!("recall={}", "0".repeat(32)),
    ];
    for request in [get, post] {
        wrong.extend(cookies.iter().map(|cookie| request.clone().with("Cookie", cookie)));
        wrong.push(request.clone().without("Cookie"));
        wrong.push(request.clone().without("Cookie").with("Authorization", &format!("Bearer {secret}")));
    }
    wrong
}

fn of_paths(get: &Parts, browser: &Browser, other: &Browser) -> Vec<Parts> {
    let Browser { port, key, .. } = browser;
    let mut wrong = Vec::new();
    let query = format!("?q={SECRET}");
    let paths = [
        "/".to_owned(),
        "/favicon.ico".to_owned(),
        format!("/{key}"),
        format!("/{}/{query}", other.key),
        format!("/{}/{query}", key.to_uppercase()),
        format!("//{key}/{query}"),
        format!("/{key}//{query}"),
        format!("/./{key}/{query}"),
        format!("/open/../{key}/{query}"),
        format!("/{key}/../{}/", other.key),
        format!("/{key}/%2e%2e/open"),
        format!("/%6f{key}/"),
        format!("/{key}/../../etc/passwd"),
        format!("/{key}/do"),
        format!("/{key}/style.css/"),
        format!("/{key}/.git/config"),
        format!("/{key}\\{query}"),
        format!("/{key};/{query}"),
        format!("/{key}/doc%00"),
        format!("/{key}/{}", "a".repeat(200)),
        "*".to_owned(),
        format!("http://evil.example/{key}/{query}"),
        format!("https://127.0.0.1:{port}/{key}/{query}"),
        format!("http://127.0.0.1:1/{key}/{query}"),
        format!("http://evil.example@127.0.0.1:{port}/{key}/{query}"),
    ];
    wrong.extend(paths.iter().map(|path| get.clone().to(path)));
    // Without the cookie, the exchange is the only thing that is there.
    for path in ["/open/", "/open.js/", "/open.html", "/OPEN", "/open%2ejs"] {
        wrong.push(get.clone().to(path).without("Cookie"));
    }
    wrong
}

/// Heads and bodies of a wrong form.
fn of_forms(get: &Parts, post: &Parts) -> Vec<Parts> {
    let mut wrong = Vec::new();
    wrong.push(Parts { version: "HTTP/1.0", ..get.clone() });
    wrong.push(Parts { version: "HTTP/2.0", ..get.clone() });
    wrong.push(get.clone().with("X-Large", &"a".repeat(200_000)));
    wrong.push(Parts { body: format!("{{\"id\":\"{}\"}}", "a".repeat(200_000)), ..post.clone() });
    for body in ["", "[]", "{", "null", "{\"id\":7}", "{\"id\":\"x\",\"more\":1}"] {
        wrong.push(Parts { body: body.to_owned(), ..post.clone() });
    }
    wrong
}
