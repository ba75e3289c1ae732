//! The language of a file.

use recall_core::{DocPath, Language};

/// The language of a file, by its name, then its extension, then the interpreter in its first line.
///
/// `None` for an unknown kind of text, which is cut in windows.
pub fn language_of(path: &DocPath, text: &str) -> Option<Language> {
    by_name(path).or_else(|| path.extension().and_then(by_extension)).or_else(|| by_shebang(text)).map(Language::known)
}

fn by_name(path: &DocPath) -> Option<&'static str> {
    let lower = path.file_name().to_ascii_lowercase();
    Some(match lower.as_str() {
        "makefile" | "gnumakefile" => "make",
        "dockerfile" | "containerfile" => "dockerfile",
        "cmakelists.txt" => "cmake",
        "rakefile" | "gemfile" | "guardfile" | "vagrantfile" | "podfile" | "fastfile" | "brewfile" | "capfile" => {
            "ruby"
        }
        ".bashrc" | ".bash_profile" | ".bash_aliases" | ".profile" | ".zshrc" | ".zshenv" | ".zprofile"
        | "pkgbuild" | "apkbuild" | ".envrc" => "bash",
        "cargo.lock" | "poetry.lock" | "uv.lock" | "pipfile" | "gopkg.lock" => "toml",
        "composer.lock" | "flake.lock" | ".babelrc" | ".eslintrc" | ".prettierrc" | ".swcrc" | "pipfile.lock" => "json",
        "yarn.lock" | ".clang-format" | ".clang-tidy" | ".clangd" => "yaml",
        "jenkinsfile" => "groovy",
        "justfile" => "just",
        "build" | "build.bazel" | "workspace" | "workspace.bazel" | "module.bazel" | "sconstruct" | "sconscript"
        | "wscript" => "python",
        "go.mod" => "gomod",
        "mix.lock" => "elixir",
        "readme" | "license" | "licence" | "copying" | "authors" | "contributors" | "changelog" | "changes"
        | "news" | "notice" | "todo" | "install" | "history" => "text",
        "robots.txt" | "requirements.txt" | "constraints.txt" | ".gitignore" | ".gitattributes" | ".dockerignore"
        | ".ignore" | ".recallignore" | ".editorconfig" | ".npmrc" => "config",
        _ if lower.starts_with("dockerfile.") => "dockerfile",
        _ if lower.starts_with("requirements") && path.extension() == Some("txt") => "config",
        _ => return None,
    })
}

fn by_extension(extension: &str) -> Option<&'static str> {
    let lower = extension.to_ascii_lowercase();
    Some(match lower.as_str() {
        // By an old convention, `.C` and `.H` in capitals are C++.
        "c" if extension == "C" => "cpp",
        "h" if extension == "H" => "cpp",
        "rs" => "rust",
        "py" | "pyi" | "pyw" | "pyx" | "bzl" | "star" => "python",
        "go" => "go",
        "java" => "java",
        "js" | "mjs" | "cjs" | "jsx" => "javascript",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "tsx",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "c++" | "hpp" | "hh" | "hxx" | "h++" | "inl" | "ipp" | "tpp" | "cu" | "cuh" | "ino" => {
            "cpp"
        }
        "cs" | "csx" => "csharp",
        "rb" | "rake" | "gemspec" | "ru" | "podspec" | "jbuilder" => "ruby",
        "php" | "phtml" | "php5" | "php7" => "php",
        "scala" | "sc" | "sbt" => "scala",
        "kt" | "kts" => "kotlin",
        "swift" => "swift",
        "sh" | "bash" | "zsh" | "ksh" | "bats" | "ebuild" => "bash",
        "lua" => "lua",
        "ex" | "exs" => "elixir",
        "hs" | "hsc" => "haskell",
        "zig" | "zon" => "zig",
        "sql" | "ddl" | "psql" => "sql",
        "html" | "htm" | "xhtml" => "html",
        "css" => "css",
        "json" | "jsonc" | "json5" | "geojson" | "webmanifest" | "jsonld" => "json",
        "yaml" | "yml" => "yaml",
        "toml" => "toml",
        "md" | "markdown" | "mdx" | "mkd" | "mdown" | "qmd" | "rmd" => "markdown",
        "rst" | "rest" => "rst",
        "adoc" | "asciidoc" | "asc" => "asciidoc",
        "txt" | "text" => "text",
        "org" => "org",
        "tex" | "ltx" | "sty" | "cls" => "latex",
        "ipynb" => "jupyter",
        "vue" => "vue",
        "svelte" => "svelte",
        "astro" => "astro",
        "scss" => "scss",
        "sass" => "sass",
        "less" => "less",
        "dart" => "dart",
        "ml" | "mli" => "ocaml",
        "fs" | "fsx" | "fsi" => "fsharp",
        "vb" => "vb",
        "pl" | "pm" => "perl",
        "r" => "r",
        "jl" => "julia",
        "erl" | "hrl" => "erlang",
        "clj" | "cljs" | "cljc" | "edn" => "clojure",
        "el" | "lisp" | "lsp" | "cl" => "lisp",
        "scm" | "ss" | "rkt" => "scheme",
        "nim" => "nim",
        "cr" => "crystal",
        "d" => "d",
        "v" | "sv" | "svh" => "verilog",
        "vhd" | "vhdl" => "vhdl",
        "m" | "mm" => "objc",
        "groovy" | "gradle" => "groovy",
        "ps1" | "psm1" | "psd1" => "powershell",
        "bat" | "cmd" => "batch",
        "fish" => "fish",
        "nix" => "nix",
        "tf" | "tfvars" | "hcl" => "hcl",
        "proto" => "proto",
        "graphql" | "gql" => "graphql",
        "thrift" => "thrift",
        "prisma" => "prisma",
        "cmake" => "cmake",
        "mk" | "mak" => "make",
        "dockerfile" => "dockerfile",
        "xml" | "xsd" | "xsl" | "xslt" | "svg" | "plist" | "csproj" | "props" | "targets" | "wsdl" | "xaml" => "xml",
        "ini" | "cfg" | "conf" | "properties" | "env" | "service" | "socket" | "desktop" => "config",
        "csv" | "tsv" => "csv",
        "jsonl" | "ndjson" => "jsonl",
        "erb" | "ejs" | "hbs" | "mustache" | "j2" | "jinja" | "jinja2" | "tmpl" | "liquid" | "twig" => "template",
        "glsl" | "vert" | "frag" | "comp" | "wgsl" | "hlsl" | "metal" => "shader",
        "asm" | "s" => "asm",
        "f" | "f90" | "f95" | "for" => "fortran",
        "pas" | "pp" => "pascal",
        "sol" => "solidity",
        "vim" => "vim",
        "awk" => "awk",
        "diff" | "patch" => "diff",
        _ => return None,
    })
}

