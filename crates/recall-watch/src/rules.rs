//! The rules of what is indexed in a root, as given and compiled.

use std::collections::HashSet;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::Gitignore;
use recall_core::Limits;
use recall_text::DocPath;

use crate::ignore_files::{Kind, UserRules, compile, user_rules};
use crate::{GitFacts, ScanError, SizeLimits};

/// What is indexed in a root, in addition to its ignore files.
///
/// Globs have the syntax of a `.gitignore` line: without a `/` a glob matches at any depth, with one it is anchored,
/// and a match of a directory applies to everything below it.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Only files that match one of these are indexed; if empty, all files. This only narrows: ignored files do not
    /// come back.
    pub include: Vec<String>,
    /// Files and directories that match one of these are not indexed.
    pub exclude: Vec<String>,
    /// The sizes of the largest files that are indexed.
    pub sizes: SizeLimits,
    /// What git says. A file that git tracks is included even if one of git's ignore files or a built-in list excludes it;
    /// `.recallignore`, `.ignore` and the rules of this type still apply.
    pub git: Arc<GitFacts>,
    /// Paths that the user added explicitly. They are indexed even if `include`, `exclude` or an ignore file says
    /// otherwise.
    pub additions: Vec<Addition>,
    /// Files and directories that the user removed. They override everything else.
    pub removals: Vec<DocPath>,
    /// Whether git's ignore files and the built-in list of directories apply to files with instructions for agents
    /// ([`is_agent_file`](recall_text::is_agent_file)).
    pub agent_files: IgnoreRules,
    /// Whether the ignore files of the directories above the root apply.
    pub above: IgnoreRules,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            include: Vec::new(),
            exclude: Vec::new(),
            sizes: SizeLimits::from(&Limits::default()),
            git: Arc::default(),
            additions: Vec::new(),
            removals: Vec::new(),
            agent_files: IgnoreRules::Honour,
            above: IgnoreRules::Honour,
        }
    }
}

/// A path that the user added explicitly.
///
/// The path itself is always included, whatever rule excludes it. `ignore_rules` decides whether the rules apply below
/// it. Key files, binaries, files over the size limit and version control directories are still excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The file or directory; `None` for the root itself.
    pub path: Option<DocPath>,
    /// How far the addition extends below a directory.
    pub depth: Depth,
    /// Only files below a directory that match one of these are included; if empty, all files.
    pub globs: Vec<String>,
    /// Patterns of what is excluded below the path, for every rule and addition, as in an ignore file there.
    pub ignore: Vec<String>,
    /// Whether ignore files and the built-in list of directories apply below the path.
    pub ignore_rules: IgnoreRules,
}

/// How far an addition extends below its directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// All directories below it.
    #[default]
    Recursive,
    /// Only the files directly in the directory.
    Flat,
}

/// Whether ignore files and the built-in list of directories apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IgnoreRules {
    /// They apply, except to what git tracks.
    #[default]
    Honour,
    /// They do not apply.
    PassOver,
}

/// The compiled rules: one plan for the root, and one for each addition.
pub(crate) struct Plans<'r> {
    pub(crate) all: Vec<Plan>,
    pub(crate) sizes: SizeLimits,
    pub(crate) git: &'r GitFacts,
    pub(crate) user: UserRules,
    pub(crate) agent_files: IgnoreRules,
    removals: HashSet<&'r str>,
    /// The ignore patterns of the additions, with the paths at which they apply.
    ignored: Vec<(Option<&'r DocPath>, Gitignore)>,
}

/// The compiled rules below one start.
pub(crate) struct Plan {
    /// The start; `None` for the root.
    pub(crate) start: Option<DocPath>,
    pub(crate) depth: Depth,
    pub(crate) ignore_rules: IgnoreRules,
    /// `None` includes everything.
    include: Option<Gitignore>,
    exclude: Gitignore,
}

impl<'r> Plans<'r> {
    pub(crate) fn compile(rules: &'r Rules) -> Result<Self, ScanError> {
        let whole = Plan {
            start: None,
            depth: Depth::Recursive,
            ignore_rules: IgnoreRules::Honour,
            include: globs(&rules.include)?,
            exclude: globs(&rules.exclude)?.unwrap_or_else(Gitignore::empty),
        };
        let (mut all, mut ignored) = (vec![whole], Vec::new());
        for Addition { path, depth, globs: wanted, ignore, ignore_rules } in &rules.additions {
            ignored.extend(globs(ignore)?.map(|patterns| (path.as_ref(), patterns)));
            all.push(Plan {
                start: path.clone(),
                depth: *depth,
                ignore_rules: *ignore_rules,
                include: globs(wanted)?,
                exclude: Gitignore::empty(),
            });
        }
        let removals = rules.removals.iter().map(DocPath::as_str).collect();
        let user = user_rules(rules.git.user_ignore());
        let (sizes, git, agent_files) = (rules.sizes, &*rules.git, rules.agent_files);
        Ok(Self { all, sizes, git, user, agent_files, removals, ignored })
    }

    /// Returns whether the user removed this path or a directory above it.
    pub(crate) fn is_removed_with_parents(&self, path: &DocPath) -> bool {
        let path = path.as_str();
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        !self.removals.is_empty() && ends.into_iter().any(|end| self.removals.contains(&path[..end]))
    }

    /// Returns whether an addition's ignore patterns exclude the path.
    pub(crate) fn is_ignored_by_addition(&self, path: &str, kind: Kind) -> bool {
        self.ignored.iter().any(|(start, patterns)| {
            let below = match start {
                Some(start) => path.strip_prefix(start.as_str()).and_then(|rest| rest.strip_prefix('/')),
                None => Some(path),
            };
            below.is_some_and(|below| patterns.matched(below, kind == Kind::Directory).is_ignore())
        })
    }

    /// Returns whether the user removed exactly this path.
    pub(crate) fn is_removed(&self, path: &str) -> bool {
        !self.removals.is_empty() && self.removals.contains(path)
    }
}

fn globs(globs: &[String]) -> Result<Option<Gitignore>, ScanError> {
    if globs.is_empty() {
        return Ok(None);
    }
    compile(globs).map(Some).map_err(|(glob, error)| ScanError::Glob { glob, source: error.into() })
}

/// Whether what is below a directory is included unless a glob says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inclusion {
    /// It is included.
    In,
    /// It is not included.
    Out,
}

impl Plan {
    /// Returns the inclusion of the start itself.
    pub(crate) fn inclusion(&self) -> Inclusion {
        if self.include.is_some() { Inclusion::Out } else { Inclusion::In }
    }

    /// Returns the inclusion of a path, given that of its directory.
    pub(crate) fn inclusion_of(&self, path: &str, kind: Kind, above: Inclusion) -> Inclusion {
        let Some(include) = &self.include else { return above };
        match include.matched(self.below_start(path), kind == Kind::Directory) {
            Match::None => above,
            Match::Ignore(_) => Inclusion::In,
            Match::Whitelist(_) => Inclusion::Out,
        }
    }

    pub(crate) fn excludes(&self, path: &str, kind: Kind) -> bool {
        !self.exclude.is_empty() && self.exclude.matched(path, kind == Kind::Directory).is_ignore()
    }

    /// Strips the start from a path, since an addition's globs are anchored at its path.
    fn below_start<'p>(&self, path: &'p str) -> &'p str {
        match &self.start {
            Some(start) => &path[start.as_str().len() + 1..],
            None => path,
        }
    }
}
