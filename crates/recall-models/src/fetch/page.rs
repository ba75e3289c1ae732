//! Links in the pages of a package index.

/// Finds the link of a page whose path ends in `/file`, and makes it absolute using the page's address.
///
/// The page is expected to be a plain list of links, as a Python package index is.
pub(crate) fn link_to(page: &str, address: &str, file: &str) -> Option<String> {
    let links = page.split("href=").skip(1).filter_map(|rest| {
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        rest[1..].split(quote).next()
    });
    let mut paths = links.map(|link| link.split('#').next().unwrap_or(link).replace("&amp;", "&"));
    let path = paths.find(|path| path.split('?').next().and_then(|path| path.rsplit('/').next()) == Some(file))?;
    Some(absolute(&path, address))
}

fn absolute(path: &str, address: &str) -> String {
    if path.contains("://") {
        return path.to_owned();
    }
    let host = address.find("://").and_then(|at| address[at + 3..].find('/').map(|slash| at + 3 + slash));
    let host = host.unwrap_or(address.len());
    if let Some(path) = path.strip_prefix("//") {
        let scheme = address.split("://").next().unwrap_or("https");
        return format!("{scheme}://{path}");
    }
    if path.starts_with('/') {
        return format!("{}{path}", &address[..host]);
    }
    let mut folder = &address[..address.rfind('/').filter(|slash| *slash >= host).unwrap_or(address.len())];
    let mut rest = path;
    while let Some(above) = rest.strip_prefix("../") {
        folder = &folder[..folder.rfind('/').filter(|slash| *slash >= host).unwrap_or(folder.len())];
        rest = above;
    }
    format!("{folder}/{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_by_file_name_and_made_absolute() {
        for (link, expected) in [
            ("https://files.example/a/b.whl#sha256=12", "https://files.example/a/b.whl"),
            ("/files/b.whl", "http://mirror.example:80/files/b.whl"),
            ("b.whl?x=1&amp;y=2", "http://mirror.example:80/simple/pkg/b.whl?x=1&y=2"),
            ("../../files/b.whl", "http://mirror.example:80/files/b.whl"),
            ("//cdn.example/b.whl", "http://cdn.example/b.whl"),
        ] {
            let page = format!("<a href=\"other-b.whl\">o</a>\n<a rel='x' href='{link}'>b.whl</a>");
            let found = link_to(&page, "http://mirror.example:80/simple/pkg/", "b.whl");
            assert_eq!(found.as_deref(), Some(expected));
        }
        assert_eq!(link_to("<a href=a.whl>b.whl</a> href=", "http://x/", "b.whl"), None);
    }
}
