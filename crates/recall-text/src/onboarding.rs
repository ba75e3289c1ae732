//! Questions that a newcomer asks about any project, and the files that answer them.
//!
//! "How do I run the tests" is not about tests, but about the section of a document or the line of a build file that says so. The
//! words of such a question are in many files, but its form shows which kind of file answers it. Each ecosystem has its own names
//! for these files, so the tables list names, the best first. No file is read here: the caller has the paths.

use crate::DocPath;
use crate::question_form::{self, QuestionForm};

/// What a newcomer wants to know about a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Onboarding {
    /// How to run the tests.
    RunTests,
    /// How to build it.
    Build,
    /// How to check its style, or which checks there are.
    Lint,
    /// How to format it.
    Format,
    /// What it depends on.
    Dependencies,
    /// Where the program starts: its entry points.
    EntryPoint,
    /// What continuous integration does.
    ContinuousIntegration,
    /// How to contribute, and by which rules.
    Contribute,
    /// How its members behave.
    Conduct,
    /// How to report a fault.
    ReportFault,
    /// What to do about a hole in its security.
    Security,
    /// Who maintains it.
    Maintainers,
    /// Under which licence it is.
    License,
    /// Which version the project has.
    Version,
    /// Which versions of its language, or of what runs it, it supports.
    LanguageVersion,
    /// How to install it, or to set up a machine for its development.
    SetUp,
    /// How a release is made.
    Releasing,
    /// What the last release changed, or anything else about releases.
    Release,
    /// What the project is, and what it is for.
    Overview,
}

/// Words that begin a question.
const ASKS: &str = "how what which where command commands instructions steps";
const RUN: &str = "run running runs execute executing executed launch start invoke command";
const TESTS: &str = "test tests testsuite suite suites specs unittests";
const PERSON: &str = "i we you one";
const LANGUAGES: &str = "python rust go golang node nodejs java jdk kotlin swift ruby php dotnet net csharp scala elixir erlang otp haskell ghc \
    typescript lua perl zig dart c cpp language compiler runtime toolchain interpreter";

