//! Text files that tools write and nobody reads as a whole, recognised by their names, and code that is minified.
//!
//! They are text all the same, and what a repository tracks is indexed: as a generated file, in windows of lines.

use crate::Form;
use crate::Language;

/// What a tool wrote a file for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolFile {
    /// The resolved versions and checksums of a dependency manager. The manifest next to it is written by people.
    Lock,
    /// Code without white space, for browsers.
    Minified,
    /// A source map, compiled type information or a drawing.
    ByProduct,
}

impl ToolFile {
    /// Returns what a file of this name was written for; `None` if the name is not one that only tools use.
    pub fn from_name(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let has_ending = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
        if LOCK_FILES.contains(&lower.as_str()) {
            Some(Self::Lock)
        } else if has_ending(MINIFIED_ENDINGS) {
            Some(Self::Minified)
        } else if has_ending(BY_PRODUCT_ENDINGS) {
            Some(Self::ByProduct)
        } else {
            None
        }
    }
}

/// Returns whether a text is large and consists of few, very long lines.
///
/// Prose and notebooks never count as minified: paragraphs are long lines.
pub fn is_minified(language: Option<&Language>, text: &str) -> bool {
    /// The least size of a minified file. A smaller one with a long line is a table, a test vector or a one-liner.
    const SIZE_BYTES: usize = 64 * 1024;
    /// The least mean line length in characters. Hand-written code has 20 to 60.
    const MEAN_LINE: usize = 500;
    /// With this many lines of usual length, the file is code with some long lines, such as embedded data.
    const USUAL_LINES: usize = 50;

    if text.len() < SIZE_BYTES || Form::for_language(language) == Form::Prose {
        return false;
    }
    let (mut lines, mut chars, mut usual) = (0, 0, 0);
    for line in text.lines() {
        let length = line.chars().count();
        lines += 1;
        chars += length + 1;
        usual += usize::from(length <= MEAN_LINE && !line.trim().is_empty());
    }
    chars > MEAN_LINE * lines && usual < USUAL_LINES
}

const LOCK_FILES: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "deno.lock",
    "cargo.lock",
    "poetry.lock",
    "pdm.lock",
    "uv.lock",
    "pipfile.lock",
    "pixi.lock",
    "conda-lock.yml",
    "gemfile.lock",
    "composer.lock",
    "go.sum",
    "go.work.sum",
    "mix.lock",
    "rebar.lock",
    "pubspec.lock",
    "podfile.lock",
    "cartfile.resolved",
    "package.resolved",
    "flake.lock",
    "packages.lock.json",
    "paket.lock",
    "gradle.lockfile",
    "module.bazel.lock",
    ".terraform.lock.hcl",
    "cabal.project.freeze",
    "stack.yaml.lock",
    "chart.lock",
];

const MINIFIED_ENDINGS: &[&str] =
    &[".min.js", ".min.mjs", ".min.cjs", ".min.css", "-min.js", "-min.css", ".bundle.js", ".chunk.js"];

const BY_PRODUCT_ENDINGS: &[&str] = &[".map", ".tsbuildinfo", ".svg", ".eps", ".ps"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tools_are_recognised_by_their_names() {
        for (name, expected) in [
            ("Cargo.lock", Some(ToolFile::Lock)),
            ("package-lock.json", Some(ToolFile::Lock)),
            ("package.json", None),
            ("go.sum", Some(ToolFile::Lock)),
            ("go.mod", None),
            ("clock.rs", None),
            ("app.min.js", Some(ToolFile::Minified)),
            ("min.js", None),
            ("app.js.map", Some(ToolFile::ByProduct)),
            ("map.js", None),
            ("Logo.SVG", Some(ToolFile::ByProduct)),
        ] {
            assert_eq!(ToolFile::from_name(name), expected, "{name}");
        }
    }

    #[test]
    fn every_listed_name_is_in_the_form_that_is_compared() {
        for name in [LOCK_FILES, MINIFIED_ENDINGS, BY_PRODUCT_ENDINGS].into_iter().flatten() {
            assert_eq!(*name, name.to_ascii_lowercase());
        }
    }

    #[track_caller]
    fn check(path: &str, text: &str, expected: bool) {
        let path = crate::DocPath::new(path).expect("plain");
        let head: String = text.chars().take(120).collect();
        assert_eq!(is_minified(Language::detect(&path, text).as_ref(), text), expected, "{path}: {head}");
    }

    #[test]
    fn only_large_code_with_hardly_any_usual_lines_is_minified() {
        let statement = "function a(b,c){return b+c};";
        let minified = format!("/* licence */\n{}\n", statement.repeat(4000));
        check("app.js", &minified, true);
        check("book.md", &minified, false);
        check("small.js", &statement.repeat(1000), false);
        check("written.js", &format!("{statement}\n").repeat(4000), false);
        let data = "x".repeat(2_000_000);
        check("embedded.rs", &format!("{}\nconst T: &str = \"{data}\";\n", "fn f() {}\n".repeat(100)), false);
        // 300 characters per line, three bytes each.
        check("chinese.c", &format!("{}\n", "\u{8fd9}".repeat(300)).repeat(100), false);
        check("one.json", &"1,".repeat(1024 * 1024), true);
    }
}
