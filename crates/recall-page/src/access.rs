//! Who may see which project: tokens, cookies and addresses, and the key with which programs use the API.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::ContentHash;
use tokio::time::Instant;

use crate::{OpenError, Subject, TOKEN_VALID};

/// The bytes of a secret. 128 bits cannot be guessed.
const SECRET_BYTES: usize = 16;

/// The bytes of a project's key, which is the first part of its paths.
const KEY_BYTES: usize = 8;

/// How many links of a project may wait to be followed; a further one replaces the oldest.
const TOKENS_WAITING: usize = 16;

/// How many projects an open page shows; a further one replaces the one that was opened longest ago.
const PROJECTS: usize = 64;

/// A project of the page.
#[derive(Debug)]
pub(crate) struct Project {
    /// The first part of its paths. It is random, so that the browser sends the cookie to no other server on this machine: cookies
    /// are kept apart by path, not by port.
    pub(crate) key: String,
    /// What it is, and who opened it.
    pub(crate) subject: Subject,
    cookie: String,
}

impl Project {
    /// Returns the name of its root's directory.
    pub(crate) fn name(&self) -> &str {
        self.subject.root.rsplit('/').find(|part| !part.is_empty()).unwrap_or("/")
    }

    /// Returns the header that gives a browser access.
    pub(crate) fn set_cookie(&self) -> String {
        format!("{COOKIE}={}; Path=/{}/; HttpOnly; SameSite=Strict", self.cookie, self.key)
    }
}

/// The name of the cookie.
const COOKIE: &str = "recall";

/// Who may see which project.
#[derive(Debug)]
pub(crate) struct Access {
    /// The values of `Host` that name this page.
    hosts: [String; 3],
    entries: Mutex<Vec<Entry>>,
    used: Mutex<Instant>,
}

#[derive(Debug)]
struct Entry {
    project: Arc<Project>,
    tokens: Vec<(String, Instant)>,
    /// The key of programs that may use the API for this project.
    key: Option<ApiKey>,
}

impl Access {
    /// Creates the access to a page on a port, without projects.
    pub(crate) fn new(port: u16) -> Self {
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("{host}:{port}"));
        Self { hosts, entries: Mutex::default(), used: Mutex::new(Instant::now()) }
    }

    /// Adds a project unless it is there, and returns a token that opens it once.
    ///
    /// A key replaces the earlier one of all callers that opened the same root.
    pub(crate) fn admit(&self, subject: Subject, key: Option<ApiKey>) -> Result<String, OpenError> {
        let token = secret(SECRET_BYTES)?;
        let mut entries = self.entries.lock();
        let known = entries.iter().position(|entry| {
            let known = &entry.project.subject;
            known.root == subject.root && known.context == subject.context
        });
        let mut entry = if let Some(at) = known {
            entries.remove(at)
        } else {
            let project = Arc::new(Project { key: secret(KEY_BYTES)?, cookie: secret(SECRET_BYTES)?, subject });
            if entries.len() >= PROJECTS {
                entries.remove(0);
            }
            Entry { project, tokens: Vec::new(), key: None }
        };
        if key.is_some() {
            let of_root = entries.iter_mut().filter(|other| other.project.subject.root == entry.project.subject.root);
            of_root.for_each(|other| other.key = None);
            entry.key = key;
        }
        let tokens = &mut entry.tokens;
        if tokens.len() >= TOKENS_WAITING {
            tokens.remove(0);
        }
        tokens.push((token.clone(), Instant::now()));
        entries.push(entry);
        Ok(token)
    }

    /// Returns the projects that a key opens, the one opened last first.
    pub(crate) fn projects_by_key(&self, given: &str) -> Vec<Arc<Project>> {
        let entries = self.entries.lock();
        let open = entries.iter().rev().filter(|entry| entry.key.as_ref().is_some_and(|key| key.is(given)));
        open.map(|entry| Arc::clone(&entry.project)).collect()
    }

    /// Takes a token; returns its project if the token is valid. A token works once.
    pub(crate) fn exchange(&self, token: &str) -> Option<Arc<Project>> {
        let mut entries = self.entries.lock();
        for entry in entries.iter_mut() {
            entry.tokens.retain(|(_, issued)| issued.elapsed() < TOKEN_VALID);
            if let Some(at) = entry.tokens.iter().position(|(known, _)| is_same(known, token)) {
                entry.tokens.remove(at);
                self.touch();
                return Some(Arc::clone(&entry.project));
            }
        }
        None
    }

    /// Returns the project with that key if one of the values of `Cookie` opens it.
    pub(crate) fn project<'c>(&self, key: &str, cookies: impl Iterator<Item = &'c str>) -> Option<Arc<Project>> {
        let project = self.entries.lock().iter().find(|entry| entry.project.key == key)?.project.clone();
        let pairs = cookies.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut given = pairs.filter(|(name, _)| *name == COOKIE);
        given.any(|(_, value)| is_same(value, &project.cookie)).then_some(project)
    }

    /// Whether a value of `Host` names this page.
    pub(crate) fn is_host(&self, given: &str) -> bool {
        self.hosts.iter().any(|host| host.eq_ignore_ascii_case(given))
    }

    pub(crate) fn touch(&self) {
        *self.used.lock() = Instant::now();
    }

    /// Returns the time of the last request.
    pub(crate) fn last_use(&self) -> Instant {
        *self.used.lock()
    }
}