/// The forms; the first that fits decides.
const FORMS: &[QuestionForm<Onboarding>] = &[
    QuestionForm { asks: Onboarding::RunTests, needs: &[RUN, TESTS], allows: "unit integration all whole single" },
    QuestionForm { asks: Onboarding::RunTests, needs: &["how", PERSON, "test"], allows: "changes change" },
    QuestionForm {
        asks: Onboarding::Lint,
        needs: &["lint linter linters linting linted"],
        allows: "run running runs check checks configured configuration rules used use set up",
    },
    QuestionForm {
        asks: Onboarding::Lint,
        needs: &["style static", "check checks checked analysis checker"],
        allows: "run running configured used use",
    },
    QuestionForm {
        asks: Onboarding::Format,
        needs: &[ASKS, "format formatter formatting formatted"],
        allows: "run running runs check rules used use source sources files auto",
    },
    QuestionForm {
        asks: Onboarding::Format,
        needs: &["coding code", "style conventions formatting"],
        allows: "guide guidelines rules used use follow",
    },
    QuestionForm {
        asks: Onboarding::ContinuousIntegration,
        needs: &["ci pipeline pipelines workflow workflows"],
        allows: "run runs running configured configuration config defined set up checks check jobs job github gitlab \
            actions build builds tests setup happens pull request requests",
    },
    QuestionForm {
        asks: Onboarding::ContinuousIntegration,
        needs: &["continuous", "integration delivery deployment"],
        allows: "run runs configured defined set up checks jobs",
    },
    QuestionForm {
        asks: Onboarding::Contribute,
        needs: &["contribute contributing contribution contributions contributor contributors"],
        allows: "guidelines guide rules start send submit make new process changes",
    },
    QuestionForm {
        asks: Onboarding::Contribute,
        needs: &["submit send open make", "patch patches pull pr change"],
        allows: "request requests contribution",
    },
    QuestionForm { asks: Onboarding::Conduct, needs: &["code rules", "conduct"], allows: "" },
    QuestionForm {
        asks: Onboarding::Security,
        needs: &[
            "security vulnerability vulnerabilities",
            "policy policies report reporting reported disclose disclosure disclosed",
        ],
        allows: "issue issues hole holes bug bugs responsible responsibly contact",
    },
    QuestionForm {
        asks: Onboarding::ReportFault,
        needs: &["report reporting file submit open", "bug bugs issue issues fault faults"],
        allows: "new template templates tracker",
    },
    QuestionForm {
        asks: Onboarding::Maintainers,
        needs: &[
            "who maintainers authors codeowners owners",
            "maintains maintainer maintainers author authors owns owner owners codeowners wrote responsible",
        ],
        allows: "core current main",
    },
    QuestionForm {
        asks: Onboarding::License,
        needs: &["license licence licensed licenced licensing copyright"],
        allows: "under use used fall falls terms commercial commercially open source",
    },
    QuestionForm {
        asks: Onboarding::License,
        needs: &["can may allowed", "commercially commercial proprietary closed redistribute sell resell"],
        allows: "use used using free freely product products source software purposes modify",
    },
    QuestionForm {
        asks: Onboarding::Releasing,
        needs: &[
            "how steps process checklist instructions",
            "release releases released releasing publish published publishing",
        ],
        allows: "make made cut new process steps version versions create",
    },
    QuestionForm {
        asks: Onboarding::Release,
        needs: &["release releases released releasing publish published publishing"],
        allows: "make made cut new process last latest version versions changed changes notes most recent create steps \
            schedule",
    },
    QuestionForm {
        asks: Onboarding::Release,
        needs: &["changelog changed changes new", "version latest recently last changelog"],
        allows: "most recent",
    },
    QuestionForm {
        asks: Onboarding::LanguageVersion,
        needs: &[
            "version versions",
            LANGUAGES,
            "supported supports support required requires require minimum minimal oldest lowest needed needs need used uses use",
        ],
        allows: "language runtime compiler toolchain",
    },
    QuestionForm {
        asks: Onboarding::LanguageVersion,
        needs: &["msrv", "msrv"],
        allows: "minimum supported rust version",
    },
    QuestionForm {
        asks: Onboarding::Version,
        needs: &[ASKS, "version"],
        allows: "current latest number defined set declared stored kept",
    },
    QuestionForm {
        asks: Onboarding::Dependencies,
        needs: &[ASKS, "dependencies dependency requirements deps libraries"],
        allows: "runtime third party external declared listed defined use uses used need needed needs have has depend \
            depends version versions development dev install managed on required add new",
    },
    QuestionForm {
        asks: Onboarding::Dependencies,
        needs: &["what which", "depend depends need needs require requires"],
        allows: "on packages modules versions version run",
    },
    QuestionForm {
        asks: Onboarding::EntryPoint,
        needs: &["entry main", "point points function file module class executable"],
        allows: "defined start starts",
    },
    QuestionForm { asks: Onboarding::EntryPoint, needs: &["entrypoint entrypoints"], allows: "defined" },
    QuestionForm {
        asks: Onboarding::EntryPoint,
        needs: &["where", "start starts begin begins"],
        allows: "execution server process reading read",
    },
    QuestionForm {
        asks: Onboarding::SetUp,
        needs: &["install installed installing installation setup prerequisites"],
        allows: "set up development dev environment machine instructions need first source get started",
    },
    QuestionForm {
        asks: Onboarding::SetUp,
        needs: &["set get getting start", "up started developing development"],
        allows: "environment machine dev developing development hacking new developer for first working",
    },
    QuestionForm {
        asks: Onboarding::SetUp,
        needs: &["development dev", "environment machine"],
        allows: "create prepare need set up",
    },
    QuestionForm {
        asks: Onboarding::Build,
        needs: &[ASKS, "build built building compile compiled compiling compilation"],
        allows: "source sources release binary binaries run system tool used does docs",
    },
    QuestionForm { asks: Onboarding::Overview, needs: &["what", "this"], allows: "do about purpose used good" },
    QuestionForm {
        asks: Onboarding::Overview,
        needs: &["overview purpose introduction summary"],
        allows: "what short give high level",
    },
];

