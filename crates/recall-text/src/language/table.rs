//! The table of languages: one row per language, with everything that the rest of the program knows about its files.

use super::syntaxes::{self, Syntax};

pub(super) struct LanguageRow {
    /// The name in lower case without spaces.
    pub(super) name: &'static str,
    pub(super) form: Form,
    /// Other names, in lower case.
    pub(super) aliases: &'static [&'static str],
    /// The extensions of the files that hold a project's code. Letter case counts.
    pub(super) code_extensions: &'static [&'static str],
    /// All other extensions: of data, documentation and configuration, and those that are rare.
    pub(super) other_extensions: &'static [&'static str],
    /// The extensions by which a word of a query is recognised as a file name. An extension that is also common after a
    /// dot in names of code is left out.
    pub(super) query_extensions: &'static [&'static str],
    /// File names, in lower case.
    pub(super) file_names: &'static [&'static str],
    /// Programs in the first line of a script, without their version.
    pub(super) interpreters: &'static [&'static str],
    pub(super) build_folders: &'static [BuildFolder],
    /// How its comments, strings and keywords look; `None` for prose and what is rare.
    pub(super) syntax: Option<&'static Syntax>,
}

/// Whether a word of a query that ends in a dot and this extension is the name of a file.
pub(crate) fn marks_a_file_in_queries(extension: &str) -> bool {
    LANGUAGES.iter().any(|row| row.query_extensions.contains(&extension))
}

/// A folder that the tools of a language write: compiled files, installed dependencies, caches.
#[derive(Debug)]
pub struct BuildFolder {
    /// The folder's name.
    pub name: &'static str,
    /// The files next to the folder that tell it from a source folder of the same name: names, or `*` and the end of a
    /// name. Empty if no source folder has the name.
    pub manifests: &'static [&'static str],
}

impl LanguageRow {
    pub(super) fn extensions(&self) -> impl Iterator<Item = &'static str> {
        self.code_extensions.iter().chain(self.other_extensions).copied()
    }

    const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    const fn code(self, code_extensions: &'static [&'static str]) -> Self {
        Self { code_extensions, ..self }
    }

    const fn other(self, other_extensions: &'static [&'static str]) -> Self {
        Self { other_extensions, ..self }
    }

    const fn in_queries(self, query_extensions: &'static [&'static str]) -> Self {
        Self { query_extensions, ..self }
    }

    const fn names(self, file_names: &'static [&'static str]) -> Self {
        Self { file_names, ..self }
    }

    const fn interpreters(self, interpreters: &'static [&'static str]) -> Self {
        Self { interpreters, ..self }
    }

    const fn syntax(self, syntax: &'static Syntax) -> Self {
        Self { syntax: Some(syntax), ..self }
    }

    const fn folders(self, build_folders: &'static [BuildFolder]) -> Self {
        Self { build_folders, ..self }
    }
}

const fn row(name: &'static str, form: Form) -> LanguageRow {
    LanguageRow {
        name,
        form,
        aliases: &[],
        code_extensions: &[],
        other_extensions: &[],
        query_extensions: &[],
        file_names: &[],
        interpreters: &[],
        build_folders: &[],
        syntax: None,
    }
}

const fn program(name: &'static str) -> LanguageRow {
    row(name, Form::Program)
}

const fn data(name: &'static str) -> LanguageRow {
    row(name, Form::Data)
}

const fn markup(name: &'static str) -> LanguageRow {
    row(name, Form::Markup)
}

const fn prose(name: &'static str) -> LanguageRow {
    row(name, Form::Prose)
}

/// A folder with a name that no source folder has.
const fn anywhere(name: &'static str) -> BuildFolder {
    BuildFolder { name, manifests: &[] }
}

