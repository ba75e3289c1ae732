//! The names that the import statements of a document take from modules, and whether a module is certainly outside the project.
//!
//! Imports are stored by module, for the graph of documents. Which names a statement takes is read from its text when a name is looked up.
//! Of several definitions of a name, the imported one is then known, also if other modules pass it on. Languages whose imports name no
//! single definitions have no such statements.

use crate::links::paths::Paths;

/// A name that an import statement introduces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedImport {
    /// The name in the document.
    pub(crate) name: String,
    /// The name in the module.
    pub(crate) original: String,
    /// The module as the statement names it, in a form that [`Paths::resolve`] takes.
    pub(crate) module: String,
}

/// Returns whether the statements of a language have to be read in the text of a document.
pub(crate) fn reads_text(language: &str) -> bool {
    is_python(language) || is_script(language)
}

/// Returns the names that the imports of a document introduce, given the targets of its imports and, if the language
/// [needs it](reads_text), its text.
pub(crate) fn named_imports<'t>(
    language: &str,
    targets: impl Iterator<Item = &'t str>,
    text: &str,
) -> Vec<NamedImport> {
    let separator = match language {
        _ if is_python(language) => return python_imports(text),
        _ if is_script(language) => return script_imports(text),
        "rust" => "::",
        "java" | "kotlin" | "scala" | "groovy" => ".",
        "php" => "\\",
        _ => return Vec::new(),
    };
    // The whole path is the target: which part of it is a file, the resolution decides.
    let named = targets.filter_map(|target| Some((target.rsplit_once(separator)?.1, target)));
    named.map(|(name, target)| NamedImport::new(name, name, target)).collect()
}

/// Returns whether a module that is not in the store is certainly not a part of the project under another path.
pub(crate) fn is_outside(language: &str, module: &str, paths: &Paths) -> bool {
    let first = module.split(['.', '/']).next().unwrap_or_default();
    match language {
        "rust" => ["std", "core", "alloc"].iter().any(|own| module.split("::").next() == Some(own)),
        _ if is_python(language) => !first.is_empty() && !paths.has_component(first),
        // The folder of a package with a scope often has another name.
        _ if is_script(language) => {
            module.starts_with("node:")
                || first.starts_with(char::is_alphanumeric) && !module.contains(':') && !paths.has_component(first)
        }
        // A class has its own file, in the folder of its package.
        "java" => module.rsplit('.').nth(1).is_some_and(|package| !paths.has_component(package)),
        _ => false,
    }
}

fn is_python(language: &str) -> bool {
    matches!(language, "python" | "jupyter")
}

fn is_script(language: &str) -> bool {
    matches!(language, "javascript" | "typescript" | "tsx" | "vue" | "svelte" | "astro")
}

impl NamedImport {
    fn new(name: &str, original: &str, module: &str) -> Self {
        Self { name: name.to_owned(), original: original.to_owned(), module: module.to_owned() }
    }

    /// Reads `original` or `original as name`.
    fn read(item: &str, module: &str) -> Option<Self> {
        let words: Vec<&str> = item.split_whitespace().filter(|word| *word != "type").collect();
        let (original, name) = match words[..] {
            [original] => (original, original),
            [original, "as", name] => (original, name),
            _ => return None,
        };
        original.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$')).then(|| {
            // `from . import store` imports a module or a name of the package.
            let module = if module.ends_with('.') { format!("{module}{original}") } else { module.to_owned() };
            Self { name: name.to_owned(), original: original.to_owned(), module }
        })
    }
}

/// `from a.b import C, D as E`, with or without parentheses.
fn python_imports(text: &str) -> Vec<NamedImport> {
    let mut found = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let statement = line.trim_start().strip_prefix("from ").and_then(|from| from.split_once(" import "));
        rest = after;
        let Some((module, names)) = statement else { continue };
        let mut names = names.to_owned();
        let closing = if names.trim_start().starts_with('(') { ")" } else { "" };
        while !names.contains(closing) || names.trim_end().ends_with('\\') {
            let Some((line, after)) = rest.split_once('\n') else { break };
            names = format!("{}\n{line}", names.trim_end_matches('\\'));
            rest = after;
        }
        let lines = names.lines().map(|line| line.split('#').next().unwrap_or_default());
        let items: Vec<&str> = lines.flat_map(|line| line.split([',', '(', ')'])).collect();
        found.extend(items.into_iter().filter_map(|item| NamedImport::read(item, module.trim())));
    }
    found
}