fn by_shebang(text: &str) -> Option<&'static str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let first = words.next()?.rsplit('/').next()?;
    // `env -S VAR=x python3 -u`: the interpreter is the first word that is neither an option nor an assignment.
    let program =
        if first == "env" { words.find(|word| !word.starts_with('-') && !word.contains('='))? } else { first };
    let program = program.rsplit('/').next()?.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    Some(match program {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash" | "bats" => "bash",
        "python" | "pypy" | "uv" => "python",
        "node" | "nodejs" | "bun" => "javascript",
        "deno" | "ts-node" | "tsx" => "typescript",
        "ruby" => "ruby",
        "php" => "php",
        "lua" | "luajit" => "lua",
        "elixir" => "elixir",
        "runhaskell" | "runghc" | "stack" => "haskell",
        "perl" => "perl",
        "Rscript" => "r",
        "julia" => "julia",
        "scala" => "scala",
        "kotlin" => "kotlin",
        "swift" => "swift",
        "fish" => "fish",
        "awk" | "gawk" => "awk",
        "make" => "make",
        "pwsh" => "powershell",
        "cargo" | "rust-script" => "rust",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_follows_from_name_extension_and_first_line() {
        for (path, text, expected) in [
            ("src/store.rs", "", Some("rust")),
            ("app/Store.TSX", "", Some("tsx")),
            ("include/a.h", "", Some("c")),
            ("old/Widget.C", "", Some("cpp")),
            ("Gemfile", "", Some("ruby")),
            ("deploy/Dockerfile.prod", "", Some("dockerfile")),
            ("CMakeLists.txt", "", Some("cmake")),
            ("notes.txt", "", Some("text")),
            ("requirements-dev.txt", "", Some("config")),
            ("bin/run", "#!/usr/bin/env -S FOO=1 python3.12 -u\n", Some("python")),
            ("bin/run", "#!/bin/sh -e\n", Some("bash")),
            ("bin/run", "#!", None),
            ("bin/run", "#! /usr/bin/env", None),
            ("README", "", Some("text")),
            ("data.xyz", "hello", None),
            ("a.ipynb", "{}", Some("jupyter")),
        ] {
            let path = DocPath::new(path).expect("plain");
            assert_eq!(language_of(&path, text).as_ref().map(Language::as_str), expected, "{path}");
        }
    }

    #[test]
    fn every_language_found_can_be_used_in_a_filter() {
        let names: Vec<&str> = include_str!("language.rs")
            .lines()
            .take_while(|line| *line != "#[cfg(test)]")
            .map(|line| line.rsplit_once("=> ").map_or(line.trim(), |(_, value)| value).trim_end_matches(','))
            .filter_map(|value| value.strip_prefix('"')?.strip_suffix('"'))
            .filter(|name| !name.contains('"'))
            .collect();
        let unknown: Vec<_> = names.iter().filter(|name| !recall_core::LANGUAGES.contains(name)).collect();
        assert!(names.len() > 100 && unknown.is_empty(), "{unknown:?}");
    }
}