impl Onboarding {
    /// Returns what a question asks about the project as a whole; `None` if it asks for anything else.
    pub fn detect(question: &str) -> Option<Self> {
        // One word names a file or a definition.
        question_form::find(FORMS, question, 2)
    }

    /// The same for a translated question. It may have one word, because a translation lacks the grammar of the question.
    pub fn detect_in_translation(question: &str) -> Option<Self> {
        question_form::find(FORMS, question, 1)
    }

    /// Returns the rank of a file for the question, the smaller the better; `None` if its name is in no table.
    ///
    /// Files near the root rank before those of parts of the project.
    pub fn rank(self, path: &DocPath) -> Option<usize> {
        let lower = path.as_str().to_lowercase();
        let depth = lower.matches('/').count();
        let (place, name) = self.names().find(|(_, name)| is_named(&lower, name))?;
        Some(place + RANKS_PER_LEVEL * depth.saturating_sub(name.matches('/').count()))
    }

    /// Returns whether a file of that rank is the whole answer, so that no other file of the tables is one: the text of a licence.
    pub fn is_answered_by(self, rank: usize) -> bool {
        self == Self::License && rank < LICENSES.split(' ').count()
    }

    /// Returns whether a file declares what a project depends on, by its name.
    pub fn is_manifest(path: &DocPath) -> bool {
        let lower = path.as_str().to_lowercase();
        MANIFESTS.split(' ').any(|name| is_named(&lower, name))
    }

    /// The places and names of its files, the most telling first.
    fn names(self) -> impl Iterator<Item = (usize, &'static str)> {
        let lists: &[&str] = match self {
            Self::RunTests => &[CONTRIBUTING, README, TASKS, MANIFESTS, WORKFLOWS],
            Self::Build => &[README, CONTRIBUTING, TASKS, INSTALL, MANIFESTS, WORKFLOWS],
            Self::Lint => &[CONTRIBUTING, LINTERS, TASKS, README, MANIFESTS, WORKFLOWS],
            Self::Format => &[CONTRIBUTING, FORMATTERS, TASKS, README, MANIFESTS, WORKFLOWS],
            Self::Dependencies => &[MANIFESTS, README, INSTALL],
            Self::EntryPoint => &[ENTRIES, MANIFESTS, README],
            Self::ContinuousIntegration => &[WORKFLOWS, CONTRIBUTING],
            Self::Contribute => &[CONTRIBUTING, README],
            // Without such a file, other files are as likely to answer as for any question.
            Self::Conduct => &["code_of_conduct.* code-of-conduct.*"],
            Self::ReportFault => &[REPORTING, CONTRIBUTING, README],
            Self::Security => &["security.md security.rst security.txt security.adoc"],
            Self::Maintainers => &[MAINTAINERS],
            Self::License => &[LICENSES, README, MANIFESTS],
            Self::Version => &[VERSIONS, MANIFESTS, CHANGES],
            Self::LanguageVersion => &[TOOLCHAINS, MANIFESTS, README],
            Self::SetUp => &[README, INSTALL, CONTRIBUTING, TASKS],
            Self::Releasing => &[RELEASING, CONTRIBUTING, WORKFLOWS, README],
            Self::Release => &[CHANGES, RELEASING, CONTRIBUTING, WORKFLOWS, README],
            Self::Overview => &[README, "docs/index.md docs/index.rst docs/readme.md architecture.md"],
        };
        lists.iter().flat_map(|list| list.split(' ')).enumerate()
    }
}

/// How many places a file loses for each directory above it.
const RANKS_PER_LEVEL: usize = 100;

/// Whether a path in lower case has a name: `x.*` is any extension, `*.x` any stem, `x/*` anything directly in a directory at the
/// root; a name with a slash is a path from the root.
pub(crate) fn is_named(path: &str, name: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    if let Some(directory) = name.strip_suffix("/*") {
        path.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/')).is_some_and(|rest| !rest.contains('/'))
    } else if let Some(stem) = name.strip_suffix(".*") {
        let target = if name.contains('/') { path } else { file };
        target.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.')).is_some_and(|rest| !rest.contains(['/', '.']))
    } else if let Some(extension) = name.strip_prefix("*.") {
        file.strip_suffix(extension).and_then(|rest| rest.strip_suffix('.')).is_some_and(|stem| !stem.is_empty())
    } else if name.contains('/') {
        path == name
    } else {
        file == name
    }
}

