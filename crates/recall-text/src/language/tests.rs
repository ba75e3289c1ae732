use std::collections::{BTreeMap, BTreeSet};

use super::table::{LANGUAGES, marks_a_file_in_queries};
use super::*;

#[test]
fn a_language_is_parsed_by_name_or_alias_in_any_case() {
    let check = |text: &str, expected| {
        let read = text.parse::<Language>();
        assert_eq!(read.as_ref().map(Language::as_str).map_err(ToString::to_string), expected, "{text}");
    };
    check("rust", Ok("rust"));
    check(" Python", Ok("python"));
    check("C++", Ok("cpp"));
    check("yml", Ok("yaml"));
    check("pyton", Err("unknown language `pyton`; did you mean `python`?".to_owned()));
    check("scal", Err("unknown language `scal`; did you mean `scala`?".to_owned()));
    let examples = "expected a name such as rust, python, typescript, cpp, csharp, markdown, yaml";
    check("klingon", Err(format!("unknown language `klingon`: {examples}")));
}

#[test]
fn the_language_follows_from_name_extension_and_first_line() {
    for (path, text, expected) in [
        ("src/store.rs", "", Some("rust")),
        ("app/Store.TSX", "", Some("tsx")),
        ("include/a.h", "", Some("c")),
        ("old/Widget.C", "", Some("cpp")),
        ("old/Widget.H", "", Some("cpp")),
        ("plot.R", "", Some("r")),
        ("Gemfile", "", Some("ruby")),
        ("deploy/Dockerfile.prod", "", Some("dockerfile")),
        ("CMakeLists.txt", "", Some("cmake")),
        ("notes.txt", "", Some("text")),
        ("requirements-dev.txt", "", Some("config")),
        ("requirements-dev.TXT", "", Some("text")),
        ("bin/run", "#!/usr/bin/env -S FOO=1 python3.12 -u\n", Some("python")),
        ("bin/run", "#!/bin/sh -e\n", Some("bash")),
        ("bin/run", "#!", None),
        ("bin/run", "#! /usr/bin/env", None),
        ("README", "", Some("text")),
        ("data.xyz", "hello", None),
        ("a.ipynb", "{}", Some("jupyter")),
        ("views/card.blade.php", "", Some("template")),
        ("lib/page.html.heex", "", Some("template")),
    ] {
        let path = DocPath::new(path).expect("plain");
        assert_eq!(Language::detect(&path, text).as_ref().map(Language::as_str), expected, "{path}");
    }
}

#[test]
fn the_table_is_sorted_and_says_everything_once() {
    let names: Vec<&str> = LANGUAGES.iter().map(|row| row.name).collect();
    assert!(names.is_sorted());
    let once = |what: &str, all: &mut dyn Iterator<Item = &'static str>| {
        let mut seen = BTreeSet::new();
        for one in all {
            assert!(seen.insert(one), "the {what} `{one}` is in two rows");
        }
    };
    let aliases = LANGUAGES.iter().flat_map(|row| row.aliases).copied();
    once("name", &mut names.iter().copied().chain(aliases));
    once("extension", &mut LANGUAGES.iter().flat_map(LanguageRow::extensions));
    once("file name", &mut LANGUAGES.iter().flat_map(|row| row.file_names).copied());
    once("interpreter", &mut LANGUAGES.iter().flat_map(|row| row.interpreters).copied());
    for row in LANGUAGES {
        let unknown = row.query_extensions.iter().find(|one| !row.extensions().any(|known| known == **one));
        assert_eq!(unknown, None, "{}", row.name);
    }
}