/// `import C, { D as E } from './x'`, `export { C } from './x'`.
fn script_imports(text: &str) -> Vec<NamedImport> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("from") {
        let quoted = text[at + "from".len()..].trim_start();
        let Some(quote) = quoted.chars().next().filter(|quote| matches!(quote, '\'' | '"')) else { continue };
        let Some((module, _)) = quoted[1..].split_once(quote) else { continue };
        let before = &text[..at];
        let Some(start) = before.rfind("import").max(before.rfind("export")) else { continue };
        let clause = &before[start + "import".len()..];
        if clause.chars().all(is_of_clause) && clause.starts_with(|c: char| c.is_whitespace() || c == '{') {
            found.extend(clause.split([',', '{', '}']).filter_map(|item| NamedImport::read(item, module)));
        }
    }
    found
}

/// Whether a character may be between `import` and `from`.
fn is_of_clause(c: char) -> bool {
    c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '$' | ',' | '{' | '}' | '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::paths::places;

    fn check(language: &str, targets: &[&str], text: &str, expected: &[(&str, &str, &str)]) {
        let found = named_imports(language, targets.iter().copied(), text);
        let found: Vec<(&str, &str, &str)> =
            found.iter().map(|it| (it.name.as_str(), it.original.as_str(), it.module.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn python_names_what_it_takes() {
        let text = "import os\nfrom flask import Flask, request as r  # web\nfrom . import store\nfrom .a import (\n    B,  # one\n    C as D,\n)\n\
                    from x import *\ndef f():\n    from y.z import g\n";
        check(
            "python",
            &[],
            text,
            &[
                ("Flask", "Flask", "flask"),
                ("r", "request", "flask"),
                ("store", "store", ".store"),
                ("B", "B", ".a"),
                ("D", "C", ".a"),
                ("g", "g", "y.z"),
            ],
        );
        check("python", &[], "from a import (b,\n", &[("b", "b", "a")]);
    }

    #[test]
    fn scripts_name_what_they_take() {
        let text = "import Cart, { total, type Item as Entry } from './cart'\nimport * as all from \"x\"\nexport {\n  A,\n} from '@acme/b';\n\
                    export const from = 'a';\nimport './side'\nexport * from './c'\n";
        check(
            "typescript",
            &[],
            text,
            &[
                ("Cart", "Cart", "./cart"),
                ("total", "total", "./cart"),
                ("Entry", "Item", "./cart"),
                ("A", "A", "@acme/b"),
            ],
        );
    }

    #[test]
    fn other_imports_end_with_the_name() {
        check("rust", &["std::sync::Mutex", "fs"], "", &[("Mutex", "Mutex", "std::sync::Mutex")]);
        check("java", &["org.acme.Cart"], "", &[("Cart", "Cart", "org.acme.Cart")]);
        check("go", &["example.org/cart"], "", &[]);
    }

    #[test]
    fn a_module_is_outside_if_the_project_has_nothing_of_its_name() {
        let paths = Paths::new(places(&["src/flask/app.py", "packages/ui/src/index.ts", "src/org/acme/Cart.java"]));
        for (language, module, expected) in [
            ("rust", "std::sync::Mutex", true),
            ("rust", "grep_searcher::Searcher", false),
            ("python", "django.http", true),
            ("python", "flask.unknown", false),
            ("python", ".unknown", false),
            ("typescript", "react", true),
            ("typescript", "node:fs", true),
            ("typescript", "ui/part", false),
            ("typescript", "@acme/kit", false),
            ("typescript", "./gone", false),
            ("java", "org.junit.Test", true),
            ("java", "org.acme.Missing", false),
        ] {
            assert_eq!(is_outside(language, module, &paths), expected, "{language}: {module}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(from|import|export|[ .,(){}'\"a-c\\\\\n#]|\\PC){0,60}") {
            for language in ["python", "typescript"] {
                named_imports(language, std::iter::empty(), &text);
            }
        }
    }
}