const README: &str = "readme.md readme.rst readme readme.*";
const CONTRIBUTING: &str = "contributing.md contributing.rst contributing contributing.* .github/contributing.md hacking.md hacking \
    development.md developing.md developers.md maintaining.md docs/contributing.* docs/development.* docs/dev.*";
const TASKS: &str = "makefile justfile taskfile.* package.json tox.ini noxfile.py rakefile tasks.py mix.exs build.cake build.sh \
    build.ps1 .pre-commit-config.yaml composer.json cmakelists.txt makefile.am";
const MANIFESTS: &str = "pyproject.toml cargo.toml package.json go.mod build.gradle.kts build.gradle pom.xml mix.exs gemfile *.gemspec \
    composer.json build.sbt package.swift *.cabal package.yaml setup.py setup.cfg requirements.txt requirements/* \
    pipfile environment.yml *.csproj directory.packages.props directory.build.props build.zig.zon build.zig \
    cmakelists.txt meson.build configure.ac vcpkg.json conanfile.* deps.edn project.clj rebar.config dune-project \
    stack.yaml pubspec.yaml dockerfile global.json *.props *.versions.toml podfile cartfile";
const WORKFLOWS: &str = ".github/workflows/ci.* .github/workflows/test.* .github/workflows/tests.* .github/workflows/build.* \
    .github/workflows/* .gitlab-ci.yml .circleci/config.yml azure-pipelines.yml .travis.yml appveyor.yml .appveyor.yml \
    jenkinsfile .drone.yml .cirrus.yml bitbucket-pipelines.yml";
const LINTERS: &str = ".pre-commit-config.yaml .golangci.yml .golangci.yaml .eslintrc.* .eslintrc eslint.config.* .rubocop.yml .credo.exs \
    ruff.toml .flake8 .pylintrc clippy.toml phpcs.xml phpcs.xml.dist phpstan.neon .hlint.yaml .swiftlint.yml .clang-tidy \
    .scalafix.conf detekt.yml .luacheckrc biome.json .github/workflows/lint.*";
const FORMATTERS: &str = ".editorconfig .prettierrc .prettierrc.* prettier.config.* .formatter.exs rustfmt.toml .rustfmt.toml .clang-format \
    .scalafmt.conf .stylua.toml stylua.toml .php-cs-fixer.* .php_cs .swiftformat biome.json .pre-commit-config.yaml \
    fourmolu.yaml";
const INSTALL: &str =
    "install.md install install.* installation.* docs/install.* docs/installation.* docs/getting-started.*";
const ENTRIES: &str = "src/main.* main.* __main__.py src/lib.rs program.cs cli.* app.* index.* src/index.* lib/index.* server.* \
    __init__.py";
const LICENSES: &str =
    "license license.* licence licence.* copying copying.* license-mit license-apache unlicense notice";
const VERSIONS: &str = "version.* version _version.py __version__.py __about__.py version.props";
const TOOLCHAINS: &str = ".python-version .nvmrc .node-version rust-toolchain.toml rust-toolchain .ruby-version .java-version .tool-versions \
    .go-version .php-version .swift-version";
const REPORTING: &str = ".github/issue_template/bug_report.* .github/issue_template/bug-report.* .github/issue_template/bug.* \
    .github/issue_template.* .github/issue_template/* issue_template.*";
const MAINTAINERS: &str = "maintainers maintainers.md maintainers.txt codeowners authors authors.md authors.rst authors.txt owners \
    contributors.md";
const CHANGES: &str = "changelog.md changelog.rst changelog changelog.* changes.md changes.rst changes changes.* history.md history.* \
    news.md news news.* releases.md release-notes.md releasenotes.* docs/changelog.* docs/changes.*";