const fn next_to(name: &'static str, manifests: &'static [&'static str]) -> BuildFolder {
    BuildFolder { name, manifests }
}

const GRADLE: &[&str] = &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/// All languages, ascending by name.
///
/// `prose`, `data`, `markup` and `program` are the [`Form`] of a text. An extension, file name or interpreter is in one
/// row only.
pub(super) static LANGUAGES: &[LanguageRow] = &[
    prose("asciidoc").other(&["adoc", "asciidoc", "asc"]),
    program("asm").code(&["asm", "S"]).other(&["s"]),
    program("astro").syntax(&syntaxes::JAVASCRIPT).other(&["astro"]),
    program("awk").syntax(&syntaxes::BASH).code(&["awk"]).interpreters(&["awk", "gawk"]),
    program("bash")
        .syntax(&syntaxes::BASH)
        .aliases(&["sh", "shell", "zsh"])
        .code(&["sh", "bash", "zsh"])
        .other(&["ksh", "bats", "ebuild"])
        .in_queries(&["sh", "bash"])
        .names(&[
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            "pkgbuild",
            "apkbuild",
            ".envrc",
        ])
        .interpreters(&["sh", "bash", "zsh", "dash", "ksh", "ash", "bats"]),
    program("batch").other(&["bat", "cmd"]),
    program("c")
        .syntax(&syntaxes::C)
        .code(&["c", "h"])
        .in_queries(&["c", "h"])
        .folders(&[next_to("build", &["meson.build"])]),
    program("clojure")
        .syntax(&syntaxes::CLOJURE)
        .code(&["clj", "cljs", "cljc"])
        .other(&["edn"])
        .folders(&[next_to("target", &["project.clj", "deps.edn"])]),
    program("cmake")
        .syntax(&syntaxes::BASH)
        .other(&["cmake"])
        .names(&["cmakelists.txt"])
        .folders(&[anywhere("CMakeFiles"), next_to("build", &["CMakeLists.txt"])]),
    data("config")
        .syntax(&syntaxes::TOML)
        .other(&["ini", "cfg", "conf", "properties", "env", "service", "socket", "desktop"])
        .names(&[
            "robots.txt",
            "requirements.txt",
            "constraints.txt",
            ".gitignore",
            ".gitattributes",
            ".dockerignore",
            ".ignore",
            ".recallignore",
            ".editorconfig",
            ".npmrc",
        ]),
    // By an old convention, `.C` and `.H` in capitals are C++.
    program("cpp")
        .syntax(&syntaxes::C)
        .aliases(&["c++", "cc"])
        .code(&["C", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl", "cu", "ino"])
        .other(&["H", "c++", "h++", "ipp", "tpp", "cuh"])
        .in_queries(&["cc", "cpp", "hpp"]),
    program("crystal").syntax(&syntaxes::RUBY).code(&["cr"]),
    program("csharp")
        .syntax(&syntaxes::CSHARP)
        .aliases(&["c#", "cs"])
        .code(&["cs"])
        .other(&["csx"])
        .in_queries(&["cs"])
        .folders(&[next_to("bin", &["*.csproj"]), next_to("obj", &["*.csproj"])]),
    markup("css").syntax(&syntaxes::CSS).other(&["css"]).in_queries(&["css"]),
    data("csv").other(&["csv", "tsv"]),
    program("d").syntax(&syntaxes::C).code(&["d"]),
    program("dart").syntax(&syntaxes::KOTLIN).code(&["dart"]).folders(&[next_to("build", &["pubspec.yaml"])]),
    data("diff").other(&["diff", "patch"]),
    program("dockerfile")
        .syntax(&syntaxes::BASH)
        .aliases(&["docker"])
        .other(&["dockerfile"])
        .names(&["dockerfile", "containerfile"]),
    program("elixir")
        .syntax(&syntaxes::RUBY)
        .code(&["ex", "exs"])
        .in_queries(&["ex", "exs"])
        .names(&["mix.lock"])
        .interpreters(&["elixir"])
        .folders(&[next_to("deps", &["mix.exs"]), next_to("_build", &["mix.exs"])]),
    program("erlang")
        .syntax(&syntaxes::ERLANG)
        .code(&["erl", "hrl"])
        .folders(&[next_to("deps", &["rebar.config"]), next_to("_build", &["rebar.config"])]),
    program("fish").syntax(&syntaxes::BASH).code(&["fish"]).interpreters(&["fish"]),
    program("fortran").code(&["f90"]).other(&["f", "f95", "for"]),
    program("fsharp")
        .syntax(&syntaxes::OCAML)
        .aliases(&["f#"])
        .code(&["fs", "fsx"])
        .other(&["fsi"])
        .folders(&[next_to("bin", &["*.fsproj"]), next_to("obj", &["*.fsproj"])]),
    program("go")
        .syntax(&syntaxes::GO)
        .aliases(&["golang"])
        .code(&["go"])
        .in_queries(&["go"])
        .folders(&[next_to("vendor", &["go.mod"])]),
    data("gomod").syntax(&syntaxes::PROTO).names(&["go.mod"]),
    program("graphql").syntax(&syntaxes::PROTO).other(&["graphql", "gql"]),
    program("groovy").syntax(&syntaxes::JAVA).code(&["groovy", "gradle"]).names(&["jenkinsfile"]),
    program("haskell")
        .syntax(&syntaxes::HASKELL)
        .aliases(&["hs"])
        .code(&["hs"])
        .other(&["hsc"])
        .in_queries(&["hs"])
        .interpreters(&["runhaskell", "runghc", "stack"])
        .folders(&[anywhere("dist-newstyle"), next_to("dist", &["*.cabal"])]),
    program("hcl").syntax(&syntaxes::TOML).aliases(&["terraform"]).other(&["tf", "tfvars", "hcl"]),
    markup("html").syntax(&syntaxes::HTML).other(&["html", "htm", "xhtml"]).in_queries(&["html"]),
    program("java").syntax(&syntaxes::JAVA).code(&["java"]).in_queries(&["java"]).folders(&[
        next_to("target", &["pom.xml"]),
        next_to("build", GRADLE),
        next_to("out", &["build.gradle", "build.gradle.kts"]),
        next_to("bin", &[".classpath"]),
    ]),
    program("javascript")
        .syntax(&syntaxes::JAVASCRIPT)
        .aliases(&["js", "jsx", "node"])
        .code(&["js", "mjs", "cjs", "jsx"])
        .in_queries(&["js", "mjs", "jsx"])
        .interpreters(&["node", "nodejs", "bun"])
        .folders(&[
            anywhere("node_modules"),
            anywhere("bower_components"),
            anywhere("jspm_packages"),
            anywhere("web_modules"),
            next_to("dist", &["package.json"]),
            next_to("build", &["package.json"]),
            next_to("out", &["next.config.js", "next.config.mjs", "next.config.ts"]),
            next_to("coverage", &["package.json"]),
        ]),
    data("json")
        .syntax(&syntaxes::JSON)
        .other(&["json", "jsonc", "json5", "geojson", "webmanifest", "jsonld"])
        .in_queries(&["json"])
        .names(&["composer.lock", "flake.lock", ".babelrc", ".eslintrc", ".prettierrc", ".swcrc", "pipfile.lock"]),
    data("jsonl").syntax(&syntaxes::JSON).other(&["jsonl", "ndjson"]),
    program("julia").syntax(&syntaxes::BASH).code(&["jl"]).interpreters(&["julia"]),
    program("jupyter").other(&["ipynb"]).in_queries(&["ipynb"]),
    program("just").syntax(&syntaxes::BASH).names(&["justfile"]),
    program("kotlin")
        .syntax(&syntaxes::KOTLIN)
        .aliases(&["kt"])
        .code(&["kt", "kts"])
        .in_queries(&["kt"])
        .interpreters(&["kotlin"]),
    prose("latex").aliases(&["tex"]).other(&["tex", "ltx", "sty", "cls"]),
    markup("less").syntax(&syntaxes::CSS).other(&["less"]),
    program("lisp").syntax(&syntaxes::CLOJURE).code(&["el", "lisp", "cl"]).other(&["lsp"]),
    program("lua").syntax(&syntaxes::LUA).code(&["lua"]).in_queries(&["lua"]).interpreters(&["lua", "luajit"]),
    program("make")
        .syntax(&syntaxes::BASH)
        .aliases(&["makefile"])
        .other(&["mk", "mak"])
        .names(&["makefile", "gnumakefile"])
        .interpreters(&["make"]),
    prose("markdown")
        .aliases(&["md"])
        .other(&["md", "markdown", "mdx", "mkd", "mdown", "qmd", "rmd"])
        .in_queries(&["md"]),
    program("nim").syntax(&syntaxes::BASH).code(&["nim"]),
    program("nix").syntax(&syntaxes::BASH).code(&["nix"]),
    program("objc").syntax(&syntaxes::C).aliases(&["objective-c"]).code(&["m", "mm"]),
    program("ocaml").syntax(&syntaxes::OCAML).code(&["ml", "mli"]).folders(&[next_to("_build", &["dune-project"])]),
    prose("org").other(&["org"]),
    program("pascal").syntax(&syntaxes::OCAML).code(&["pas"]).other(&["pp"]),
    program("perl").syntax(&syntaxes::BASH).code(&["pl", "pm"]).interpreters(&["perl"]),
    program("php")
        .syntax(&syntaxes::PHP)
        .code(&["php"])
        .other(&["phtml", "php5", "php7"])
        .in_queries(&["php"])
        .interpreters(&["php"])
        .folders(&[next_to("vendor", &["composer.json"])]),
    program("powershell")
        .syntax(&syntaxes::BASH)
        .aliases(&["ps1"])
        .code(&["ps1"])
        .other(&["psm1", "psd1"])
        .interpreters(&["pwsh"]),
    program("prisma").syntax(&syntaxes::PROTO).other(&["prisma"]),
    program("proto").syntax(&syntaxes::PROTO).aliases(&["protobuf"]).code(&["proto"]).in_queries(&["proto"]),
    program("python")
        .syntax(&syntaxes::PYTHON)
        .aliases(&["py", "python3"])
        .code(&["py", "pyx"])
        .other(&["pyi", "pyw", "bzl", "star"])
        .in_queries(&["py"])
        .names(&[
            "build",
            "build.bazel",
            "workspace",
            "workspace.bazel",
            "module.bazel",
            "sconstruct",
            "sconscript",
            "wscript",
        ])
        .interpreters(&["python", "pypy", "uv"])
        .folders(&[
            anywhere("__pycache__"),
            anywhere("__pypackages__"),
            anywhere("site-packages"),
            next_to("dist", &["pyproject.toml", "setup.py"]),
            next_to("build", &["pyproject.toml", "setup.py"]),
            next_to("_build", &["conf.py"]),
            next_to("venv", &["pyproject.toml", "setup.py", "requirements.txt", "Pipfile", "manage.py"]),
            next_to("env", &["requirements.txt", "Pipfile", "manage.py"]),
        ]),
    program("r").syntax(&syntaxes::BASH).code(&["r", "R"]).interpreters(&["Rscript"]),
    prose("rst").other(&["rst", "rest"]).in_queries(&["rst"]),
    program("ruby")
        .syntax(&syntaxes::RUBY)
        .aliases(&["rb"])
        .code(&["rb", "rake"])
        .other(&["gemspec", "ru", "podspec", "jbuilder"])
        .in_queries(&["rb"])
        .names(&["rakefile", "gemfile", "guardfile", "vagrantfile", "podfile", "fastfile", "brewfile", "capfile"])
        .interpreters(&["ruby"])
        .folders(&[next_to("vendor", &["Gemfile", "*.gemspec"]), next_to("coverage", &["Gemfile"])]),
    program("rust")
        .syntax(&syntaxes::RUST)
        .aliases(&["rs"])
        .code(&["rs"])
        .in_queries(&["rs"])
        .interpreters(&["cargo", "rust-script"])
        .folders(&[next_to("target", &["Cargo.toml"]), next_to("vendor", &["Cargo.toml"])]),
    markup("sass").syntax(&syntaxes::CSS).other(&["sass"]),
    program("scala")
        .syntax(&syntaxes::KOTLIN)
        .code(&["scala", "sc"])
        .other(&["sbt"])
        .in_queries(&["scala"])
        .interpreters(&["scala"])
        .folders(&[next_to("target", &["build.sbt"])]),
    program("scheme").syntax(&syntaxes::CLOJURE).code(&["scm", "rkt"]).other(&["ss"]),
    markup("scss").syntax(&syntaxes::CSS).other(&["scss"]),
    program("shader").syntax(&syntaxes::C).code(&["metal"]).other(&["glsl", "vert", "frag", "comp", "wgsl", "hlsl"]),
    program("solidity").syntax(&syntaxes::PROTO).code(&["sol"]).folders(&[next_to("out", &["foundry.toml"])]),
    program("sql").syntax(&syntaxes::SQL).code(&["sql"]).other(&["ddl", "psql"]).in_queries(&["sql"]),
    program("svelte").syntax(&syntaxes::JAVASCRIPT).code(&["svelte"]),
    program("swift")
        .syntax(&syntaxes::KOTLIN)
        .code(&["swift"])
        .in_queries(&["swift"])
        .interpreters(&["swift"])
        .folders(&[
            anywhere("DerivedData"),
            next_to("build", &["Package.swift"]),
            next_to("Pods", &["Podfile"]),
            next_to("Carthage", &["Cartfile"]),
        ]),
    markup("template").other(&[
        "erb",
        "ejs",
        "eex",
        "heex",
        "leex",
        "hbs",
        "handlebars",
        "mustache",
        "j2",
        "jinja",
        "jinja2",
        "njk",
        "tmpl",
        "liquid",
        "twig",
    ]),
    prose("text").aliases(&["plaintext", "txt"]).other(&["txt", "text"]).in_queries(&["txt"]).names(&[
        "readme",
        "license",
        "licence",
        "copying",
        "authors",
        "contributors",
        "changelog",
        "changes",
        "news",
        "notice",
        "todo",
        "install",
        "history",
    ]),
    program("thrift").syntax(&syntaxes::PROTO).code(&["thrift"]),
    data("toml").syntax(&syntaxes::TOML).other(&["toml"]).in_queries(&["toml"]).names(&[
        "cargo.lock",
        "poetry.lock",
        "uv.lock",
        "pipfile",
        "gopkg.lock",
    ]),
    program("tsx").syntax(&syntaxes::JAVASCRIPT).code(&["tsx"]).in_queries(&["tsx"]),
    program("typescript")
        .syntax(&syntaxes::JAVASCRIPT)
        .aliases(&["ts"])
        .code(&["ts", "mts", "cts"])
        .in_queries(&["ts"])
        .interpreters(&["deno", "ts-node", "tsx"]),
    program("vb").code(&["vb"]).folders(&[next_to("bin", &["*.vbproj"]), next_to("obj", &["*.vbproj"])]),
    program("verilog").code(&["v", "sv"]).other(&["svh"]),
    program("vhdl").code(&["vhd"]).other(&["vhdl"]),
    program("vim").code(&["vim"]),
    program("vue").syntax(&syntaxes::JAVASCRIPT).code(&["vue"]).in_queries(&["vue"]),
    data("xml")
        .syntax(&syntaxes::HTML)
        .other(&["xml", "xsd", "xsl", "xslt", "svg", "plist", "csproj", "props", "targets", "wsdl", "xaml"])
        .in_queries(&["xml"]),
    data("yaml")
        .syntax(&syntaxes::YAML)
        .aliases(&["yml"])
        .other(&["yaml", "yml"])
        .in_queries(&["yaml", "yml"])
        .names(&["yarn.lock", ".clang-format", ".clang-tidy", ".clangd"]),
    program("zig")
        .syntax(&syntaxes::ZIG)
        .code(&["zig"])
        .other(&["zon"])
        .in_queries(&["zig"])
        .folders(&[anywhere("zig-cache"), anywhere("zig-out")]),
];

/// The form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Programs: text that is compiled or run.
    Program,
    /// Data and configuration: JSON, YAML, TOML, XML.
    Data,
    /// Page markup: HTML, CSS.
    Markup,
    /// Prose for people: Markdown, reStructuredText, plain text.
    Prose,
    /// A text whose language is not known.
    Unknown,
}

impl Form {
    /// All forms, in a fixed order.
    pub const ALL: [Self; 5] = [Self::Program, Self::Data, Self::Markup, Self::Prose, Self::Unknown];
}
