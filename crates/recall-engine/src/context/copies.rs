//! Copies that tools make of other files: bundles, minified and generated files.

use recall_text::{DocPath, FileKind};

use crate::links::path_text::{last_component, module_of};
use crate::links::paths::Paths;

/// The longest line that people write in a script or a style sheet. Minified files have longer ones.
const MOST_LINE_BYTES: usize = 500;

/// The extensions of files that become one another.
const FAMILIES: [&[&str]; 2] = [
    &["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte", "coffee"],
    &["css", "scss", "sass", "less", "styl"],
];

/// Marks that bundlers add to the name of a file.
const MARKS: &[&str] =
    &[".min", "-min", ".bundle", "-bundle", ".packed", ".prod", ".cjs", ".esm", ".umd", ".iife", ".global", ".common"];

/// Folders that only tools write.
const FOLDERS: &[&str] = &["dist/", "bundle/", "bundles/", "priv/static/", "_dist/"];

/// Returns whether a file is a copy of another one in the store. `text` is a part of it.
pub(crate) fn is_copy(paths: &Paths, path: &DocPath, kind: FileKind, text: &str) -> bool {
    let Some(family) = family(path) else { return false };
    if !may_be_copy(path, kind, text) {
        return false;
    }
    let name = bare_name(path);
    paths.places().iter().any(|place| {
        place.path != *path
            && FAMILIES[family].contains(&place.path.extension().unwrap_or_default())
            && place.file_kind == FileKind::Main
            && !may_be_copy(&place.path, place.file_kind, "")
            && bare_name(&place.path) == name
    })
}

/// Returns whether a file looks like the output of a tool.
fn may_be_copy(path: &DocPath, kind: FileKind, text: &str) -> bool {
    kind == FileKind::Generated
        || MARKS.iter().any(|mark| path.stem().ends_with(mark))
        || FOLDERS
            .iter()
            .any(|folder| path.as_str().strip_prefix(folder).is_some() || path.as_str().contains(&format!("/{folder}")))
        || text.lines().any(|line| line.len() > MOST_LINE_BYTES)
}

fn family(path: &DocPath) -> Option<usize> {
    FAMILIES.iter().position(|family| family.contains(&path.extension().unwrap_or_default()))
}

/// The name of a module without the marks of tools: `app` of `dist/app.min.js` and of `src/app/index.ts`.
fn bare_name(path: &DocPath) -> String {
    let mut name = last_component(module_of(path.as_str()));
    while let Some(rest) = MARKS.iter().find_map(|mark| name.strip_suffix(mark)) {
        name = rest;
    }
    // Bundlers append a hash of the content.
    if let Some((rest, hash)) = name.rsplit_once(['-', '.'])
        && hash.len() >= 8
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        name = rest;
    }
    name.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::paths::places;

    #[test]
    fn a_file_is_a_copy_if_its_source_is_there() {
        let paths = Paths::new(places(&[
            "assets/js/phoenix/index.js",
            "dist/cart.js",
            "lib/only.min.js",
            "priv/static/phoenix.cjs.js",
            "public/cart-0a1b2c3d4e.js",
            "src/cart.ts",
            "static/cart.css",
        ]));
        let check = |path: &str, text: &str, expected: bool| {
            let path = DocPath::new(path).expect("plain");
            assert_eq!(is_copy(&paths, &path, FileKind::from_path(&path), text), expected, "{path}");
        };
        check("dist/cart.js", "", true);
        check("priv/static/phoenix.cjs.js", "", true);
        check("public/cart-0a1b2c3d4e.js", &"x".repeat(501), true);
        check("public/cart-0a1b2c3d4e.js", "let x = 1\n", false);
        check("lib/only.min.js", "", false);
        check("src/cart.ts", "", false);
        check("static/cart.css", &"x".repeat(501), false);
        check("docs/cart.md", &"x".repeat(501), false);
    }
}
