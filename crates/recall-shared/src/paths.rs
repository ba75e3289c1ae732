//! Conditions on paths, checked here.

use globset::{GlobBuilder, GlobMatcher};

use crate::PathCondition;

/// Alternative conditions on a path. Without any, every path passes.
#[derive(Clone, Debug)]
pub(crate) struct Paths(Vec<Check>);

#[derive(Clone, Debug)]
enum Check {
    Below(String),
    /// `None` if it is not a glob: no path matches.
    Glob(Option<Box<GlobMatcher>>),
}

impl Paths {
    pub(crate) fn new(conditions: &[PathCondition]) -> Self {
        let check = |condition: &PathCondition| match condition {
            PathCondition::Below(directory) => Check::Below(directory.clone()),
            PathCondition::Glob(glob) => {
                let glob = GlobBuilder::new(glob).literal_separator(true).build().ok();
                Check::Glob(glob.map(|glob| Box::new(glob.compile_matcher())))
            }
        };
        Self(conditions.iter().map(check).collect())
    }

    pub(crate) fn pass(&self, path: &str) -> bool {
        let passes = |check: &Check| match check {
            Check::Below(directory) => {
                directory.is_empty()
                    || path.strip_prefix(&**directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Check::Glob(glob) => glob.as_ref().is_some_and(|glob| glob.is_match(path)),
        };
        self.0.is_empty() || self.0.iter().any(passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_passes_any_of_the_conditions() {
        let below = |directory: &str| PathCondition::Below(directory.to_owned());
        let glob = |glob: &str| PathCondition::Glob(glob.to_owned());
        let check = |conditions: &[PathCondition], path: &str, expected| {
            assert_eq!(Paths::new(conditions).pass(path), expected, "{conditions:?} {path}");
        };
        check(&[], "a", true);
        check(&[below("")], "a", true);
        check(&[below("src")], "src/a.rs", true);
        check(&[below("src")], "src2/a.rs", false);
        check(&[below("src/a.rs")], "src/a.rs", true);
        check(&[glob("src/*.rs")], "src/a.rs", true);
        check(&[glob("src/*.rs")], "src/b/a.rs", false);
        check(&[glob("a[")], "a[", false);
        check(&[glob("a["), below("src")], "src/a.rs", true);
    }
}