/// Compares secrets by their hashes, so that the time taken tells nothing about the secret.
fn is_same(left: &str, right: &str) -> bool {
    ContentHash::hash(left.as_bytes()) == ContentHash::hash(right.as_bytes())
}

fn secret(bytes: usize) -> Result<String, OpenError> {
    use std::fmt::Write as _;

    let mut random = [0; SECRET_BYTES];
    let random = &mut random[..bytes];
    getrandom::fill(random).map_err(|error| OpenError::Random { reason: error.to_string() })?;
    let mut text = String::with_capacity(2 * bytes);
    for byte in random {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// The fewest characters of a key. 16 random characters cannot be guessed over a network.
const LEAST: usize = 16;

/// The most characters of a key.
const MOST: usize = 256;

/// A key, as its hash. The key itself is not kept.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(ContentHash);

/// A text is not a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It is too short or too long.
    #[error("the key has {length} characters; it must have {LEAST} to {MOST}")]
    Length {
        /// Its length.
        length: usize,
    },
    /// It has characters that a header cannot carry.
    #[error("the key has spaces or characters outside of ASCII")]
    Characters,
}

impl ApiKey {
    /// Reads a key: visible characters of ASCII.
    ///
    /// # Errors
    /// It has other characters, or too few or too many.
    pub fn new(text: &str) -> Result<Self, KeyError> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(KeyError::Characters);
        }
        if !(LEAST..=MOST).contains(&text.len()) {
            return Err(KeyError::Length { length: text.len() });
        }
        Ok(Self(ContentHash::hash(text.as_bytes())))
    }

    /// Whether a given text is this key. Hashes are compared, so that the time taken tells nothing about the key.
    pub(crate) fn is(&self, given: &str) -> bool {
        ContentHash::hash(given.as_bytes()) == self.0
    }
}

/// Shows nothing of the key.
impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey")
    }
}

#[cfg(test)]
mod tests {
    use recall_api::v1::RequestContext;

    use super::*;

