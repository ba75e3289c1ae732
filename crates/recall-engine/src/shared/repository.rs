//! The name that a repository has in a shared store: equal on every machine that has a clone.

use std::path::Path;

use recall_os::git::Repository;

use crate::git::Git;

/// Returns the name of the repository that a root belongs to: the host and path of its remote `origin`; without one, the name of
/// the root's folder. A root below the repository's has its path at the end.
pub(crate) fn repository_name(root: &Path) -> String {
    let folder = || root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(address) = Git::at(root).remote() else { return folder() };
    let name = name_of(&address).unwrap_or_else(folder);
    let below = Repository::find(root).and_then(|known| {
        let below = root.canonicalize().ok()?.strip_prefix(known.work_tree.canonicalize().ok()?).ok()?.to_owned();
        Some(below.to_string_lossy().replace('\\', "/")).filter(|below| !below.is_empty())
    });
    match below {
        Some(below) => format!("{name}/{below}"),
        None => name,
    }
}

/// Returns the name of the branch that is checked out. `None` if there is none, as in most continuous integration.
pub(crate) fn current_branch(root: &Path) -> Option<String> {
    Git::at(root).branch()
}

/// Returns the host and path of an address, without what differs between clones: the scheme, the user, the port and the ending.
fn name_of(address: &str) -> Option<String> {
    let address = address.trim().trim_end_matches('/');
    let address = address.strip_suffix(".git").unwrap_or(address);
    let (host, path) = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        // The form of scp: `git@host:path`.
        None => address.split_once(':').filter(|(host, _)| !host.contains('/'))?,
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split_once(':').map_or(host, |(host, _)| host);
    let path = path.trim_start_matches('/');
    (!host.is_empty() && !path.is_empty()).then(|| format!("{}/{path}", host.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_a_repository_have_one_name() {
        let check = |address: &str, expected: Option<&str>| {
            assert_eq!(name_of(address).as_deref(), expected, "{address}");
        };
        check("https://github.com/acme/api.git", Some("github.com/acme/api"));
        check("https://user:token@GitHub.com:443/acme/api", Some("github.com/acme/api"));
        check("git@github.com:acme/api.git", Some("github.com/acme/api"));
        check("ssh://git@github.com:22/acme/api.git/", Some("github.com/acme/api"));
        check("/srv/git/api.git", None);
        check("../api", None);
        check("https://github.com", None);
    }
}