const RELEASING: &str = "releasing.md release.md release_process.md release-process.md releaseprocess.md docs/releasing.* docs/release.* docs/release-process.* .github/workflows/release.* \
    .github/workflows/publish.* .github/workflows/deploy.* .goreleaser.yml .goreleaser.yaml";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_translated_question_may_have_one_word() {
        assert_eq!(Onboarding::detect("license"), None);
        assert_eq!(Onboarding::detect_in_translation("license"), Some(Onboarding::License));
        assert_eq!(Onboarding::detect_in_translation("session"), None);
    }

    #[test]
    fn the_shape_of_a_question_tells_what_a_newcomer_wants() {
        for (question, expected) in [
            ("how do I run the tests", Some(Onboarding::RunTests)),
            ("which command runs the test suite?", Some(Onboarding::RunTests)),
            ("How can I test my changes", Some(Onboarding::RunTests)),
            ("how is this built from source", Some(Onboarding::Build)),
            ("how do I lint the code", Some(Onboarding::Lint)),
            ("which formatter is used", Some(Onboarding::Format)),
            ("what are the dependencies of this project", Some(Onboarding::Dependencies)),
            ("where is the entry point", Some(Onboarding::EntryPoint)),
            ("what does CI run", Some(Onboarding::ContinuousIntegration)),
            ("how can I contribute", Some(Onboarding::Contribute)),
            ("what license is this under", Some(Onboarding::License)),
            ("can I use this commercially", Some(Onboarding::License)),
            ("may we use it in a closed source product?", Some(Onboarding::License)),
            ("what is the current version", Some(Onboarding::Version)),
            ("how do I set up a development environment", Some(Onboarding::SetUp)),
            ("what changed in the last release", Some(Onboarding::Release)),
            ("how to release a new version", Some(Onboarding::Releasing)),
            ("how is a release made", Some(Onboarding::Releasing)),
            ("which Python versions are supported?", Some(Onboarding::LanguageVersion)),
            ("minimum rust version", Some(Onboarding::LanguageVersion)),
            ("what is the MSRV", Some(Onboarding::LanguageVersion)),
            ("security policy", Some(Onboarding::Security)),
            ("how do I report a vulnerability", Some(Onboarding::Security)),
            ("how do I report a bug", Some(Onboarding::ReportFault)),
            ("who maintains this", Some(Onboarding::Maintainers)),
            ("code of conduct", Some(Onboarding::Conduct)),
            ("what is this project", Some(Onboarding::Overview)),
            ("tests", None),
            ("where are the tests of the parser", None),
            ("how does the test client run requests", None),
            ("how are routes built", None),
            ("what is this handler for", None),
            ("build", None),
            ("how is the version of a schema compared", None),
            ("how are errors reported", None),
            ("who owns the buffer", None),
            ("where is main", None),
            ("content security policy header", None),
        ] {
            assert_eq!(Onboarding::detect(question), expected, "{question}");
        }
    }

    #[test]
    fn the_files_near_the_root_come_first() {
        let order = |intent: Onboarding, paths: &[&'static str]| -> Vec<&'static str> {
            let rank = |path: &str| intent.rank(&DocPath::new(path).expect("plain"));
            let mut ranked: Vec<_> = paths.iter().filter_map(|&path| Some((rank(path)?, path))).collect();
            ranked.sort_unstable();
            ranked.into_iter().map(|(_, path)| path).collect()
        };
        assert_eq!(
            order(
                Onboarding::RunTests,
                &[
                    "sub/README.md",
                    "README.md",
                    "Makefile",
                    "src/lib.rs",
                    "CONTRIBUTING.md",
                    ".github/workflows/go.yml"
                ]
            ),
            ["CONTRIBUTING.md", "README.md", "Makefile", ".github/workflows/go.yml", "sub/README.md"]
        );
        for path in ["gradle/libs.versions.toml", "app/app.csproj", "requirements/dev.txt"] {
            assert!(Onboarding::is_manifest(&DocPath::new(path).expect("plain")), "{path}");
        }
        assert!(!Onboarding::is_manifest(&DocPath::new("src/versions.toml").expect("plain")));
        assert_eq!(order(Onboarding::License, &["LICENSE", "src/license.rs", "a.c"]), ["LICENSE", "src/license.rs"]);
    }
}