    fn subject(root: &str) -> Subject {
        Subject { root: root.to_owned(), context: RequestContext::default() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_works_once_and_not_for_ever() {
        let access = Access::new(1);
        let (first, second) =
            (access.admit(subject("/a"), None).expect("random"), access.admit(subject("/a"), None).expect("random"));
        assert!(access.exchange("").is_none());
        assert!(access.exchange(&first[1..]).is_none());
        assert_eq!(access.exchange(&first).map(|project| project.name().to_owned()).as_deref(), Some("a"));
        assert!(access.exchange(&first).is_none());
        tokio::time::sleep(TOKEN_VALID).await;
        assert!(access.exchange(&second).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_valid_token_keeps_the_page_open() {
        let access = Access::new(1);
        let token = access.admit(subject("/a"), None).expect("random");
        let opened = access.last_use();
        tokio::time::sleep(TOKEN_VALID / 2).await;
        assert!(access.exchange("guessed").is_none());
        assert_eq!(access.last_use(), opened);
        assert!(access.exchange(&token).is_some());
        assert_eq!(access.last_use(), Instant::now());
    }

    #[tokio::test]
    async fn a_cookie_opens_one_project() {
        let access = Access::new(1);
        let open = |root| access.exchange(&access.admit(subject(root), None).expect("random")).expect("valid");
        let (a, b) = (open("/a"), open("/b"));
        let opens = |key: &str, cookie: String| access.project(key, [cookie.as_str()].into_iter()).is_some();
        assert!(opens(&a.key, format!("x=1; recall={}", a.cookie)));
        assert!(!opens(&a.key, format!("recall={}", b.cookie)));
        assert!(!opens(&b.key, format!("recall={}", a.cookie)));
        assert!(!opens(&a.key, "recall=".to_owned()));
        assert!(!opens("", format!("recall={}", a.cookie)));
        assert!(Arc::ptr_eq(&a, &open("/a")), "a project has one cookie");
    }

    #[tokio::test]
    async fn a_key_opens_the_projects_that_were_opened_with_it() {
        let access = Access::new(1);
        let key = |text: &str| Some(ApiKey::new(text).expect("a key"));
        let (one, two) = ("one-key-0123456789", "two-key-0123456789");
        let roots =
            |given: &str| access.projects_by_key(given).iter().map(|it| it.subject.root.clone()).collect::<Vec<_>>();
        access.admit(subject("/a"), key(one)).expect("random");
        access.admit(subject("/b"), key(one)).expect("random");
        access.admit(subject("/c"), None).expect("random");
        assert_eq!(roots(one), ["/b", "/a"]);
        assert!(roots("").is_empty() && roots(&one[1..]).is_empty() && roots(two).is_empty());
        // Without a key, it stays as it is.
        access.admit(subject("/a"), None).expect("random");
        assert_eq!(roots(one), ["/a", "/b"]);
        // Another caller of the same project replaces the key.
        let agent = RequestContext { agent: "claude-code".to_owned(), ..RequestContext::default() };
        access.admit(Subject { context: agent, ..subject("/a") }, key(two)).expect("random");
        assert_eq!((roots(one), roots(two)), (vec!["/b".to_owned()], vec!["/a".to_owned()]));
    }

    #[tokio::test]
    async fn tokens_and_projects_are_bounded() {
        let access = Access::new(1);
        let first = access.admit(subject("/a"), None).expect("random");
        for _ in 0..TOKENS_WAITING {
            access.admit(subject("/a"), None).expect("random");
        }
        assert!(access.exchange(&first).is_none(), "the oldest link was replaced");
        for number in 0..2 * PROJECTS {
            access.admit(subject(&format!("/{number}")), None).expect("random");
        }
        assert_eq!(access.entries.lock().len(), PROJECTS);
    }

    #[test]
    fn a_key_is_long_and_fits_into_a_header() {
        for (text, expected) in [
            ("", Some(KeyError::Length { length: 0 })),
            ("0123456789abcde", Some(KeyError::Length { length: 15 })),
            ("0123456789abcdef", None),
            ("0123456789 abcdef", Some(KeyError::Characters)),
            ("0123456789\nabcdef", Some(KeyError::Characters)),
            ("0123456789äbcdef", Some(KeyError::Characters)),
        ] {
            assert_eq!(ApiKey::new(text).err(), expected, "{text}");
        }
        assert_eq!(ApiKey::new(&"x".repeat(MOST + 1)).err(), Some(KeyError::Length { length: MOST + 1 }));
    }

    #[test]
    fn a_key_is_not_shown() {
        let key = ApiKey::new("0123456789abcdef").expect("a key");
        assert_eq!(format!("{key:?}"), "ApiKey");
        assert!(key.is("0123456789abcdef") && !key.is("0123456789abcdeF") && !key.is(""));
    }
}