/// A language, its extensions, file names and interpreters. None of them may get lost; more may come.
const FILES: &[(&str, &str, &str, &str)] = &[
    ("asciidoc", "adoc asciidoc asc", "", ""),
    ("asm", "asm s S", "", ""),
    ("astro", "astro", "", ""),
    ("awk", "awk", "", "awk gawk"),
    (
        "bash",
        "sh bash zsh ksh bats ebuild",
        ".bashrc .bash_profile .bash_aliases .profile .zshrc .zshenv .zprofile pkgbuild apkbuild .envrc",
        "sh bash zsh dash ksh ash bats",
    ),
    ("batch", "bat cmd", "", ""),
    ("c", "c h", "", ""),
    ("clojure", "clj cljs cljc edn", "", ""),
    ("cmake", "cmake", "cmakelists.txt", ""),
    (
        "config",
        "ini cfg conf properties env service socket desktop",
        "robots.txt requirements.txt constraints.txt .gitignore .gitattributes .dockerignore .ignore .recallignore .editorconfig .npmrc",
        "",
    ),
    ("cpp", "C H cc cpp cxx c++ hpp hh hxx h++ inl ipp tpp cu cuh ino", "", ""),
    ("crystal", "cr", "", ""),
    ("csharp", "cs csx", "", ""),
    ("css", "css", "", ""),
    ("csv", "csv tsv", "", ""),
    ("d", "d", "", ""),
    ("dart", "dart", "", ""),
    ("diff", "diff patch", "", ""),
    ("dockerfile", "dockerfile", "dockerfile containerfile", ""),
    ("elixir", "ex exs", "mix.lock", "elixir"),
    ("erlang", "erl hrl", "", ""),
    ("fish", "fish", "", "fish"),
    ("fortran", "f f90 f95 for", "", ""),
    ("fsharp", "fs fsx fsi", "", ""),
    ("go", "go", "", ""),
    ("gomod", "", "go.mod", ""),
    ("graphql", "graphql gql", "", ""),
    ("groovy", "groovy gradle", "jenkinsfile", ""),
    ("haskell", "hs hsc", "", "runhaskell runghc stack"),
    ("hcl", "tf tfvars hcl", "", ""),
    ("html", "html htm xhtml", "", ""),
    ("java", "java", "", ""),
    ("javascript", "js mjs cjs jsx", "", "node nodejs bun"),
    (
        "json",
        "json jsonc json5 geojson webmanifest jsonld",
        "composer.lock flake.lock .babelrc .eslintrc .prettierrc .swcrc pipfile.lock",
        "",
    ),
    ("jsonl", "jsonl ndjson", "", ""),
    ("julia", "jl", "", "julia"),
    ("jupyter", "ipynb", "", ""),
    ("just", "", "justfile", ""),
    ("kotlin", "kt kts", "", "kotlin"),
    ("latex", "tex ltx sty cls", "", ""),
    ("less", "less", "", ""),
    ("lisp", "el lisp lsp cl", "", ""),
    ("lua", "lua", "", "lua luajit"),
    ("make", "mk mak", "makefile gnumakefile", "make"),
    ("markdown", "md markdown mdx mkd mdown qmd rmd", "", ""),
    ("nim", "nim", "", ""),
    ("nix", "nix", "", ""),
    ("objc", "m mm", "", ""),
    ("ocaml", "ml mli", "", ""),
    ("org", "org", "", ""),
    ("pascal", "pas pp", "", ""),
    ("perl", "pl pm", "", "perl"),
    ("php", "php phtml php5 php7", "", "php"),
    ("powershell", "ps1 psm1 psd1", "", "pwsh"),
    ("prisma", "prisma", "", ""),
    ("proto", "proto", "", ""),
    (
        "python",
        "py pyi pyw pyx bzl star",
        "build build.bazel workspace workspace.bazel module.bazel sconstruct sconscript wscript",
        "python pypy uv",
    ),
    ("r", "r R", "", "Rscript"),
    ("rst", "rst rest", "", ""),
    (
        "ruby",
        "rb rake gemspec ru podspec jbuilder",
        "rakefile gemfile guardfile vagrantfile podfile fastfile brewfile capfile",
        "ruby",
    ),
    ("rust", "rs", "", "cargo rust-script"),
    ("sass", "sass", "", ""),
    ("scala", "scala sc sbt", "", "scala"),
    ("scheme", "scm ss rkt", "", ""),
    ("scss", "scss", "", ""),
    ("shader", "glsl vert frag comp wgsl hlsl metal", "", ""),
    ("solidity", "sol", "", ""),
    ("sql", "sql ddl psql", "", ""),
    ("svelte", "svelte", "", ""),
    ("swift", "swift", "", "swift"),
    ("template", "erb ejs eex heex leex hbs handlebars mustache j2 jinja jinja2 njk tmpl liquid twig", "", ""),
    (
        "text",
        "txt text",
        "readme license licence copying authors contributors changelog changes news notice todo install history",
        "",
    ),
    ("thrift", "thrift", "", ""),
    ("toml", "toml", "cargo.lock poetry.lock uv.lock pipfile gopkg.lock", ""),
    ("tsx", "tsx", "", ""),
    ("typescript", "ts mts cts", "", "deno ts-node tsx"),
    ("vb", "vb", "", ""),
    ("verilog", "v sv svh", "", ""),
    ("vhdl", "vhd vhdl", "", ""),
    ("vim", "vim", "", ""),
    ("vue", "vue", "", ""),
    ("xml", "xml xsd xsl xslt svg plist csproj props targets wsdl xaml", "", ""),
    ("yaml", "yaml yml", "yarn.lock .clang-format .clang-tidy .clangd", ""),
    ("zig", "zig zon", "", ""),
];

#[test]
fn no_language_loses_a_file() {
    for &(language, extensions, names, interpreters) in FILES {
        let check = |path: &str, text: &str| {
            let path = DocPath::new(path).expect("plain");
            assert_eq!(Language::detect(&path, text).as_ref().map(Language::as_str), Some(language), "{path} {text}");
        };
        for extension in extensions.split_whitespace() {
            check(&format!("a.{extension}"), "");
        }
        for name in names.split_whitespace() {
            check(name, "");
            check(&name.to_ascii_uppercase(), "");
        }
        for interpreter in interpreters.split_whitespace() {
            check("run", &format!("#!/usr/bin/{interpreter}"));
        }
    }
}

#[test]
fn code_is_recognised_by_its_extension() {
    let code = "\
        C R S asm awk bash c cc cjs cl clj cljc cljs cpp cr cs cts cu cxx d dart el erl ex exs f90 fish fs fsx go
        gradle groovy h hh hpp hrl hs hxx inl ino java jl js jsx kt kts lisp lua m metal mjs ml mli mm mts nim nix
        pas php pl pm proto ps1 py pyx r rake rb rkt rs sc scala scm sh sol sql sv svelte swift thrift ts tsx v vb
        vhd vim vue zig zsh";
    for extension in code.split_whitespace() {
        assert!(is_code_extension(extension), "{extension}");
    }
    for extension in "md json yaml toml html css xml csv txt cmake mk gemspec pyi bzl RS".split_whitespace() {
        assert!(!is_code_extension(extension), "{extension}");
    }
}

#[test]
fn a_file_is_recognised_in_a_query_by_its_extension() {
    let extensions = "\
        bash c cc cpp cs css ex exs go h hpp hs html ipynb java js json jsx kt lua md mjs php proto py rb rs rst
        scala sh sql swift toml ts tsx txt vue xml yaml yml zig";
    for extension in extensions.split_whitespace() {
        assert!(marks_a_file_in_queries(extension), "{extension}");
    }
    for extension in "r d v m s pl open unwrap".split_whitespace() {
        assert!(!marks_a_file_in_queries(extension), "{extension}");
    }
}

#[test]
fn no_build_folder_loses_a_manifest() {
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for folder in build_folders() {
        known.entry(folder.name).or_default().extend(folder.manifests);
    }
    for (name, manifests) in [
        ("CMakeFiles", ""),
        ("Carthage", "Cartfile"),
        ("DerivedData", ""),
        ("Pods", "Podfile"),
        ("__pycache__", ""),
        ("__pypackages__", ""),
        ("_build", "conf.py dune-project mix.exs rebar.config"),
        ("bin", "*.csproj *.fsproj *.vbproj .classpath"),
        ("bower_components", ""),
        (
            "build",
            "CMakeLists.txt Package.swift build.gradle build.gradle.kts meson.build package.json pubspec.yaml pyproject.toml settings.gradle settings.gradle.kts setup.py",
        ),
        ("coverage", "Gemfile package.json"),
        ("deps", "mix.exs rebar.config"),
        ("dist", "*.cabal package.json pyproject.toml setup.py"),
        ("dist-newstyle", ""),
        ("env", "Pipfile manage.py requirements.txt"),
        ("jspm_packages", ""),
        ("node_modules", ""),
        ("obj", "*.csproj *.fsproj *.vbproj"),
        ("out", "build.gradle build.gradle.kts foundry.toml next.config.js next.config.mjs next.config.ts"),
        ("site-packages", ""),
        ("target", "Cargo.toml build.sbt deps.edn pom.xml project.clj"),
        ("vendor", "*.gemspec Cargo.toml Gemfile composer.json go.mod"),
        ("venv", "Pipfile manage.py pyproject.toml requirements.txt setup.py"),
        ("web_modules", ""),
        ("zig-cache", ""),
        ("zig-out", ""),
    ] {
        let found = known.get(name).unwrap_or_else(|| panic!("{name} is not known"));
        let lost: Vec<&str> = manifests.split_whitespace().filter(|manifest| !found.contains(manifest)).collect();
        assert!(lost.is_empty(), "{name}: {lost:?}");
        assert_eq!(found.is_empty(), manifests.is_empty(), "{name}");
    }
}

#[test]
fn the_form_follows_from_the_language() {
    for (language, expected) in [
        (Some("rust"), Form::Program),
        (Some("json"), Form::Data),
        (Some("css"), Form::Markup),
        (Some("markdown"), Form::Prose),
        (None, Form::Unknown),
    ] {
        assert_eq!(Form::for_language(language.map(Language::from_static).as_ref()), expected, "{language:?}");
    }
}
